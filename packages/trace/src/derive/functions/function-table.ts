// The functions of a call tree with their own weight and the weight of all that they call, as a ranked list with exact weights.
import type { Source } from '../../format/records.ts';
import type { Stacks } from '../../model/trace-model.ts';
import { type Exact, formatDecimal } from '../../stacks/exact-column.ts';
import { matchedTotal, matchFrames, sumFrames, treeTotal } from '../../stacks/frame-sums.ts';
import type { FrameCategory, FrameNames } from '../../stacks/frame-table.ts';
import type { StackTree } from '../../stacks/stack-tree.ts';
import { weighWindow } from '../../stacks/weigh-window.ts';
import type { Window } from '../frames/frame-stats.ts';

/** Weights are exact decimals in the unit of the tree. Shares are null if the weight of the whole tree is not above 0. */
export type FunctionRow = {
  /** Empty for a frame without a name. */
  readonly name: string;
  readonly category: FrameCategory;
  /** The weight of the samples that end in the function. */
  readonly self: string;
  readonly self_share: number | null;
  /** The weight of the samples with the function anywhere in their stack. A recursive function counts once. */
  readonly total: string;
  readonly total_share: number | null;
};

export type FunctionTable = {
  readonly unit: string;
  readonly samples: number;
  /** The weight of all samples, as an exact decimal. */
  readonly weight_total: string;
  /** The share of the samples with a function that matches anywhere in their stack. Null without `matches`. */
  readonly matched_share: number | null;
  readonly functions: readonly FunctionRow[];
  /** The number of functions that are not listed because of `limit`. */
  readonly left_out: number;
};

export const FUNCTION_ORDERS = ['self', 'total'] as const;

export type FunctionOptions = {
  /** The weight that sorts the table, the largest first. Ties by the other weight, then by name. */
  readonly by?: (typeof FUNCTION_ORDERS)[number];
  /** The most functions to list. */
  readonly limit?: number;
  /** Selects functions by name. Shares remain those of the whole tree. */
  readonly matches?: (name: string) => boolean;
};

/** The functions of a tree. Functions without any weight are left out. */
export function functionTable(tree: StackTree, options: FunctionOptions = {}): FunctionTable {
  const { by = 'self', limit = Number.POSITIVE_INFINITY, matches } = options;
  const { frames, decimals } = tree;
  const sums = sumFrames(tree);
  const whole = treeTotal(tree);
  const matched = matches === undefined ? null : matchFrames(frames, matches);
  const [first, second] = by === 'self' ? [sums.self, sums.total] : [sums.total, sums.self];
  const order = Array.from({ length: frames.length }, (_, frame) => frame)
    .filter((frame) => matched === null || matched[frame] === 1)
    .filter((frame) => first.values[frame] !== 0 || second.values[frame] !== 0)
    .sort(
      (a, b) =>
        descending(first.at(a), first.at(b)) ||
        descending(second.at(a), second.at(b)) ||
        byText(frames, a, b),
    );
  return {
    unit: tree.unit,
    samples: tree.samples,
    weight_total: formatDecimal(whole, decimals),
    matched_share: matched === null ? null : shareOf(matchedTotal(tree, matched), whole),
    functions: order.slice(0, limit).map((frame) => ({
      name: frames.name(frame),
      category: frames.category(frame),
      self: formatDecimal(sums.self.at(frame), decimals),
      self_share: shareOf(sums.self.at(frame), whole),
      total: formatDecimal(sums.total.at(frame), decimals),
      total_share: shareOf(sums.total.at(frame), whole),
    })),
    left_out: Math.max(0, order.length - limit),
  };
}

/** The functions of one source and unit. */
export type SourceFunctions = FunctionTable & {
  readonly source: Source;
  /** False if samples of a window have no times of their own: each belongs to a longer time that overlaps the window. */
  readonly exact: boolean;
};

/** The functions of each source and unit, in the window if there is one. Stacks without samples there, or without times, are left out. */
export function functionTables(
  stacks: readonly Stacks[],
  window: Window | null,
  options: FunctionOptions = {},
): SourceFunctions[] {
  return stacks.flatMap(({ source, tree, times }) => {
    if (window === null) return [{ source, exact: true, ...functionTable(tree, options) }];
    if (times === null) return [];
    const part = weighWindow(tree, times, window.from_ms, window.to_ms);
    if (part.samples === 0) return [];
    return [{ source, exact: times.at_ms !== null, ...functionTable(part, options) }];
  });
}

/** Null if the whole is not above 0. */
function shareOf(part: Exact, whole: Exact): number | null {
  return whole > 0 ? Number(part) / Number(whole) : null;
}

function descending(a: Exact, b: Exact): number {
  return a > b ? -1 : a < b ? 1 : 0;
}

function byText(frames: FrameNames, a: number, b: number): number {
  return frames.text(a) < frames.text(b) ? -1 : 1;
}
