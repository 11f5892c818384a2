// From a trace's stacks to the tree that a view shows: which source, which stretch of time, which of two weights, without what
// is hidden. The trees themselves are made by the trace package.
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

/** A tree and what it is a part of. Weights in `tree` and `totals` are at the tree's scale: divide by `scale`. */
export type ShownTree = {
  readonly tree: StackTree;
  readonly totals: Float64Array<ArrayBuffer>;
  readonly scale: number;
  /** In the unit: what is shown, and all there is without range and patterns; exact as text. */
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

/** A tree as a part of another. */
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

/** The merged frame is called by the pattern, in brackets. */
function withMerged(tree: StackTree, { merge }: StackQuery): StackTree {
  const pattern = patternOf(merge);
  if (pattern === null) return tree;
  const matched = matchFrames(tree.frames, (name) => pattern.test(name));
  return mergeFrames(tree, matched, `[${merge}]`);
}
