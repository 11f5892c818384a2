// Reduces values to the number of pixels without losing peaks. Pure.

import type { TimeRange } from '../../../draw/time-axis.ts';
import type { Gap, LineSeries } from '../timeline-data.ts';

/** Returns the first index whose time is at least `t`. */
export function firstAt(times: Float64Array, t: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) < t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Returns the range of indices that are in the view, with one neighbour on each side so that lines continue to the
 * edges.
 */
export function indicesInView(times: Float64Array, view: TimeRange): { from: number; to: number } {
  return {
    from: Math.max(0, firstAt(times, view.from) - 1),
    to: Math.min(times.length, firstAt(times, view.to) + 1),
  };
}

/** What part of a line is drawn, and where. Sorted `gaps` interrupt it. */
type LineView = {
  readonly view: TimeRange;
  readonly toX: (t: number) => number;
  readonly toY: (value: number) => number;
  readonly gaps: readonly Gap[];
};

/** A line's points in pixels. NaN in `ys` interrupts the line. */
type LinePoints = { readonly xs: number[]; readonly ys: number[] };

/**
 * Returns the points of a line. A pixel column with many values has only its lowest and highest value. The line is
 * interrupted where a value is missing, and where there is a gap between two values. A value that holds has a step to
 * the next one, and ends at a gap.
 */
export function linePoints(
  { t: times, value: values, heldTo }: Pick<LineSeries, 't' | 'value' | 'heldTo'>,
  { view, toX, toY, gaps }: LineView,
): LinePoints {
  const { from, to } = indicesInView(times, view);
  const points: LinePoints = { xs: [], ys: [] };
  const column = new Column(points, toX, toY);
  let gap = 0;
  for (let i = from; i < to; i++) {
    const t = times[i] ?? 0;
    const value = values[i] ?? Number.NaN;
    const before = times[i - 1] ?? Number.NEGATIVE_INFINITY;
    while (gap < gaps.length && endOf(gaps[gap]) <= before) gap++;
    const crossed = i > from && startOf(gaps[gap]) < t && endOf(gaps[gap]) > before;
    const held = heldTo === undefined || i === from ? Number.NaN : (values[i - 1] ?? Number.NaN);
    if (!Number.isNaN(held)) column.add(crossed ? Math.max(before, startOf(gaps[gap])) : t, held);
    if (Number.isNaN(value) || crossed) column.break();
    if (!Number.isNaN(value)) column.add(t, value);
  }
  const [lastTime, last] = [times[to - 1] ?? Number.NaN, values[to - 1] ?? Number.NaN];
  if (heldTo !== undefined && to === times.length && heldTo > lastTime && !Number.isNaN(last)) {
    while (gap < gaps.length && endOf(gaps[gap]) <= lastTime) gap++;
    column.add(Math.min(heldTo, Math.max(lastTime, startOf(gaps[gap]))), last);
  }
  column.flush();
  return points;
}

function startOf(gap: Gap | undefined): number {
  return gap === undefined ? Number.POSITIVE_INFINITY : gap.t;
}

function endOf(gap: Gap | undefined): number {
  return gap === undefined ? Number.POSITIVE_INFINITY : gap.t + gap.duration;
}

/**
 * The number of values of one pixel column that are all drawn. Of more, only the lowest and the highest are visible.
 */
const COLUMN_VALUES = 4;

/** The values of one pixel column. */
class Column {
  readonly #points: LinePoints;
  readonly #toX: (t: number) => number;
  readonly #toY: (value: number) => number;
  #x = Number.NaN;
  #count = 0;
  readonly #first = new Float64Array(COLUMN_VALUES);
  #low = 0;
  #high = 0;
  #lowIsLater = false;

  constructor(points: LinePoints, toX: (t: number) => number, toY: (value: number) => number) {
    this.#points = points;
    this.#toX = toX;
    this.#toY = toY;
  }

  add(t: number, value: number): void {
    const x = this.#toX(t);
    if (Math.floor(x) !== Math.floor(this.#x)) this.flush();
    if (this.#count === 0) {
      this.#x = x;
      this.#low = value;
      this.#high = value;
    }
    if (this.#count < COLUMN_VALUES) this.#first[this.#count] = value;
    this.#count++;
    if (value < this.#low) {
      this.#low = value;
      this.#lowIsLater = true;
    } else if (value > this.#high) {
      this.#high = value;
      this.#lowIsLater = false;
    }
  }

  break(): void {
    this.flush();
    if (this.#points.xs.length === 0) return;
    this.#points.xs.push(this.#points.xs.at(-1) ?? 0);
    this.#points.ys.push(Number.NaN);
  }

  flush(): void {
    if (this.#count <= COLUMN_VALUES) {
      for (let i = 0; i < this.#count; i++) this.#push(this.#first[i] ?? 0);
    } else {
      this.#push(this.#lowIsLater ? this.#high : this.#low);
      if (this.#low !== this.#high) this.#push(this.#lowIsLater ? this.#low : this.#high);
    }
    this.#count = 0;
    this.#x = Number.NaN;
  }

  #push(value: number): void {
    this.#points.xs.push(this.#x);
    this.#points.ys.push(this.#toY(value));
  }
}

/** Returns the longest frame of each pixel column in ms, or 0 if it has none. */
export function worstFrames(
  times: Float64Array,
  durations: Float64Array,
  view: TimeRange,
  width: number,
): Float64Array {
  const worst = new Float64Array(Math.max(1, Math.ceil(width)));
  const scale = width / (view.to - view.from);
  const end = firstAt(times, view.to);
  for (let i = Math.max(0, firstAt(times, view.from) - 1); i < end; i++) {
    const duration = durations[i] ?? 0;
    const left = ((times[i] ?? 0) - view.from) * scale;
    const first = Math.max(0, Math.floor(left));
    const last = Math.min(
      worst.length - 1,
      Math.max(first, Math.ceil(left + duration * scale) - 1),
    );
    for (let x = first; x <= last; x++) {
      if (duration > (worst[x] ?? 0)) worst[x] = duration;
    }
  }
  return worst;
}

/**
 * Assigns intervals, sorted by start, to lanes so that they do not overlap. Intervals without a free lane go to the
 * last one.
 */
export function assignLanes(
  times: Float64Array,
  durations: Float64Array,
  most = 6,
): { lane: Uint8Array; lanes: number } {
  const lane = new Uint8Array(times.length);
  const ends: number[] = [];
  for (let i = 0; i < times.length; i++) {
    const t = times[i] ?? 0;
    let free = ends.findIndex((end) => end <= t);
    if (free < 0) free = ends.length < most ? ends.length : most - 1;
    ends[free] = Math.max(ends[free] ?? 0, t + (durations[i] ?? 0));
    lane[i] = free;
  }
  return { lane, lanes: Math.max(1, ends.length) };
}
