// Finds the intervals at a time among many, also if they overlap, in logarithmic time. Pure.
import type { IntervalTrack } from '../timeline-data.ts';
import { firstAt } from './columns.ts';

type Index = {
  /** The ends of all intervals, sorted. */
  readonly ends: Float64Array;
  /** A binary tree of the latest ends: the root is at 1, the leaves begin at `leaves` in the order of the intervals. */
  readonly latest: Float64Array;
  readonly leaves: number;
};

/** An index is built once for each track, when it is first needed. */
const indexes = new WeakMap<IntervalTrack, Index>();

function indexOf(track: IntervalTrack): Index {
  const known = indexes.get(track);
  if (known !== undefined) return known;
  const count = track.t.length;
  const ends = Float64Array.from(track.t, (t, i) => t + (track.duration[i] ?? 0));
  const leaves = 2 ** Math.ceil(Math.log2(Math.max(1, count)));
  const latest = new Float64Array(2 * leaves).fill(Number.NEGATIVE_INFINITY);
  latest.set(ends, leaves);
  for (let node = leaves - 1; node > 0; node--) {
    latest[node] = Math.max(latest[2 * node] ?? 0, latest[2 * node + 1] ?? 0);
  }
  const index = { ends: ends.sort(), latest, leaves };
  indexes.set(track, index);
  return index;
}

/** Returns the interval that starts last of those that touch `from` to `to`, or −1 if there is none. */
export function lastTouching(track: IntervalTrack, from: number, to: number): number {
  const { latest, leaves } = indexOf(track);
  const last = firstAfter(track.t, to) - 1;
  if (last < 0) return -1;
  let node = leaves + last;
  while ((latest[node] ?? 0) < from) {
    // Goes to the subtree before this one.
    while (node > 1 && node % 2 === 0) node /= 2;
    if (node <= 1) return -1;
    node--;
  }
  while (node < leaves) {
    const right = 2 * node + 1;
    node = (latest[right] ?? 0) >= from ? right : right - 1;
  }
  return node - leaves;
}

/** Returns the number of intervals that touch `from` to `to`. */
export function countTouching(track: IntervalTrack, from: number, to: number): number {
  return firstAfter(track.t, to) - firstAt(indexOf(track).ends, from);
}

/** Returns the first index whose time is later than `t`. */
export function firstAfter(times: Float64Array, t: number): number {
  return firstAt(times, t + 1e-9);
}
