// Statistics of frame times, with their formulas.

import type { LossRecord } from '../../format/records.ts';
import type { FrameColumns } from '../../model/trace-model.ts';
import { lossIntervals, overlaps } from './loss-intervals.ts';

/** The time of one frame at 60 Hz, in ms. */
export const DEFAULT_BUDGET_MS = 1000 / 60;

/** Frames that overlap a loss that concerns frames (see `lossIntervals`) are not counted. If no frame was counted, all nullable fields are null. */
export type FrameStats = {
  readonly count: number;
  /** The number of frames that are not counted because they overlap a loss. */
  readonly left_out: number;
  readonly mean_ms: number | null;
  readonly p50_ms: number | null;
  readonly p90_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
  readonly p99_9_ms: number | null;
  readonly max_ms: number | null;
  /** 1000 ÷ mean frame time (not the mean of frame rates). */
  readonly average_fps: number | null;
  /** 1000 ÷ mean of the slowest 1 % of frames (at least one frame). */
  readonly low_1_percent_fps: number | null;
  readonly budget_ms: number;
  /** Frames over budget, by {@link isOverBudget}. */
  readonly over_budget: number;
  /** The total time over budget of these frames. */
  readonly over_budget_ms: number;
};

/** The formulas, to show next to the numbers. */
export const FRAME_FORMULAS = {
  average_fps: '1000 / mean frame time',
  low_1_percent_fps: '1000 / mean of the slowest 1% of frames',
  percentile: 'nearest rank: the smallest frame time that at least p% of frames do not exceed',
} as const;

/** Display clocks jitter, so a frame may exceed a limit by this fraction and still count as within it. */
export const BUDGET_TOLERANCE = 0.05;

/** Whether a frame is over budget: more than 5 % longer. All counts of frames over budget use this function. */
export function isOverBudget(duration_ms: number, budget_ms: number): boolean {
  return duration_ms > budget_ms * (1 + BUDGET_TOLERANCE);
}

/** A time window: `from_ms` ≤ time < `to_ms`. */
export type Window = { readonly from_ms: number; readonly to_ms: number };

/** Statistics of the frames that start in the window, or of all frames. */
export function frameStats(
  frames: FrameColumns,
  losses: readonly LossRecord[],
  options: { readonly budget_ms?: number; readonly window?: Window } = {},
): FrameStats {
  const budget = options.budget_ms ?? DEFAULT_BUDGET_MS;
  const { kept, left_out } = countedFrames(frames, losses, options.window);
  const sorted = sortedDurations(frames, kept);
  const count = sorted.length;
  const mean = count === 0 ? null : meanOf(sorted, 0);
  const slowest = count === 0 ? null : meanOf(sorted, count - Math.max(1, Math.ceil(count / 100)));
  const { over_budget, over_budget_ms } = sumOver(sorted, budget);
  return {
    count,
    left_out,
    mean_ms: mean,
    p50_ms: percentile(sorted, 50),
    p90_ms: percentile(sorted, 90),
    p95_ms: percentile(sorted, 95),
    p99_ms: percentile(sorted, 99),
    p99_9_ms: percentile(sorted, 99.9),
    max_ms: sorted.at(-1) ?? null,
    average_fps: rate(mean),
    low_1_percent_fps: rate(slowest),
    budget_ms: budget,
    over_budget,
    over_budget_ms,
  };
}

// An hour has more than 200,000 frames, so these loops make no iterator.
function sortedDurations(frames: FrameColumns, kept: readonly number[]): Float64Array {
  const durations = new Float64Array(kept.length);
  for (let i = 0; i < kept.length; i++) durations[i] = frames.duration_ms[kept[i] ?? 0] ?? 0;
  return durations.sort();
}

function sumOver(
  sorted: Float64Array,
  budget_ms: number,
): Pick<FrameStats, 'over_budget' | 'over_budget_ms'> {
  let first = sorted.length;
  while (first > 0 && isOverBudget(sorted[first - 1] ?? 0, budget_ms)) first--;
  let over_budget_ms = 0;
  for (let i = first; i < sorted.length; i++) over_budget_ms += (sorted[i] ?? 0) - budget_ms;
  return { over_budget: sorted.length - first, over_budget_ms };
}

type CountedFrames = { readonly kept: readonly number[]; readonly left_out: number };

/** The counted frames of whole columns with their losses. Several parts of an overview need them. */
const counted = new WeakMap<
  FrameColumns,
  { readonly losses: readonly LossRecord[]; readonly found: CountedFrames }
>();

/** The ascending indices of the frames that start in the window and overlap no loss. */
export function countedFrames(
  frames: FrameColumns,
  losses: readonly LossRecord[],
  window?: Window,
): CountedFrames {
  if (window !== undefined) return countFrames(frames, losses, window);
  const known = counted.get(frames);
  if (known?.losses === losses) return known.found;
  const found = countFrames(frames, losses, { from_ms: 0, to_ms: Number.POSITIVE_INFINITY });
  counted.set(frames, { losses, found });
  return found;
}

function countFrames(
  frames: FrameColumns,
  losses: readonly LossRecord[],
  window: Window,
): CountedFrames {
  const gaps = lossIntervals(losses, frames.source);
  const kept: number[] = [];
  let left_out = 0;
  for (let i = 0; i < frames.start_ms.length; i++) {
    const start = frames.start_ms[i] ?? 0;
    if (start < window.from_ms || start >= window.to_ms) continue;
    if (overlaps(gaps, start, start + (frames.duration_ms[i] ?? 0))) left_out++;
    else kept.push(i);
  }
  return { kept, left_out };
}

/** Nearest rank: the smallest value that at least `percent` % of the ascending values do not exceed. Null for no values. */
export function percentile(sorted: Float64Array, percent: number): number | null {
  const rank = Math.ceil((percent * sorted.length) / 100 - 1e-9);
  return sorted[Math.max(1, rank) - 1] ?? null;
}

function meanOf(sorted: Float64Array, from: number): number {
  let sum = 0;
  for (let i = from; i < sorted.length; i++) sum += sorted[i] ?? 0;
  return sum / (sorted.length - from);
}

function rate(frame_ms: number | null): number | null {
  return frame_ms === null || frame_ms === 0 ? null : 1000 / frame_ms;
}
