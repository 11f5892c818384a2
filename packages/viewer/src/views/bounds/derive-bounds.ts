// Derives what bounds the frames of a trace: one or two sentences, and their evidence. Pure.
import {
  type BoundShare,
  type TraceBounds,
  type TraceModel,
  traceBounds,
  traceBoundText,
} from '@svc/trace';
import type { Slot } from '../../client/trace-calls.ts';
import type { Call } from '../../client/worker-messages.ts';

export type BoundsView = {
  /** The answer, in the words of the command line. */
  readonly text: string;
  /** The time over budget by bound, the largest share first. Empty without hitches. */
  readonly shares: readonly BoundShare[];
  /** The work of the main thread in all frames. Null if it is not known in any frame. */
  readonly work: TraceBounds['main_work'];
  /** The source of all frames. Null without frames and for frames of several sources. */
  readonly source: TraceBounds['source'];
  /** The graphics adapter. Null if the trace does not name it. */
  readonly gpu: TraceBounds['gpu'];
};

export type BoundsCalls = {
  /** Returns what bounds the frames of the whole trace. */
  readonly bounds: Call<{ readonly slot: Slot; readonly budgetMs: number }, BoundsView>;
};

export function deriveBounds(model: TraceModel, budgetMs: number): BoundsView {
  const bounds = boundsOf(model, budgetMs);
  const { shares, main_work, source, gpu } = bounds;
  return { text: traceBoundText(bounds), shares, work: main_work, source, gpu };
}

const latest = new WeakMap<TraceModel, TraceBounds>();

/** The bounds of all hitches. Those of the latest budget are kept, because a long recording has millions of samples. */
export function boundsOf(model: TraceModel, budgetMs: number): TraceBounds {
  const known = latest.get(model);
  if (known?.budget_ms === budgetMs) return known;
  const bounds = traceBounds(model, budgetMs);
  latest.set(model, bounds);
  return bounds;
}
