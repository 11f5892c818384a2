// Samples a counter that holds its value until its next record, so that a value counts for as long as it was held.
import { firstAbove } from '../../times/search-sorted.ts';

/** More samples would not change a mean or a slope visibly. */
const MOST_SAMPLES = 3600;

/** Samples at equal distances from the first record to the end: one per second, and fewer if there would be over 3600. `t` ascends. */
export function heldSamples(
  t: ArrayLike<number>,
  value: ArrayLike<number>,
  end_ms: number,
): { readonly t: number[]; readonly value: number[] } {
  const first = t[0];
  if (first === undefined) return { t: [], value: [] };
  const span = Math.max(0, end_ms - first);
  const seconds = Math.floor(span / 1000) + 1;
  const length = Math.min(MOST_SAMPLES, seconds);
  const step = length === seconds ? 1000 : span / (length - 1);
  const times = Array.from({ length }, (_, i) => first + i * step);
  return { t: times, value: times.map((at) => value[firstAbove(t, at) - 1] ?? Number.NaN) };
}
