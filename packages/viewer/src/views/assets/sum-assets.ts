// Sums of a list of assets. Pure.
import type { AssetReportEntry, AssetReportTotals } from '@svc/trace';

export type AssetSums = {
  readonly bytes: number;
  readonly gpuBytes: number;
  readonly mainThreadMs: number;
  /** The number of assets whose sizes are both unknown. */
  readonly unknownSizes: number;
};

/** Adds the known values. Assets of unknown size are counted. */
export function sumAssets(entries: readonly AssetReportEntry[]): AssetSums {
  const add = (pick: (entry: AssetReportEntry) => number | null): number =>
    entries.reduce((sum, entry) => sum + (pick(entry) ?? 0), 0);
  return {
    bytes: add((entry) => entry.bytes),
    gpuBytes: add((entry) => entry.gpu_bytes),
    mainThreadMs: add((entry) => entry.main_thread_ms),
    unknownSizes: entries.filter((entry) => entry.bytes === null && entry.gpu_bytes === null)
      .length,
  };
}

/** Returns the sums of all assets of a report, including those that it does not list. */
export function sumsOf({
  bytes,
  gpu_bytes,
  main_thread_ms,
  unknown_sizes,
}: AssetReportTotals): AssetSums {
  return {
    bytes: bytes ?? 0,
    gpuBytes: gpu_bytes ?? 0,
    mainThreadMs: main_thread_ms ?? 0,
    unknownSizes: unknown_sizes,
  };
}
