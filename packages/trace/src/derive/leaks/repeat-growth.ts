// What each occurrence of repeated work leaves: the memory in the pause after it, compared with the pause before it.
import { firstAbove, firstAtLeast } from '../../times/search-sorted.ts';
import { median } from '../../times/trend.ts';
import type { MemorySeries } from '../facts/memory-growth.ts';
import type { AssetLevels } from './asset-levels.ts';
import { type GrowingAsset, growingAssets } from './growing-assets.ts';
import type { GroupedLevels } from './level-groups.ts';
import { differencesOf, type MedianInterval, medianInterval } from './median-interval.ts';
import type { Occurrence, Repeat } from './repeats.ts';
import { leastLevel, medianLevel } from './step-levels.ts';

/** One occurrence, and what was there after it. */
type RepeatedLoad = Occurrence & {
  /** The GPU memory of all assets in the pause after it, in bytes. Null if releases are not recorded. */
  readonly gpu_bytes: number | null;
  /** The number of assets that appeared from its start until the next one began. */
  readonly new_assets: number;
  /**
   * Of these, the number that had GPU memory all the time from the start of the next occurrence to the end of the pause after
   * it, and their least memory then. Null for the last occurrence.
   */
  readonly kept_assets: number | null;
  readonly kept_bytes: number | null;
};

/** The growth of a memory series from each occurrence to the next, in bytes. */
export type SeriesStep = {
  readonly label: string;
  readonly each: MedianInterval;
  /** At least 1 MiB at the median, in at least three comparisons, with an interval above 0. */
  readonly grows: boolean;
};

export type RepeatGrowth = Omit<Repeat, 'occurrences'> & {
  readonly loads: readonly RepeatedLoad[];
  /** The growth of the GPU memory of all assets. Null if releases are not recorded. */
  readonly gpu: MedianInterval | null;
  /** Whether each occurrence leaves GPU memory: at least 64 KiB at the median, in two comparisons, with an interval above 0. */
  readonly leaks: boolean;
  readonly assets: readonly GrowingAsset[];
  readonly series: readonly SeriesStep[];
};

/** Less growth of assets, whose sizes are exact, is not reported. */
export const LEAST_ASSET_BYTES = 65_536;
const FEWEST_ASSET_STEPS = 2;
/** Less growth of a series, which also varies by chance, is not reported. */
const LEAST_SERIES_BYTES = 1_048_576;
const FEWEST_SERIES_STEPS = 3;
/** Growth that differs by at most this fraction is the same: a mark in a load and the load itself have slightly other pauses. */
const SAME_SHARE = 0.1;

/** `levels` is null if the trace does not record releases. `end_ms` is the end of the trace. */
export function repeatGrowth(
  { occurrences, ...repeat }: Repeat,
  levels: GroupedLevels | null,
  series: readonly MemorySeries[],
  end_ms: number,
): RepeatGrowth {
  const pauses = pausesOf(occurrences, end_ms);
  const after = pauses.map((pause) => (levels === null ? null : medianLevel(levels.sum, pause)));
  const gpu = medianInterval(differencesOf(after));
  const newIn = assetsByLoad(levels?.assets ?? [], occurrences);
  return {
    ...repeat,
    loads: occurrences.map((one, i) => ({
      ...one,
      gpu_bytes: after[i] ?? null,
      new_assets: newIn[i]?.length ?? 0,
      ...keptOf(newIn[i] ?? [], occurrences[i + 1], pauses[i + 1]),
    })),
    gpu,
    leaks: gpu !== null && isAbove(gpu, FEWEST_ASSET_STEPS, LEAST_ASSET_BYTES),
    assets: growingAssets(levels?.groups ?? [], occurrences, pauses),
    series: series.flatMap(({ label, t, value }) => {
      const each = medianInterval(differencesOf(pauses.map((one) => medianSample(t, value, one))));
      if (each === null) return [];
      return [{ label, each, grows: isAbove(each, FEWEST_SERIES_STEPS, LEAST_SERIES_BYTES) }];
    }),
  };
}

/**
 * Orders repeats by what each occurrence leaves, `bytes`. Of a span and a mark with the same growth, the span ranks higher, because
 * it is the work itself: a mark must leave over a tenth more.
 */
export function growthRank({ kind }: Pick<Repeat, 'kind'>, bytes: number): number {
  return kind === 'mark' ? bytes - Math.abs(bytes) * SAME_SHARE : bytes;
}

/**
 * The times after each occurrence until the next one starts. The last is as long as the median of the others, at most until the
 * end of the trace, because a recording often ends after the level was unloaded.
 */
function pausesOf(occurrences: readonly Occurrence[], end_ms: number): Occurrence[] {
  const pauses = occurrences.map(({ to_ms }, i) => ({
    from_ms: to_ms,
    to_ms: occurrences[i + 1]?.from_ms ?? end_ms,
  }));
  const lengths = pauses.slice(0, -1).map(({ from_ms, to_ms }) => to_ms - from_ms);
  const usual = median(lengths.sort((a, b) => a - b));
  return pauses.map(({ from_ms, to_ms }, i) => ({
    from_ms,
    to_ms: i < lengths.length ? to_ms : Math.min(to_ms, from_ms + usual),
  }));
}

function isAbove(
  { count, median: middle, low }: MedianInterval,
  fewest: number,
  least: number,
): boolean {
  return count >= fewest && low > 0 && middle >= least;
}

/** The median of the known samples within a pause, both ends included. Null without samples. */
function medianSample(
  t: Float64Array,
  value: Float64Array,
  { from_ms, to_ms }: Occurrence,
): number | null {
  const within = value
    .subarray(firstAtLeast(t, from_ms), firstAbove(t, to_ms))
    .filter((one) => !Number.isNaN(one));
  return within.length === 0 ? null : median(within.sort());
}

/** For each occurrence the assets that appeared from its start until the next one began. */
function assetsByLoad(
  levels: readonly AssetLevels[],
  occurrences: readonly Occurrence[],
): (readonly AssetLevels[])[] {
  const firsts = levels.map(({ first_ms }) => first_ms);
  const starts = occurrences.map(({ from_ms }) => firstAtLeast(firsts, from_ms));
  return starts.map((start, i) => levels.slice(start, starts[i + 1]));
}

function keptOf(
  made: readonly AssetLevels[],
  next: Occurrence | undefined,
  pause: Occurrence | undefined,
): Pick<RepeatedLoad, 'kept_assets' | 'kept_bytes'> {
  if (next === undefined || pause === undefined) return { kept_assets: null, kept_bytes: null };
  const time = { from_ms: next.from_ms, to_ms: pause.to_ms };
  const kept = made.map(({ gpu }) => leastLevel(gpu, time)).filter((bytes) => bytes > 0);
  return { kept_assets: kept.length, kept_bytes: kept.reduce((sum, bytes) => sum + bytes, 0) };
}
