// The input of the rules, computed once: the model, the frames of one source, slow frames and the asset report.
import type { AssetReport } from '../../derive/assets/asset-report.ts';
import { assetReportOfModel } from '../../derive/assets/report-model.ts';
import {
  countedFrames,
  DEFAULT_BUDGET_MS,
  type FrameStats,
  frameStats,
} from '../../derive/frames/frame-stats.ts';
import { ASSETS_LISTED } from '../../format/limits.ts';
import type { FrameColumns, TraceModel } from '../../model/trace-model.ts';

/** A frame that took longer than SLOW_FACTOR × budget. */
export type SlowFrame = { readonly start_ms: number; readonly duration_ms: number };

export type AnalysisContext = {
  readonly model: TraceModel;
  readonly budget_ms: number;
  readonly duration_ms: number;
  /** The frames of the source with the most frames, or null without frames. */
  readonly frames: FrameColumns | null;
  readonly stats: FrameStats | null;
  /** Frames over SLOW_FACTOR × budget in time order, without those that overlap a loss. */
  readonly slow: readonly SlowFrame[];
  /** Ranks all assets, lists the costliest ASSETS_LISTED. */
  readonly report: AssetReport;
};

/** At 60 Hz a frame takes 16.6 to 16.8 ms, and a missed frame twice the budget. The limit is halfway between. */
export const SLOW_FACTOR = 1.5;

export function analysisContext(
  model: TraceModel,
  budget_ms: number = DEFAULT_BUDGET_MS,
): AnalysisContext {
  const frames = model.frames.toSorted((a, b) => b.start_ms.length - a.start_ms.length)[0] ?? null;
  return {
    model,
    budget_ms,
    duration_ms: model.duration_ms ?? 0,
    frames,
    stats: frames === null ? null : frameStats(frames, model.losses, { budget_ms }),
    slow: frames === null ? [] : slowFrames(frames, model, budget_ms * SLOW_FACTOR),
    report: assetReportOfModel(model, budget_ms, ASSETS_LISTED),
  };
}

function slowFrames(frames: FrameColumns, model: TraceModel, limit_ms: number): SlowFrame[] {
  return countedFrames(frames, model.losses)
    .kept.filter((i) => (frames.duration_ms[i] ?? 0) > limit_ms)
    .map((i) => ({ start_ms: frames.start_ms[i] ?? 0, duration_ms: frames.duration_ms[i] ?? 0 }));
}
