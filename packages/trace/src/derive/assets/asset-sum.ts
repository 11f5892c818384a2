// Sums over all assets of a report.
import { roundMs } from '../../vpt/format-record.ts';

/** The measured parts of an asset's cost. Times are sums over its records, sizes are the latest known. A value that no record has is null. */
export type Measured = {
  readonly bytes: number | null;
  readonly gpu_bytes: number | null;
  /** Phases `load` and `read`. */
  readonly load_ms: number | null;
  /** Phases `decode` and `compile`. */
  readonly decode_ms: number | null;
  readonly upload_ms: number | null;
  readonly main_thread_ms: number | null;
  /** Its share of the time over budget in the frames that its main-thread work overlaps. */
  readonly hitch_ms: number;
  /** The number of those frames. */
  readonly hitches: number;
};

/** Sums over all assets. A sum is null if the value is unknown for all of them. */
export type AssetReportTotals = {
  readonly assets: number;
  readonly bytes: number | null;
  readonly gpu_bytes: number | null;
  /** The number of assets for which neither size is known. */
  readonly unknown_sizes: number;
  readonly load_ms: number | null;
  readonly decode_ms: number | null;
  readonly upload_ms: number | null;
  readonly main_thread_ms: number | null;
  readonly hitch_ms: number;
  readonly cost: number;
};

const KEYS = ['bytes', 'gpu_bytes', 'load_ms', 'decode_ms', 'upload_ms', 'main_thread_ms'] as const;
type Key = (typeof KEYS)[number];

export class AssetSum {
  cost = 0;
  #hitch = 0;
  #unknownSizes = 0;
  readonly #sums: Record<Key, number | null> = {
    bytes: null,
    gpu_bytes: null,
    load_ms: null,
    decode_ms: null,
    upload_ms: null,
    main_thread_ms: null,
  };

  add(asset: Measured, cost: number): void {
    this.cost += cost;
    this.#hitch += asset.hitch_ms;
    if (asset.bytes === null && asset.gpu_bytes === null) this.#unknownSizes++;
    for (const key of KEYS) {
      const value = asset[key];
      if (value !== null) this.#sums[key] = (this.#sums[key] ?? 0) + value;
    }
  }

  totals(assets: number): AssetReportTotals {
    const sums = this.#sums;
    const time = (ms: number | null): number | null => (ms === null ? null : roundMs(ms));
    return {
      assets,
      bytes: sums.bytes,
      gpu_bytes: sums.gpu_bytes,
      unknown_sizes: this.#unknownSizes,
      load_ms: time(sums.load_ms),
      decode_ms: time(sums.decode_ms),
      upload_ms: time(sums.upload_ms),
      main_thread_ms: time(sums.main_thread_ms),
      hitch_ms: roundMs(this.#hitch),
      cost: Math.round(this.cost * 1e6) / 1e6,
    };
  }
}
