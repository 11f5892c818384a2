// Selects the tree that a view shows: group, time range, weight and patterns. The trace package computes the trees.
// Pure.
import {
  formatDecimal,
  hideFrames,
  matchFrames,
  mergeFrames,
  type Stacks,
  type StackTree,
  sumTotals,
  treeTotal,
  weighWindow,
} from '@svc/trace';
import { patternOf, type StackQuery } from './query.ts';

/** A tree and its totals. Weights in `tree` and `totals` are scaled integers: divide them by `scale`. */
export type ShownTree = {
  readonly tree: StackTree;
  readonly totals: Float64Array<ArrayBuffer>;
  readonly scale: number;
  /** The weight that is shown, and that of the group without range and patterns, in the unit. The text is exact. */
  readonly total: number;
  readonly whole: number;
  readonly wholeText: string;
};

export function selectTree(stacks: Stacks, query: StackQuery): ShownTree {
  const weighed = weightOf(stacks.tree, query);
  const { range } = query;
  const ranged =
    range === null || stacks.times === null
      ? weighed
      : weighWindow(stacks.tree, stacks.times, range.from, range.to);
  return shownTree(withMerged(withoutHidden(ranged, query), query), weighed);
}

/** Returns a tree as a part of `whole`. */
export function shownTree(tree: StackTree, whole: StackTree = tree): ShownTree {
  const sum = treeTotal(whole);
  const part = tree === whole ? sum : treeTotal(tree);
  const scale = 10 ** tree.decimals;
  return {
    tree,
    totals: sumTotals(tree.parents, tree.self).values,
    scale,
    total: Number(part) / scale,
    whole: Number(sum) / 10 ** whole.decimals,
    wholeText: formatDecimal(sum, whole.decimals),
  };
}

function weightOf(tree: StackTree, query: StackQuery): StackTree {
  return query.weight === 'before' && tree.before !== null
    ? { ...tree, self: tree.before, before: null }
    : tree;
}

function withoutHidden(tree: StackTree, query: StackQuery): StackTree {
  const hide = patternOf(query.hide);
  const keep = patternOf(query.keep);
  if (hide === null && keep === null) return tree;
  const hidden = matchFrames(
    tree.frames,
    (name) => (hide?.test(name) ?? false) || !(keep?.test(name) ?? true),
  );
  return hideFrames(tree, hidden).tree;
}

/** The merged frame is named after the pattern, in brackets. */
function withMerged(tree: StackTree, { merge }: StackQuery): StackTree {
  const pattern = patternOf(merge);
  if (pattern === null) return tree;
  const matched = matchFrames(tree.frames, (name) => pattern.test(name));
  return mergeFrames(tree, matched, `[${merge}]`);
}
