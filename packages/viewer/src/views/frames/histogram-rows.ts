// The rows of a histogram as a table. Pure.
import type { Histogram } from './derive-frames.ts';

export type HistogramRow = {
  readonly from: number;
  /** Null for the last bin. */
  readonly to: number | null;
  readonly count: number;
  readonly share: number;
};

/** Returns the bins that are not empty. */
export function histogramRows({ binMs, counts }: Histogram, total: number): HistogramRow[] {
  return counts
    .map((count, bin) => ({
      from: bin * binMs,
      to: bin === counts.length - 1 ? null : (bin + 1) * binMs,
      count,
      share: total === 0 ? 0 : count / total,
    }))
    .filter((row) => row.count > 0);
}
