// How the memory of a trace develops: each series with its statistics, its growth in words, and points to draw.
import type { Source } from '../../format/records.ts';
import type { TraceModel } from '../../model/trace-model.ts';
import type { Trend } from '../../times/trend.ts';
import { type Direction, directionOf, memoryGrowth, memorySeries } from '../facts/memory-growth.ts';
import { bytesText } from '../facts/number-text.ts';
import { type SeriesStats, seriesStats } from '../facts/series-stats.ts';
import { type SeriesPoint, thinSeries } from './thin-series.ts';

/** Values in bytes, times in ms. */
export type MemoryTrend = {
  readonly label: string;
  readonly source: Source;
  readonly stats: SeriesStats;
  /** Null if the series is too short. */
  readonly direction: Direction | null;
  /** Bytes per minute after the start of the program. Null if the direction is unknown. */
  readonly slope_per_minute: Trend | null;
  readonly points: readonly SeriesPoint[];
};

/** The memory series of a trace: RSS and PSS of the process, then counters. Series without values are left out. */
export function memoryTrends(model: TraceModel): MemoryTrend[] {
  return memorySeries(model).flatMap((series) => {
    const { label, source, t, value } = series;
    const stats = seriesStats(t, value);
    if (stats === null) return [];
    const growth = memoryGrowth(series);
    const slope_per_minute = growth?.slope_per_minute ?? null;
    const points = thinSeries(t, value);
    return [{ label, source, stats, direction: directionOf(growth), slope_per_minute, points }];
  });
}

/** A sentence such as `JS heap grows by 3.1 MiB a minute (95 % interval 2.9 MiB to 3.3 MiB).` */
export function memoryTrendText({
  label,
  direction,
  slope_per_minute,
  stats,
}: MemoryTrend): string {
  const name = label.charAt(0).toUpperCase() + label.slice(1);
  if (direction === null || slope_per_minute === null) {
    return `${name} is ${bytesText(stats.max)} at most. The trace is too short for a trend.`;
  }
  if (direction === 'flat') {
    return `${name} does not keep growing: ${bytesText(stats.min)} to ${bytesText(stats.max)}.`;
  }
  const { slope, low, high } = slope_per_minute;
  const ends = [Math.abs(low), Math.abs(high)].sort((a, b) => a - b).map(bytesText);
  const verb = direction === 'rising' ? 'grows' : 'falls';
  return `${name} ${verb} by ${bytesText(Math.abs(slope))} a minute (95 % interval ${ends.join(' to ')}).`;
}
