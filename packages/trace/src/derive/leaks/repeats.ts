// Work that a program repeats, such as loading a level: spans and marks with the same name.
import type { Source } from '../../format/records.ts';
import type { TraceModel } from '../../model/trace-model.ts';
import { TRACKS_OF_BROWSER } from '../frames/span-tracks.ts';

/** One occurrence. `to_ms` equals `from_ms` for a mark. */
export type Occurrence = { readonly from_ms: number; readonly to_ms: number };

/** The occurrences of a name, at least two, in time order. None overlap. */
export type Repeat = {
  readonly kind: 'span' | 'mark';
  readonly source: Source;
  readonly name: string;
  /** Null for marks and for spans without a track. */
  readonly track: string | null;
  readonly occurrences: readonly Occurrence[];
};

/** Occurrences closer than this are one, because a collector writes the memory of an asset once per second. */
const CLOSEST_MS = 1000;
/** Most names that are compared. */
const MOST_NAMES = 32;
type Draft = Omit<Repeat, 'occurrences'> & { readonly occurrences: Occurrence[] };

/**
 * The names that occur at least twice, with a second between them. Spans of the track `loading` come first, then the
 * longest ones, then marks. At most 32 names.
 */
export function repeatsOf(model: TraceModel): Repeat[] {
  const drafts = new Map<string, Draft>();
  const add = (one: Omit<Repeat, 'occurrences'>, from_ms: number, to_ms: number): void => {
    const key = JSON.stringify([one.kind, one.source, one.name, one.track]);
    const draft = drafts.get(key) ?? { ...one, occurrences: [] };
    drafts.set(key, draft);
    addOccurrence(draft.occurrences, { from_ms, to_ms });
  };
  for (const { source, name, track = null, t, duration_ms } of model.spans) {
    if (track !== null && TRACKS_OF_BROWSER.has(track)) continue;
    add({ kind: 'span', source, name, track }, t, t + duration_ms);
  }
  for (const { source, name, t } of model.marks) {
    add({ kind: 'mark', source, name, track: null }, t, t);
  }
  return [...drafts.values()]
    .filter(({ occurrences }) => occurrences.length >= 2)
    .toSorted((a, b) => Number(isLoading(b)) - Number(isLoading(a)) || timeOf(b) - timeOf(a))
    .slice(0, MOST_NAMES);
}

function isLoading({ track }: Draft): boolean {
  return track === 'loading';
}

/** The time in all occurrences in ms. */
function timeOf({ occurrences }: Draft): number {
  return occurrences.reduce((sum, { from_ms, to_ms }) => sum + to_ms - from_ms, 0);
}

function addOccurrence(all: Occurrence[], one: Occurrence): void {
  const last = all.at(-1);
  if (last !== undefined && one.from_ms - last.to_ms < CLOSEST_MS) {
    all[all.length - 1] = { from_ms: last.from_ms, to_ms: Math.max(last.to_ms, one.to_ms) };
  } else all.push(one);
}
