// The GPU memory of each asset over time, from its records and releases.
import type {
  AssetId,
  AssetKind,
  AssetRecord,
  ReleaseRecord,
  Source,
} from '../../format/records.ts';
import type { Sourced, TraceModel } from '../../model/trace-model.ts';
import type { StepLevels } from './step-levels.ts';

/** One asset and its memory. */
export type AssetLevels = {
  readonly id: AssetId;
  readonly source: Source;
  readonly name: string;
  readonly kind: AssetKind;
  /** The time of its first record in ms. */
  readonly first_ms: number;
  /** The GPU memory in bytes; empty if no record states it. */
  readonly gpu: StepLevels;
  /** The latest size in main memory; null if no record states it. */
  readonly bytes: number | null;
  /** The number of objects that were released. */
  readonly releases: number;
};

type Draft = {
  first: Sourced<AssetRecord>;
  latest: AssetRecord;
  named: AssetRecord | null;
  readonly t: number[];
  readonly value: number[];
  bytes: number | null;
  releases: number;
};

/** The assets of a trace in order of their first record. */
export function assetLevels(model: TraceModel): AssetLevels[] {
  const drafts = new Map<string, Draft>();
  for (const record of byTime(model)) {
    const key = keyOf(record);
    if (record.type === 'asset') {
      const draft = drafts.get(key) ?? newDraft(record);
      drafts.set(key, draft);
      draft.latest = record;
      if (record.phase === 'named') draft.named = record;
      takeSizes(draft, record);
    } else {
      const draft = drafts.get(key);
      // A release before the first record of its asset does not change what the asset has later.
      if (draft === undefined) continue;
      draft.releases += record.count ?? 1;
      takeSizes(draft, record);
    }
  }
  return [...drafts.values()].map(({ first, latest, named, t, value, bytes, releases }) => {
    const { name, kind } = named ?? latest;
    const { id, source, t: first_ms } = first;
    return { id, source, name, kind, first_ms, gpu: { t, value }, bytes, releases };
  });
}

function keyOf({ source, id }: { readonly source: Source; readonly id: AssetId }): string {
  return `${source} ${typeof id} ${id}`;
}

function newDraft(first: Sourced<AssetRecord>): Draft {
  return { first, latest: first, named: null, t: [], value: [], bytes: null, releases: 0 };
}

function takeSizes(draft: Draft, { t, bytes, gpu_bytes }: AssetRecord | ReleaseRecord): void {
  if (bytes !== undefined) draft.bytes = bytes;
  if (gpu_bytes === undefined) return;
  if (draft.t.at(-1) === t) draft.value[draft.value.length - 1] = gpu_bytes;
  else {
    draft.t.push(t);
    draft.value.push(gpu_bytes);
  }
}

/** Asset and release records by time. At the same time, releases come last. */
function byTime({
  assets,
  releases,
}: TraceModel): (Sourced<AssetRecord> | Sourced<ReleaseRecord>)[] {
  const all = [...assets, ...releases];
  return releases.length === 0 ? all : all.toSorted((a, b) => a.t - b.t);
}
