// The assets that have more GPU memory after the last occurrence of repeated work than after the first.
import type { LevelGroup } from './level-groups.ts';
import { differencesOf, type MedianInterval, medianInterval } from './median-interval.ts';
import type { Occurrence } from './repeats.ts';
import { leastLevel, medianLevel } from './step-levels.ts';

/** All assets of one source, kind and name. */
export type GrowingAsset = Pick<LevelGroup, 'name' | 'kind' | 'source'> & {
  /** The number of these assets that have GPU memory after the last occurrence. */
  readonly assets: number;
  /** The growth from each occurrence to the next, in bytes. */
  readonly each: MedianInterval;
  /** The growth from the first occurrence to the last, in bytes; above 0. */
  readonly total_bytes: number;
};

/** Most assets that are listed. */
const MOST_ASSETS = 100;
/** Most that are compared over all occurrences, which takes longer. */
const MOST_COMPARED = 1000;

/**
 * The largest total first, then by name; at most 100. An asset that appeared with the last of several occurrences is not
 * listed, because the program may still use it. `pauses` are the times after the occurrences, of which there are at least two.
 */
export function growingAssets(
  groups: readonly LevelGroup[],
  occurrences: readonly Occurrence[],
  pauses: readonly Occurrence[],
): GrowingAsset[] {
  const start = occurrences.at(-1);
  const [first, last] = [pauses.at(0), pauses.at(-1)];
  if (start === undefined || first === undefined || last === undefined) return [];
  const sinceLast = { from_ms: start.from_ms, to_ms: last.to_ms };
  return groups
    .map((group) => {
      const before = medianLevel(group.sum, first);
      return { group, before, total_bytes: medianLevel(group.sum, last) - before };
    })
    .filter(({ total_bytes }) => total_bytes > 0)
    .toSorted((a, b) => b.total_bytes - a.total_bytes || (a.group.name < b.group.name ? -1 : 1))
    .slice(0, MOST_COMPARED)
    .flatMap(({ group: { name, kind, source, assets, sum }, before, total_bytes }) => {
      const each = medianInterval(differencesOf(pauses.map((pause) => medianLevel(sum, pause))));
      if (each === null || !(each.low > 0 || leastLevel(sum, sinceLast) > before)) return [];
      const alive = assets.filter(({ gpu }) => medianLevel(gpu, last) > 0).length;
      return [{ name, kind, source, assets: alive, each, total_bytes }];
    })
    .slice(0, MOST_ASSETS);
}
