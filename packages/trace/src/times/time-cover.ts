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

  /** The union of all intervals. Intervals without length are ignored. */
  constructor(...lists: readonly IntervalList[]) {
    const { from, to } = joined(lists);
    const order = ascendingOrder(from);
    this.from = new Float64Array(from.length);
    this.to = new Float64Array(from.length);
    let count = 0;
    for (let i = 0; i < from.length; i++) {
      const at = order === null ? i : (order[i] ?? 0);
      const start = from[at] ?? 0;
      const end = to[at] ?? 0;
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

  /** The covered time within `from_ms ≤ time < to_ms`, in ms. */
  within(from_ms: number, to_ms: number): number {
    return Math.max(0, this.#until(to_ms) - this.#until(from_ms));
  }

  /** The covered time before `time`. */
  #until(time: number): number {
    const next = firstAbove(this.to, time);
    const start = this.from[next] ?? Number.POSITIVE_INFINITY;
    return (this.#before[next] ?? 0) + Math.max(0, time - start);
  }
}

function joined(lists: readonly IntervalList[]): { from: Float64Array; to: Float64Array } {
  const length = lists.reduce((sum, list) => sum + list.from.length, 0);
  const from = new Float64Array(length);
  const to = new Float64Array(length);
  let at = 0;
  for (const list of lists) {
    from.set(list.from, at);
    to.set(list.to, at);
    at += list.from.length;
  }
  return { from, to };
}

/** The indices of the values in ascending order, or null if they ascend already. */
function ascendingOrder(values: Float64Array): Uint32Array | null {
  let ascends = true;
  for (let i = 1; i < values.length && ascends; i++)
    ascends = (values[i - 1] ?? 0) <= (values[i] ?? 0);
  if (ascends) return null;
  const order = Uint32Array.from({ length: values.length }, (_, i) => i);
  return order.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
}
