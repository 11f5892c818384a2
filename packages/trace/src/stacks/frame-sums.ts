// Sums by function instead of by node: the table of self and total weights, search, callers and callees.
import { TreeBuilder } from './build-tree.ts';
import { type Exact, ExactColumn, plus } from './exact-column.ts';
import type { FrameNames } from './frame-table.ts';
import { childrenOf } from './layout-tree.ts';
import { type StackTree, sumTotals, type TreeShape } from './stack-tree.ts';

/** 1 for each node whose frame is not among its ancestors. A recursive function is counted once, at these nodes. */
export function outermostNodes(tree: TreeShape): Uint8Array<ArrayBuffer> {
  const { first, children } = childrenOf(tree.parents);
  const onPath = new Int32Array(tree.frames.length);
  const outermost = new Uint8Array(tree.length);
  const next = first.slice();
  let node = -1;
  for (;;) {
    const slot = next[node + 1] ?? 0;
    if (slot < (first[node + 2] ?? 0)) {
      next[node + 1] = slot + 1;
      node = children[slot] ?? 0;
      const frame = tree.nodeFrames[node] ?? 0;
      if (onPath[frame] === 0) outermost[node] = 1;
      onPath[frame] = (onPath[frame] ?? 0) + 1;
    } else if (node < 0) return outermost;
    else {
      const frame = tree.nodeFrames[node] ?? 0;
      onPath[frame] = (onPath[frame] ?? 0) - 1;
      node = tree.parents[node] ?? -1;
    }
  }
}

/** Weights by frame id at the tree's scale. `self`: samples with the frame innermost. `total`: samples with the frame anywhere. */
export type FrameSums = { readonly self: ExactColumn; readonly total: ExactColumn };

export function sumFrames(tree: StackTree): FrameSums {
  const totals = sumTotals(tree.parents, tree.self);
  const outermost = outermostNodes(tree);
  const self = new ExactColumn(tree.frames.length);
  const total = new ExactColumn(tree.frames.length);
  for (let node = 0; node < tree.length; node++) {
    const frame = tree.nodeFrames[node] ?? 0;
    self.add(frame, tree.self.at(node));
    if (outermost[node] === 1) total.add(frame, totals.at(node));
  }
  return { self, total };
}

/** The exact weight of the whole tree. */
export function treeTotal(tree: StackTree, column: ExactColumn = tree.self): Exact {
  if (column.addsUpSafely) {
    let sum = 0;
    for (let node = 0; node < tree.length; node++) sum += column.values[node] ?? 0;
    return sum;
  }
  let total: Exact = 0;
  for (let node = 0; node < tree.length; node++) total = plus(total, column.at(node));
  return total;
}

/** 1 for each frame whose name `matches`. Each name is decoded once. */
export function matchFrames(
  frames: FrameNames,
  matches: (name: string) => boolean,
): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: frames.length }, (_, id) => (matches(frames.name(id)) ? 1 : 0));
}

/** The weight of all samples with a matched frame anywhere in their stack. */
export function matchedTotal(tree: StackTree, matched: Uint8Array): Exact {
  const under = new Uint8Array(tree.length);
  let total: Exact = 0;
  for (let node = 0; node < tree.length; node++) {
    const above = under[tree.parents[node] ?? -1] ?? 0;
    under[node] = above | (matched[tree.nodeFrames[node] ?? 0] ?? 0);
    if (under[node] === 1) total = plus(total, tree.self.at(node));
  }
  return total;
}

/** The merged tree of everything that a function called. Its outermost calls become the root. */
export function calleesOf(tree: StackTree, frame: number): StackTree {
  const outermost = outermostNodes(tree);
  const builder = new TreeBuilder();
  const placed = new Int32Array(tree.length).fill(-1);
  for (let node = 0; node < tree.length; node++) {
    const own = tree.nodeFrames[node] ?? 0;
    const parent = placed[tree.parents[node] ?? -1] ?? -1;
    const isRoot = own === frame && outermost[node] === 1;
    if (parent < 0 && !isRoot) continue;
    const place = builder.child(isRoot ? -1 : parent, own);
    placed[node] = place;
    addNode(builder, place, tree, node);
  }
  return builder.finish(tree.unit, tree.frames);
}

/** The inverted tree of everything that led to a function: its callers are its children, and so on. */
export function callersOf(tree: StackTree, frame: number): StackTree {
  const outermost = outermostNodes(tree);
  const totals = sumTotals(tree.parents, tree.self);
  const before = tree.before === null ? null : sumTotals(tree.parents, tree.before);
  const builder = new TreeBuilder();
  for (let node = 0; node < tree.length; node++) {
    if (tree.nodeFrames[node] !== frame || outermost[node] !== 1) continue;
    let place = -1;
    for (let at = node; at >= 0; at = tree.parents[at] ?? -1) {
      place = builder.child(place, tree.nodeFrames[at] ?? 0);
    }
    builder.add(place, totals.at(node), tree.decimals, before?.at(node), tree.decimals);
  }
  return builder.finish(tree.unit, tree.frames);
}

/** Adds the own weights of a node to node `place` of another tree. */
export function addNode(builder: TreeBuilder, place: number, tree: StackTree, node: number): void {
  builder.add(place, tree.self.at(node), tree.decimals, tree.before?.at(node), tree.decimals);
}

/** The indices of the `count` largest values, largest first, ties by index. Does not sort all values. */
export function heaviest(values: Float64Array, count: number): number[] {
  const top: number[] = [];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0;
    if (top.length === count && value <= (values[top.at(-1) ?? 0] ?? 0)) continue;
    let place = top.length;
    while (place > 0 && (values[top[place - 1] ?? 0] ?? 0) < value) place--;
    top.splice(place, 0, i);
    if (top.length > count) top.pop();
  }
  return top;
}
