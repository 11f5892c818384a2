// A plain implementation of the asset cost report in docs/vpt.md, to compare with the fast one.
import type {
  AssetRecord,
  FramesRecord,
  Header,
  LossRecord,
  ReleaseRecord,
  TraceRecord,
} from '../src/index.ts';

export type PlainAsset = {
  readonly id: number | string;
  readonly name: string;
  readonly kind: string;
  readonly source: string;
  readonly uses: number;
  readonly bytes: number | null;
  readonly read_bytes?: number;
  readonly gpu_bytes: number | null;
  readonly load_ms: number | null;
  readonly decode_ms: number | null;
  readonly upload_ms: number | null;
  readonly main_thread_ms: number | null;
  readonly hitch_ms: number;
  readonly hitches: number;
  readonly cost: number;
};

type Work = { readonly start: number; readonly end: number };

/** The entries are unordered, and times are not rounded. */
export function plainAssetReport(
  header: Header,
  records: readonly TraceRecord[],
  budget: number,
): PlainAsset[] {
  const groups = new Map<string, AssetRecord[]>();
  const sizes = new Map<string, (AssetRecord | ReleaseRecord)[]>();
  const sourceOf = (record: TraceRecord): string => record.source ?? header.sources[0] ?? '';
  for (const record of records) {
    if (record.type !== 'asset' && record.type !== 'release') continue;
    const key = JSON.stringify([sourceOf(record), record.id]);
    sizes.set(key, [...(sizes.get(key) ?? []), record]);
    if (record.type === 'release') continue;
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  const works = [...groups.values()].map(worksOf);
  return [...groups].map(([key, group], asset) => {
    const source = group[0] === undefined ? '' : sourceOf(group[0]);
    const others = works.filter(
      (_, i) => sourceOf([...groups.values()][i]?.[0] as AssetRecord) === source,
    );
    const frames = slowFrames(records, source, sourceOf, budget);
    const shares = frames.map((frame) => shareOf(frame, works[asset] ?? [], others, budget));
    return entryOf(group, sizes.get(key) ?? [], source, shares, budget);
  });
}

function entryOf(
  group: readonly AssetRecord[],
  sizes: readonly (AssetRecord | ReleaseRecord)[],
  source: string,
  shares: readonly { hitch: number; avoidable: number; touched: boolean }[],
  budget: number,
): PlainAsset {
  const byTime = group.toSorted((a, b) => a.t - b.t);
  const about = byTime.findLast(({ phase }) => phase === 'named') ?? byTime.at(-1);
  const latest = (key: 'bytes' | 'gpu_bytes'): number | null =>
    sizes
      .toSorted((a, b) => a.t - b.t || Number(a.type === 'release') - Number(b.type === 'release'))
      .findLast((record) => record[key] !== undefined)?.[key] ?? null;
  const sum = (values: readonly (number | undefined)[]): number | null => {
    const reported = values.filter((value) => value !== undefined);
    return reported.length === 0 ? null : reported.reduce((all, one) => all + one, 0);
  };
  const time = (...phases: string[]): number | null =>
    sum(group.flatMap(({ phase, duration_ms }) => (phases.includes(phase) ? [duration_ms] : [])));
  const [load_ms, decode_ms, upload_ms] = [
    time('load', 'read'),
    time('decode', 'compile'),
    time('upload'),
  ];
  const main_thread_ms = sum(group.map((record) => record.main_thread_ms));
  const read_bytes = sum(group.map((record) => record.read_bytes));
  const main = main_thread_ms ?? 0;
  const all = (load_ms ?? 0) + (decode_ms ?? 0) + (upload_ms ?? 0);
  const avoidable = shares.reduce((total, share) => total + share.avoidable, 0);
  const [bytes, gpu_bytes] = [latest('bytes'), latest('gpu_bytes')];
  return {
    id: group[0]?.id ?? '',
    name: about?.name ?? '',
    kind: about?.kind ?? '',
    source,
    uses: group.filter(({ phase }) => phase !== 'named').length,
    bytes,
    ...(read_bytes !== null && { read_bytes }),
    gpu_bytes,
    load_ms,
    decode_ms,
    upload_ms,
    main_thread_ms,
    hitch_ms: shares.reduce((total, share) => total + share.hitch, 0),
    hitches: shares.filter(({ touched }) => touched).length,
    cost:
      avoidable / budget +
      (main / budget) * 0.5 +
      (Math.max(0, all - main) / budget) * 0.05 +
      ((bytes ?? 0) / 2 ** 20) * 0.01 +
      ((gpu_bytes ?? 0) / 2 ** 20) * 0.02,
  };
}

function worksOf(group: readonly AssetRecord[]): Work[] {
  return group.flatMap(({ t, main_thread_ms = 0 }) =>
    main_thread_ms > 0 ? [{ start: t, end: t + main_thread_ms }] : [],
  );
}

function slowFrames(
  records: readonly TraceRecord[],
  source: string,
  sourceOf: (record: TraceRecord) => string,
  budget: number,
): Work[] {
  const losses = records.filter((record): record is LossRecord => record.type === 'loss');
  const frames = records
    .filter((record): record is FramesRecord => record.type === 'frames')
    .filter((record) => sourceOf(record) === source)
    .flatMap(({ t, duration_ms }) => {
      let end = t;
      return duration_ms.map((ms) => {
        const start = end;
        end += ms;
        return { start, end, ms };
      });
    })
    .filter(({ ms }) => ms > budget)
    .filter(
      ({ start, end }) =>
        !losses.some(
          (loss) =>
            (loss.duration_ms ?? 0) > 0 &&
            (loss.source === undefined || loss.source === source) &&
            loss.t < end &&
            loss.t + (loss.duration_ms ?? 0) > start,
        ),
    )
    .toSorted((a, b) => a.start - b.start);
  return frames.map(({ start, end }, i) => ({
    start,
    end: Math.min(end, frames[i + 1]?.start ?? end),
    whole: end,
  }));
}

function shareOf(
  frame: Work & { readonly whole?: number },
  own: readonly Work[],
  all: readonly (readonly Work[])[],
  budget: number,
): { hitch: number; avoidable: number; touched: boolean } {
  const within = (works: readonly Work[]): number =>
    works.reduce(
      (sum, work) =>
        sum + Math.max(0, Math.min(work.end, frame.end) - Math.max(work.start, frame.start)),
      0,
    );
  const time = within(own);
  if (time <= 0) return { hitch: 0, avoidable: 0, touched: false };
  const total = all.reduce((sum, works) => sum + within(works), 0);
  const hitch = (((frame.whole ?? frame.end) - frame.start - budget) * time) / total;
  return { hitch, avoidable: Math.min(hitch, time), touched: true };
}
