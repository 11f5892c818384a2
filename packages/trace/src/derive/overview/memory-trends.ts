// How the memory of a trace develops: each series with its statistics, its slope in words, and points to draw.
import type { Source } from '../../format/records.ts';
import type { TraceModel } from '../../model/trace-model.ts';
import { bytesText } from '../facts/number-text.ts';
import { type SeriesStats, seriesStats } from '../facts/series-stats.ts';
import { type SeriesPoint, thinSeries } from './thin-series.ts';

/** `unknown`: the series is too short for a trend. */
export type Direction = 'grows' | 'falls' | 'steady' | 'unknown';

/** Values in bytes, times in ms. */
export type MemoryTrend = {
  readonly label: string;
  readonly source: Source;
  readonly stats: SeriesStats;
  readonly direction: Direction;
  readonly points: readonly SeriesPoint[];
};

/** The shortest series with a trend. A start-up looks like growth. */
const SHORTEST_MS = 10_000;
/** A change over the whole series below this part of its average, or below this size, is steady. */
const STEADY_SHARE = 0.02;
const STEADY_BYTES = 1_048_576;

/** The names of the memory counters, as people know them. */
const COUNTERS: Readonly<Record<string, string>> = {
  js_heap_bytes: 'JS heap',
  page_memory_bytes: 'Page memory',
  gpu_bytes: 'GPU memory',
};

/** The memory series of a trace: RSS and PSS of the process, then counters. Series without values are left out. */
export function memoryTrends(model: TraceModel): MemoryTrend[] {
  const series = [
    ...model.process.flatMap(({ source, t, rss_bytes, pss_bytes }) => [
      { label: 'RSS', source, t, value: rss_bytes },
      { label: 'PSS', source, t, value: pss_bytes },
    ]),
    ...model.counters.flatMap(({ source, name, t, value }) => {
      const label = COUNTERS[name];
      return label === undefined ? [] : [{ label, source, t, value }];
    }),
  ];
  return series.flatMap(({ label, source, t, value }) => {
    const stats = seriesStats(t, value);
    if (stats === null) return [];
    const span = (t.at(-1) ?? 0) - (t[0] ?? 0);
    return [
      { label, source, stats, direction: directionOf(stats, span), points: thinSeries(t, value) },
    ];
  });
}

function directionOf({ slope_per_minute, mean }: SeriesStats, span_ms: number): Direction {
  if (slope_per_minute === null || span_ms < SHORTEST_MS) return 'unknown';
  const { slope, low, high } = slope_per_minute;
  const change = Math.abs(slope * span_ms) / 60_000;
  if (low <= 0 && high >= 0) return 'steady';
  if (change < Math.max(mean * STEADY_SHARE, STEADY_BYTES)) return 'steady';
  return slope > 0 ? 'grows' : 'falls';
}

/** A sentence such as `JS heap grows by 3.1 MiB a minute (95 % interval 2.9 MiB to 3.3 MiB).` */
export function memoryTrendText({ label, direction, stats }: MemoryTrend): string {
  const { slope_per_minute, max } = stats;
  if (direction === 'unknown' || slope_per_minute === null) {
    return `${label} is ${bytesText(max)} at most. The trace is too short for a trend.`;
  }
  if (direction === 'steady') return `${label} is steady: ${bytesText(stats.mean)} on average.`;
  const { slope, low, high } = slope_per_minute;
  const ends = [Math.abs(low), Math.abs(high)].sort((a, b) => a - b).map(bytesText);
  return `${label} ${direction} by ${bytesText(Math.abs(slope))} a minute (95 % interval ${ends.join(' to ')}).`;
}
