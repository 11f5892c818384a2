// Whether an interval, such as a span, is a part of another one, such as a frame.
import type { Window } from './frame-stats.ts';

/** Times have three decimals, so edges that are the same may differ by this much. */
const EDGE_MS = 0.002;

export function liesWithin(part: Window, whole: Window): boolean {
  return part.from_ms >= whole.from_ms - EDGE_MS && part.to_ms <= whole.to_ms + EDGE_MS;
}
