// The asset cost report: which asset costs the player most, hardest first, from asset records and the frames they fell into.
import { TraceError } from '../errors.ts';
import type {
  AssetId,
  AssetKind,
  AssetRecord,
  FramesRecord,
  Header,
  LossRecord,
  Source,
  TraceRecord,
} from '../records.ts';
import { Float64List } from '../stacks/growable.ts';
import { roundMs } from '../vpt/format-record.ts';
import { type TraceSink, VptReader } from '../vpt/read-vpt.ts';
import { type AssetAdvice, adviseAsset } from './asset-advice.ts';
import { type AssetWork, type HitchShare, shareHitches } from './asset-hitches.ts';
import { AssetTotals } from './asset-totals.ts';
import { lossIntervals } from './loss-intervals.ts';

/** One frame at 60 Hz. */
export const DEFAULT_BUDGET_MS = 1000 / 60;

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
  readonly weights: Readonly<Record<string, number>>;
  readonly budget_ms: number;
};

/** More frames over budget than this (three days at 60 Hz, all slow) are refused, before memory runs out. */
const MOST_SLOW_FRAMES = 16_777_216;

/** Frames over budget of one source: start and duration. */
type SlowFrames = { readonly start: Float64List; readonly duration: Float64List };

/** A sink for VptReader. Memory grows with assets, their main-thread work and frames over budget, with nothing else. */
export class AssetReportSink implements TraceSink {
  readonly #budget: number;
  #header: Header | null = null;
  readonly #assets = new Map<string, AssetTotals>();
  readonly #slow = new Map<Source, SlowFrames>();
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
    if (record.type === 'asset') this.#takeAsset(record);
    else if (record.type === 'frames') this.#takeFrames(record);
    else if (record.type === 'loss') this.#losses.push(record);
  }

  /** The report of all records so far. */
  report(): AssetReport {
    const assets = [...this.#assets.values()];
    const hitches = this.#hitches(assets);
    const entries = assets.map((asset, i) => this.#entry(asset, hitches[i] ?? NO_HITCH));
    const total = entries.reduce((sum, entry) => sum + entry.cost, 0);
    return {
      assets: entries
        .map((entry) => ({ ...entry, share: total > 0 ? rounded(entry.cost / total) : 0 }))
        .sort(byCost),
      weights: ASSET_WEIGHTS,
      budget_ms: roundMs(this.#budget),
    };
  }

  #sourceOf(record: TraceRecord): Source {
    return record.source ?? this.#header?.sources[0] ?? 'import';
  }

  #takeAsset(record: AssetRecord): void {
    const source = this.#sourceOf(record);
    const key = `${source} ${JSON.stringify(record.id)}`;
    const asset = this.#assets.get(key) ?? new AssetTotals(record.id, source);
    this.#assets.set(key, asset);
    asset.take(record);
  }

  #takeFrames(record: FramesRecord): void {
    const source = this.#sourceOf(record);
    const slow = this.#slow.get(source) ?? newSlowFrames();
    this.#slow.set(source, slow);
    let start = record.t;
    for (const duration of record.duration_ms) {
      if (duration > this.#budget) {
        slow.start.push(start);
        slow.duration.push(duration);
      }
      start += duration;
    }
    if (slow.start.length > MOST_SLOW_FRAMES) {
      const message = `Cannot weigh more than ${MOST_SLOW_FRAMES} frames over budget`;
      throw new TraceError('too_large', message, 1, 1);
    }
  }

  #hitches(assets: readonly AssetTotals[]): HitchShare[] {
    const shares: HitchShare[] = assets.map(() => ({ ...NO_HITCH }));
    for (const source of this.#header?.sources ?? []) {
      const works: AssetWork[] = assets.flatMap((asset, owner) =>
        asset.source === source ? worksOf(asset, owner) : [],
      );
      const slow = this.#slow.get(source);
      if (slow === undefined || works.length === 0) continue;
      const frames = Array.from(slow.start.trimmed(), (start, i) => ({
        start,
        end: start + (slow.duration.values[i] ?? 0),
      }));
      shareHitches(frames, works, lossIntervals(this.#losses, source), this.#budget, shares);
    }
    return shares;
  }

  #entry(asset: AssetTotals, hitch: HitchShare): AssetReportEntry {
    const { bytes, gpu_bytes, read_bytes } = asset;
    const measured = {
      bytes,
      gpu_bytes,
      load_ms: roundedMs(asset.timeOf('load', 'read')),
      decode_ms: roundedMs(asset.timeOf('decode', 'compile')),
      upload_ms: roundedMs(asset.timeOf('upload')),
      main_thread_ms: roundedMs(asset.main_thread_ms),
      hitch_ms: roundMs(hitch.hitch_ms),
      hitches: hitch.hitches,
    };
    return {
      id: asset.id,
      name: asset.name,
      kind: asset.kind,
      source: asset.source,
      uses: asset.uses,
      ...measured,
      ...(read_bytes === null ? {} : { read_bytes }),
      cost: costOf(measured, hitch.avoidable_ms, this.#budget),
      share: 0,
      advice: adviseAsset(asset, hitch.hitches, this.#budget),
    };
  }
}

const NO_HITCH: HitchShare = { hitch_ms: 0, avoidable_ms: 0, hitches: 0 };

function newSlowFrames(): SlowFrames {
  return { start: new Float64List(64), duration: new Float64List(64) };
}

/** An asset's main-thread work: it starts at the record's `t` and lasts `main_thread_ms`. */
function worksOf({ works }: AssetTotals, owner: number): AssetWork[] {
  return Array.from({ length: works.length / 2 }, (_, i) => {
    const start = works[2 * i] ?? 0;
    return { owner, start, end: start + (works[2 * i + 1] ?? 0) };
  });
}

type Costs = Pick<
  AssetReportEntry,
  'bytes' | 'gpu_bytes' | 'load_ms' | 'decode_ms' | 'upload_ms' | 'main_thread_ms'
>;

/** Frame budgets, from ASSET_WEIGHTS. Time that was not on the main thread counts as background. */
function costOf(entry: Costs, avoidable_ms: number, budget: number): number {
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

function byCost(a: AssetReportEntry, b: AssetReportEntry): number {
  return (
    b.cost - a.cost ||
    byText(a.name, b.name) ||
    byText(a.source, b.source) ||
    byText(JSON.stringify(a.id), JSON.stringify(b.id))
  );
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
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
