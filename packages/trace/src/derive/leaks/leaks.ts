// What a trace shows about memory that is never released: assets that are alive at its end, what each load leaves, and the growth
// of memory by time.
import type { AssetId, AssetKind, Source } from '../../format/records.ts';
import type { TraceModel } from '../../model/trace-model.ts';
import { type MemoryGrowth, memoryGrowth, memorySeries } from '../facts/memory-growth.ts';
import { type AssetLevels, assetLevels } from './asset-levels.ts';
import { groupLevels } from './level-groups.ts';
import { growthRank, type RepeatGrowth, repeatGrowth } from './repeat-growth.ts';
import { repeatsOf } from './repeats.ts';

/** An asset with GPU memory at the end of the trace. */
export type AliveAsset = {
  readonly id: AssetId;
  readonly source: Source;
  readonly name: string;
  readonly kind: AssetKind;
  readonly gpu_bytes: number;
  /** Its latest size in main memory; null if unknown. The trace does not show whether the browser has freed it. */
  readonly bytes: number | null;
  /** The time of its first record, and the time from then to the end of the trace, in ms. */
  readonly first_ms: number;
  readonly age_ms: number;
  /** The number of its objects that were released. */
  readonly releases: number;
};

export type SeriesGrowth = {
  readonly label: string;
  readonly source: Source;
  /** Null if the series is too short for a trend. */
  readonly growth: MemoryGrowth | null;
};

export type Leaks = {
  readonly end_ms: number;
  /** Whether the trace records the end of GPU memory. If not, `alive` is null, because all assets would seem to leak. */
  readonly records_releases: boolean;
  /** The number of released objects. */
  readonly releases: number;
  readonly alive: {
    /** The largest first, of the same size the earliest first, then by name, source and id. */
    readonly assets: readonly AliveAsset[];
    readonly gpu_bytes: number;
  } | null;
  /** Leaking ones first, the largest growth first, by {@link growthRank}. */
  readonly repeats: readonly RepeatGrowth[];
  readonly series: readonly SeriesGrowth[];
  /** Whether the start of the recording was dropped to save memory, so that assets may be missing. */
  readonly start_is_lost: boolean;
};

/** Derives everything that a trace shows about leaks. */
export function leaksOf(model: TraceModel): Leaks {
  const end_ms = model.duration_ms ?? 0;
  const sources = sourcesWithReleases(model);
  const all = sources.size === 0 ? null : assetLevels(model);
  const levels = all?.filter(({ source }) => sources.has(source)) ?? null;
  const series = memorySeries(model);
  const grouped = levels === null ? null : groupLevels(levels);
  const repeats = repeatsOf(model).map((repeat) => repeatGrowth(repeat, grouped, series, end_ms));
  return {
    end_ms,
    records_releases: levels !== null,
    releases: model.releases.reduce((sum, { count }) => sum + (count ?? 1), 0),
    alive: levels === null ? null : aliveOf(levels, end_ms),
    repeats: repeats.toSorted(
      (a, b) =>
        Number(b.leaks) - Number(a.leaks) ||
        growthRank(b, b.gpu?.median ?? 0) - growthRank(a, a.gpu?.median ?? 0),
    ),
    series: series
      .filter(({ value }) => value.some((one) => !Number.isNaN(one)))
      .map((one) => ({ label: one.label, source: one.source, growth: memoryGrowth(one) })),
    start_is_lost: model.losses.some(({ reason }) => reason === 'storage_cap'),
  };
}

/** Whether a source of the trace reports when GPU memory ends. Cheap, unlike {@link leaksOf}. */
export function recordsReleases({ releases, counters }: TraceModel): boolean {
  return releases.length > 0 || counters.some(countsGpuMemory);
}

function countsGpuMemory({ name }: TraceModel['counters'][number]): boolean {
  return name === 'gpu_bytes';
}

/** The sources that report when GPU memory ends: by releases, or by the counter of the memory that is alive. */
function sourcesWithReleases({ releases, counters }: TraceModel): ReadonlySet<Source> {
  const counted = counters.filter(countsGpuMemory);
  return new Set([...releases, ...counted].map(({ source }) => source));
}

function aliveOf(levels: readonly AssetLevels[], end_ms: number): NonNullable<Leaks['alive']> {
  const assets = levels.flatMap(({ gpu, first_ms, ...asset }): AliveAsset[] => {
    const gpu_bytes = gpu.value.at(-1) ?? 0;
    return gpu_bytes > 0 ? [{ ...asset, gpu_bytes, first_ms, age_ms: end_ms - first_ms }] : [];
  });
  assets.sort(
    (a, b) =>
      b.gpu_bytes - a.gpu_bytes || a.first_ms - b.first_ms || (orderOf(a) < orderOf(b) ? -1 : 1),
  );
  return { assets, gpu_bytes: assets.reduce((sum, { gpu_bytes }) => sum + gpu_bytes, 0) };
}

function orderOf({ name, source, id }: AliveAsset): string {
  return `${name}\n${source}\n${id}`;
}
