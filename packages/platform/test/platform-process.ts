// The platform as its own process, which tests can kill.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export type PlatformProcess = {
  readonly baseUrl: string;
  readonly issuer: string;
  readonly child: ChildProcess;
  /** Kills it with SIGKILL. */
  kill(): Promise<void>;
  /** Ends it with SIGTERM and returns its exit code. */
  end(): Promise<number | null>;
};

const MAIN = join(import.meta.dirname, '../bin/svc-platform.mjs');

/** Starts a platform on a free port. `wrap` is a prefix of the command, such as `['unshare', '-rm']`. */
export async function startProcess(
  dataDir: string,
  environment: Readonly<Record<string, string>> = {},
  wrap: readonly string[] = [],
): Promise<PlatformProcess> {
  const command = [...wrap, process.execPath, MAIN, '--dev', '--json', '--port', '0'];
  const [first = '', ...rest] = [...command, '--data-dir', dataDir];
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const child = spawn(first, rest, {
    env: { ...inherited, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Its log until it has started. Later lines are read and dropped.
  const errors: string[] = [];
  const keep = (chunk: Buffer): void => void errors.push(String(chunk));
  child.stderr.on('data', keep);
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([once(lines, 'line'), exited.then(() => null)]);
  if (line === null) throw new Error(`The platform did not start: ${errors.join('')}`);
  child.stderr.off('data', keep).resume();
  const reported: { base_url: string; issuer: string } = JSON.parse(String(line[0]));
  return {
    baseUrl: reported.base_url,
    issuer: reported.issuer,
    child,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async end() {
      child.kill('SIGTERM');
      await exited;
      return child.exitCode;
    },
  };
}
