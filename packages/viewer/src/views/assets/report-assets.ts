// The asset cost report of a loaded trace, or of a time range of it. Pure.
import {
  type AssetRecord,
  type AssetReport,
  AssetReportSink,
  type Sourced,
  type TraceModel,
} from '@svc/trace';
import type { Slot } from '../../client/trace-calls.ts';
import type { Call } from '../../client/worker-messages.ts';
import type { TimeRange } from '../../draw/time-axis.ts';

export type AssetCalls = {
  /** Returns the cost report of a time range or of the whole trace. Without `most` it lists every asset. */
  readonly assets: Call<
    {
      readonly slot: Slot;
      readonly range: TimeRange | null;
      readonly budgetMs: number;
      readonly most?: number;
    },
    AssetReport
  >;
};

type Asset = Sourced<AssetRecord>;

/**
 * Returns the same report as the command line and the agent. With a range, it covers the assets that were active in
 * it, with the work and the hitches of the range, and names and sizes as known at its end. All assets are ranked, and
 * the first `most` are listed.
 */
export function reportAssets(
  model: TraceModel,
  budgetMs: number,
  range: TimeRange | null = null,
  most: number = Number.POSITIVE_INFINITY,
): AssetReport {
  const sink = new AssetReportSink(budgetMs);
  sink.header(model.header);
  for (const asset of range === null ? model.assets : assetsWithin(model.assets, range)) {
    sink.record(asset);
  }
  for (const { source, start_ms, duration_ms } of model.frames) {
    for (let i = 0; i < start_ms.length; i++) {
      const t = start_ms[i] ?? 0;
      const duration = duration_ms[i] ?? 0;
      if (duration <= budgetMs || (range !== null && (t < range.from || t >= range.to))) continue;
      sink.record({ type: 'frames', source, t, duration_ms: [duration] });
    }
  }
  for (const loss of model.losses) sink.record(loss);
  return sink.report(most);
}

/**
 * Returns the records of assets that were active in the range. Records of work outside of it are kept without the
 * work, because they may hold a name or a size. Later records are left out.
 */
function assetsWithin(assets: readonly Asset[], range: TimeRange): Asset[] {
  const keyOf = ({ source, id }: Asset): string => `${source} ${JSON.stringify(id)}`;
  const works = (asset: Asset): boolean => asset.phase !== 'named' && touches(asset, range);
  const keys = new Set(assets.filter(works).map(keyOf));
  return assets
    .filter((asset) => keys.has(keyOf(asset)) && (asset.phase === 'named' || asset.t < range.to))
    .map((asset) => (asset.phase === 'named' || works(asset) ? asset : withoutWork(asset)));
}

function touches({ t, duration_ms, main_thread_ms }: Asset, { from, to }: TimeRange): boolean {
  const end = t + Math.max(duration_ms ?? 0, main_thread_ms ?? 0);
  return t < to && (end > from || (end === t && t >= from));
}

/** Removes the work from a record and keeps the name and the size. */
function withoutWork({ duration_ms: _, main_thread_ms: __, ...known }: Asset): Asset {
  return { ...known, phase: 'named' };
}
