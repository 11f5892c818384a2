// Sums the events of files by second, and finds the files with the most events in some of the seconds.
import { nameText } from '../../derive/facts/number-text.ts';
import type { AssetRecord } from '../../format/records.ts';
import type { Evidence } from './finding.ts';

export type FileEvents = {
  /** The name of the file, which can be empty. Null for bytes that are not those of a file. */
  readonly name: string | null;
  readonly t: number;
  readonly count: number;
  readonly bytes: number;
  /** Bytes that came from storage; 0 also if unknown. */
  readonly stored: number;
};

export type Second = {
  /** The start of the second in ms. */
  readonly t: number;
  readonly count: number;
  readonly bytes: number;
  readonly stored: number;
  readonly events: readonly FileEvents[];
};

/** A record of the phase `read`: reads, or page faults of a file that is mapped. */
export function fileEvents(asset: AssetRecord): FileEvents {
  const { name, t, count = 1, read_bytes = 0, transfer_bytes = 0 } = asset;
  return { name, t, count, bytes: read_bytes, stored: transfer_bytes };
}

/** The seconds from `from_ms` on that have events, in order. A record counts where it begins; it lasts at most a second. */
export function secondsOf(all: readonly FileEvents[], from_ms: number): Second[] {
  const groups = Map.groupBy(
    all.filter(({ t }) => t >= from_ms),
    ({ t }) => Math.floor(t / 1000),
  );
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([second, events]) => ({
      t: second * 1000,
      count: sumOf(events, 'count'),
      bytes: sumOf(events, 'bytes'),
      stored: sumOf(events, 'stored'),
      events,
    }));
}

/** The `most` files with the highest sum of `by` in the seconds, with the time of the first event of each. */
export function busiestFiles(
  seconds: readonly Second[],
  by: 'count' | 'bytes',
  unit: string,
  most: number,
): (Evidence & { readonly value: number })[] {
  const files = Map.groupBy(
    seconds.flatMap(({ events }) => events),
    ({ name }) => name,
  );
  return [...files]
    .map(([name, events]) => ({
      label: nameText(name ?? ''),
      value: sumOf(events, by),
      unit,
      t: events.reduce((first, { t }) => Math.min(first, t), events[0]?.t ?? 0),
    }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value || (a.label < b.label ? -1 : 1))
    .slice(0, most);
}

type Sums = Pick<FileEvents, 'count' | 'bytes' | 'stored'>;

export function sumOf(all: readonly Sums[], key: keyof Sums): number {
  return all.reduce((sum, one) => sum + one[key], 0);
}
