// Divides the time over the frame budget among the assets whose main-thread work fell into the frame.
import { firstAbove, firstAtLeast, type Intervals, overlaps } from './loss-intervals.ts';

/** A frame over budget, or work: from `start` up to and without `end`. */
export type Span = { readonly start: number; readonly end: number };
/** Main-thread work of asset number `owner`. */
export type AssetWork = Span & { readonly owner: number };
/** `hitch_ms` is the asset's part of the time over budget, `avoidable_ms` what of it its own time accounts for. */
export type HitchShare = { hitch_ms: number; avoidable_ms: number; hitches: number };

/** Frames in ascending order without overlap; `over` is each one's time over budget. */
type Frames = { readonly start: number[]; readonly end: number[]; readonly over: number[] };
/** Which frames a work touches, first and last; `first > last`: none. */
type Reach = { readonly first: number; readonly last: number };

/**
 * Adds to `shares[owner]`: for each frame, (duration − budget) × the asset's main-thread time within the frame ÷ that of all
 * assets within it; to `avoidable_ms` never more than its own time in the frame: without the asset the frame would have been
 * shorter by no more than that. Frames that lie under a loss are left out. Cost follows the number of frames and works,
 * however long the works are: what covers frames wholly is summed by differences.
 */
export function shareHitches(
  spans: readonly Span[],
  works: readonly AssetWork[],
  losses: Intervals,
  budget: number,
  shares: HitchShare[],
): void {
  const frames = orderedFrames(spans, losses, budget);
  const reaches = works.map((work) => reachOf(frames, work));
  const perMs = hitchPerWorkMs(frames, works, reaches);
  const whole = runningSums(frames, perMs);
  const avoidable = perMs.map((ms) => Math.min(1, ms));
  const avoidableWhole = runningSums(frames, avoidable);
  for (const [i, work] of works.entries()) {
    const reach = reaches[i];
    const share = shares[work.owner];
    if (reach === undefined || share === undefined || reach.first > reach.last) continue;
    share.hitch_ms += hitchOf(frames, work, reach, perMs, whole);
    share.avoidable_ms += hitchOf(frames, work, reach, avoidable, avoidableWhole);
  }
  countHitches(works, reaches, shares);
}

/** By start; where clocks let two overlap, the earlier is cut where the later begins. */
function orderedFrames(spans: readonly Span[], losses: Intervals, budget: number): Frames {
  const kept = spans
    .filter((frame) => !overlaps(losses, frame.start, frame.end))
    .sort((a, b) => a.start - b.start);
  return {
    start: kept.map((frame) => frame.start),
    end: kept.map((frame, i) => Math.min(frame.end, kept[i + 1]?.start ?? frame.end)),
    over: kept.map((frame) => frame.end - frame.start - budget),
  };
}

function reachOf(frames: Frames, work: Span): Reach {
  return {
    first: firstAbove(frames.end, work.start),
    last: firstAtLeast(frames.start, work.end) - 1,
  };
}

function within(frames: Frames, frame: number, work: Span): number {
  const start = Math.max(work.start, frames.start[frame] ?? 0);
  return Math.max(0, Math.min(work.end, frames.end[frame] ?? 0) - start);
}

/** For each frame, how much of its time over budget one millisecond of main-thread work answers for. */
function hitchPerWorkMs(
  frames: Frames,
  works: readonly AssetWork[],
  reaches: readonly Reach[],
): Float64Array {
  const partly = new Float64Array(frames.start.length + 1);
  const covering = new Float64Array(frames.start.length + 1);
  for (const [i, work] of works.entries()) {
    const { first, last } = reaches[i] ?? { first: 0, last: -1 };
    if (first > last) continue;
    partly[first] = (partly[first] ?? 0) + within(frames, first, work);
    if (last === first) continue;
    partly[last] = (partly[last] ?? 0) + within(frames, last, work);
    covering[first + 1] = (covering[first + 1] ?? 0) + 1;
    covering[last] = (covering[last] ?? 0) - 1;
  }
  const perMs = new Float64Array(frames.start.length);
  let whole = 0;
  for (let frame = 0; frame < perMs.length; frame++) {
    whole += covering[frame] ?? 0;
    const length = (frames.end[frame] ?? 0) - (frames.start[frame] ?? 0);
    const all = (partly[frame] ?? 0) + whole * length;
    perMs[frame] = all > 0 ? (frames.over[frame] ?? 0) / all : 0;
  }
  return perMs;
}

/** `sums[i]`: what a work that covers all frames before `i` wholly answers for. */
function runningSums(frames: Frames, perMs: Float64Array): Float64Array {
  const sums = new Float64Array(perMs.length + 1);
  for (let i = 0; i < perMs.length; i++) {
    const length = (frames.end[i] ?? 0) - (frames.start[i] ?? 0);
    sums[i + 1] = (sums[i] ?? 0) + length * (perMs[i] ?? 0);
  }
  return sums;
}

function hitchOf(
  frames: Frames,
  work: Span,
  { first, last }: Reach,
  perMs: Float64Array,
  whole: Float64Array,
): number {
  const head = within(frames, first, work) * (perMs[first] ?? 0);
  if (first === last) return head;
  const tail = within(frames, last, work) * (perMs[last] ?? 0);
  return head + tail + Math.max(0, (whole[last] ?? 0) - (whole[first + 1] ?? 0));
}

/** A frame that several works of one asset fell into is one hitch of it. */
function countHitches(
  works: readonly AssetWork[],
  reaches: readonly Reach[],
  shares: HitchShare[],
): void {
  const counted = new Map<number, number>();
  const order = works
    .map((_, i) => i)
    .sort((a, b) => (reaches[a]?.first ?? 0) - (reaches[b]?.first ?? 0));
  for (const i of order) {
    const { first, last } = reaches[i] ?? { first: 0, last: -1 };
    const owner = works[i]?.owner ?? -1;
    const share = shares[owner];
    const from = Math.max(first, counted.get(owner) ?? 0);
    if (share === undefined || from > last) continue;
    share.hitches += last - from + 1;
    counted.set(owner, last + 1);
  }
}
