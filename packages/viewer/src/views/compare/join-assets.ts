// Joins two asset reports by source, kind and name, because ids are valid only within one recording. Pure.
import type { AssetReportEntry } from '@svc/trace';

export type AssetDiffRow = {
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  readonly state: 'same' | 'new' | 'gone';
  readonly costBefore: number | null;
  readonly costAfter: number | null;
  /** Main memory and GPU memory together. Null if both are unknown. */
  readonly bytesBefore: number | null;
  readonly bytesAfter: number | null;
};

type Sum = { readonly name: string; readonly kind: string; cost: number; bytes: number | null };

/** Returns the rows, largest change of cost first. */
export function joinAssets(
  before: readonly AssetReportEntry[],
  after: readonly AssetReportEntry[],
): AssetDiffRow[] {
  const was = sumByName(before);
  const is = sumByName(after);
  const rows = [...new Set([...was.keys(), ...is.keys()])].map((key): AssetDiffRow => {
    const old = was.get(key);
    const now = is.get(key);
    return {
      key,
      name: now?.name ?? old?.name ?? '',
      kind: now?.kind ?? old?.kind ?? '',
      state: old === undefined ? 'new' : now === undefined ? 'gone' : 'same',
      costBefore: old?.cost ?? null,
      costAfter: now?.cost ?? null,
      bytesBefore: old?.bytes ?? null,
      bytesAfter: now?.bytes ?? null,
    };
  });
  const change = (row: AssetDiffRow): number =>
    Math.abs((row.costAfter ?? 0) - (row.costBefore ?? 0));
  return rows.sort((a, b) => change(b) - change(a) || a.name.localeCompare(b.name));
}

function sumByName(entries: readonly AssetReportEntry[]): Map<string, Sum> {
  const sums = new Map<string, Sum>();
  for (const { source, kind, name, cost, bytes, gpu_bytes } of entries) {
    const key = `${source}/${kind}/${name}`;
    const size = bytes === null && gpu_bytes === null ? null : (bytes ?? 0) + (gpu_bytes ?? 0);
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { name, kind, cost, bytes: size });
    else {
      sum.cost += cost;
      sum.bytes = size === null ? sum.bytes : (sum.bytes ?? 0) + size;
    }
  }
  return sums;
}
