// The functions that ran in a window of time, such as a hitch: a short list instead of a tree.
import { outermostNodes } from '../../stacks/frame-sums.ts';
import type { FrameCategory } from '../../stacks/frame-table.ts';
import { type StackTree, sumTotals, type TreeShape } from '../../stacks/stack-tree.ts';
import { oncePerShape } from '../../stacks/tree-memo.ts';

/** Weights are in the unit of the tree. */
export type FunctionWeight = {
  readonly name: string;
  readonly category: FrameCategory;
  /** The weight of the function itself, with the code of the engine that it called. */
  readonly self: number;
  /** The weight of the function and all that it called. A recursive function counts once. */
  readonly total: number;
};

/**
 * At most `limit` functions of a tree with weights above 0, the largest self weight first, ties by total weight, then by name. If
 * the tree has a main thread, only its functions count: another thread does not delay a frame. Code of the engine without a
 * script, such as `now` or `drawArrays`, counts as its caller, because its caller is what a developer can change.
 */
export function functionsOf(tree: StackTree, limit = 10): FunctionWeight[] {
  const { owners, outermost } = shapeOf(tree);
  const totals = sumTotals(tree.parents, tree.self);
  const self = new Map<number, number>();
  const total = new Map<number, number>();
  const scale = 10 ** tree.decimals;
  for (let node = 0; node < tree.length; node++) {
    const owner = owners[node] ?? NOBODY;
    if (owner === NOBODY) continue;
    const frame = tree.nodeFrames[owner] ?? 0;
    addTo(self, frame, tree.self.values[node] ?? 0);
    if (owner === node && outermost[node] === 1) addTo(total, frame, totals.values[node] ?? 0);
  }
  const rows = [...total].map(([frame, all]) => ({
    name: tree.frames.name(frame),
    category: tree.frames.category(frame),
    self: (self.get(frame) ?? 0) / scale,
    total: all / scale,
  }));
  return rows
    .filter((row) => row.self > 0)
    .sort((a, b) => b.self - a.self || b.total - a.total || (a.name < b.name ? -1 : 1))
    .slice(0, limit);
}

const NOBODY = -1;

const shapeOf = oncePerShape((tree) => ({
  owners: ownersOf(tree),
  outermost: outermostNodes(tree),
}));

/** The node as whose function each node counts, or NOBODY for roots of threads and for threads other than the main one. */
function ownersOf(tree: TreeShape): Int32Array {
  const categories = Array.from({ length: tree.frames.length }, (_, id) =>
    tree.frames.category(id),
  );
  const categoryOf = (node: number): FrameCategory => categories[tree.nodeFrames[node] ?? 0] ?? '';
  const isRoot = (node: number): boolean => (tree.parents[node] ?? -1) < 0;
  let hasMain = false;
  for (let node = 0; node < tree.length; node++) {
    hasMain ||= isRoot(node) && categoryOf(node) === 'main';
  }
  const owners = new Int32Array(tree.length);
  for (let node = 0; node < tree.length; node++) {
    const parent = tree.parents[node] ?? -1;
    const above = owners[parent] ?? NOBODY;
    if (hasMain && above === NOBODY && !isMainRoot(parent)) owners[node] = NOBODY;
    else if (categoryOf(node) !== '' || above === NOBODY) owners[node] = node;
    else owners[node] = isScript(categoryOf(above)) ? above : node;
  }
  return owners;

  function isMainRoot(node: number): boolean {
    return node >= 0 && isRoot(node) && categoryOf(node) === 'main';
  }
}

function isScript(category: FrameCategory): boolean {
  return category === 'js' || category === 'wasm';
}

function addTo(sums: Map<number, number>, frame: number, weight: number): void {
  sums.set(frame, (sums.get(frame) ?? 0) + weight);
}
