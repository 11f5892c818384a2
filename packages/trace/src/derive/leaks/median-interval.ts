// The median of few differences, with an interval that needs no assumption about their distribution.
import { median } from '../../times/trend.ts';

/** A median with its confidence interval, in the unit of the values. */
export type MedianInterval = {
  /** The number of values, at least 1. */
  readonly count: number;
  readonly median: number;
  readonly low: number;
  readonly high: number;
  /** The probability that the interval contains the median, 0 to 1: 0 for one value, 0.5 for two, at least 0.95 from six on. */
  readonly confidence: number;
};

const WANTED = 0.95;

/**
 * The narrowest interval between two order statistics with at least 95 % confidence, or the whole range with the confidence
 * that it has. The interval from the (j+1)-th smallest to the (j+1)-th largest of n values contains the median with the
 * probability 1 − 2·P(B ≤ j), where B is binomial with n and ½ (W. R. Thompson, 1936). Null without values.
 */
export function medianInterval(values: readonly number[]): MedianInterval | null {
  const count = values.length;
  if (count === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const { cut, outside } = cutOf(count);
  return {
    count,
    median: median(sorted),
    low: sorted[cut] ?? 0,
    high: sorted[count - 1 - cut] ?? 0,
    confidence: Math.max(0, 1 - 2 * outside),
  };
}

/** The differences of successive known values. */
export function differencesOf(values: readonly (number | null)[]): number[] {
  return values.slice(1).flatMap((value, i) => {
    const before = values[i] ?? null;
    return value === null || before === null ? [] : [value - before];
  });
}

/** The most values to cut at each end, and the probability that the median is beyond one end. */
function cutOf(n: number): { readonly cut: number; readonly outside: number } {
  // By logarithms, because the probability of one of many values is below the smallest double.
  let log = -n * Math.LN2;
  let outside = Math.exp(log);
  for (let cut = 0; ; cut++) {
    log += Math.log((n - cut) / (cut + 1));
    const next = outside + Math.exp(log);
    if (1 - 2 * next < WANTED) return { cut, outside };
    outside = next;
  }
}
