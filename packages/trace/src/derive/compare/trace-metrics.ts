// The numbers by which two traces are compared: frames, CPU, memory and assets, each with the direction that is better.
import type { TraceModel } from '../../model/trace-model.ts';
import type { AssetReport } from '../assets/asset-report.ts';
import { type MemoryGrowth, type MemorySeries, memoryGrowth } from '../facts/memory-growth.ts';
import { cpuSamples, type SeriesStats, seriesStats } from '../facts/series-stats.ts';
import { DEFAULT_BUDGET_MS, type FrameStats, frameStats } from '../frames/frame-stats.ts';
import { heldSamples } from './held-samples.ts';

/** `frame_budgets` is the unit of the cost of assets. Anything `_per_minute` is a rate. */
export type MetricUnit =
  | 'fps'
  | 'ms'
  | 'per_minute'
  | 'ms_per_minute'
  | 'percent'
  | 'bytes'
  | 'bytes_per_minute'
  | 'frame_budgets';

type MetricKind = {
  readonly group: 'frames' | 'cpu' | 'memory' | 'assets';
  readonly unit: MetricUnit;
  readonly better: 'less' | 'more';
};

const LESS = { better: 'less' } as const;
const FPS = { group: 'frames', unit: 'fps', better: 'more' } as const;
const FRAME_MS = { group: 'frames', unit: 'ms', ...LESS } as const;
const PERCENT = { group: 'cpu', unit: 'percent', ...LESS } as const;
const MEMORY = { group: 'memory', unit: 'bytes', ...LESS } as const;
const GROWTH = { group: 'memory', unit: 'bytes_per_minute', ...LESS } as const;

/**
 * Every metric, in the order in which views list them.
 * - Frames: those of the source with the most frames, without frames that overlap a loss. Rates are per minute of these frames.
 * - `over_ms_per_minute` is the time over budget.
 * - `cpu_…` is in percent of one core.
 * - `heap` is the counter `js_heap_bytes`, `gpu` the counter `gpu_bytes`. `…_bytes_per_minute` is the slope of
 *   `memoryGrowth`, and missing if the recording is too short for it.
 * - `asset_cost` is in frame budgets.
 */
export const METRICS = {
  average_fps: FPS,
  low_1_percent_fps: FPS,
  p50_ms: FRAME_MS,
  p95_ms: FRAME_MS,
  p99_ms: FRAME_MS,
  max_ms: FRAME_MS,
  hitches_per_minute: { group: 'frames', unit: 'per_minute', ...LESS },
  over_ms_per_minute: { group: 'frames', unit: 'ms_per_minute', ...LESS },
  cpu_mean_percent: PERCENT,
  cpu_max_percent: PERCENT,
  heap_mean_bytes: MEMORY,
  heap_max_bytes: MEMORY,
  heap_bytes_per_minute: GROWTH,
  rss_mean_bytes: MEMORY,
  rss_max_bytes: MEMORY,
  rss_bytes_per_minute: GROWTH,
  pss_mean_bytes: MEMORY,
  pss_max_bytes: MEMORY,
  pss_bytes_per_minute: GROWTH,
  gpu_mean_bytes: MEMORY,
  gpu_max_bytes: MEMORY,
  gpu_bytes_per_minute: GROWTH,
  asset_cost: { group: 'assets', unit: 'frame_budgets', ...LESS },
  asset_bytes: { group: 'assets', unit: 'bytes', ...LESS },
  asset_gpu_bytes: { group: 'assets', unit: 'bytes', ...LESS },
} as const satisfies Readonly<Record<string, MetricKind>>;

export type MetricName = keyof typeof METRICS;

export const METRIC_NAMES: readonly MetricName[] = Object.keys(METRICS) as MetricName[];

/** A measured value. A slope also has its 95 % interval, and whether the memory keeps growing. */
export type MetricValue = {
  readonly value: number;
  readonly slope: { readonly low: number; readonly high: number; readonly grows: boolean } | null;
};

/** The metrics that a trace has. */
export type TraceMetrics = Readonly<Partial<Record<MetricName, MetricValue>>>;

