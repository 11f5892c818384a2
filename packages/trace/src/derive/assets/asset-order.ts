// The order of the asset cost report: by cost, then by name, source and id by code unit.
import type { FrameNames } from '../../stacks/frame-table.ts';
import type { AssetTable } from './asset-totals.ts';

/** A comparator of rows. Texts are compared only if the costs are equal. */
export function orderOfAssets(
  costs: Float64Array,
  assets: AssetTable,
  names: FrameNames,
): (a: number, b: number) => number {
  const ids = assets.ids();
  return (a, b) => {
    const byCost = (costs[b] ?? 0) - (costs[a] ?? 0);
    if (byCost !== 0) return byCost;
    const [one, other] = [assets.nameOf(a), assets.nameOf(b)];
    return (
      (one === other ? 0 : byText(names.text(one), names.text(other))) ||
      byText(assets.sourceOf(a), assets.sourceOf(b)) ||
      byText(JSON.stringify(ids(a)), JSON.stringify(ids(b)))
    );
  };
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
