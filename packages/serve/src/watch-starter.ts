// Detects that the npm or npx that started this program is gone. npm runs a program in a shell. A
// signal to npm ends npm and the shell, and the program would continue without a user who could end
// it.
import { readFileSync } from 'node:fs';
import { codeOf } from '@svc/contracts/caught';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A process and, if the kernel reports it, its start time. Another process may have the same pid
 * later.
 */
type Starter = { readonly pid: number; readonly startedAt: string | null };

const CHECK_MS = 500;

/** A longer chain of parents does not come from npm. */
const MOST_STARTERS = 32;

/**
 * Calls `onGone` once when npm or a process between npm and this one is gone, or the start file
 * that runs this program on another Node. A program that was started in any other way is not
 * watched and may outlive its shell.
 */
export function watchStarter(env: Environment, onGone: () => void): Disposable {
  const parent = process.ppid;
  const starters = findStarters(env, parent);
  if (starters.length === 0) return { [Symbol.dispose]: () => {} };
  const timer = setInterval(() => {
    if (process.ppid === parent && starters.every(isRunning)) return;
    clearInterval(timer);
    onGone();
  }, CHECK_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/**
 * The parent, its parent and so on, up to and including the first that does not run below npm,
 * which is npm itself.
 */
function findStarters(env: Environment, parent: number): Starter[] {
  const first = starterOf(parent);
  if (!isBelowNpm(env)) return isStartFile(env, parent) ? [first] : [];
  const starters = [first];
  let pid = parent;
  while (starters.length < MOST_STARTERS && hasNpmEnvironment(pid)) {
    pid = readStat(pid)?.parent ?? 0;
    if (pid === 0) break;
    starters.push(starterOf(pid));
  }
  return starters;
}

function isBelowNpm(env: Environment): boolean {
  return (env['npm_execpath'] ?? '') !== '';
}

/** The start files in `bin/` pass their pid to the Node that they start. */
function isStartFile(env: Environment, parent: number): boolean {
  return env['SVC_START_FILE_PID'] === String(parent);
}

function hasNpmEnvironment(pid: number): boolean {
  try {
    return /(?:^|\0)npm_execpath=[^\0]/.test(readFileSync(`/proc/${pid}/environ`, 'latin1'));
  } catch {
    return false;
  }
}

function starterOf(pid: number): Starter {
  return { pid, startedAt: readStat(pid)?.startedAt ?? null };
}

function isRunning({ pid, startedAt }: Starter): boolean {
  if (startedAt === null) return acceptsSignals(pid);
  const stat = readStat(pid);
  return stat !== null && stat.startedAt === startedAt && !/[ZX]/.test(stat.state);
}

/** Whether there is a process with this id, also one of another user. For systems without /proc. */
export function acceptsSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

type Stat = { readonly state: string; readonly parent: number; readonly startedAt: string };

/**
 * Parses `/proc/PID/stat`. The second field is a name in parentheses, which may contain anything.
 */
function readStat(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', parent: Number(fields[1]), startedAt: fields[19] ?? '' };
  } catch {
    return null;
  }
}
