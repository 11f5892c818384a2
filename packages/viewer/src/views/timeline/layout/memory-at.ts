// The memory at the end of a time range, and how it changed in it. Pure.
import type { TimeRange } from '../../../draw/time-axis.ts';
import type { Timeline } from '../timeline-data.ts';
import { valueAt } from './hit.ts';

/** `change` is the difference from the start of the range in bytes; null if that is unknown. */
export type MemoryRow = {
  readonly id: string;
  readonly label: string;
  readonly bytes: number;
  readonly change: number | null;
};

/** Counters of bytes that are no memory. */
const NO_MEMORY = /^counter\/io_read_bytes\//;
/** Samples are a second apart. One this near counts as the value. */
const NEAR_MS = 750;

export function memoryAt({ tracks }: Timeline, { from, to }: TimeRange): MemoryRow[] {
  return tracks.flatMap((track) => {
    if (track.kind !== 'line' || track.unit !== 'bytes' || NO_MEMORY.test(track.id)) return [];
    return track.series.flatMap((series): MemoryRow[] => {
      const bytes = valueAt(series, to, NEAR_MS) ?? valueAt(series, from, NEAR_MS);
      if (bytes === null) return [];
      const before = valueAt(series, from, NEAR_MS);
      const change = before === null ? null : bytes - before;
      return [{ id: `${track.id}/${series.label}`, label: series.label, bytes, change }];
    });
  });
}
