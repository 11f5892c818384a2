// Programs as people start them from the root: npm or node with arguments, in a home of their own.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { bareEnvironment, type Cleanup } from '../packages/cli/test/svc.ts';
import { until } from '../scripts/until.ts';
import { ROOT } from '../scripts/workspaces.ts';

export type Started = {
  readonly child: ChildProcess;
  readonly home: string;
  /** All of stdout so far. */
  readonly told: () => string;
  /** Waits until stdout holds it, for `patienceMs` at most (110 s where none is given). */
  readonly tells: (pattern: RegExp, patienceMs?: number) => Promise<RegExpExecArray>;
  /** The exit code, null where a signal ended it. */
  readonly exited: Promise<number | null>;
};

/** Starts a program; what is left of it is killed with the test. */
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
  const tells = async (pattern: RegExp, patienceMs?: number): Promise<RegExpExecArray> => {
    const hasEnded = (): boolean => child.exitCode !== null;
    const shows = (): boolean => pattern.test(text);
    await until(shows, (shown) => shown || hasEnded(), `stdout shows ${pattern}`, patienceMs);
    const found = pattern.exec(text);
    if (found === null) throw new Error(`It ended with ${child.exitCode}: ${text}${faults}`);
    return found;
  };
  return { child, home, told: () => text, tells, exited };
}

export function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

/** Processes whose environment holds the text: those of a program that was given a folder of its own. */
export function processesNaming(text: string): number[] {
  return globSync('/proc/[0-9]*/environ').flatMap((path) => {
    try {
      const pid = Number(path.split('/')[2]);
      return pid !== process.pid && readFileSync(path, 'utf8').includes(text) ? [pid] : [];
    } catch {
      // It ended between the two looks, or is somebody else's.
      return [];
    }
  });
}
