// A program of the cluster: it keeps its port when it is killed and started again, and can be stopped and continued.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { until } from '../../scripts/until.ts';

const START_MS = 150_000;
const END_MS = 30_000;
/** How much of its last output an error shows, in characters. */
const SHOWN = 4_000;

export type Program = AsyncDisposable & {
  readonly name: string;
  /** Its last output. */
  readonly output: string;
  /** Kills it with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, and waits until it is ready. */
  start(): Promise<void>;
  /** Ends it with SIGTERM, and starts it again. */
  restart(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
};

export type ProgramOptions = {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The signal that it gets if this process is killed. Default: KILL. */
  readonly deathSignal?: 'TERM';
  /** Whether the command starts the program as its child, and does not pass SIGTERM on. */
  readonly isWrapped?: boolean;
  /** Whether it is ready for requests. */
  readonly isReady: () => Promise<boolean>;
};

/** Starts a program. Disposing of it kills it. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { name } = options;
  let output = '';
  let child = spawnProgram();
  function spawnProgram(): ChildProcess {
    // The kernel ends it if this process is killed.
    const args = ['--pdeathsig', options.deathSignal ?? 'KILL', ...options.command];
    const started = spawn('setpriv', args, {
      env: { PATH: process.env['PATH'] ?? '', ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (chunk) => {
        output = `${output}${chunk}`.slice(-SHOWN);
      });
    }
    return started;
  }
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const untilReady = async (): Promise<void> => {
    const state = async () => (hasEnded() ? 'ended' : (await options.isReady()) ? 'ready' : 'no');
    const last = await until(state, (now) => now !== 'no', `${name} is ready`, START_MS);
    if (last === 'ended') throw new Error(`${name} has ended: ${output}`);
  };
  const signalAll = (signal: NodeJS.Signals): void => {
    const pid = child.pid ?? 0;
    const children = childrenOf(pid);
    const isAsked = signal === 'SIGTERM';
    const inner = isAsked && options.isWrapped !== true ? [] : children;
    const outer = isAsked && options.isWrapped === true ? [] : [pid];
    // The outer one first: nginx replaces a worker that was killed.
    for (const one of [...outer, ...inner]) send(one, signal);
  };
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    if (hasEnded()) return;
    const exited = once(child, 'exit', { signal: AbortSignal.timeout(END_MS) });
    signalAll(signal);
    await exited;
  };
  const program: Program = {
    name,
    get output() {
      return output;
    },
    kill: () => end('SIGKILL'),
    async start() {
      if (hasEnded()) child = spawnProgram();
      await untilReady();
    },
    async restart() {
      await end('SIGTERM');
      await program.start();
    },
    signal: signalAll,
    [Symbol.asyncDispose]: () => end('SIGKILL'),
  };
  try {
    await untilReady();
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
  return program;
}

/** The children of a process, such as the program in a namespace and the workers of nginx. */
function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  const text = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  return text === '' ? [] : text.split(/\s+/).map(Number);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    if (pid > 0) process.kill(pid, signal);
  } catch {
    // It has exited in between.
  }
}

/** Finds free ports on 127.0.0.1. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  return Promise.all(
    servers.map(async (server) => {
      await once(server, 'listening');
      const address = server.address();
      await new Promise((resolve) => server.close(resolve));
      return typeof address === 'object' ? (address?.port ?? 0) : 0;
    }),
  );
}

/** Returns whether the address answers with the status 200. */
export async function answersOk(address: string): Promise<boolean> {
  const signal = AbortSignal.timeout(1_000);
  const answer = await fetch(address, { signal }).catch(() => null);
  await answer?.body?.cancel();
  return answer?.ok === true;
}
