// Statistics of a measured series, such as the memory of a process: its range, its average and its slope.
import type { ProcessColumns, TraceModel } from '../../model/trace-model.ts';
import { type Trend, trendOf } from '../../times/trend.ts';
import { percentile } from '../frames/frame-stats.ts';

/** Values are in the unit of the series. */
export type SeriesStats = {
  /** The number of known values, at least 1. */
  readonly count: number;
  readonly min: number;
  readonly mean: number;
  /** Nearest rank: the smallest value that at least 95 % of the values do not exceed. */
  readonly p95: number;
  readonly max: number;
  /** The last known value. */
  readonly last: number;
  /** The Theil–Sen slope per minute with its 95 % interval. Null for fewer than four values. */
  readonly slope_per_minute: Trend | null;
};

const MINUTE_MS = 60_000;

/** Statistics of values at ascending times in ms. NaN values are unknown. Returns null if no value is known. */
export function seriesStats(t: ArrayLike<number>, value: ArrayLike<number>): SeriesStats | null {
  const known = Array.from(value).filter((one) => !Number.isNaN(one));
  const last = known.at(-1);
  if (last === undefined) return null;
  const sorted = Float64Array.from(known).sort();
  const trend = trendOf(t, value);
  return {
    count: known.length,
    min: sorted[0] ?? last,
    mean: known.reduce((sum, one) => sum + one, 0) / known.length,
    p95: percentile(sorted, 95) ?? last,
    max: sorted.at(-1) ?? last,
    last,
    slope_per_minute:
      trend === null
        ? null
        : {
            slope: trend.slope * MINUTE_MS,
            low: trend.low * MINUTE_MS,
            high: trend.high * MINUTE_MS,
          },
  };
}

/**
 * The samples of the process whose CPU use a trace is judged by: those of the source with the most known values of `cpu_percent`.
 * Undefined if no source has any.
 */
export function cpuSamples({ process }: Pick<TraceModel, 'process'>): ProcessColumns | undefined {
  const counted = process.map((columns) => ({
    columns,
    known: columns.cpu_percent.reduce((sum, one) => sum + (Number.isNaN(one) ? 0 : 1), 0),
  }));
  const [most] = counted.filter(({ known }) => known > 0).sort((a, b) => b.known - a.known);
  return most?.columns;
}
