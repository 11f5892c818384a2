// Watches whether the process that is profiled leaves the work to a child.
import type { BusyChild } from '@svc/contracts/agent';
import { codeOf } from '@svc/contracts/caught';
import { isLinuxProcess, type PinnedProcess } from '../pin-process.ts';
import { busyChildOf, IDLE_PERCENT } from './busy-child.ts';
import { readStats, type Stats, workBetween } from './read-processes.ts';

/** A launcher may be idle for a moment while it starts the game, so a child is found after two of these. */
const PERIOD_MS = 2_000;

/**
 * Calls `onChange` with the child that does the work when it is found, about 4 s after the process became idle, and
 * with null when the process works itself or no child does. Other processes are read only while the process is idle.
 * Works on Linux only.
 */
export function watchBusyChild(
  process: PinnedProcess,
  onChange: (child: BusyChild | null) => void,
): Disposable {
  if (!isLinuxProcess(process)) return { [Symbol.dispose]: () => {} };
  const { pid } = process.target;
  const isIdle = idleness(process);
  let before: Stats | null = null;
  let found: BusyChild | null = null;
  const look = (): void => {
    const after = isIdle() ? readStats() : null;
    const work = before !== null && after !== null ? workBetween(before, after) : [];
    before = after;
    const busy = busyChildOf(pid, work);
    const child =
      busy === null
        ? null
        : { pid: busy.pid, name: busy.name, cpu_percent: Math.round(busy.cpuPercent) };
    // The number alone changes all the time, and nobody waits for it.
    if (child?.pid === found?.pid && child?.name === found?.name) return;
    found = child;
    onChange(child);
  };
  isIdle();
  const timer = setInterval(look, PERIOD_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Returns whether the process was idle since the last call. False if its CPU time cannot be read. */
function idleness(process: PinnedProcess): () => boolean {
  let cpuMs: number | null = null;
  let atMs = 0;
  return () => {
    const [earlier, since] = [cpuMs, atMs];
    atMs = performance.now();
    try {
      cpuMs = process.read()?.cpuMs ?? null;
    } catch (error) {
      if (codeOf(error) === '') throw error;
      cpuMs = null;
    }
    if (earlier === null || cpuMs === null) return false;
    return ((cpuMs - earlier) / (atMs - since)) * 100 <= IDLE_PERCENT;
  };
}
