// The asset cost report: which asset costs the player most, hardest first, from asset records and the frames they fell into.

import { Float64List } from '../../bytes/growable.ts';
import { TraceError } from '../../format/errors.ts';
import type {
  AssetId,
  AssetKind,
  FramesRecord,
  Header,
  LossRecord,
  Source,
  TraceRecord,
} from '../../format/records.ts';
import { roundMs } from '../../vpt/format-record.ts';
import { type TraceSink, VptReader } from '../../vpt/read-vpt.ts';
import type { RecordScanner } from '../../vpt/scan-record.ts';
import { DEFAULT_BUDGET_MS } from '../frames/frame-stats.ts';
import { lossIntervals } from '../frames/loss-intervals.ts';
import { type AssetAdvice, adviseAsset } from './asset-advice.ts';
import { type HitchShares, noHitches, shareHitches } from './asset-hitches.ts';
import { orderOfAssets } from './asset-order.ts';
import { type AssetReportTotals, AssetSum } from './asset-sum.ts';
import { AssetTable, type AssetTotals } from './asset-totals.ts';
import { firstRows } from './rank-rows.ts';

/**
 * What one unit costs, in frame budgets. A hitch is what the player feels, so what of it the asset's own
 * time accounts for counts whole; main-thread work that stayed
 * within its frame took time that the game could have used; work beside the main thread delays only what waits for it;
 * memory is a slow cost: 50 MiB on the GPU weigh like one lost frame.
 */
export const ASSET_WEIGHTS = {
  hitch_per_budget: 1,
  main_thread_per_budget: 0.5,
  background_per_budget: 0.05,
  memory_per_mib: 0.01,
  gpu_memory_per_mib: 0.02,
} as const;

/** Times are sums over the asset's records, sizes the latest known; null where no record told. */
export type AssetReportEntry = {
  readonly id: AssetId;
  readonly name: string;
  readonly kind: AssetKind;
  readonly source: Source;
  /** How many records tell of work on it; naming it is no work. */
  readonly uses: number;
  readonly bytes: number | null;
  /** What was read of it in all, reading again counted again; only where a record told. */
  readonly read_bytes?: number;
  readonly gpu_bytes: number | null;
  /** Phases `load` and `read`. */
  readonly load_ms: number | null;
  /** Phases `decode` and `compile`. */
  readonly decode_ms: number | null;
  readonly upload_ms: number | null;
  readonly main_thread_ms: number | null;
  /** Its part of the time over budget in the frames that its main-thread work fell into. */
  readonly hitch_ms: number;
  /** How many frames over budget that were. */
  readonly hitches: number;
  /** In frame budgets, by `weights`. */
  readonly cost: number;
  /** Of the cost of all assets, 0 to 1. */
  readonly share: number;
  readonly advice: readonly AssetAdvice[];
};

export type AssetReport = {
  /** Hardest first: by cost, then by name, source and id. */
  readonly assets: readonly AssetReportEntry[];
  /** How many assets were ranked and are not listed: none of them costs more than the last that is. */
  readonly left_out: number;
  /** Of all assets, those that are left out too. */
  readonly totals: AssetReportTotals;
  readonly weights: Readonly<Record<string, number>>;
  readonly budget_ms: number;
};

/** More frames over budget than this (three days at 60 Hz, all slow) are refused, before memory runs out. */
const MOST_SLOW_FRAMES = 16_777_216;

/** Frames over budget of one source. */
type SlowColumns = { readonly start: Float64List; readonly end: Float64List };

/** A sink for VptReader. Memory grows with assets, their main-thread work and frames over budget, with nothing else. */
export class AssetReportSink implements TraceSink {
  readonly #budget: number;
  #header: Header | null = null;
  readonly #assets = new AssetTable();
  readonly #slow = new Map<Source, SlowColumns>();
  readonly #losses: LossRecord[] = [];

  /** `budget_ms` is how long a frame may take. */
  constructor(budget_ms: number = DEFAULT_BUDGET_MS) {
    this.#budget = budget_ms;
  }

  header(header: Header): void {
    this.#header = header;
  }

  /** Throws TraceError `too_large`. */
  record(record: TraceRecord): void {
    if (record.type === 'asset') this.#assets.take(record, this.#sourceOf(record));
    else if (record.type === 'frames') this.#takeFrames(record);
    else if (record.type === 'loss') this.#losses.push(record);
  }

  /** Frames and losses never come this way. */
  scanned(record: RecordScanner): boolean {
    if (record.type === 'asset') this.#assets.takeScanned(record);
    return true;
  }

  /** The report of all records so far: all assets are ranked, and the first `most` listed. */
  report(most: number = Number.POSITIVE_INFINITY): AssetReport {
    const assets = this.#assets;
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
      const message = `Cannot weigh more than ${MOST_SLOW_FRAMES} frames over budget`;
      throw new TraceError('too_large', message, 1, 1);
    }
  }

  #hitches(): HitchShares {
    const shares = noHitches(this.#assets.length);
    for (const source of this.#header?.sources ?? []) {
      const works = this.#assets.worksOf(source);
      const slow = this.#slow.get(source);
      if (slow === undefined || works === null) continue;
      const frames = { start: slow.start.trimmed(), end: slow.end.trimmed() };
      shareHitches(frames, works, lossIntervals(this.#losses, source), this.#budget, shares);
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

/** The parts of a cost, as the report lists them. */
export type Measured = Pick<
  AssetReportEntry,
  | 'bytes'
  | 'gpu_bytes'
  | 'load_ms'
  | 'decode_ms'
  | 'upload_ms'
  | 'main_thread_ms'
  | 'hitch_ms'
  | 'hitches'
>;

/** Frame budgets, from ASSET_WEIGHTS. Time that was not on the main thread counts as background. */
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

/** Six decimals, so that the report is the same text everywhere. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** The report of `.vpt` bytes, chunk by chunk. Throws TraceError. */
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
