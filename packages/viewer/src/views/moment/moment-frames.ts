// The frame of a moment and the frames before and after it. Pure.
import {
  type CauseParts,
  causeParts,
  type FrameFacts,
  framesAround,
  mainCauses,
  type Source,
  type TraceModel,
} from '@svc/trace';
import type { TimeRange } from '../../draw/time-axis.ts';
import { NEAR_MS } from './moment-bounds.ts';

/** A frame with what was measured in it. Values that were not measured are null. */
export type NearFrame = Pick<
  FrameFacts,
  'duration_ms' | 'main_ms' | 'gpu_ms' | 'draws' | 'triangles' | 'over_budget' | 'lost'
> & {
  readonly range: TimeRange;
  /** The work that took its time, the most first. Empty if it is not known or if the frame waited. */
  readonly causes: readonly CauseParts[];
};

/** Null at the ends of the trace. */
export type NearFrames = {
  readonly source: Source;
  readonly before: NearFrame | null;
  readonly frame: NearFrame;
  readonly after: NearFrame | null;
};

/** The frames around the one that begins and ends with the range. Null if the range is not one frame. */
export function nearFrames(
  model: TraceModel,
  { from, to }: TimeRange,
  budgetMs: number,
): NearFrames | null {
  for (const { source, start_ms, duration_ms } of model.frames) {
    let [index, nearest] = [-1, Number.POSITIVE_INFINITY];
    for (let i = 0; i < start_ms.length; i++) {
      const atStart = Math.abs((start_ms[i] ?? 0) - from);
      const atEnd = Math.abs((start_ms[i] ?? 0) + (duration_ms[i] ?? 0) - to);
      const distance = atStart <= NEAR_MS && atEnd <= NEAR_MS ? atStart + atEnd : nearest;
      if (distance < nearest) [index, nearest] = [i, distance];
    }
    const found = index < 0 ? null : framesAround(model, { source, index }, budgetMs);
    if (found === null) continue;
    const { before, frame, after } = found;
    return {
      source,
      before: before && nearFrame(before),
      frame: nearFrame(frame),
      after: after && nearFrame(after),
    };
  }
  return null;
}

function nearFrame(facts: FrameFacts): NearFrame {
  const { start_ms, duration_ms, main_ms, gpu_ms, draws, triangles, over_budget, lost } = facts;
  return {
    ...{ duration_ms, main_ms, gpu_ms, draws, triangles, over_budget, lost },
    range: { from: start_ms, to: start_ms + duration_ms },
    causes: mainCauses(facts.causes, duration_ms)
      .filter(({ kind }) => kind !== 'unknown' && kind !== 'waiting')
      .map(causeParts),
  };
}
