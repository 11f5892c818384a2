// The asset cost report: ranks assets by their cost to the player, from asset records and the frames that their work overlaps.

import { Float64List } from '../../bytes/growable.ts';
import { TraceError } from '../../format/errors.ts';
import type {
  AssetId,
  AssetKind,
  FramesRecord,
  Header,
  LossRecord,
  ReleaseRecord,
  Source,
  TraceRecord,
} from '../../format/records.ts';
import { roundMs } from '../../vpt/format-record.ts';
import { type TraceSink, VptReader } from '../../vpt/read-vpt.ts';
import type { RecordScanner } from '../../vpt/scan-record.ts';
import { DEFAULT_BUDGET_MS } from '../frames/frame-stats.ts';
import { lossIntervals } from '../frames/loss-intervals.ts';
import { type AssetAdvice, adviseAsset } from './asset-advice.ts';
import { type HitchShares, noHitches, orderFrames, shareHitches } from './asset-hitches.ts';
import { orderOfAssets } from './asset-order.ts';
import { type AssetReportTotals, AssetSum, type Measured } from './asset-sum.ts';
import { AssetTable, type AssetTotals } from './asset-totals.ts';
import { firstRows } from './rank-rows.ts';

/**
 * The cost of one unit, in frame budgets. The player feels a hitch, so the part of it that the asset's own time explains counts
 * fully. Main-thread work that stayed within its frame took time that the game could have used. Work on other threads delays
 * only what waits for it. Memory is a slow cost: 50 MiB on the GPU cost as much as one lost frame.
 */
export const ASSET_WEIGHTS = {
  hitch_per_budget: 1,
  main_thread_per_budget: 0.5,
  background_per_budget: 0.05,
  memory_per_mib: 0.01,
  gpu_memory_per_mib: 0.02,
} as const;

/** One asset of a report. */
export type AssetReportEntry = Measured & {
  readonly id: AssetId;
  readonly name: string;
  readonly kind: AssetKind;
  readonly source: Source;
  /** The number of its records, except those of phase `named`. */
  readonly uses: number;
  /** Total bytes read. Bytes read twice count twice. Absent if no record has it. */
  readonly read_bytes?: number;
  /** In frame budgets, by `weights`. */
  readonly cost: number;
  /** Its share of the cost of all assets, 0 to 1. */
  readonly share: number;
  readonly advice: readonly AssetAdvice[];
};

export type AssetReport = {
  /** Costliest first, then by name, source and id. */
  readonly assets: readonly AssetReportEntry[];
  /** The number of assets that are not listed. None of them costs more than the last listed one. */
  readonly left_out: number;
  /** Sums over all assets, including those that are not listed. */
  readonly totals: AssetReportTotals;
  readonly weights: Readonly<Record<string, number>>;
  readonly budget_ms: number;
};

/** Most frames over budget (three days at 60 Hz, all slow). More are rejected before memory runs out. */
const MOST_SLOW_FRAMES = 16_777_216;

/** Frames over budget of one source. */
type SlowColumns = { readonly start: Float64List; readonly end: Float64List };

/** A sink for VptReader. Memory use depends only on the assets, their main-thread work and the frames over budget. */
export class AssetReportSink implements TraceSink {
  readonly #budget: number;
  #header: Header | null = null;
  readonly #assets = new AssetTable();
  readonly #slow = new Map<Source, SlowColumns>();
  readonly #losses: LossRecord[] = [];
  readonly #releases: ReleaseRecord[] = [];

  /** `budget_ms` is the frame budget. */
  constructor(budget_ms: number = DEFAULT_BUDGET_MS) {
    this.#budget = budget_ms;
  }

  header(header: Header): void {
    this.#header = header;
  }

  /** Throws TraceError `too_large`. */
  record(record: TraceRecord): void {
    if (record.type === 'asset') this.#assets.take(record, this.#sourceOf(record));
    else if (record.type === 'release') this.#releases.push(record);
    else if (record.type === 'frames') this.#takeFrames(record);
    else if (record.type === 'loss') this.#losses.push(record);
  }

  /** Frames and losses are never passed to this method. */
  scanned(record: RecordScanner): boolean {
    if (record.type === 'asset') this.#assets.takeScanned(record);
    return true;
  }

