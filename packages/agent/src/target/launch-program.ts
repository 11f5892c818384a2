// Starts a program that is profiled from its first instruction: its process exists, and waits until it may run.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../start-error.ts';
import { type Environment, findProgram } from './find-program.ts';
import type { ListedProcess, Started, Working } from './processes/listed-process.ts';
import { descendantsOf } from './processes/process-tree.ts';
import {
  hasVariable,
  isRunning,
  readStats,
  readWords,
  startOf,
  workBetween,
} from './processes/read-processes.ts';

export type ProgramOptions = {
  /** The program and its arguments. */
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  /** Where what the program prints goes. With `stderr`, the standard output of svc has only what svc writes. */
  readonly stdout: 'inherit' | 'stderr';
};

/** How a program ended: one of the two is null. */
export type ProgramExit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A program that svc has started. Disposing of it ends it. */
export type LaunchedProgram = AsyncDisposable & {
  readonly pid: number;
  /** The name of its file. */
  readonly name: string;
  /** Resolves when it has exited. */
  readonly exited: Promise<ProgramExit>;
  /** Lets the program run. Before, not one of its instructions is executed. Does nothing at the second call. */
  run(): void;
  /**
   * The processes that the program has started, directly or not, and that still run. Their CPU time is not measured.
   * Empty on systems without /proc.
   */
  children(): ListedProcess[];
  /**
   * Ends it with SIGTERM, and with SIGKILL after 5 s, and the processes that it has started, too. Resolves with false if
   * svc may not end it, because it runs as another user.
   */
  end(): Promise<boolean>;
  /** Ends it at once, and the processes that it has started, too. */
  kill(): void;
};

/** How long a program may take to save what it wants to save. */
const END_MS = 5_000;
/** How long the kernel may take to end a process. */
const KILL_MS = 1_000;
const CHECK_MS = 20;

/** Processes inherit it from the program, also those whose parents have exited. */
const MARK = 'SVC_LAUNCH';

/** Waits for a line, and becomes the program, with the same process id. Without the line, svc has ended: the program must not run. */
const WAIT =
  'IFS= read -r SVC_START <&3 && [ "$SVC_START" = go ] || exit 125; unset SVC_START; exec 3<&-; exec "$@"';

/**
 * Starts a program, which then waits. Standard input and error are those of svc. Throws StartError:
 * `no_such_program`, `program_forbidden`. On Windows the program runs at once.
 */
export function launchProgram({ words, cwd, env, stdout }: ProgramOptions): LaunchedProgram {
  const [name = '', ...args] = words;
  const path = process.platform === 'win32' ? name : findProgram(name, cwd, env);
  const mark = randomUUID();
  const output = stdout === 'stderr' ? 2 : 'inherit';
  const stdio: StdioOptions = ['inherit', output, 'inherit', 'pipe'];
  const options = { cwd, env: { ...env, [MARK]: mark }, stdio };
  const child =
    process.platform === 'win32'
      ? spawn(path, args, { ...options, stdio: stdio.slice(0, 3) as StdioOptions })
      : spawn('/bin/sh', ['-c', WAIT, basename(path), path, ...args], options);
  const { pid } = child;
  if (pid === undefined) {
    child.once('error', () => {});
    throw new StartError('no_such_program', `Cannot start "${name}": the system refuses it`);
  }
  return new Launched(child, pid, { name: basename(path), mark });
}

/** A process that belongs to the program, identified by its start. */
type Member = { readonly pid: number; readonly startTicks: number | null };

class Launched implements LaunchedProgram {
  readonly pid: number;
  readonly name: string;
  readonly exited: Promise<ProgramExit>;
  readonly #child: ChildProcess;
  readonly #mark: string;
  readonly #startTicks: number;
  /** Whether a process has the mark, by its id and start. An environment is read once only. */
  readonly #marked = new Map<string, boolean>();

  constructor(child: ChildProcess, pid: number, about: { name: string; mark: string }) {
    this.#child = child;
    this.pid = pid;
    this.name = about.name;
    this.#mark = `${MARK}=${about.mark}`;
    this.#startTicks = startOf(pid) ?? 0;
    const { promise, resolve } = Promise.withResolvers<ProgramExit>();
    this.exited = promise;
    child.once('exit', (code, signal) => resolve({ code, signal }));
    // The program may be gone before it is let run.
    this.#gate?.on('error', () => {});
  }

  get #gate(): Writable | null {
    return (this.#child.stdio[3] ?? null) as Writable | null;
  }

  run(): void {
    if (this.#gate?.writableEnded === false) this.#gate.end('go\n');
  }

  children(): ListedProcess[] {
    return this.#relatives().map((one) => ({ ...one, words: readWords(one.pid) }));
  }

  async end(): Promise<boolean> {
    // Without its line, a program that waits ends by itself.
    this.#gate?.destroy();
    const family = this.#family();
    signalAll(family, 'SIGTERM');
    // A stopped process handles no signal until it continues.
    signalAll(family, 'SIGCONT');
    const remain = (): boolean =>
      !this.#hasExited || family.some(({ pid, startTicks }) => isRunning(pid, startTicks));
    await waitWhile(remain, END_MS);
    this.kill();
    return await waitWhile(() => !this.#hasExited, KILL_MS);
  }

  kill(): void {
    signalAll(this.#family(), 'SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  get #hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The processes that still run. The id of a program that has exited may belong to another process. */
  #family(): Member[] {
    const relatives = this.#relatives();
    return this.#hasExited ? relatives : [{ pid: this.pid, startTicks: null }, ...relatives];
  }

  #relatives(): (Working & Started)[] {
    if (process.platform !== 'linux') return [];
    const now = readStats();
    const all = workBetween(now, now);
    const heads = all.filter((one) => this.#isMarked(one)).map(({ pid }) => pid);
    if (!this.#hasExited) heads.push(this.pid);
    const pids = new Set([
      ...heads,
      ...heads.flatMap((pid) => descendantsOf(pid, all).map((one) => one.pid)),
    ]);
    return all.filter(({ pid }) => pids.has(pid) && pid !== this.pid);
  }

  #isMarked({ pid, startTicks }: Working & Started): boolean {
    // What started before the program is not of the program.
    if (startTicks === null || startTicks < this.#startTicks) return false;
    const key = `${pid} ${startTicks}`;
    const known = this.#marked.get(key);
    if (known !== undefined) return known;
    const isMarked = hasVariable(pid, this.#mark);
    // Between fork and exec, a process has the environment of its parent, and the mark is in both.
    this.#marked.set(key, isMarked);
    return isMarked;
  }
}

/** Waits as long as the condition holds, for a limited time. Returns whether it no longer holds. */
async function waitWhile(holds: () => boolean, ms: number): Promise<boolean> {
  const lastMs = performance.now() + ms;
  while (holds() && performance.now() < lastMs) await sleep(CHECK_MS);
  return !holds();
}

/** Sends a signal to those that still are the same process. Without a start, the process is a child that was not reaped. */
function signalAll(family: readonly Member[], signal: NodeJS.Signals): void {
  for (const { pid, startTicks } of family) {
    if (startTicks !== null && !isRunning(pid, startTicks)) continue;
    try {
      process.kill(pid, signal);
    } catch {
      // It has exited, or runs as another user.
    }
  }
}
