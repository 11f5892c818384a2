// Asks a program of this machine about a build. It gets the facts on standard input and the files in a folder, and answers with its
// exit code.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { HookError, type Question, rejection, type Verdict } from './question.ts';

export type CommandHook = {
  readonly kind: 'command';
  /** The absolute path of the program, and its arguments. */
  readonly command: readonly [string, ...string[]];
  readonly timeoutMs: number;
};

const ACCEPTED = 0;
const REJECTED = 1;
/** More output is read and dropped. */
const OUTPUT_BYTES = 16 * 1024;
/** How long the end of killed processes, and of the output, is waited for. */
const REST_MS = 1000;
/** The server's other variables may have secrets. */
const PASSED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'];

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Asks the program. Throws as {@link PublishHook}. When it returns, all processes of the program's group that can be ended were killed. */
export async function askCommand(
  { command, timeoutMs }: CommandHook,
  question: Question,
  signal: AbortSignal,
): Promise<Verdict> {
  const path = question.newPath();
  await question.writeFiles(path);
  // Programs report the real paths of files.
  const folder = await realpath(path);
  signal.throwIfAborted();
  const child = await start(command, folder);
  child.stdin.end(`${JSON.stringify({ ...question.facts, folder })}\n`);
  const output = keepStart(child.stdout);
  const errors = keepStart(child.stderr);
  const exit = await waitForEnd(child, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
  signal.throwIfAborted();
  if (exit === null) throw new HookError(`it did not end within ${timeoutMs / 1000} s`);
  if (exit.code === ACCEPTED) return { accepted: true };
  // The path of the folder is the server's own affair.
  if (exit.code === REJECTED) {
    return rejection(output().replaceAll(`${folder}/`, '').replaceAll(folder, ''));
  }
  const { reason } = rejection(errors());
  const how = exit.code === null ? `signal ${exit.signal}` : `exit code ${exit.code}`;
  throw new HookError(`it ended with ${how}${reason === '' ? '' : `: ${reason}`}`);
}

async function start([program, ...given]: CommandHook['command'], folder: string): Promise<Child> {
  const passed = PASSED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  try {
    const child = spawn(program, [...given, folder], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...Object.fromEntries(passed), SVC_BUILD_DIR: folder },
      // Not the folder of the build: many programs read their configuration from where they run.
      cwd: '/',
      // A group of its own, so that all its processes can be ended.
      detached: true,
    });
    // Some errors are thrown, others are events. After some of them the child has no streams.
    await once(child, 'spawn');
    // It need not read its input.
    child.stdin.on('error', () => {});
    return child;
  } catch (error) {
    throw new HookError(`it could not be started: ${String(error)}`);
  }
}

/** Reads the whole stream. Returns a function that returns its first bytes as text. */
function keepStart(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    if (bytes < OUTPUT_BYTES) chunks.push(chunk.subarray(0, OUTPUT_BYTES - bytes));
    bytes += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/**
 * Waits until the program has ended, and ends the rest of its group. Returns null if the signal was aborted first. A process that has
 * left the group may hold the output open, and the server may not end one of another user: it does not wait for them.
 */
async function waitForEnd(child: Child, stop: AbortSignal): Promise<Exit | null> {
  const stopped = Promise.withResolvers<null>();
  const onStop = (): void => stopped.resolve(null);
  const closed = once(child, 'close');
  stop.addEventListener('abort', onStop, { once: true });
  if (stop.aborted) onStop();
  const exit = await Promise.race([once(child, 'exit'), stopped.promise]);
  stop.removeEventListener('abort', onStop);
  endGroup(child);
  await Promise.race([closed, setTimeout(REST_MS, null, { ref: false })]);
  child.stdout.destroy();
  child.stderr.destroy();
  child.unref();
  return exit === null ? null : { code: exit[0], signal: exit[1] };
}

function endGroup({ pid }: Child): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All its processes have ended, or are of another user.
  }
}
