// Rows of a comparison: a value in two traces, and whether more or less is better. Pure.
import { type AssetSide, isNoise, perMinute } from '@svc/trace';
import type { TimeRange } from '../../draw/time-axis.ts';
import { formatCount, formatMs, formatShare, formatValue } from '../../format/numbers.ts';
import type { FramesOfSource } from '../frames/derive-frames.ts';
import { firstAt } from '../timeline/layout/columns.ts';
import type { LineSeries, Timeline } from '../timeline/timeline-data.ts';
import type { ComparedRanges } from './compared-ranges.ts';

export type CompareRow = {
  readonly id: string;
  readonly what: string;
  readonly source: string;
  readonly before: number | null;
  readonly after: number | null;
  readonly better: 'more' | 'less' | null;
  readonly format: (value: number) => string;
};

type Stats = FramesOfSource['stats'];
type Stat = {
  readonly what: string;
  readonly of: (stats: Stats) => number | null;
  readonly better: CompareRow['better'];
  readonly format: (value: number) => string;
};
const fps = (value: number): string => `${value.toFixed(1)} fps`;
const time = (what: string, of: Stat['of']): Stat => {
  return { what, of, better: 'less', format: formatMs };
};
const STATS: readonly Stat[] = [
  { what: 'Average fps', of: (stats) => stats.average_fps, better: 'more', format: fps },
  { what: '1 % low fps', of: (stats) => stats.low_1_percent_fps, better: 'more', format: fps },
  time('Frame time p50', (stats) => stats.p50_ms),
  time('Frame time p90', (stats) => stats.p90_ms),
  time('Frame time p95', (stats) => stats.p95_ms),
  time('Frame time p99', (stats) => stats.p99_ms),
  time('Frame time p99.9', (stats) => stats.p99_9_ms),
  time('Longest frame', (stats) => stats.max_ms),
  { what: 'Frames', of: (stats) => stats.count, better: null, format: formatCount },
  // A share, because longer ranges have more such frames.
  {
    what: 'Frames over budget by more than 5 %',
    of: ({ over_budget, count }) => (count === 0 ? null : over_budget / count),
    better: 'less',
    format: formatShare,
  },
  {
    what: 'Hitches per minute',
    of: (stats) => perMinute(stats, stats.over_budget),
    better: 'less',
    format: (value) => formatCount(value < 100 ? Number(value.toPrecision(3)) : Math.round(value)),
  },
  time('Time over budget per minute', (stats) => perMinute(stats, stats.over_budget_ms)),
];

export function compareFrames(
  before: readonly FramesOfSource[],
  after: readonly FramesOfSource[],
): CompareRow[] {
  const sources = [...new Set([...before, ...after].map((one) => one.source))];
  return sources.flatMap((source) => {
    const was = before.find((one) => one.source === source)?.stats;
    const is = after.find((one) => one.source === source)?.stats;
    return STATS.map(({ what, of, better, format }) => ({
      id: `frames/${what}/${source}`,
      what,
      source,
      before: was === undefined ? null : of(was),
      after: is === undefined ? null : of(is),
      better,
      format,
    }));
  });
}

/** Whether a value became better or worse. Null if it is unknown, or if the change is noise. */
export function judgeRow({ before, after, better }: CompareRow): 'better' | 'worse' | null {
  if (better === null || before === null || after === null || isNoise(before, after)) return null;
  return better === (after > before ? 'more' : 'less') ? 'better' : 'worse';
}

/** Returns mean and peak of every line of either trace, each for its compared range. */
export function compareLines(
  before: Timeline,
  after: Timeline,
  comparedRanges: ComparedRanges = { before: null, after: null },
): CompareRow[] {
  const was = linesOf(before, comparedRanges.before);
  const is = linesOf(after, comparedRanges.after);
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((key) => {
    const line = was.get(key) ?? is.get(key);
    if (line === undefined) return [];
    const format = (value: number): string => formatValue(shortened(value), line.unit);
    const row = (kind: 'mean' | 'peak'): CompareRow => ({
      id: `${key}/${kind}`,
      what: `${line.label}, ${kind}`,
      source: line.source,
      before: was.get(key)?.[kind] ?? null,
      after: is.get(key)?.[kind] ?? null,
      better: DEARER.has(line.unit) ? 'less' : null,
      format,
    });
    return [row('mean'), row('peak')];
  });
}

/** Returns the main memory and GPU memory of an asset together. Null if both are unknown, or if there is no asset. */
export function memoryOf(side: Pick<AssetSide, 'bytes' | 'gpu_bytes'> | null): number | null {
  if (side === null || (side.bytes === null && side.gpu_bytes === null)) return null;
  return (side.bytes ?? 0) + (side.gpu_bytes ?? 0);
}

/** Rounds a mean to at most two decimals. */
function shortened(value: number): number {
  const decimals = Math.abs(value) >= 100 ? 1 : 100;
  return Math.round(value * decimals) / decimals;
}

/** Units for which less is better. */
const DEARER: ReadonlySet<string> = new Set(['bytes', 'percent', 'ms']);

type Line = { label: string; source: string; unit: string; mean: number; peak: number };

function linesOf(timeline: Timeline, range: TimeRange | null): Map<string, Line> {
  const lines = new Map<string, Line>();
  for (const track of timeline.tracks) {
    if (track.kind !== 'line') continue;
    for (const series of track.series) {
      const values = valuesIn(series, range).filter((value) => !Number.isNaN(value));
      if (values.length === 0) continue;
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const peak = values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
      const { source, unit } = track;
      lines.set(`${track.id}/${series.label}`, { label: series.label, source, unit, mean, peak });
    }
  }
  return lines;
}

function valuesIn({ t, value }: LineSeries, range: TimeRange | null): Float64Array {
  return range === null ? value : value.subarray(firstAt(t, range.from), firstAt(t, range.to));
}
