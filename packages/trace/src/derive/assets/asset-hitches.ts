// Divides the time over budget of each slow frame among the assets with main-thread work in it.
import { firstAbove, firstAtLeast } from '../../times/search-sorted.ts';
import { type Intervals, overlaps } from '../frames/loss-intervals.ts';

/** Frames over budget, in columns: from `start` to before `end`. */
export type SlowFrames = { readonly start: Float64Array; readonly end: Float64Array };
/** Main-thread work, in columns: of asset number `owner`, from `start` to before `end`. */
export type AssetWorks = SlowFrames & { readonly owner: Int32Array };
/** By asset: its share of the time over budget, the part of it that its own work time explains, and the number of frames. */
export type HitchShares = {
  readonly hitch_ms: Float64Array;
  readonly avoidable_ms: Float64Array;
  readonly hitches: Int32Array;
};

/** Slow frames in ascending order without overlap. `over` is the time over budget of each. */
type Frames = SlowFrames & { readonly over: Float64Array };
/** The first and last frame that each work overlaps. None if `first > last`. */
type Reaches = { readonly first: Int32Array; readonly last: Int32Array };
/** What a work overlaps: the frames, all works, and the reach of each work. */
type Overlap = { readonly frames: Frames; readonly works: AssetWorks; readonly reaches: Reaches };
/** By frame: the share of a millisecond of work, and the share of a work that covers all frames before it completely. */
type Rate = { readonly perMs: Float64Array; readonly sums: Float64Array };

export function noHitches(assets: number): HitchShares {
  return {
    hitch_ms: new Float64Array(assets),
    avoidable_ms: new Float64Array(assets),
    hitches: new Int32Array(assets),
  };
}

/**
 * Adds to the share of each work's owner. For each frame the share is (duration − budget) × the main-thread time of the asset
 * in the frame ÷ the main-thread time of all assets in the frame. `avoidable_ms` is at most the asset's own time in the frame,
 * because without the asset the frame would have been shorter by no more than that.
 * The run time depends on the number of frames and works, not on the length of the works: frames that a work covers completely
 * are summed by differences.
 */
export function shareHitches(frames: Frames, works: AssetWorks, shares: HitchShares): void {
  const reaches = reachesOf(frames, works);
  const overlap = { frames, works, reaches };
  const perMs = hitchPerWorkMs(overlap);
  const hitch = rateOf(frames, perMs);
  const avoidable = rateOf(
    frames,
    perMs.map((ms) => Math.min(1, ms)),
  );
  for (let i = 0; i < works.owner.length; i++) {
    const owner = works.owner[i] ?? 0;
    if ((reaches.first[i] ?? 0) > (reaches.last[i] ?? -1)) continue;
    shares.hitch_ms[owner] = (shares.hitch_ms[owner] ?? 0) + shareOf(overlap, i, hitch);
    shares.avoidable_ms[owner] = (shares.avoidable_ms[owner] ?? 0) + shareOf(overlap, i, avoidable);
  }
  countHitches(works, reaches, shares.hitches);
}

/**
 * Orders slow frames by start, without those that overlap a loss. If two overlap because of their clocks, the earlier one ends
 * where the later one starts.
 */
export function orderFrames({ start, end }: SlowFrames, losses: Intervals, budget: number): Frames {
  const kept = Uint32Array.from(start.keys()).filter(
    (frame) => !overlaps(losses, start[frame] ?? 0, end[frame] ?? 0),
  );
  sortBy(kept, start);
  return {
    start: Float64Array.from(kept, (frame) => start[frame] ?? 0),
    end: Float64Array.from(kept, (frame, i) => {
      const own = end[frame] ?? 0;
      const next = kept[i + 1];
      return next === undefined ? own : Math.min(own, start[next] ?? own);
    }),
    over: Float64Array.from(kept, (frame) => (end[frame] ?? 0) - (start[frame] ?? 0) - budget),
  };
}

/** Sorts rows by their values. Stable. */
function sortBy(rows: Uint32Array, values: ArrayLike<number>): void {
  let ascends = true;
  for (let i = 1; i < rows.length && ascends; i++) {
    ascends = (values[rows[i - 1] ?? 0] ?? 0) <= (values[rows[i] ?? 0] ?? 0);
  }
  if (!ascends) rows.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0) || a - b);
}

function reachesOf(frames: Frames, works: AssetWorks): Reaches {
  return {
    first: Int32Array.from(works.start, (start) => firstAbove(frames.end, start)),
    last: Int32Array.from(works.end, (end) => firstAtLeast(frames.start, end) - 1),
  };
}

function within(frames: Frames, frame: number, works: AssetWorks, work: number): number {
  const start = Math.max(works.start[work] ?? 0, frames.start[frame] ?? 0);
  return Math.max(0, Math.min(works.end[work] ?? 0, frames.end[frame] ?? 0) - start);
}

/** For each frame, the share of its time over budget per millisecond of main-thread work. */
function hitchPerWorkMs({ frames, works, reaches }: Overlap): Float64Array {
  const partly = new Float64Array(frames.start.length + 1);
  const covering = new Float64Array(frames.start.length + 1);
  for (let i = 0; i < works.owner.length; i++) {
    const first = reaches.first[i] ?? 0;
    const last = reaches.last[i] ?? -1;
    if (first > last) continue;
    partly[first] = (partly[first] ?? 0) + within(frames, first, works, i);
    if (last === first) continue;
    partly[last] = (partly[last] ?? 0) + within(frames, last, works, i);
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

function rateOf(frames: Frames, perMs: Float64Array): Rate {
  const sums = new Float64Array(perMs.length + 1);
  for (let i = 0; i < perMs.length; i++) {
    const length = (frames.end[i] ?? 0) - (frames.start[i] ?? 0);
    sums[i + 1] = (sums[i] ?? 0) + length * (perMs[i] ?? 0);
  }
  return { perMs, sums };
}

/** The share of one work in all frames that it overlaps. */
function shareOf({ frames, works, reaches }: Overlap, work: number, { perMs, sums }: Rate): number {
  const first = reaches.first[work] ?? 0;
  const last = reaches.last[work] ?? -1;
  const head = within(frames, first, works, work) * (perMs[first] ?? 0);
  if (first === last) return head;
  const tail = within(frames, last, works, work) * (perMs[last] ?? 0);
  return head + tail + Math.max(0, (sums[last] ?? 0) - (sums[first + 1] ?? 0));
}

/** Counts the frames of each asset. A frame with several works of one asset counts once. */
function countHitches(works: AssetWorks, reaches: Reaches, hitches: Int32Array): void {
  /** By owner: the frame before which all are counted. */
  const counted = new Int32Array(hitches.length);
  const order = Uint32Array.from(works.owner.keys());
  sortBy(order, reaches.first);
  for (const work of order) {
    const owner = works.owner[work] ?? 0;
    const last = reaches.last[work] ?? -1;
    const from = Math.max(reaches.first[work] ?? 0, counted[owner] ?? 0);
    if (from > last) continue;
    hitches[owner] = (hitches[owner] ?? 0) + last - from + 1;
    counted[owner] = last + 1;
  }
}
