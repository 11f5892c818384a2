// The growth of each measured memory series after the start of the program, with the 95 % interval of its slope.
import type { Source } from '../../format/records.ts';
import type { TraceModel } from '../../model/trace-model.ts';
import { median, type Trend, trendOf } from '../../times/trend.ts';

/** A memory series. `label` is its name for people. Unknown values are NaN. */
export type MemorySeries = {
  readonly label: string;
  readonly source: Source;
  readonly t: Float64Array;
  readonly value: Float64Array;
};

/** The growth of a series after its warm-up. */
export type MemoryGrowth = {
  /** The start of the part that was used, and its length, in ms. */
  readonly from_ms: number;
  readonly span_ms: number;
  /** The median of the values in bytes. */
  readonly middle_bytes: number;
  /** Bytes per minute. */
  readonly slope_per_minute: Trend;
  /** The slope times the length, in bytes. */
  readonly bytes: number;
  /** Whether it keeps growing: see {@link memoryGrowth}. */
  readonly grows: boolean;
};

/** The word for the growth of a memory series, the same in every view. `flat`: neither of the others. */
export type Direction = 'rising' | 'falling' | 'flat';

/** The first part of the recording is start-up and ignored. */
const WARM_UP_SHARE = 0.2;
/** Fewest samples and shortest time for a trend. */
export const FEWEST_SAMPLES = 24;
export const SHORTEST_MS = 30_000;
/** Smallest change over the recording, as a fraction of the median and in bytes. Less may be caches. */
const GROWTH_SHARE = 0.08;
const GROWTH_BYTES = 8 * 1_048_576;
/** A step that makes up this fraction of the growth is one load, and no trend. */
const STEP_SHARE = 0.6;
/** The levels before and after a step are the medians of this number of samples, and this number may be between them. */
const LEVEL_SAMPLES = 6;
const STEP_SAMPLES = 3;
const MINUTE_MS = 60_000;

/** The reserved counters of memory, as people know them. */
export const MEMORY_COUNTERS: Readonly<Record<string, string>> = {
  js_heap_bytes: 'JS heap',
  page_memory_bytes: 'page memory',
  gpu_bytes: 'GPU memory',
};

/** The memory series of a trace: RSS and PSS of the process, and the counters of the browser. */
export function memorySeries(model: TraceModel): MemorySeries[] {
  const process = model.process.flatMap(({ source, t, rss_bytes, pss_bytes }) => [
    { label: 'RSS', source, t, value: rss_bytes },
    { label: 'PSS', source, t, value: pss_bytes },
  ]);
  const counters = model.counters.flatMap(({ source, name, t, value }) => {
    const label = Object.hasOwn(MEMORY_COUNTERS, name) ? MEMORY_COUNTERS[name] : undefined;
    return label === undefined ? [] : [{ label, source, t, value }];
  });
  return [...process, ...counters];
}

/**
 * The growth of a series, or null if fewer than 24 values or 30 s are left after the first fifth of the values. It keeps
 * growing if the 95 % interval of the slope is above zero, also in the second half, if it grew by at least 8 MiB and 8 % of
 * its median, and if most of the growth is not a single step.
 */
export function memoryGrowth({ t, value }: Pick<MemorySeries, 't' | 'value'>): MemoryGrowth | null {
  const known = Array.from(t.keys()).filter((i) => !Number.isNaN(value[i] ?? Number.NaN));
  const kept = known.slice(Math.floor(known.length * WARM_UP_SHARE));
  const times = kept.map((i) => t[i] ?? 0);
  const values = kept.map((i) => value[i] ?? 0);
  const from_ms = times[0] ?? 0;
  const span_ms = (times.at(-1) ?? 0) - from_ms;
  if (kept.length < FEWEST_SAMPLES || span_ms < SHORTEST_MS) return null;
  const half = Math.floor(kept.length / 2);
  const whole = trendOf(times, values);
  const later = trendOf(times.slice(half), values.slice(half));
  if (whole === null || later === null) return null;
  const middle_bytes = median(values.toSorted((a, b) => a - b));
  const bytes = whole.slope * span_ms;
  return {
    from_ms,
    span_ms,
    middle_bytes,
    slope_per_minute: {
      slope: whole.slope * MINUTE_MS,
      low: whole.low * MINUTE_MS,
      high: whole.high * MINUTE_MS,
    },
    bytes,
    grows:
      whole.low > 0 && later.low > 0 && bytes >= leastChange(middle_bytes) && !isOneStep(values),
  };
}

/**
 * The word for a growth. A series rises if it keeps growing, see {@link memoryGrowth}. It falls if the 95 % interval of its slope is
 * below zero and it fell by at least 8 MiB and 8 % of its median. Null if the growth is unknown.
 */
export function directionOf(growth: MemoryGrowth | null): Direction | null {
  if (growth === null) return null;
  const { grows, slope_per_minute, bytes, middle_bytes } = growth;
  if (grows) return 'rising';
  return slope_per_minute.high < 0 && -bytes >= leastChange(middle_bytes) ? 'falling' : 'flat';
}

function leastChange(middle_bytes: number): number {
  return Math.max(middle_bytes * GROWTH_SHARE, GROWTH_BYTES);
}

/**
 * Whether most of the growth is a single step: every level after it is higher than every level before it. An even growth rises
 * by at most 9 of 24 samples between two levels, and a heap that fills and empties falls back.
 */
function isOneStep(values: readonly number[]): boolean {
  const levels = Array.from({ length: values.length - LEVEL_SAMPLES + 1 }, (_, i) =>
    median(values.slice(i, i + LEVEL_SAMPLES).sort((a, b) => a - b)),
  );
  const rise = (levels.at(-1) ?? 0) - (levels[0] ?? 0);
  const lowestFrom = [...levels];
  for (let i = levels.length - 2; i >= 0; i--) {
    lowestFrom[i] = Math.min(levels[i] ?? 0, lowestFrom[i + 1] ?? 0);
  }
  let highest = Number.NEGATIVE_INFINITY;
  for (let i = LEVEL_SAMPLES + STEP_SAMPLES; i < levels.length; i++) {
    highest = Math.max(highest, levels[i - LEVEL_SAMPLES - STEP_SAMPLES] ?? 0);
    if ((lowestFrom[i] ?? 0) - highest >= rise * STEP_SHARE) return true;
  }
  return false;
}