  /** The report of all records so far. All assets are ranked, and the first `most` are listed. */
  report(most: number = Number.POSITIVE_INFINITY): AssetReport {
    const assets = this.#assets;
    // At the end, because an asset's record may follow its release in the file.
    for (const release of this.#releases) assets.takeRelease(release, this.#sourceOf(release));
    const hitches = this.#hitches();
    const sum = new AssetSum();
    const costs = new Float64Array(assets.length);
    for (let row = 0; row < costs.length; row++) {
      const measured = this.#measured(row, hitches);
      const cost = costOf(measured, hitches.avoidable_ms[row] ?? 0, this.#budget);
      costs[row] = cost;
      sum.add(measured, cost);
    }
    const names = assets.names();
    const read = assets.totals(names);
    const listed = firstRows(costs.length, most, orderOfAssets(costs, assets, names));
    return {
      assets: Array.from(listed, (row) => {
        const cost = costs[row] ?? 0;
        const share = sum.cost > 0 ? rounded(cost / sum.cost) : 0;
        return this.#entry(read(row), this.#measured(row, hitches), cost, share);
      }),
      left_out: costs.length - listed.length,
      totals: sum.totals(costs.length),
      weights: ASSET_WEIGHTS,
      budget_ms: roundMs(this.#budget),
    };
  }

  #sourceOf(record: TraceRecord): Source {
    return record.source ?? this.#header?.sources[0] ?? 'import';
  }

  #takeFrames(record: FramesRecord): void {
    const source = this.#sourceOf(record);
    const slow = this.#slow.get(source) ?? newSlowColumns();
    this.#slow.set(source, slow);
    let start = record.t;
    for (const duration of record.duration_ms) {
      const end = start + duration;
      if (duration > this.#budget) {
        slow.start.push(start);
        slow.end.push(end);
      }
      start = end;
    }
    if (slow.start.length > MOST_SLOW_FRAMES) {
      const message = `Cannot analyze more than ${MOST_SLOW_FRAMES} frames over budget`;
      throw new TraceError('too_large', message, 1, 1);
    }
  }

  #hitches(): HitchShares {
    const shares = noHitches(this.#assets.length);
    for (const source of this.#header?.sources ?? []) {
      const works = this.#assets.worksOf(source);
      const slow = this.#slow.get(source);
      if (slow === undefined || works === null) continue;
      const losses = lossIntervals(this.#losses, source);
      const spans = { start: slow.start.trimmed(), end: slow.end.trimmed() };
      shareHitches(orderFrames(spans, losses, this.#budget), works, shares);
    }
    return shares;
  }

  #measured(row: number, hitches: HitchShares): Measured {
    const assets = this.#assets;
    return {
      bytes: assets.bytesOf(row),
      gpu_bytes: assets.gpuBytesOf(row),
      load_ms: roundedMs(assets.timeOf(row, 'load', 'read')),
      decode_ms: roundedMs(assets.timeOf(row, 'decode', 'compile')),
      upload_ms: roundedMs(assets.timeOf(row, 'upload')),
      main_thread_ms: roundedMs(assets.mainThreadOf(row)),
      hitch_ms: roundMs(hitches.hitch_ms[row] ?? 0),
      hitches: hitches.hitches[row] ?? 0,
    };
  }

  #entry(asset: AssetTotals, measured: Measured, cost: number, share: number): AssetReportEntry {
    const { read_bytes } = asset;
    return {
      id: asset.id,
      name: asset.name,
      kind: asset.kind,
      source: asset.source,
      uses: asset.uses,
      ...measured,
      ...(read_bytes === null ? {} : { read_bytes }),
      cost,
      share,
      advice: adviseAsset(asset, measured.hitches, this.#budget),
    };
  }
}

function newSlowColumns(): SlowColumns {
  return { start: new Float64List(64), end: new Float64List(64) };
}

/** The cost of an asset in frame budgets, by ASSET_WEIGHTS. Time that was not on the main thread counts as background. */
function costOf(entry: Measured, avoidable_ms: number, budget: number): number {
  const mib = 1_048_576;
  const all = (entry.load_ms ?? 0) + (entry.decode_ms ?? 0) + (entry.upload_ms ?? 0);
  const main = entry.main_thread_ms ?? 0;
  const weights = ASSET_WEIGHTS;
  return rounded(
    (avoidable_ms / budget) * weights.hitch_per_budget +
      (main / budget) * weights.main_thread_per_budget +
      (Math.max(0, all - main) / budget) * weights.background_per_budget +
      ((entry.bytes ?? 0) / mib) * weights.memory_per_mib +
      ((entry.gpu_bytes ?? 0) / mib) * weights.gpu_memory_per_mib,
  );
}

function roundedMs(ms: number | null): number | null {
  return ms === null ? null : roundMs(ms);
}

/** Rounds to six decimals, so that the text of the report does not depend on the machine. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** The report of `.vpt` bytes in chunks. Throws TraceError. */
export async function assetReportOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  budget_ms: number = DEFAULT_BUDGET_MS,
): Promise<AssetReport> {
  const sink = new AssetReportSink(budget_ms);
  const reader = new VptReader(sink);
  for await (const chunk of chunks) reader.push(chunk);
  reader.finish();
  return sink.report();
}
