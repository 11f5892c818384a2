// What a list of assets comes to. Pure.
import type { AssetReportEntry, AssetReportTotals } from '@svc/trace';

export type AssetSums = {
  readonly bytes: number;
  readonly gpuBytes: number;
  readonly mainThreadMs: number;
  /** Assets with neither size known. */
  readonly unknownSizes: number;
};

/** Adds what is known; what is not known is counted, never guessed. */
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

/** The same of all assets of a report, those that it does not list too. */
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
