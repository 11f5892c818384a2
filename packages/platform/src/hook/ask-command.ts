// Asks a program of this machine about a build. It gets the facts on standard input and the files in a folder, and answers with its
// exit code.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
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
/** The server's other variables may have secrets. */
const PASSED = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'];

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** Asks the program. Throws as {@link PublishHook}. When it returns, the program and all processes of its group have ended. */
export async function askCommand(
  { command, timeoutMs }: CommandHook,
  question: Question,
  signal: AbortSignal,
): Promise<Verdict> {
  const folder = question.newPath();
  await question.writeFiles(folder);
  signal.throwIfAborted();
  const child = start(command, folder);
  child.stdin.end(`${JSON.stringify({ ...question.facts, folder })}\n`);
  const output = keepStart(child.stdout);
  const errors = keepStart(child.stderr);
  const ended = await waitForEnd(child, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
  signal.throwIfAborted();
  if (ended.isLate) throw new HookError(`it did not end within ${timeoutMs / 1000} s`);
  if (ended.fault !== null) throw new HookError(`it could not be started: ${ended.fault}`);
  if (ended.code === ACCEPTED) return { accepted: true };
  // The path of the folder is the server's own affair.
  if (ended.code === REJECTED) return rejection(output().replaceAll(`${folder}/`, ''));
  const { reason } = rejection(errors());
  const how = ended.code === null ? `signal ${ended.signal}` : `exit code ${ended.code}`;
  throw new HookError(`it ended with ${how}${reason === '' ? '' : `: ${reason}`}`);
}

function start([program, ...given]: CommandHook['command'], folder: string): Child {
  const passed = PASSED.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const child = spawn(program, [...given, folder], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(passed), SVC_BUILD_DIR: folder },
    // Not the folder of the build: many programs read their configuration from where they run.
    cwd: '/',
    // A group of its own, so that all its processes can be ended.
    detached: true,
  });
  // It need not read its input.
  child.stdin.on('error', () => {});
  return child;
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

type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not be started; null if it was. */
  readonly fault: string | null;
  /** Whether it was ended because the signal was aborted. */
  readonly isLate: boolean;
};

/** Waits until the program has ended, and ends the rest of its group. */
async function waitForEnd(child: Child, ended: AbortSignal): Promise<Ended> {
  let isLate = false;
  const stop = (): void => {
    isLate = true;
    endGroup(child);
  };
  const closed = once(child, 'close');
  // What it has left behind may hold its output open.
  child.on('exit', () => endGroup(child));
  if (ended.aborted) stop();
  else ended.addEventListener('abort', stop, { once: true });
  try {
    const [code, signal] = await closed;
    return { code, signal, fault: null, isLate };
  } catch (error) {
    return { code: null, signal: null, fault: String(error), isLate };
  } finally {
    ended.removeEventListener('abort', stop);
  }
}

function endGroup({ pid }: Child): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All its processes have ended.
  }
}
