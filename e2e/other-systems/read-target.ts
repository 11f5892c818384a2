// What the stand-ins for programs of other systems report: a process of this machine.
import { readFileSync } from 'node:fs';

export type TargetReading = {
  readonly userMs: number;
  readonly systemMs: number;
  readonly rssBytes: number;
  readonly threads: number;
  /** In ticks since this machine started. */
  readonly started: number;
  /** Its parent has not asked for its exit code yet. */
  readonly hasExited: boolean;
};

/** The length of a tick of /proc on each Linux that Node supports. */
const TICK_MS = 10;

/** Returns null if there is no such process. */
export function readTarget(pid: number): TargetReading | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return {
      userMs: Number(fields[11]) * TICK_MS,
      systemMs: Number(fields[12]) * TICK_MS,
      rssBytes: Number(rss ?? 0) * 1024,
      threads: Number(fields[17]),
      started: Number(fields[19]),
      hasExited: fields[0] === 'Z',
    };
  } catch {
    return null;
  }
}
