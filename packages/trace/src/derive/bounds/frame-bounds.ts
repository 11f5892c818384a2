// What bounds the frame rate: for each frame over budget, and for the whole trace. docs/vpt.md section 4 has the formula.

import type { Header, Source } from '../../format/records.ts';
import type { TraceModel } from '../../model/trace-model.ts';
import { roundMs } from '../../vpt/format-record.ts';
import { countedFrames, DEFAULT_BUDGET_MS } from '../frames/frame-stats.ts';
import { findHitches, type Hitch } from '../frames/moment.ts';
import { type FrameParts, framePartsOf, gpuTime } from './frame-parts.ts';

/** The kinds of bounds. In a tie, the first one counts. */
export const BOUNDS = ['script', 'rendering', 'loading', 'gc', 'gpu', 'unknown'] as const;
export type Bound = (typeof BOUNDS)[number];

/**
 * The evidence for a bound:
 * - `main_thread`: the main thread worked for at least half of the frame, mostly on the kind of work that the bound names.
 * - `gpu`: the GPU worked for at least half of the frame, and longer than the main thread.
 * - `gpu_process`: the same of the browser's GPU process, which sends the work to the GPU and waits for it.
 * The evidence for `unknown`:
 * - `other_work`: the main thread worked for at least half of the frame, mostly on work of no known kind.
 * - `waited`: the main thread was idle for more than half of the frame, and no measurement states that the GPU worked as long.
 * - `not_measured`: the trace does not have the time of the main thread in the frame.
 */
export type BoundEvidence =
  | 'main_thread'
  | 'gpu'
  | 'gpu_process'
  | 'other_work'
  | 'waited'
  | 'not_measured';

export type FrameBound = {
  readonly bound: Bound;
  readonly evidence: BoundEvidence;
  readonly parts: FrameParts;
};

export type BoundHitch = Hitch & FrameBound;

/** The hitches with one bound. */
export type BoundShare = {
  readonly bound: Bound;
  readonly hitches: number;
  readonly over_ms: number;
  /** `over_ms` divided by that of all hitches, from 0 to 1. */
  readonly share: number;
};

/** The kinds of work of the main thread. */
export const MAIN_WORK = ['script', 'rendering', 'loading', 'gc', 'other'] as const;
export type MainWork = (typeof MAIN_WORK)[number];

/** The part of a frame for each kind. A long recording has too many frames to make these names anew. */
const WORK_KEYS = MAIN_WORK.map((work) => [work, `${work}_ms`] as const);

export type TraceBounds = {
  readonly budget_ms: number;
  /** The frames that were counted: those that overlap no loss. */
  readonly frames: number;
  /** All frames over budget, longest first. */
  readonly hitches: readonly BoundHitch[];
  readonly over_ms: number;
  /** The kinds that occur, the one with the most time over budget first. Their shares add up to 1. */
  readonly shares: readonly BoundShare[];
  /** The first of `shares`; null without hitches. */
  readonly bound: Bound | null;
  /** The time of the main thread in the frames in which it is known, by kind, the longest first. Null if it is known in none. */
  readonly main_work:
    | readonly { readonly work: MainWork; readonly total_ms: number; readonly share: number }[]
    | null;
  /** The source of all frames. Null without frames and for frames of several sources. */
  readonly source: Source | null;
  /** The graphics adapter, if the trace names it. */
  readonly gpu: NonNullable<Header['gpu']> | null;
};

/** The bound of a frame by its parts. See docs/vpt.md section 4. */
export function boundOf(parts: FrameParts): FrameBound {
  const { duration_ms, main_ms, gpu_ms } = parts;
  const work = workOf(parts);
  const main = main_ms ?? work.reduce((sum, { ms }) => sum + ms, 0);
  const gpu = gpuTime(parts);
  if (gpu > main && gpu * 2 >= duration_ms) {
    return { bound: 'gpu', evidence: gpu === gpu_ms ? 'gpu' : 'gpu_process', parts };
  }
  if (main > 0 && main * 2 >= duration_ms) {
    const [longest] = work;
    const bound = longest === undefined || longest.work === 'other' ? 'unknown' : longest.work;
    return { bound, evidence: bound === 'unknown' ? 'other_work' : 'main_thread', parts };
  }
  return { bound: 'unknown', evidence: main_ms === null ? 'not_measured' : 'waited', parts };
}

/** The kinds of work of the main thread, the longest first. */
function workOf(parts: FrameParts): { work: MainWork; ms: number }[] {
  return MAIN_WORK.map((work) => ({ work, ms: parts[`${work}_ms`] ?? 0 })).sort(
    (a, b) => b.ms - a.ms,
  );
}

/** The bounds of all frames over budget. Frames that overlap a loss are not counted. */
export function traceBounds(model: TraceModel, budget_ms: number = DEFAULT_BUDGET_MS): TraceBounds {
  const partsBySource = new Map(
    model.frames.map((frames) => [frames.source, framePartsOf(model, frames)]),
  );
  const hitches = findHitches(model, budget_ms, Number.POSITIVE_INFINITY).flatMap((hitch) => {
    const parts = partsBySource.get(hitch.source)?.(hitch.index);
    return parts === undefined ? [] : [{ ...hitch, ...boundOf(parts) }];
  });
  const over_ms = hitches.reduce((sum, hitch) => sum + hitch.over_ms, 0);
  const shares = boundShares(hitches);
  const total = Object.fromEntries(MAIN_WORK.map((kind) => [kind, 0])) as Record<MainWork, number>;
  let frames = 0;
  for (const columns of model.frames) {
    const partsAt = partsBySource.get(columns.source);
    for (const index of countedFrames(columns, model.losses).kept) {
      frames++;
      const parts = partsAt?.(index);
      if (parts === undefined || parts.main_ms === null) continue;
      for (const [work, key] of WORK_KEYS) total[work] += parts[key] ?? 0;
    }
  }
  return {
    budget_ms,
    frames,
    hitches,
    over_ms: roundMs(over_ms),
    shares,
    bound: shares[0]?.bound ?? null,
    main_work: mainWork(total),
    source: onlySource(model),
    gpu: model.header.gpu ?? null,
  };
}

function onlySource({ frames }: TraceModel): Source | null {
  const [first = null, ...others] = new Set(frames.map(({ source }) => source));
  return others.length === 0 ? first : null;
}

/** The kinds of bounds of these hitches, the one with the most time over budget first. */
export function boundShares(
  hitches: readonly Pick<BoundHitch, 'bound' | 'over_ms'>[],
): BoundShare[] {
  const all = hitches.reduce((sum, hitch) => sum + hitch.over_ms, 0);
  return BOUNDS.map((bound) => {
    const own = hitches.filter((hitch) => hitch.bound === bound);
    const over = own.reduce((sum, hitch) => sum + hitch.over_ms, 0);
    return { bound, hitches: own.length, over_ms: roundMs(over), share: over / all };
  })
    .filter((row) => row.hitches > 0)
    .sort((a, b) => b.over_ms - a.over_ms);
}

function mainWork(work: Readonly<Record<MainWork, number>>): TraceBounds['main_work'] {
  const all = MAIN_WORK.reduce((sum, kind) => sum + work[kind], 0);
  if (all === 0) return null;
  return MAIN_WORK.map((kind) => ({
    work: kind,
    total_ms: roundMs(work[kind]),
    share: work[kind] / all,
  })).sort((a, b) => b.total_ms - a.total_ms);
}
