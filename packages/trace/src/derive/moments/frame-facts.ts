// What a trace states of one frame: its measurements, what bounds it, and what took its time.
import type { Source } from '../../format/records.ts';
import type { FrameColumns, TraceModel } from '../../model/trace-model.ts';
import { type BoundHitch, boundOf } from '../bounds/frame-bounds.ts';
import { framePartsOf } from '../bounds/frame-parts.ts';
import { type HitchCause, hitchCauses } from '../bounds/hitch-causes.ts';
import { countedFrames, isOverBudget } from '../frames/frame-stats.ts';
import { momentOf } from '../frames/moment.ts';

/** Values that were not measured are null. */
export type FrameFacts = {
  readonly start_ms: number;
  readonly duration_ms: number;
  /** By the column `main_ms`, otherwise by samples. */
  readonly main_ms: number | null;
  readonly gpu_ms: number | null;
  readonly draws: number | null;
  readonly triangles: number | null;
  readonly over_budget: boolean;
  /** Whether it overlaps a loss, so that it counts in no statistic. */
  readonly lost: boolean;
  /** The frame with its bound, in the form that the texts of bounds take. */
  readonly bound: BoundHitch;
  /** Of a frame of any length, in the order of `hitchCauses`. */
  readonly causes: readonly HitchCause[];
};

/** A frame with the one before and the one after it in its source. Null at the ends. */
export type FrameWithNeighbours = {
  readonly source: Source;
  readonly before: FrameFacts | null;
  readonly frame: FrameFacts;
  readonly after: FrameFacts | null;
};

/** The facts of frame `index` of a source and of its neighbours. Returns null if there is no such frame. */
export function framesAround(
  model: TraceModel,
  { source, index }: { readonly source: Source; readonly index: number },
  budget_ms: number,
): FrameWithNeighbours | null {
  const frames = model.frames.find((columns) => columns.source === source);
  if (frames === undefined) return null;
  const partsAt = framePartsOf(model, frames);
  const counted = new Set(countedFrames(frames, model.losses).kept);
  const factsAt = (at: number): FrameFacts | null => {
    const start_ms = frames.start_ms[at];
    const duration_ms = frames.duration_ms[at];
    if (start_ms === undefined || duration_ms === undefined) return null;
    const over_ms = Math.max(0, duration_ms - budget_ms);
    const bound = { source, index: at, start_ms, duration_ms, over_ms, ...boundOf(partsAt(at)) };
    return {
      ...{ start_ms, duration_ms, main_ms: bound.parts.main_ms, ...measuredAt(frames, at) },
      over_budget: isOverBudget(duration_ms, budget_ms),
      lost: !counted.has(at),
      bound,
      causes: hitchCauses(
        bound,
        momentOf(model, { from_ms: start_ms, to_ms: start_ms + duration_ms }),
      ),
    };
  };
  const frame = factsAt(index);
  return frame && { source, before: factsAt(index - 1), frame, after: factsAt(index + 1) };
}

function measuredAt(
  { gpu_ms, draws, triangles }: FrameColumns,
  at: number,
): Pick<FrameFacts, 'gpu_ms' | 'draws' | 'triangles'> {
  return {
    gpu_ms: known(gpu_ms[at]),
    draws: known(draws[at]),
    triangles: known(triangles[at]),
  };
}

function known(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}
