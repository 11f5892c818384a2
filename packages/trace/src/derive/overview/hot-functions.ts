// The functions with the most weight of their own in a whole trace, by source and unit.
import type { Source } from '../../format/records.ts';
import type { Stacks, TraceModel } from '../../model/trace-model.ts';
import { treeTotal } from '../../stacks/frame-sums.ts';
import { type FunctionWeight, functionsOf } from '../frames/window-functions.ts';

export type HotFunction = FunctionWeight & {
  /** Its own weight, as a part of the weight of all samples, 0 to 1. 0 if that is not positive. */
  readonly share: number;
};

export type HotFunctions = {
  readonly source: Source;
  readonly unit: string;
  readonly samples: number;
  readonly functions: readonly HotFunction[];
};

/** At most `limit` functions of each call tree, the largest self weight first. Trees without functions are left out. */
export function hotFunctions(model: TraceModel, limit: number): HotFunctions[] {
  return model.stacks
    .map((stacks: Stacks): HotFunctions => {
      const { source, tree } = stacks;
      const whole = Number(treeTotal(tree)) / 10 ** tree.decimals;
      return {
        source,
        unit: tree.unit,
        samples: tree.samples,
        functions: functionsOf(stacks, limit).map((row) => ({
          ...row,
          share: whole > 0 ? row.self / whole : 0,
        })),
      };
    })
    .filter(({ functions }) => functions.length > 0);
}
