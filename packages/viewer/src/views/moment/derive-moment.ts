// Derives what was recorded in a time range, limited in length, and which stack groups belong to it. Pure.
import {
  type FunctionWeight,
  functionsOf,
  type Moment,
  momentOf,
  type Stacks,
  type TraceModel,
} from '@svc/trace';
import type { Slot } from '../../client/trace-calls.ts';
import type { Call } from '../../client/worker-messages.ts';
import type { TimeRange } from '../../draw/time-axis.ts';
import { groupId } from '../stacks/derive/stack-groups.ts';
import { type MomentBounds, momentBounds } from './moment-bounds.ts';
import { type NearFrames, nearFrames } from './moment-frames.ts';

/** A frame in the range. Values that were not measured are null. */
export type MomentFrame = {
  readonly source: string;
  readonly start_ms: number;
  readonly duration_ms: number;
  readonly gpu_ms: number | null;
  readonly draws: number | null;
  readonly triangles: number | null;
};

/** Stacks of the range. `of` is the range, or, if only groups of samples have times, the time of those groups. */
export type MomentStacks = {
  readonly group: string;
  readonly source: string;
  readonly unit: string;
  readonly of: TimeRange;
  /** The functions with the most time of their own, without those of threads that do not delay a frame. */
  readonly functions: readonly FunctionWeight[];
};

export type MomentView = Pick<Moment, Kind> & {
  /** The longest frames. `frameCount` is the number of all frames. */
  readonly frames: readonly MomentFrame[];
  readonly frameCount: number;
  /** The frames around the range. Null if the range is not one frame. */
  readonly near: NearFrames | null;
  /** What bounds the hitches of the range. Null if it has none. */
  readonly bounds: MomentBounds | null;
  readonly stacks: readonly MomentStacks[];
  /** The number of records of each kind, including those that are not listed. */
  readonly counts: Readonly<Record<Kind, number>>;
};

export type MomentCalls = {
  /** Returns what happened in a time range. */
  readonly moment: Call<
    { readonly slot: Slot; readonly range: TimeRange; readonly budgetMs: number },
    MomentView
  >;
};

type Kind = 'assets' | 'longtasks' | 'spans' | 'marks' | 'logs' | 'losses';

/** The maximum number of listed functions of each group of stacks. */
const FUNCTIONS = 5;
/** The maximum number of listed frames. */
const FRAMES = 5;
/** The maximum number of listed records of each kind. */
const RECORDS = 1000;

export function deriveMoment(model: TraceModel, range: TimeRange, budgetMs: number): MomentView {
  const moment = momentOf(model, { from_ms: range.from, to_ms: range.to });
  const frames = framesIn(model, range);
  // A name is no work.
  const assets = moment.assets.filter(({ item }) => item.phase !== 'named');
  return {
    frames: frames.toSorted((a, b) => b.duration_ms - a.duration_ms).slice(0, FRAMES),
    frameCount: frames.length,
    near: nearFrames(model, range, budgetMs),
    bounds: momentBounds(model, range, budgetMs),
    assets: assets.slice(0, RECORDS),
    longtasks: moment.longtasks.slice(0, RECORDS),
    spans: moment.spans.slice(0, RECORDS),
    marks: moment.marks.slice(0, RECORDS),
    logs: moment.logs.slice(0, RECORDS),
    losses: moment.losses.slice(0, RECORDS),
    counts: {
      assets: assets.length,
      longtasks: moment.longtasks.length,
      spans: moment.spans.length,
      marks: moment.marks.length,
      logs: moment.logs.length,
      losses: moment.losses.length,
    },
    stacks: moment.stacks.map((stacks) => ({
      group: groupId(stacks),
      source: stacks.source,
      unit: stacks.tree.unit,
      of: groupsTouching(stacks, range),
      functions: functionsOf(stacks, FUNCTIONS),
    })),
  };
}

function framesIn(model: TraceModel, { from, to }: TimeRange): MomentFrame[] {
  return model.frames.flatMap(({ source, start_ms, duration_ms, gpu_ms, draws, triangles }) => {
    const known = (value: number | undefined): number | null =>
      value === undefined || Number.isNaN(value) ? null : value;
    const found: MomentFrame[] = [];
    for (let i = 0; i < start_ms.length; i++) {
      const start = start_ms[i] ?? 0;
      const duration = duration_ms[i] ?? 0;
      if (start >= to || start + duration <= from) continue;
      found.push({
        source,
        start_ms: start,
        duration_ms: duration,
        gpu_ms: known(gpu_ms[i]),
        draws: known(draws[i]),
        triangles: known(triangles[i]),
      });
    }
    return found;
  });
}

function groupsTouching({ times }: Stacks, { from, to }: TimeRange): TimeRange {
  if (times === null || times.at_ms !== null) return { from, to };
  let [first, last] = [to, from];
  for (let group = 0; group < times.t.length; group++) {
    const start = times.t[group] ?? 0;
    const end = start + (times.duration_ms[group] ?? 0);
    if (start >= to || (end <= from && !(end === start && start >= from))) continue;
    first = Math.min(first, start);
    last = Math.max(last, end);
  }
  return { from: first, to: last };
}
