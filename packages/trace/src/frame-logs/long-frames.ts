// The most costly parts of the frames over budget, as spans. A value of each part for each frame would be many times the size of the
// log, and only long frames need an explanation.
import type { SpanRecord } from '../format/records.ts';
import { roundMs } from '../vpt/format-record.ts';

/** Views count a frame as a hitch from here on, at 60 frames per second. */
const LONG_MS = (1000 / 60) * 1.05;
/** The most frames with spans, the longest ones. */
const FRAMES = 500;
/** The most spans of a frame. */
const PARTS = 8;
/** A shorter part is left out. */
const LEAST_MS = 1;

/** The name of a column's part, and the track of its span. */
export type Part = { readonly name: string; readonly track: string };
type LongFrame = { readonly row: number; readonly ms: number; readonly parts: readonly number[] };

export class LongFrames {
  #frames: LongFrame[] = [];

  /** Takes frame `row`, which took `ms`. `parts` has the ms of each column, NaN for one without a value. */
  add(row: number, ms: number, parts: readonly number[]): void {
    if (ms <= LONG_MS) return;
    this.#frames.push({ row, ms, parts });
    if (this.#frames.length >= 2 * FRAMES) this.#keepLongest();
  }

  /** The spans, each from the start of its frame. `partOf` returns null for a column that is no part of a frame. */
  records(starts: Float64Array, partOf: (column: number) => Part | null): SpanRecord[] {
    this.#keepLongest();
    const width = this.#frames.reduce((most, { parts }) => Math.max(most, parts.length), 0);
    const named = Array.from({ length: width }, (_, column) => partOf(column));
    return this.#frames.flatMap(({ row, ms, parts }) =>
      parts
        .flatMap((value, column): SpanRecord[] => {
          const part = named[column];
          const duration_ms = roundMs(Math.min(ms, value));
          if (part == null || !(duration_ms >= LEAST_MS)) return [];
          return [{ type: 'span', t: roundMs(starts[row] ?? 0), duration_ms, ...part }];
        })
        .sort((a, b) => b.duration_ms - a.duration_ms)
        .slice(0, PARTS),
    );
  }

  #keepLongest(): void {
    this.#frames.sort((a, b) => b.ms - a.ms || a.row - b.row);
    this.#frames.length = Math.min(this.#frames.length, FRAMES);
  }
}
