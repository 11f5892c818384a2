// The memory at the end of a window of time, and how it changed in it.
import type { Source } from '../../format/records.ts';
import type { CounterColumns, TraceModel } from '../../model/trace-model.ts';
import { firstAbove, firstAtLeast } from '../../times/search-sorted.ts';
import { MEMORY_COUNTERS } from '../facts/memory-growth.ts';
import type { Window } from '../frames/frame-stats.ts';

/** `label` is the name of the memory for people, or of its counter. */
export type MemoryChange = {
  readonly label: string;
  readonly source: Source;
  /** At the end of the window, or at its start if the end has no value. */
  readonly bytes: number;
  /** Since the start of the window in bytes. Null if the value at the start is unknown. */
  readonly change: number | null;
};

/** Counters of bytes that are no memory. */
const NO_MEMORY: ReadonlySet<string> = new Set(['io_read_bytes']);
/** Counters that are samples. Any other counter holds its value until its next record. */
const SAMPLED: ReadonlySet<string> = new Set(['js_heap_bytes', 'page_memory_bytes']);
/** Samples are a second apart. One this near counts as the value. */
const NEAR_MS = 750;

type Series = {
  readonly label: string;
  readonly source: Source;
  readonly valueAt: (t: number) => number | null;
};

/** RSS and PSS of each process, then each counter of memory. Series without a value at the ends of the window are left out. */
export function memoryWithin(model: TraceModel, { from_ms, to_ms }: Window): MemoryChange[] {
  return seriesOf(model).flatMap(({ label, source, valueAt }) => {
    const before = valueAt(from_ms);
    const bytes = valueAt(to_ms) ?? before;
    if (bytes === null) return [];
    return [{ label, source, bytes, change: before === null ? null : bytes - before }];
  });
}

function seriesOf({ process, counters, duration_ms }: TraceModel): Series[] {
  const samples = process.flatMap(({ source, t, rss_bytes, pss_bytes }): Series[] => [
    { label: 'RSS', source, valueAt: (at) => nearest(t, rss_bytes, at) },
    { label: 'PSS', source, valueAt: (at) => nearest(t, pss_bytes, at) },
  ]);
  const counted = counters
    .filter(({ name, unit }) => unit === 'bytes' && !NO_MEMORY.has(name))
    .map((counter): Series => {
      const { name, source, t, value } = counter;
      const label = Object.hasOwn(MEMORY_COUNTERS, name) ? MEMORY_COUNTERS[name] : undefined;
      return {
        label: label ?? name,
        source,
        valueAt: SAMPLED.has(name)
          ? (at) => nearest(t, value, at)
          : (at) => held(counter, at, duration_ms ?? 0),
      };
    });
  return [...samples, ...counted];
}

/** The value of the nearest sample within {@link NEAR_MS}, the earlier one of two. Null: there is none, or its value is unknown. */
function nearest(t: Float64Array, value: Float64Array, at: number): number | null {
  const after = firstAtLeast(t, at);
  const distance = (index: number): number => Math.abs((t[index] ?? Number.POSITIVE_INFINITY) - at);
  const index = distance(after - 1) <= distance(after) ? after - 1 : after;
  const found = value[index] ?? Number.NaN;
  return distance(index) <= NEAR_MS && !Number.isNaN(found) ? found : null;
}

/** The latest value until a time. Null before the first one and after the end of the trace. */
function held({ t, value }: CounterColumns, at: number, end_ms: number): number | null {
  return at > end_ms ? null : (value[firstAbove(t, at) - 1] ?? null);
}
