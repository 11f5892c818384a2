// Derives what the frames view shows of each source: statistics, a histogram, the worst frames. Pure.
import {
  countedFrames,
  type FrameStats,
  findHitches,
  frameStats,
  type Hitch,
  type TraceModel,
} from '@svc/trace';
import type { Slot } from '../../client/trace-calls.ts';
import type { Call } from '../../client/worker-messages.ts';
import type { TimeRange } from '../../draw/time-axis.ts';

/** Frames by length. Bin `i` counts the frames from `i × binMs`. The last bin has no upper limit. */
export type Histogram = { readonly binMs: number; readonly counts: readonly number[] };

export type FramesOfSource = {
  readonly source: string;
  readonly stats: FrameStats;
  readonly histogram: Histogram;
  /** The worst frames over budget. */
  readonly hitches: readonly Hitch[];
  /** The number of all frames over budget, which equals `stats.over_budget`. */
  readonly hitchCount: number;
};

export type FrameCalls = {
  /** Returns statistics, histogram and hitches of each source, for a time range or for the whole trace. */
  readonly frames: Call<
    { readonly slot: Slot; readonly range: TimeRange | null; readonly budgetMs: number },
    readonly FramesOfSource[]
  >;
};

/** The maximum length of the list of hitches. */
const LISTED_HITCHES = 2000;
const BINS = 60;

export function deriveFrames(
  model: TraceModel,
  range: TimeRange | null,
  budgetMs: number,
): FramesOfSource[] {
  const window = range === null ? undefined : { from_ms: range.from, to_ms: range.to };
  const hitches = findHitches(model, budgetMs, Number.POSITIVE_INFINITY);
  return model.frames.map((frames) => {
    const { kept } = countedFrames(frames, model.losses, window);
    const own = hitches.filter(
      ({ source, start_ms }) => source === frames.source && inRange(start_ms, range),
    );
    return {
      source: frames.source,
      stats: frameStats(frames, model.losses, { budget_ms: budgetMs, ...(window && { window }) }),
      histogram: countBins(frames.duration_ms, kept, budgetMs),
      hitches: own.slice(0, LISTED_HITCHES),
      hitchCount: own.length,
    };
  });
}

function inRange(t: number, range: TimeRange | null): boolean {
  return range === null || (t >= range.from && t < range.to);
}

/** Counts frames in bins of a tenth of the budget, so that the budget is the edge of a bin. */
export function countBins(
  durations: Float64Array,
  kept: readonly number[],
  budgetMs: number,
): Histogram {
  const binMs = budgetMs / 10;
  const counts = new Array<number>(BINS).fill(0);
  for (const index of kept) {
    const bin = Math.min(BINS - 1, Math.floor((durations[index] ?? 0) / binMs + 1e-9));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return { binMs, counts };
}
