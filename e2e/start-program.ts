// Starts npm or node from the repository's root with a new home folder, as a user would.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { bareEnvironment, type Cleanup } from '../packages/cli/test/svc.ts';
import { until } from '../scripts/until.ts';
import { ROOT } from '../scripts/workspaces.ts';

export type Started = {
  readonly child: ChildProcess;
  readonly home: string;
  /** Returns stdout so far. */
  readonly output: () => string;
  /** Waits until stdout matches. Throws after `patienceMs` (default 110 s). */
  readonly waitForOutput: (pattern: RegExp, patienceMs?: number) => Promise<RegExpExecArray>;
  /** The exit code; null if a signal ended the program. */
  readonly exited: Promise<number | null>;
};

/** Starts a program. Its remaining processes are killed at the end of the test. */
export function startProgram(
  t: Cleanup,
  command: string,
  args: readonly string[],
  home: string,
  env: Readonly<Record<string, string>> = {},
): Started {
  const child = spawn(command, args, {
    cwd: ROOT,
    env: bareEnvironment(home, env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  let [text, faults] = ['', ''];
  child.stdout.on('data', (chunk) => {
    text += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    faults += String(chunk);
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const waitForOutput = async (pattern: RegExp, patienceMs?: number): Promise<RegExpExecArray> => {
    const hasEnded = (): boolean => child.exitCode !== null;
    const shows = (): boolean => pattern.test(text);
    await until(shows, (shown) => shown || hasEnded(), `stdout shows ${pattern}`, patienceMs);
    const found = pattern.exec(text);
    if (found === null) throw new Error(`It ended with ${child.exitCode}: ${text}${faults}`);
    return found;
  };
  return { child, home, output: () => text, waitForOutput, exited };
}

export function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

/** Processes whose environment contains the text, such as the folder of a program. */
export function processesNaming(text: string): number[] {
  return globSync('/proc/[0-9]*/environ').flatMap((path) => {
    try {
      const pid = Number(path.split('/')[2]);
      return pid !== process.pid && readFileSync(path, 'utf8').includes(text) ? [pid] : [];
    } catch {
      // It has exited in between, or belongs to another user.
      return [];
    }
  });
}
