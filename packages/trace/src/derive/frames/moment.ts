// Everything in a time window, for the details of a hitch in the viewer, the report and the analysis.

import type {
  AssetRecord,
  LogRecord,
  LongTaskRecord,
  LossRecord,
  MarkRecord,
  NoteRecord,
  Source,
  SpanRecord,
} from '../../format/records.ts';
import type { Sourced, Stacks, TraceModel } from '../../model/trace-model.ts';
import { weighWindow } from '../../stacks/weigh-window.ts';
import { countedFrames, isOverBudget, type Window } from './frame-stats.ts';
import { notesWithin } from './notes-within.ts';

/** A frame over budget, by {@link isOverBudget}. `index` is its index in the frame columns of the source. */
export type Hitch = {
  readonly source: Source;
  readonly index: number;
  readonly start_ms: number;
  readonly duration_ms: number;
  readonly over_ms: number;
};

/** At most `limit` frames over budget, longest first, ties by time. Frames that overlap a loss are not hitches. */
export function findHitches(
  model: Pick<TraceModel, 'frames' | 'losses'>,
  budget_ms: number,
  limit = 1000,
): Hitch[] {
  const hitches = model.frames.flatMap((frames) =>
    countedFrames(frames, model.losses)
      .kept.filter((index) => isOverBudget(frames.duration_ms[index] ?? 0, budget_ms))
      .map((index) => ({
        source: frames.source,
        index,
        start_ms: frames.start_ms[index] ?? 0,
        duration_ms: frames.duration_ms[index] ?? 0,
        over_ms: (frames.duration_ms[index] ?? 0) - budget_ms,
      })),
  );
  return hitches
    .sort((a, b) => b.duration_ms - a.duration_ms || a.start_ms - b.start_ms)
    .slice(0, limit);
}

/** An item that overlaps the window, and for how long. */
export type Within<Item> = { readonly item: Item; readonly within_ms: number };

export type Moment = Window & {
  /** By main-thread time in the window if known, otherwise by time in the window; longest first. */
  readonly assets: readonly Within<Sourced<AssetRecord>>[];
  readonly longtasks: readonly Within<Sourced<LongTaskRecord>>[];
  readonly spans: readonly Within<Sourced<SpanRecord>>[];
  readonly marks: readonly Sourced<MarkRecord>[];
  readonly logs: readonly Sourced<LogRecord>[];
  readonly losses: readonly LossRecord[];
  /** As {@link notesWithin}. */
  readonly notes: readonly NoteRecord[];
  /** Trees with the weights of the samples in the window only. Trees without such samples are left out. */
  readonly stacks: readonly Stacks[];
};

/** Everything that overlaps the window. */
export function momentOf(model: TraceModel, { from_ms, to_ms }: Window): Moment {
  const window = { from_ms, to_ms };
  return {
    ...window,
    assets: within(model.assets, window, (asset) => asset.main_thread_ms ?? asset.duration_ms ?? 0),
    longtasks: within(model.longtasks, window, (task) => task.duration_ms),
    spans: within(model.spans, window, (span) => span.duration_ms),
    marks: model.marks.filter(({ t }) => t >= from_ms && t < to_ms),
    logs: model.logs.filter(({ t }) => t >= from_ms && t < to_ms),
    losses: model.losses.filter((loss) => touches(loss.t, loss.duration_ms ?? 0, window)),
    notes: notesWithin(model.notes, window),
    stacks: model.stacks.flatMap((stacks) => {
      if (stacks.times === null) return [];
      const tree = weighWindow(stacks.tree, stacks.times, from_ms, to_ms);
      return tree.samples > 0 ? [{ ...stacks, tree }] : [];
    }),
  };
}

function within<Item extends { readonly t: number }>(
  items: readonly Item[],
  window: Window,
  lengthOf: (item: Item) => number,
): Within<Item>[] {
  return items
    .filter((item) => touches(item.t, lengthOf(item), window))
    .map((item) => {
      const end = Math.min(window.to_ms, item.t + lengthOf(item));
      return { item, within_ms: Math.max(0, end - Math.max(window.from_ms, item.t)) };
    })
    .sort((a, b) => b.within_ms - a.within_ms || a.item.t - b.item.t);
}

/** Whether an interval overlaps the window. An interval of length 0 counts as a point. */
function touches(start: number, length: number, { from_ms, to_ms }: Window): boolean {
  return start < to_ms && (start + length > from_ms || (length === 0 && start >= from_ms));
}
