// Percentiles of measured times.

/** The percentile for a `share` from 0 to 1, by nearest rank; 0 without values. Does not change the array. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
