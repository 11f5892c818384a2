// A measured series of any length in bounded memory. Once there are too many values, neighbours are folded into buckets.
import { Float64List } from '../../bytes/growable.ts';
import { type SeriesStats, seriesStats } from './series-stats.ts';

/** Most points of a series: more than an hour at one value a second, and 64 KiB. */
export const SERIES_POINTS = 4096;
/**
 * Most points of a memory series: three days at one value a second, and 4 MiB. Averages hide a heap that fills and empties, so memory
 * is judged by its values.
 */
export const MEMORY_POINTS = 262_144;

/** Points in time order, to compute a slope from or to draw. */
export type Points = {
  readonly t: Float64Array<ArrayBuffer>;
  readonly value: Float64Array<ArrayBuffer>;
};

export type BoundedStats = {
  /** Count, range, average and last value are exact. With buckets, `p95` and the slope are those of the buckets. */
  readonly stats: SeriesStats;
  /** The number of values in a bucket: 1 up to the most points of the series, then a power of two. */
  readonly values_per_bucket: number;
  readonly points: Points;
};

/** How a bucket combines its values. */
export type Fold = 'mean' | 'max';

export class BoundedSeries {
  readonly #fold: Fold;
  readonly #most: number;
  readonly #t = new Float64List(64);
  readonly #value = new Float64List(64);
  #size = 1;
  #open = { count: 0, t: 0, value: 0 };
  #count = 0;
  #sum = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;
  #last = { t: Number.NEGATIVE_INFINITY, value: Number.NaN };

  /** `most` is the largest number of points, an even number. */
  constructor(fold: Fold, most: number = SERIES_POINTS) {
    this.#fold = fold;
    this.#most = most;
  }

  /** Values may arrive in any order. A bucket combines values that arrive together. */
  add(t: number, value: number): void {
    this.#count++;
    this.#sum += value;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
    if (t >= this.#last.t) this.#last = { t, value };
    const open = this.#open;
    open.value =
      this.#fold === 'mean' || open.count === 0 ? open.value + value : Math.max(open.value, value);
    open.t += t;
    open.count++;
    if (open.count === this.#size) this.#close();
  }

  /** Null without values. */
  finish(): BoundedStats | null {
    while (this.#open.count > 0) this.#close();
    const points = sorted(this.#t.trimmed(), this.#value.trimmed());
    const ofPoints = seriesStats(points.t, points.value);
    if (ofPoints === null) return null;
    const stats: SeriesStats =
      this.#size === 1
        ? ofPoints
        : {
            ...ofPoints,
            count: this.#count,
            min: this.#min,
            mean: this.#sum / this.#count,
            max: this.#max,
            last: this.#last.value,
          };
    return { stats, values_per_bucket: this.#size, points };
  }

  #close(): void {
    const { count, t, value } = this.#open;
    this.#open = { count: 0, t: 0, value: 0 };
    this.#t.push(t / count);
    this.#value.push(this.#fold === 'mean' ? value / count : value);
    if (this.#t.length > this.#most) this.#halve();
  }

  /** Combines pairs of full buckets. The last one, which has no neighbour, is open again. */
  #halve(): void {
    const [t, value] = [this.#t.values, this.#value.values];
    const half = this.#most / 2;
    for (let i = 0; i < half; i++) {
      const [first, second] = [value[2 * i] ?? 0, value[2 * i + 1] ?? 0];
      t[i] = ((t[2 * i] ?? 0) + (t[2 * i + 1] ?? 0)) / 2;
      value[i] = this.#fold === 'mean' ? (first + second) / 2 : Math.max(first, second);
    }
    const [lastT, lastValue] = [t[2 * half] ?? 0, value[2 * half] ?? 0];
    const count = this.#size;
    this.#open = {
      count,
      t: lastT * count,
      value: this.#fold === 'mean' ? lastValue * count : lastValue,
    };
    this.#t.length = half;
    this.#value.length = half;
    this.#size *= 2;
  }
}

function sorted(t: Float64Array<ArrayBuffer>, value: Float64Array<ArrayBuffer>): Points {
  if (t.every((one, i) => i === 0 || (t[i - 1] ?? 0) <= one)) return { t, value };
  const order = Array.from(t.keys()).sort((a, b) => (t[a] ?? 0) - (t[b] ?? 0));
  return {
    t: Float64Array.from(order, (row) => t[row] ?? 0),
    value: Float64Array.from(order, (row) => value[row] ?? 0),
  };
}
