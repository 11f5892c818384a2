// The processor time of the main thread of the page, by Linux's scheduler. Time in which another program had the core is not in it.
import { readdirSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/** The process of the page among the browsers that this process has started; null if it is not found, as on other systems. */
export function findPageProcess(): number | null {
  const found = pids()
    .filter((pid) => {
      const line = commandLineOf(pid);
      return line.includes(`svc-browser-${process.pid}-`) && line.includes('--type=renderer');
    })
    // The browser keeps a spare process, which does nothing.
    .sort((a, b) => (cpuMs(b) ?? 0) - (cpuMs(a) ?? 0));
  return found[0] ?? null;
}

/** The processor time of the main thread so far, in ms. Null if the system does not report it. */
export function cpuMs(pid: number): number | null {
  try {
    const [ns] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
    return Number(ns) / 1e6;
  } catch {
    return null;
  }
}

/** Raises the priority of all threads of a process, also of the one that samples, if permitted. */
export function putFirst(pid: number): void {
  for (const thread of readdirSync(`/proc/${pid}/task`).map(Number)) {
    try {
      setPriority(thread, constants.priority.PRIORITY_HIGHEST);
    } catch {
      // Only root is permitted.
    }
  }
}

function pids(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
