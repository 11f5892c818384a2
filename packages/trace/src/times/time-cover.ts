// A set of times, as the union of intervals, and the part of a window that it covers.
import { firstAbove } from './search-sorted.ts';

/** Intervals in ms. They may overlap and be in any order. */
export type IntervalList = { readonly from: ArrayLike<number>; readonly to: ArrayLike<number> };

export class TimeCover {
  /** Disjoint intervals in ascending order. */
  readonly from: Float64Array;
  readonly to: Float64Array;
  /** The time in the first `i` intervals. */
  readonly #before: Float64Array;
  /** The interval that was found last. */
  #last = 0;
  /** The end of the last window, and the covered time before it. */
  #lastEnd = Number.NaN;
  #untilLastEnd = 0;

  /** The union of all intervals. Intervals without length are ignored. */
  constructor(...lists: readonly IntervalList[]) {
    const { from, to } = merged(lists);
    this.from = new Float64Array(from.length);
    this.to = new Float64Array(from.length);
    let count = 0;
    for (let i = 0; i < from.length; i++) {
      const start = from[i] ?? 0;
      const end = to[i] ?? 0;
      if (!(end > start)) continue;
      const last = count - 1;
      if (count > 0 && start <= (this.to[last] ?? 0)) {
        this.to[last] = Math.max(this.to[last] ?? 0, end);
        continue;
      }
      this.from[count] = start;
      this.to[count] = end;
      count++;
    }
    this.from = this.from.subarray(0, count);
    this.to = this.to.subarray(0, count);
    this.#before = new Float64Array(count + 1);
    for (let i = 0; i < count; i++) {
      this.#before[i + 1] = (this.#before[i] ?? 0) + (this.to[i] ?? 0) - (this.from[i] ?? 0);
    }
  }

  /** The covered time within `from_ms ≤ time < to_ms`, in ms. A window that begins where the last one ended costs half. */
  within(from_ms: number, to_ms: number): number {
    const before = from_ms === this.#lastEnd ? this.#untilLastEnd : this.#until(from_ms);
    this.#untilLastEnd = this.#until(to_ms);
    this.#lastEnd = to_ms;
    return Math.max(0, this.#untilLastEnd - before);
  }

  /** The covered time before `time`. */
  #until(time: number): number {
    const next = this.#firstAfter(time);
    const start = this.from[next] ?? Number.POSITIVE_INFINITY;
    return (this.#before[next] ?? 0) + Math.max(0, time - start);
  }

  /** The first interval that ends after `time`. Times mostly ascend, so it is looked for from the last one on. */
  #firstAfter(time: number): number {
    let at = this.#last;
    const isAfter = at === 0 || (this.to[at - 1] ?? 0) <= time;
    const end = isAfter ? Math.min(this.to.length, at + MOST_STEPS) : at;
    while (at < end && (this.to[at] ?? 0) <= time) at++;
    if (!isAfter || (at === end && end < this.to.length)) at = firstAbove(this.to, time);
    this.#last = at;
    return at;
  }
}

/** The most intervals that are looked at before a binary search: about a frame of samples. */
const MOST_STEPS = 32;

const EMPTY: IntervalList = { from: [], to: [] };

/** All intervals by ascending start. Lists of samples are long and in order, so they are merged instead of sorted. */
function merged(lists: readonly IntervalList[]): IntervalList {
  return lists
    .map(ascending)
    .sort((a, b) => a.from.length - b.from.length)
    .reduce(mergedPair, EMPTY);
}

function mergedPair(a: IntervalList, b: IntervalList): IntervalList {
  if (a.from.length === 0) return b;
  const length = a.from.length + b.from.length;
  const from = new Float64Array(length);
  const to = new Float64Array(length);
  let i = 0;
  let j = 0;
  for (let at = 0; at < length; at++) {
    const first = a.from[i] ?? Number.POSITIVE_INFINITY;
    const second = b.from[j] ?? Number.POSITIVE_INFINITY;
    if (j >= b.from.length || (i < a.from.length && first <= second)) {
      from[at] = first;
      to[at] = a.to[i++] ?? 0;
    } else {
      from[at] = second;
      to[at] = b.to[j++] ?? 0;
    }
  }
  return { from, to };
}

/** The list by ascending start: itself, if it is. */
function ascending(list: IntervalList): IntervalList {
  const { from, to } = list;
  let isAscending = true;
  for (let i = 1; i < from.length && isAscending; i++) {
    isAscending = (from[i - 1] ?? 0) <= (from[i] ?? 0);
  }
  if (isAscending) return list;
  const order = Uint32Array.from({ length: from.length }, (_, i) => i);
  order.sort((a, b) => (from[a] ?? 0) - (from[b] ?? 0));
  return {
    from: Float64Array.from(order, (i) => from[i] ?? 0),
    to: Float64Array.from(order, (i) => to[i] ?? 0),
  };
}
