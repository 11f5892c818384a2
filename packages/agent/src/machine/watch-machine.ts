// The records about the machine and its graphics cards in each second of a capture.
import type { TraceRecord } from '@svc/trace';
import { readKernelUnits } from '../target/kernel-units.ts';
import type { LinuxProcess } from '../target/pin-process.ts';
import { describePower } from './describe-machine.ts';
import { GpuUsage } from './gpu-usage.ts';
import { type LoadReading, MachineLoad } from './machine-load.ts';

/** The load of the machine, and the CPU time of the process, both at `atMs` of `performance.now()`. */
type Reading = { readonly atMs: number; readonly cpuMs: number; readonly load: LoadReading };

export class MachineWatch {
  readonly #process: LinuxProcess;
  readonly #load: MachineLoad;
  readonly #gpu: GpuUsage;
  #isFirst = true;
  #before: Reading | null = null;

  constructor(process: LinuxProcess) {
    this.#process = process;
    this.#load = new MachineLoad(readKernelUnits().ticksPerSecond);
    this.#gpu = new GpuUsage(process.folder);
  }

  /**
   * The records at a trace time, in ms. The time itself is read again, because a sample of the process may have waited for its PSS.
   */
  read(t: number): TraceRecord[] {
    const atMs = performance.now();
    const power = this.#isFirst ? describePower() : null;
    this.#isFirst = false;
    return [
      ...(power === null ? [] : [{ type: 'log', t, level: 'info', text: power } as const]),
      ...this.#loadSince(t, atMs),
      ...this.#gpu.read(t, atMs),
    ];
  }

  #loadSince(t: number, atMs: number): TraceRecord[] {
    const before = this.#before;
    const now = this.#readLoad(atMs);
    this.#before = now;
    if (before === null || now === null) return [];
    return loadRecords(before.load, now.load, {
      t,
      elapsedMs: atMs - before.atMs,
      ownMs: now.cpuMs - before.cpuMs,
    });
  }

  #readLoad(atMs: number): Reading | null {
    const load = this.#load.read();
    const cpuMs = cpuTimeOf(this.#process);
    return load === null || cpuMs === null ? null : { atMs, cpuMs, load };
  }
}

function cpuTimeOf(process: LinuxProcess): number | null {
  try {
    return process.read()?.cpuMs ?? null;
  } catch {
    return null; // only this second is unknown
  }
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
