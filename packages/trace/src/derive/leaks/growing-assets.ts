// The assets that have more GPU memory after the last occurrence of repeated work than after the first.
import type { AssetKind, Source } from '../../format/records.ts';
import type { AssetLevels } from './asset-levels.ts';
import { differencesOf, type MedianInterval, medianInterval } from './median-interval.ts';
import type { Occurrence } from './repeats.ts';
import { leastLevel, medianLevel, sumOfLevels } from './step-levels.ts';

/** All assets of one source, kind and name. */
export type GrowingAsset = {
  /** Without the number of an asset that the collector named: `texture 512×512 RGBA8`. */
  readonly name: string;
  readonly kind: AssetKind;
  readonly source: Source;
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
/** The names that the collector makes, such as `texture 512×512 RGBA8 3` and `buffer 2`. */
const NUMBERED = /^((?:texture|renderbuffer|buffer|shader|pipeline)(?: .*)?) \d+$/s;

/**
 * The largest total first, then by name; at most 100. An asset that appeared with the last of three or more occurrences is not
 * listed, because the program may still use it. `pauses` are the times after the occurrences, of which there are at least two.
 */
export function growingAssets(
  levels: readonly AssetLevels[],
  occurrences: readonly Occurrence[],
  pauses: readonly Occurrence[],
): GrowingAsset[] {
  const start = occurrences.at(-1);
  const [first, last] = [pauses.at(0), pauses.at(-1)];
  if (start === undefined || first === undefined || last === undefined) return [];
  const sinceLast = { from_ms: start.from_ms, to_ms: last.to_ms };
  const rows = [...Map.groupBy(levels, keyOf).values()].flatMap((group) => {
    const [one] = group;
    const sum = sumOfLevels(group.map(({ gpu }) => gpu));
    const before = medianLevel(sum, first);
    const total_bytes = medianLevel(sum, last) - before;
    if (one === undefined || total_bytes <= 0) return [];
    const wasThere = pauses.length < 3 || leastLevel(sum, sinceLast) > before;
    return [{ group, sum, wasThere, total_bytes, one, name: nameWithoutNumber(one.name) }];
  });
  return rows
    .toSorted((a, b) => b.total_bytes - a.total_bytes || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_COMPARED)
    .flatMap(({ group, sum, wasThere, total_bytes, one, name }) => {
      const each = medianInterval(differencesOf(pauses.map((pause) => medianLevel(sum, pause))));
      if (each === null || !(wasThere || each.low > 0)) return [];
      const assets = group.filter(({ gpu }) => medianLevel(gpu, last) > 0).length;
      return [{ name, kind: one.kind, source: one.source, assets, each, total_bytes }];
    })
    .slice(0, MOST_ASSETS);
}

/** The name of an asset without the number that the collector gave it. */
function nameWithoutNumber(name: string): string {
  return NUMBERED.exec(name)?.[1] ?? name;
}

function keyOf({ source, kind, name }: AssetLevels): string {
  return JSON.stringify([source, kind, nameWithoutNumber(name)]);
}
