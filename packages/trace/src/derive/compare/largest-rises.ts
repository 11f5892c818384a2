// The asset and the function whose cost rose most from one trace to another.
import type { AssetChange } from '../assets/compare-assets.ts';
import type { FunctionChange } from './compare-functions.ts';
import type { TraceDiff } from './diff-traces.ts';

/** Smaller changes of a share of all samples are not named: half a percentage point. */
export const NOTABLE_SHARE = 0.005;
/** Smaller changes of the cost of an asset, in frame budgets, are not named. */
export const NOTABLE_COST = 0.01;

/** `unit` is that of the samples of the newer trace. */
export type FunctionRise = FunctionChange & { readonly unit: string };

/** Null if no cost rose by a notable amount. The cost of a function is its share of all samples. */
export function largestRises({ assets, functions }: Pick<TraceDiff, 'assets' | 'functions'>): {
  readonly asset: AssetChange | null;
  readonly function: FunctionRise | null;
} {
  const [asset] = assets.filter(({ cost_change }) => cost_change >= NOTABLE_COST);
  const [rise] = functions
    .flatMap(({ unit_after: unit, changes }) =>
      changes.slice(0, 1).map((one) => ({ ...one, unit })),
    )
    .filter(({ change }) => change >= NOTABLE_SHARE)
    .sort((a, b) => b.change - a.change);
  return { asset: asset ?? null, function: rise ?? null };
}
