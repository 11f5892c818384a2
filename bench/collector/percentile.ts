// Percentiles of measured times.

/** The value that `share` of the values do not pass, by nearest rank; 0 where there are none. Sorts a copy. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
