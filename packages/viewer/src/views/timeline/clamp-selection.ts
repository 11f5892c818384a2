// Keeps a selection inside the trace.
import { rangeOf, type TimeRange } from '../../draw/time-axis.ts';
import { wholeRange } from './timeline-state.ts';

/** The part of the range between two times that is inside the trace; null if it is empty. */
export function clamped(a: number, b: number): TimeRange | null {
  const { from, to } = rangeOf(a, b);
  const left = Math.max(0, from);
  const right = Math.min(wholeRange.value.to, to);
  return right > left ? { from: left, to: right } : null;
}
