// The GPU memory of all assets, and of the assets of each name. It is computed once for all repeats.
import type { AssetKind, Source } from '../../format/records.ts';
import type { AssetLevels } from './asset-levels.ts';
import { type StepLevels, sumOfLevels } from './step-levels.ts';

/** All assets of one source, kind and name. */
export type LevelGroup = {
  /** Without the number of an asset that the collector named: `texture 512×512 RGBA8`. */
  readonly name: string;
  readonly kind: AssetKind;
  readonly source: Source;
  readonly assets: readonly AssetLevels[];
  readonly sum: StepLevels;
};

export type GroupedLevels = {
  /** In order of their first record. */
  readonly assets: readonly AssetLevels[];
  readonly sum: StepLevels;
  readonly groups: readonly LevelGroup[];
};

/** The names that the collector makes, such as `texture 512×512 RGBA8 3` and `buffer 2`. */
const NUMBERED = /^((?:texture|renderbuffer|buffer)(?: .*)?) \d+$/;

export function groupLevels(assets: readonly AssetLevels[]): GroupedLevels {
  const groups = new Map<string, AssetLevels[]>();
  for (const asset of assets) {
    const key = `${asset.source} ${asset.kind} ${nameWithoutNumber(asset.name)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [asset]);
    else group.push(asset);
  }
  return {
    assets,
    sum: sumOfLevels(assets.map(({ gpu }) => gpu)),
    groups: [...groups.values()].flatMap((group) => {
      const [one] = group;
      if (one === undefined) return [];
      const { kind, source } = one;
      const sum = sumOfLevels(group.map(({ gpu }) => gpu));
      return [{ name: nameWithoutNumber(one.name), kind, source, assets: group, sum }];
    }),
  };
}

function nameWithoutNumber(name: string): string {
  return NUMBERED.exec(name)?.[1] ?? name;
}
