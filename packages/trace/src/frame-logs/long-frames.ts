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

/** A part of a frame, and the track of its span. Parts of a track follow each other, unless they may `contain` each other. */
export type Part = { readonly name: string; readonly track: string; readonly contain?: true };
type LongFrame = { readonly row: number; readonly ms: number; readonly parts: readonly number[] };

export class LongFrames {
  #frames: LongFrame[] = [];

  /** Takes frame `row`, which took `ms`. `parts` has the ms of each column, NaN for one without a value. */
  add(row: number, ms: number, parts: readonly number[]): void {
    if (ms <= LONG_MS) return;
    this.#frames.push({ row, ms, parts });
    if (this.#frames.length >= 2 * FRAMES) this.#keepLongest();
  }

  /**
   * The spans. A log does not state when a part began: those of a track follow each other from the start of the frame, the longest
   * first, and those that may contain each other all begin there. `partOf` returns null for a column that is no part of a frame.
   */
  records(starts: Float64Array, partOf: (column: number) => Part | null): SpanRecord[] {
    this.#keepLongest();
    const width = this.#frames.reduce((most, { parts }) => Math.max(most, parts.length), 0);
    const named = Array.from({ length: width }, (_, column) => partOf(column));
    return this.#frames.flatMap(({ row, ms, parts }) => {
      const taken = new Map<string, number>();
      return parts
        .flatMap((value, column) => {
          const part = named[column];
          return part == null || !(value >= LEAST_MS) ? [] : [{ ...part, value }];
        })
        .sort((a, b) => b.value - a.value)
        .slice(0, PARTS)
        .flatMap(({ name, track, contain, value }): SpanRecord[] => {
          const from = contain === true ? 0 : (taken.get(track) ?? 0);
          const duration_ms = roundMs(Math.min(value, ms - from));
          if (duration_ms < LEAST_MS) return [];
          taken.set(track, from + duration_ms);
          return [
            { type: 'span', t: roundMs((starts[row] ?? 0) + from), duration_ms, name, track },
          ];
        });
    });
  }

  #keepLongest(): void {
    this.#frames.sort((a, b) => b.ms - a.ms || a.row - b.row);
    this.#frames.length = Math.min(this.#frames.length, FRAMES);
  }
}
