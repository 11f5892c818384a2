// A histogram as rows of a table. Pure.
import type { Histogram } from './derive-frames.ts';

export type HistogramRow = {
  readonly from: number;
  /** Null for the last bin, which has no end. */
  readonly to: number | null;
  readonly count: number;
  readonly share: number;
};

/** The bins that hold anything. */
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
