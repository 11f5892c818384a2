// The positions of the nodes in a flame graph: siblings side by side, heaviest first, computed without recursion.
import { ExactColumn } from './exact-column.ts';
import { depthsOf, type StackTree, sumTotals } from './stack-tree.ts';

/** Children of node `n` (−1: the roots) are `children[first[n + 1]] … children[first[n + 2] − 1]`. */
export type Children = {
  readonly first: Int32Array<ArrayBuffer>;
  readonly children: Int32Array<ArrayBuffer>;
};

/** The children of every node, in ascending order. */
export function childrenOf(parents: Int32Array): Children {
  const first = new Int32Array(parents.length + 2);
  for (const parent of parents) first[parent + 2] = (first[parent + 2] ?? 0) + 1;
  for (let i = 1; i < first.length; i++) first[i] = (first[i] ?? 0) + (first[i - 1] ?? 0);
  const next = first.slice();
  const children = new Int32Array(parents.length);
  for (let node = 0; node < parents.length; node++) {
    const slot = (parents[node] ?? -1) + 1;
    children[next[slot] ?? 0] = node;
    next[slot] = (next[slot] ?? 0) + 1;
  }
  return { first, children };
}

/** Widths and positions in units of weight; a root has depth 0. The width of a node covers the widths of its children. */
export type TreeLayout = {
  readonly start: Float64Array<ArrayBuffer>;
  readonly width: Float64Array<ArrayBuffer>;
  readonly depth: Int32Array<ArrayBuffer>;
  /** Children, heaviest first. */
  readonly order: Children;
  /** Sum of the roots' widths. */
  readonly total: number;
  readonly maxDepth: number;
};

/** The width of each node, and all children with the heaviest first. Pass `totals` if they are already known. */
export function orderLeftHeavy(
  tree: StackTree,
  totals?: Float64Array<ArrayBuffer>,
): Pick<TreeLayout, 'width' | 'order'> {
  const width = widthsOf(tree, totals);
  const order = childrenOf(tree.parents);
  for (let parent = -1; parent < tree.length; parent++) {
    const from = order.first[parent + 1] ?? 0;
    const to = order.first[parent + 2] ?? 0;
    if (to - from > 1) sortHeaviestFirst(order.children, from, to, width);
  }
  return { width, order };
}

/** The merged, left-heavy flame graph. */
export function layoutLeftHeavy(tree: StackTree): TreeLayout {
  const { width, order } = orderLeftHeavy(tree);
  const start = new Float64Array(tree.length);
  let total = 0;
  for (let parent = -1; parent < tree.length; parent++) {
    const from = order.first[parent + 1] ?? 0;
    const to = order.first[parent + 2] ?? 0;
    let x = parent < 0 ? 0 : (start[parent] ?? 0);
    for (let i = from; i < to; i++) {
      const node = order.children[i] ?? 0;
      start[node] = x;
      x += width[node] ?? 0;
    }
    if (parent < 0) total = x;
  }
  const depth = depthsOf(tree.parents);
  const maxDepth = depth.reduce((most, value) => (value > most ? value : most), 0);
  return { start, width, depth, order, total, maxDepth };
}

/** Stable. Most nodes have few children, which are sorted in place by insertion. */
function sortHeaviestFirst(
  children: Int32Array,
  from: number,
  to: number,
  width: Float64Array,
): void {
  if (to - from > 24) {
    children.subarray(from, to).sort((a, b) => (width[b] ?? 0) - (width[a] ?? 0) || a - b);
    return;
  }
  for (let i = from + 1; i < to; i++) {
    const node = children[i] ?? 0;
    const own = width[node] ?? 0;
    let slot = i;
    for (; slot > from && (width[children[slot - 1] ?? 0] ?? 0) < own; slot--) {
      children[slot] = children[slot - 1] ?? 0;
    }
    children[slot] = node;
  }
}

/**
 * The width of a node is its total. If the tree has negative weights, it is the sum of the absolute weights instead, so that a
 * child is never wider than its parent.
 */
export function widthsOf(
  tree: StackTree,
  totals?: Float64Array<ArrayBuffer>,
): Float64Array<ArrayBuffer> {
  const { self } = tree;
  if (!hasNegative(self.values)) return totals ?? sumTotals(tree.parents, self).values;
  const magnitudes = new ExactColumn(tree.length);
  for (let node = 0; node < tree.length; node++) {
    const value = self.at(node);
    magnitudes.set(node, value < 0 ? -value : value);
  }
  return sumTotals(tree.parents, magnitudes).values;
}

function hasNegative(values: Float64Array): boolean {
  for (let i = 0; i < values.length; i++) if ((values[i] ?? 0) < 0) return true;
  return false;
}

/** Hit test by binary search: the node at `depth` whose extent contains `x` (in units of weight), or −1. */
export function nodeAt(layout: TreeLayout, x: number, depth: number): number {
  let node = -1;
  for (let level = 0; level <= depth; level++) {
    const from = layout.order.first[node + 1] ?? 0;
    let low = from;
    let high = layout.order.first[node + 2] ?? 0;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((layout.start[layout.order.children[middle] ?? 0] ?? 0) > x) high = middle;
      else low = middle + 1;
    }
    if (low === from) return -1;
    node = layout.order.children[low - 1] ?? -1;
    while (low - 1 > from && (layout.width[node] ?? 0) === 0)
      node = layout.order.children[--low - 1] ?? -1;
    if (x >= (layout.start[node] ?? 0) + (layout.width[node] ?? 0)) return -1;
  }
  return node;
}
