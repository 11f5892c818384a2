// Finds the process that does the work where a launcher or a shell is watched instead.
import type { Working } from './listed-process.ts';
import { descendantsOf } from './process-tree.ts';

/** A process that uses more than this is not idle. */
export const IDLE_PERCENT = 5;
/** A child that uses less than this is not the one that does the work. */
const BUSY_PERCENT = 20;

/** The busiest descendant of an idle process. Null if the process is not idle, or no descendant is busy. */
export function busyChildOf<Process extends Working>(
  pid: number,
  processes: readonly Process[],
): Process | null {
  const own = processes.find((one) => one.pid === pid);
  if (own === undefined || own.cpuPercent > IDLE_PERCENT) return null;
  const [busiest] = descendantsOf(pid, processes).toSorted((a, b) => b.cpuPercent - a.cpuPercent);
  return busiest !== undefined && busiest.cpuPercent >= BUSY_PERCENT ? busiest : null;
}
