// The records about the machine and its graphics cards in each second of a capture.
import type { TraceRecord } from '@svc/trace';
import { readKernelUnits } from '../target/kernel-units.ts';
import { describePower } from './describe-machine.ts';
import { GpuUsage } from './gpu-usage.ts';
import { type LoadReading, MachineLoad } from './machine-load.ts';

/** One reading of the process: when, in ms of the trace, and its CPU time so far. */
export type ProcessTime = { readonly t: number; readonly cpuMs: number };

export class MachineWatch {
  readonly #load: MachineLoad;
  readonly #gpu: GpuUsage;
  #before: { readonly process: ProcessTime; readonly load: LoadReading } | null = null;

  /** `folder` is the `/proc/PID` of the process. Linux only. */
  constructor(folder: string) {
    this.#load = new MachineLoad(readKernelUnits().ticksPerSecond);
    this.#gpu = new GpuUsage(folder);
  }

  /** Called with each sample of the process. */
  read(process: ProcessTime): TraceRecord[] {
    return [...this.#loadSince(process), ...this.#gpu.read(process.t)];
  }

  #loadSince(process: ProcessTime): TraceRecord[] {
    const { t } = process;
    const load = this.#load.read();
    const before = this.#before;
    this.#before = load === null ? null : { process, load };
    if (load === null) return [];
    if (before === null || t <= before.process.t) return powerLog(t);
    return loadRecords(before.load, load, {
      t,
      elapsedMs: t - before.process.t,
      ownMs: process.cpuMs - before.process.cpuMs,
    });
  }
}

function powerLog(t: number): TraceRecord[] {
  const text = describePower();
  return text === null ? [] : [{ type: 'log', t, level: 'info', text }];
}

type Elapsed = { readonly t: number; readonly elapsedMs: number; readonly ownMs: number };

/** The records of the time between two readings, in which the process used `ownMs` of CPU time. */
export function loadRecords(
  before: LoadReading,
  now: LoadReading,
  { t, elapsedMs, ownMs }: Elapsed,
): TraceRecord[] {
  // Both are counted in steps of 10 ms.
  const others = Math.max(0, ((now.busyMs - before.busyMs - ownMs) / elapsedMs) * 100);
  const records: TraceRecord[] = [
    { type: 'counter', t, name: 'CPU of others', unit: '%', value: Math.round(others) },
  ];
  if (now.mhz !== null) {
    records.push({ type: 'counter', t, name: 'CPU clock', unit: 'MHz', value: now.mhz });
  }
  if ((now.throttled ?? 0) > (before.throttled ?? Number.POSITIVE_INFINITY)) {
    records.push({ type: 'mark', t, name: 'The CPU was slowed down because of heat' });
  }
  return records;
}
