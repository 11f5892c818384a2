// Frame pacing at a glance: how many frames kept their budget, and the longest frame of each part of the recording.
import type { Source } from '../../format/records.ts';
import type { TraceModel } from '../../model/trace-model.ts';
import { countedFrames, type FrameStats, frameStats, isOverBudget } from '../frames/frame-stats.ts';

/** The classes of frames, by their most budgets. The first keeps the budget. */
export const PACING_LIMITS = [1, 2, Number.POSITIVE_INFINITY] as const;

export type Pacing = {
  readonly source: Source;
  readonly stats: FrameStats;
  /** The number of frames of each class of {@link PACING_LIMITS}. */
  readonly classes: readonly number[];
  /** The longest frame of each part of the recording in ms, at most {@link PARTS}. 0: no frame was counted. */
  readonly longest: readonly number[];
  /** The start of the first part and the length of each, in ms. */
  readonly from_ms: number;
  readonly part_ms: number;
};

export const PARTS = 240;

/** The index of the class of {@link PACING_LIMITS} that a frame belongs to. */
export function pacingClass(duration_ms: number, budget_ms: number): number {
  return PACING_LIMITS.findIndex((limit) => !isOverBudget(duration_ms, limit * budget_ms));
}

/** The pacing of each source with frames. Frames that overlap a loss are not counted. */
export function pacingOf(model: TraceModel, budget_ms: number): Pacing[] {
  return model.frames.map((frames) => {
    const { kept } = countedFrames(frames, model.losses);
    const classes = PACING_LIMITS.map(() => 0);
    const from_ms = frames.start_ms[0] ?? 0;
    const last = frames.start_ms.length - 1;
    const end = (frames.start_ms[last] ?? 0) + (frames.duration_ms[last] ?? 0);
    const part_ms = (end - from_ms) / PARTS;
    const longest = new Array<number>(PARTS).fill(0);
    for (const index of kept) {
      const duration = frames.duration_ms[index] ?? 0;
      const group = pacingClass(duration, budget_ms);
      classes[group] = (classes[group] ?? 0) + 1;
      const start = (frames.start_ms[index] ?? 0) - from_ms;
      const part = part_ms > 0 ? Math.min(PARTS - 1, Math.floor(start / part_ms)) : 0;
      longest[part] = Math.max(longest[part] ?? 0, duration);
    }
    const stats = frameStats(frames, model.losses, { budget_ms });
    return { source: frames.source, stats, classes, longest, from_ms, part_ms };
  });
}
