// The second of the trace that a time is in. Pure.
import type { TimeRange } from '../../../draw/time-axis.ts';

const SECOND_MS = 1000;

/** Returns a whole second of a trace that ends at `end` ms. The end is in the last second that begins before it. */
export function secondOf(t: number, end: number): TimeRange {
  const last = Math.max(0, Math.ceil(end / SECOND_MS) - 1);
  const second = Math.min(last, Math.max(0, Math.floor(t / SECOND_MS)));
  return { from: second * SECOND_MS, to: (second + 1) * SECOND_MS };
}