type MeasuredModel = Pick<TraceModel, 'frames' | 'process' | 'counters' | 'losses' | 'duration_ms'>;

/** Measures a trace. `report` is the asset report of the model. */
export function traceMetrics(
  model: MeasuredModel,
  report: Pick<AssetReport, 'totals'>,
  budget_ms: number = DEFAULT_BUDGET_MS,
): TraceMetrics {
  const [frames] = model.frames.toSorted((a, b) => b.start_ms.length - a.start_ms.length);
  const [process] = model.process.toSorted((a, b) => b.t.length - a.t.length);
  const cpu = cpuSamples(model);
  const heap = counterOf(model, 'js_heap_bytes');
  const gpu = counterOf(model, 'gpu_bytes');
  const { cost, bytes, gpu_bytes, assets } = report.totals;
  return {
    ...(frames && ofFrames(frameStats(frames, model.losses, { budget_ms }))),
    ...(cpu && ofCpu(seriesStats(cpu.t, cpu.cpu_percent))),
    ...(heap && ofMemory('heap', heap)),
    ...(process && ofMemory('rss', { t: process.t, value: process.rss_bytes })),
    ...(process && ofMemory('pss', { t: process.t, value: process.pss_bytes })),
    ...(gpu && ofMemory('gpu', gpu, heldStats(gpu, model.duration_ms ?? 0))),
    ...(assets > 0 &&
      plainValues({ asset_cost: cost, asset_bytes: bytes, asset_gpu_bytes: gpu_bytes })),
  };
}

function ofFrames(stats: FrameStats): TraceMetrics {
  return plainValues({
    average_fps: stats.average_fps,
    low_1_percent_fps: stats.low_1_percent_fps,
    p50_ms: stats.p50_ms,
    p95_ms: stats.p95_ms,
    p99_ms: stats.p99_ms,
    max_ms: stats.max_ms,
    hitches_per_minute: perMinute(stats, stats.over_budget),
    over_ms_per_minute: perMinute(stats, stats.over_budget_ms),
  });
}

/** An amount per minute of frames. Null without frames. */
export function perMinute({ mean_ms, count }: FrameStats, amount: number): number | null {
  const minutes = ((mean_ms ?? 0) * count) / 60_000;
  return minutes > 0 ? amount / minutes : null;
}

function ofCpu(stats: SeriesStats | null): TraceMetrics {
  return plainValues({
    cpu_mean_percent: stats?.mean ?? null,
    cpu_max_percent: stats?.max ?? null,
  });
}

function ofMemory(
  name: 'heap' | 'rss' | 'pss' | 'gpu',
  series: Pick<MemorySeries, 't' | 'value'>,
  stats: SeriesStats | null = seriesStats(series.t, series.value),
): TraceMetrics {
  if (stats === null) return {};
  const growth = memoryGrowth(series);
  return {
    ...plainValues({ [`${name}_mean_bytes`]: stats.mean, [`${name}_max_bytes`]: stats.max }),
    ...(growth && { [`${name}_bytes_per_minute`]: slopeOf(growth) }),
  };
}

function slopeOf({ slope_per_minute, grows }: MemoryGrowth): MetricValue {
  const { slope, low, high } = slope_per_minute;
  return { value: slope, slope: { low, high, grows } };
}

/** Statistics of a counter that holds its value. The largest value is that of the records, however short it was held. */
function heldStats(
  { t, value }: TraceModel['counters'][number],
  duration_ms: number,
): SeriesStats | null {
  const held = heldSamples(t, value, duration_ms);
  const stats = seriesStats(held.t, held.value);
  const recorded = seriesStats(t, value);
  return stats && recorded && { ...stats, max: recorded.max };
}

function counterOf(model: MeasuredModel, name: string): TraceModel['counters'][number] | undefined {
  return model.counters
    .filter((counter) => counter.name === name)
    .sort((a, b) => b.t.length - a.t.length)[0];
}

function plainValues(values: Readonly<Record<string, number | null>>): TraceMetrics {
  const known = Object.entries(values).filter(([, value]) => value !== null);
  return Object.fromEntries(known.map(([name, value]) => [name, { value, slope: null }]));
}
