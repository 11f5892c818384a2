// Pins one process. Everything is read through a directory that is opened once, so another process
// that gets the same PID is never read.
import { closeSync, constants, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import type { Target } from '@svc/contracts/agent';
import { codeOf } from '@svc/contracts/caught';
import { StartError } from '../start-error.ts';
import { readKernelUnits } from './kernel-units.ts';
import { processName } from './process-name.ts';
import {
  hasExited,
  type ProcessStat,
  parseProcessStat,
  parseResidentPages,
} from './process-stat.ts';

/** One reading: the CPU time so far, and the memory now. */
export type ProcessReading = {
  readonly cpuMs: number;
  readonly rssBytes: number;
  /** Null if the system does not say it. */
  readonly threads: number | null;
  /** When it was read, by `performance.now()`. Missing if that is now. */
  readonly atMs?: number;
};

export type PinnedProcess = {
  /** The process with its current name. `exec` and the program itself can change the name. */
  readonly target: Target;
  /** A folder with the /proc entries of this process alone: `/proc/self/fd/N`. Null on systems without /proc. */
  readonly folder: string | null;
  /** Why PSS can't be read. Null if it can. */
  readonly pssDenied: string | null;
  /**
   * Null once the process has exited. Throws Node's error if this reading fails. Takes about 5 µs.
   */
  read(): ProcessReading | null;
  /** Whether the process has exited. False if it is unknown this time. Takes about 4 µs. */
  exited(): boolean;
  release(): void;
};

export type LinuxProcess = PinnedProcess & { readonly folder: string };

export function isLinuxProcess(process: PinnedProcess): process is LinuxProcess {
  return process.folder !== null;
}

/**
 * Opens a process on Linux, only the one that started at this time if it is given. Throws StartError: `no_such_process`,
 * `process_forbidden`.
 */
export function pinProcess(pid: number, startTicks: number | null = null): LinuxProcess {
  const opened: number[] = [];
  try {
    return openProcess(pid, startTicks, opened);
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    throw asStartError(pid, error);
  }
}

function openProcess(pid: number, startTicks: number | null, opened: number[]): LinuxProcess {
  const open = (path: string, flags: number): number => {
    const descriptor = openSync(path, flags);
    opened.push(descriptor);
    return descriptor;
  };
  const directory = open(`/proc/${pid}`, constants.O_RDONLY | constants.O_DIRECTORY);
  const folder = `/proc/self/fd/${directory}`;
  const stat = open(`${folder}/stat`, constants.O_RDONLY);
  const statm = open(`${folder}/statm`, constants.O_RDONLY);
  const first = parseProcessStat(readAll(stat));
  const isOther = startTicks !== null && first.startTicks !== startTicks;
  if (isOther || hasExited(first)) throw missing(pid, 'it has exited');
  refuseThread(pid, folder);
  const units = readKernelUnits();
  const started_at = startedAt(first, units.bootMs, units.ticksPerSecond);
  let latest = first;
  let name = processName(first, folder);
  const readStat = (): ProcessStat | null => {
    const now = orGone(() => parseProcessStat(readAll(stat)));
    if (now === null || hasExited(now)) return null;
    if (now.name !== latest.name) name = processName(now, folder);
    latest = now;
    return now;
  };
  return {
    get target() {
      return { pid, name, started_at };
    },
    folder,
    pssDenied: pssDenied(folder),
    exited: () => {
      try {
        return readStat() === null;
      } catch {
        return false;
      }
    },
    read: () => {
      const now = readStat();
      if (now === null) return null;
      const pages = orGone(() =>
        now.state === 'Z' ? pagesOfOthers(folder, pid) : parseResidentPages(readAll(statm)),
      );
      if (pages === null) return null;
      return {
        cpuMs: (now.cpuTicks * 1000) / units.ticksPerSecond,
        rssBytes: pages * units.pageBytes,
        threads: now.threads,
      };
    },
    release: () => {
      for (const descriptor of opened.splice(0)) closeSync(descriptor);
    },
  };
}

const page = Buffer.allocUnsafe(8192);

function readAll(descriptor: number): string {
  return page.toString('utf8', 0, readSync(descriptor, page, 0, page.length, 0));
}

/**
 * Resident pages of a process whose main thread has exited. They are read from another thread.
 * `folder` is the process's folder in /proc. Null if no other thread is left. Throws what the file system throws, except
 * for a thread that ends meanwhile.
 */
export function pagesOfOthers(folder: string, pid: number): number | null {
  for (const thread of readdirSync(`${folder}/task`)) {
    if (thread === String(pid)) continue;
    try {
      return parseResidentPages(readFileSync(`${folder}/task/${thread}/statm`, 'utf8'));
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ESRCH') throw error;
    }
  }
  return null;
}

/** Returns null if a kept descriptor reports ESRCH, which means that its process has exited. */
function orGone<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return null;
    throw error;
  }
}

/**
 * Throws if the PID is the id of a thread. /proc has an entry for a thread's id too, although it
 * does not list it.
 */
function refuseThread(pid: number, folder: string): void {
  const status = openSync(`${folder}/status`, constants.O_RDONLY);
  try {
    const group = Number(/^Tgid:\s+(\d+)$/m.exec(readAll(status))?.[1] ?? pid);
    if (group !== pid) throw missing(pid, `it is a thread of process ${group}`);
  } finally {
    closeSync(status);
  }
}

function startedAt({ startTicks }: ProcessStat, bootMs: number, ticksPerSecond: number): string {
  return new Date(bootMs + (startTicks * 1000) / ticksPerSecond).toISOString();
}

function pssDenied(folder: string): string | null {
  try {
    closeSync(openSync(`${folder}/smaps_rollup`, constants.O_RDONLY));
    return null;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ESRCH') {
      return 'There is no memory map to read: the process is a part of the kernel, or its main thread has exited';
    }
    if (code === 'ENOENT') return 'This kernel has no smaps_rollup';
    // Any other failure, such as too many open files, may be over at the first reading.
    if (code !== 'EACCES' && code !== 'EPERM') return null;
    return `The kernel does not let this user read the memory map of the process (${code})`;
  }
}

function missing(pid: number, why: string): StartError {
  return new StartError('no_such_process', `Cannot watch process ${pid}: ${why}`);
}

function asStartError(pid: number, error: unknown): unknown {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ESRCH' || code === 'ENOTDIR') {
    return missing(pid, 'there is no such process');
  }
  if (code !== 'EACCES' && code !== 'EPERM') return error;
  return new StartError(
    'process_forbidden',
    `Cannot watch process ${pid}: this user may not read /proc/${pid}`,
    error,
  );
}
