// Finds the part of a trace that a reader names: a range of time, the frame at a time, or one of the moments that stand out.
import type { Source } from '../../format/records.ts';
import type { FrameColumns, TraceModel } from '../../model/trace-model.ts';
import { firstAbove } from '../../times/search-sorted.ts';
import { DEFAULT_BUDGET_MS, type Window } from '../frames/frame-stats.ts';
import { findHitches, type Hitch } from '../frames/moment.ts';
import { busiestMoments, processMoments, risingMoments } from './process-moments.ts';

/** The lists of moments that stand out, each numbered from 1: the longest hitch, the most CPU time, the largest rise of memory. */
export const MOMENT_LISTS = ['hitch', 'cpu', 'memory'] as const;
export type MomentList = (typeof MOMENT_LISTS)[number];

/** What a reader names: a range, a point in time, or a number in a list. */
export type MomentPlace =
  | { readonly kind: 'range'; readonly from_ms: number; readonly to_ms: number }
  | {
      readonly kind: 'time';
      readonly t: number;
      /** The time is known to this precision: it is at or after `t`, and before `t` plus this. Null: exactly `t`. */
      readonly precision_ms: number | null;
    }
  | { readonly kind: MomentList; readonly number: number };

/** `frame` is a frame that is not a hitch, and `second` a time between samples of a process or a whole second. */
export type FoundMoment = Window & {
  readonly kind: MomentList | 'frame' | 'second' | 'range';
  /** In its list. Null for other kinds. */
  readonly number: number | null;
  /** The frame. Null without one. */
  readonly frame: { readonly source: Source; readonly index: number } | null;
};

/**
 * Why there is no such moment:
 * - `no_times`: no record of the trace has a time or a duration.
 * - `outside`: the trace ends before it.
 * - `no_frame`: no frame was running at the time, in a trace with frames.
 * - `not_listed`: the list has fewer moments: `count`.
 */
export type MissingMoment =
  | { readonly missing: 'no_times' }
  | { readonly missing: 'outside'; readonly duration_ms: number }
  | { readonly missing: 'no_frame' }
  | { readonly missing: 'not_listed'; readonly count: number };

/**
 * Returns the moment, or why there is none. A time with a precision is the longest hitch that overlaps it, otherwise the frame at
 * the time. `budget_ms` decides which frames are hitches, but not their numbers.
 */
export function findMoment(
  model: TraceModel,
  place: MomentPlace,
  budget_ms: number = DEFAULT_BUDGET_MS,
): FoundMoment | MissingMoment {
  if (place.kind !== 'range' && place.kind !== 'time') return listed(model, place, budget_ms);
  const { duration_ms } = model;
  if (duration_ms === null) return { missing: 'no_times' };
  const start = place.kind === 'range' ? place.from_ms : place.t;
  if (start >= duration_ms) return { missing: 'outside', duration_ms };
  if (place.kind === 'time') {
    const { t, precision_ms } = place;
    return (
      (precision_ms === null
        ? null
        : hitchIn(model, { from_ms: t, to_ms: t + precision_ms }, budget_ms)) ??
      momentAt(model, t, budget_ms)
    );
  }
  const to_ms = Math.min(place.to_ms, duration_ms);
  return { kind: 'range', number: null, frame: null, from_ms: start, to_ms };
}

function listed(
  model: TraceModel,
  { kind, number }: { readonly kind: MomentList; readonly number: number },
  budget_ms: number,
): FoundMoment | MissingMoment {
  if (kind === 'hitch') {
    const hitches = findHitches(model, budget_ms, Number.POSITIVE_INFINITY);
    const hitch = hitches[number - 1];
    return hitch === undefined
      ? { missing: 'not_listed', count: hitches.length }
      : hitchMoment(hitch, number);
  }
  const all = processMoments(model.process);
  const moments = kind === 'cpu' ? busiestMoments(all) : risingMoments(all);
  const moment = moments[number - 1];
  if (moment === undefined) return { missing: 'not_listed', count: moments.length };
  const { from_ms, to_ms } = moment;
  return { kind, number, frame: null, from_ms, to_ms };
}

function hitchMoment({ source, index, start_ms, duration_ms }: Hitch, number: number): FoundMoment {
  const window = { from_ms: start_ms, to_ms: start_ms + duration_ms };
  return { kind: 'hitch', number, frame: { source, index }, ...window };
}

/** The hitches of the list that overlap a window, each with its number in the list. The list is that of all hitches. */
export function hitchesWithin<Item extends Pick<Hitch, 'start_ms' | 'duration_ms'>>(
  hitches: readonly Item[],
  { from_ms, to_ms }: Window,
): { readonly hitch: Item; readonly number: number }[] {
  return hitches
    .map((hitch, at) => ({ hitch, number: at + 1 }))
    .filter(
      ({ hitch: { start_ms, duration_ms } }) =>
        start_ms < to_ms && start_ms + duration_ms > from_ms,
    );
}

/** The longest hitch that overlaps a window, of the source with the most frames that has one. Null: there is none. */
function hitchIn(model: TraceModel, window: Window, budget_ms: number): FoundMoment | null {
  const within = hitchesWithin(findHitches(model, budget_ms, Number.POSITIVE_INFINITY), window);
  for (const { source } of framesBySize(model)) {
    const longest = within.find(({ hitch }) => hitch.source === source);
    if (longest !== undefined) return hitchMoment(longest.hitch, longest.number);
  }
  return null;
}

/** The frames of each source that has any, the most frames first. */
function framesBySize({ frames }: TraceModel): FrameColumns[] {
  return frames
    .filter(({ start_ms }) => start_ms.length > 0)
    .sort((a, b) => b.start_ms.length - a.start_ms.length);
}

/** The frame that was running at a time. In a trace without frames: the time between two samples of the process, else the second. */
function momentAt(model: TraceModel, t: number, budget_ms: number): FoundMoment | MissingMoment {
  const columns = framesBySize(model);
  for (const frames of columns) {
    const index = frameIndexAt(frames, t);
    if (index !== null) return frameMoment(model, frames, index, budget_ms);
  }
  if (columns.length > 0) return { missing: 'no_frame' };
  const of = processMoments(model.process).find(({ from_ms, to_ms }) => from_ms <= t && t < to_ms);
  const from_ms = of?.from_ms ?? Math.floor(t / 1000) * 1000;
  const to_ms = of?.to_ms ?? from_ms + 1000;
  return { kind: 'second', number: null, frame: null, from_ms, to_ms };
}

/** The frame that was running at a time. Null: none was. */
function frameIndexAt({ start_ms, duration_ms }: FrameColumns, t: number): number | null {
  const index = firstAbove(start_ms, t) - 1;
  return t < (start_ms[index] ?? 0) + (duration_ms[index] ?? 0) ? index : null;
}

function frameMoment(
  model: TraceModel,
  { source, start_ms, duration_ms }: FrameColumns,
  index: number,
  budget_ms: number,
): FoundMoment {
  const hitches = findHitches(model, budget_ms, Number.POSITIVE_INFINITY);
  const place = hitches.findIndex((hitch) => hitch.source === source && hitch.index === index);
  const hitch = hitches[place];
  if (hitch !== undefined) return hitchMoment(hitch, place + 1);
  const from_ms = start_ms[index] ?? 0;
  const to_ms = from_ms + (duration_ms[index] ?? 0);
  return { kind: 'frame', number: null, frame: { source, index }, from_ms, to_ms };
}
