// The processes of this machine, read from /proc.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readKernelUnits } from '../kernel-units.ts';
import { processName } from '../process-name.ts';
import { hasExited, type ProcessStat, parseProcessStat } from '../process-stat.ts';
import type { Started, Working } from './listed-process.ts';

export type Stats = {
  /** When they were read, by `performance.now()`. */
  readonly atMs: number;
  readonly byPid: ReadonlyMap<number, ProcessStat>;
};

/** Reads all processes but those that have exited. Takes 15 to 50 µs for each. */
export function readStats(): Stats {
  const atMs = performance.now();
  const byPid = new Map<number, ProcessStat>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = readOrNull(() => parseProcessStat(readFileSync(`/proc/${entry}/stat`, 'utf8')));
    if (stat !== null && !hasExited(stat)) byPid.set(Number(entry), stat);
  }
  return { atMs, byPid };
}

/** The processes of the later reading, with their CPU time between the two. A process that started in between has its whole CPU time. */
export function workBetween(before: Stats, after: Stats): (Working & Started)[] {
  const ticksPerMs = readKernelUnits().ticksPerSecond / 1000;
  const elapsedMs = Math.max(1, after.atMs - before.atMs);
  return [...after.byPid].map(([pid, stat]) => {
    const earlier = before.byPid.get(pid);
    const isSame = earlier?.startTicks === stat.startTicks;
    const ticks = stat.cpuTicks - (isSame ? (earlier?.cpuTicks ?? 0) : 0);
    const cpuPercent = (Math.max(0, ticks) / ticksPerMs / elapsedMs) * 100;
    const { parent, startTicks } = stat;
    return { pid, parent, startTicks, name: processName(stat, `/proc/${pid}`), cpuPercent };
  });
}

/** Whether the process runs that started at this time. */
export function isRunning(pid: number, startTicks: number | null): boolean {
  return startTicks !== null && startOf(pid) === startTicks;
}

/** When a process started, in ticks of the kernel. Null if it has exited, and on systems without /proc. */
export function startOf(pid: number): number | null {
  const stat = readOrNull(() => parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8')));
  return stat === null || hasExited(stat) ? null : stat.startTicks;
}

/** The words of a command line. Empty for a part of the kernel, and if this user may not read it. */
export function readWords(pid: number): string[] {
  const text = readOrNull(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '';
  return text.split('\0').filter((word) => word !== '');
}

/** Whether this user may observe the process. */
export function isOwn(pid: number): boolean {
  const user = process.getuid?.();
  return user === 0 || readOrNull(() => statSync(`/proc/${pid}`).uid) === user;
}

/** Whether the environment of the process, as it was at its start, has this line. */
export function hasVariable(pid: number, line: string): boolean {
  const environment = readOrNull(() => readFileSync(`/proc/${pid}/environ`, 'latin1'));
  return environment?.split('\0').includes(line) === true;
}

/** Null if the process has exited meanwhile, or if this user may not read it. */
function readOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
