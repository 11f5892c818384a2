// The seconds of a measured process that stand out: those with the most CPU time, and those in which its memory rose most.
import type { Source } from '../../format/records.ts';
import type { ProcessColumns } from '../../model/trace-model.ts';
import type { Window } from '../frames/frame-stats.ts';

/** The time that the first sample describes. */
const FIRST_MS = 1000;

/** The time from one sample of a process to the next, usually a second. */
export type ProcessMoment = Window & {
  readonly source: Source;
  /** Of one core, in this time. Null: not measured. */
  readonly cpu_percent: number | null;
  /** At the end of this time. Null: not measured. */
  readonly rss_bytes: number | null;
  /** How much RSS rose in this time; negative if it fell. Null for the first sample, and if it was not measured. */
  readonly rise_bytes: number | null;
};

/** Every time between samples, in time order. A sample at `t` 0 describes no time of the trace and only begins the next one. */
export function processMoments(process: readonly ProcessColumns[]): ProcessMoment[] {
  return process.flatMap(momentsOf).sort((a, b) => a.to_ms - b.to_ms);
}

/** The times with the most CPU time. Ties keep the order of `moments`. Times without any are left out. */
export function busiestMoments(moments: readonly ProcessMoment[]): ProcessMoment[] {
  return moments
    .filter(({ cpu_percent }) => (cpu_percent ?? 0) > 0)
    .sort((a, b) => (b.cpu_percent ?? 0) - (a.cpu_percent ?? 0));
}

/** The times in which RSS rose, the largest rise first. Ties keep the order of `moments`. */
export function risingMoments(moments: readonly ProcessMoment[]): ProcessMoment[] {
  return moments
    .filter(({ rise_bytes }) => (rise_bytes ?? 0) > 0)
    .sort((a, b) => (b.rise_bytes ?? 0) - (a.rise_bytes ?? 0));
}

function momentsOf({ source, t, cpu_percent, rss_bytes }: ProcessColumns): ProcessMoment[] {
  const moments: ProcessMoment[] = [];
  for (let i = 0; i < t.length; i++) {
    const to_ms = t[i] ?? 0;
    const from_ms = i === 0 ? Math.max(0, to_ms - FIRST_MS) : (t[i - 1] ?? 0);
    if (to_ms <= from_ms) continue;
    const rss = known(rss_bytes[i]);
    const before = known(rss_bytes[i - 1]);
    moments.push({
      source,
      from_ms,
      to_ms,
      cpu_percent: known(cpu_percent[i]),
      rss_bytes: rss,
      rise_bytes: rss === null || before === null ? null : rss - before,
    });
  }
  return moments;
}

function known(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}
