// The processes that this user may profile, and the CPU time that each uses now.
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { messageOf } from '@svc/contracts/caught';
import { StartError } from '../../start-error.ts';
import { busyChildOf } from './busy-child.ts';
import type { ListedProcess } from './listed-process.ts';
import { PS_ARGUMENTS, parsePs } from './parse-ps.ts';
import { lineOf } from './process-tree.ts';
import { isOwn, readStats, readWords, workBetween } from './read-processes.ts';

/** A tick of the kernel is 2 % of this time. */
const MEASURE_MS = 500;
/** `ps` answers at once. It may have to be read from a slow disk. */
const PS_MS = 15_000;

/**
 * Lists the user's processes with the most CPU time first, after 500 ms in which that is measured. Leaves out svc
 * itself with the shells and terminals that it runs in, and parts of the kernel. Root gets the processes of all
 * users. Rejects with StartError: `capture_unsupported`.
 */
export async function listProcesses(): Promise<ListedProcess[]> {
  const all = process.platform === 'linux' ? await readAll() : await askPs();
  const own = lineOf(process.pid, all);
  return all
    .filter(({ pid, words }) => !own.has(pid) && words.length > 0)
    .toSorted((a, b) => b.cpuPercent - a.cpuPercent || b.pid - a.pid);
}

/**
 * The busy descendant of an idle process, after 500 ms in which CPU time is measured. Null without one, at once if the
 * process has no children. Works on Linux only.
 */
export async function findBusyChild(pid: number): Promise<ListedProcess | null> {
  if (process.platform !== 'linux') return null;
  const { byPid } = readStats();
  if (![...byPid.values()].some(({ parent }) => parent === pid)) return null;
  return busyChildOf(pid, await readAll());
}

async function readAll(): Promise<ListedProcess[]> {
  const before = readStats();
  await sleep(MEASURE_MS);
  return workBetween(before, readStats()).map((one) => ({
    ...one,
    // Without words, a process is not offered. It stays in the line of parents.
    words: isOwn(one.pid) ? readWords(one.pid) : [],
  }));
}

async function askPs(): Promise<ListedProcess[]> {
  if (process.platform !== 'darwin') {
    throw unlisted('svc lists processes on Linux and macOS only');
  }
  const user = process.getuid?.();
  try {
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    const options = { env, timeout: PS_MS, maxBuffer: 2 ** 26 };
    const { stdout } = await promisify(execFile)('ps', PS_ARGUMENTS, options);
    return parsePs(stdout).map(({ user: owner, words, ...one }) => ({
      ...one,
      words: user === 0 || owner === user ? words : [],
    }));
  } catch (error) {
    throw unlisted(`ps cannot be used: ${messageOf(error)}`);
  }
}

function unlisted(why: string): StartError {
  return new StartError(
    'capture_unsupported',
    `Cannot look for a process: ${why}; name it with --pid PID`,
  );
}
