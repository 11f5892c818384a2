// The functions that ran in a window of time, such as a hitch: a short list instead of a tree.
import type { Stacks } from '../../model/trace-model.ts';
import { outermostNodes } from '../../stacks/frame-sums.ts';
import type { FrameCategory } from '../../stacks/frame-table.ts';
import { sumTotals, type TreeShape } from '../../stacks/stack-tree.ts';
import { oncePerShape } from '../../stacks/tree-memo.ts';

/** Weights are in the unit of the tree. */
export type FunctionWeight = {
  readonly name: string;
  readonly category: FrameCategory;
  /** The weight of the function itself, with the code of the engine and of the kernel that it called. */
  readonly self: number;
  /** The weight of the function and all that it called. A recursive function counts once. */
  readonly total: number;
};

/**
 * At most `limit` functions of a tree with weights above 0, the largest self weight first, ties by total weight, then by name. If
 * the tree has a main thread, only its functions count with `main_only`. Code of the engine without a script, such as `now` or
 * `drawArrays`, and code of the kernel, such as `do_syscall_64`, count as their caller, because the caller is what a developer
 * can change. Code of a library does not, also without a symbol (`[libfoo.so]`): its name says more than that of its caller, which
 * is often missing from the stacks of code without symbols.
 */
export function functionsOf(
  { tree, main_only }: Pick<Stacks, 'tree' | 'main_only'>,
  limit = 10,
): FunctionWeight[] {
  const owners = main_only ? mainOwners(tree) : allOwners(tree);
  const outermost = outermostOf(tree);
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

const outermostOf = oncePerShape(outermostNodes);
const mainOwners = oncePerShape((tree) => ownersOf(tree, hasMainThread(tree)));
const allOwners = oncePerShape((tree) => ownersOf(tree, false));

function hasMainThread({ frames, nodeFrames, parents }: TreeShape): boolean {
  return parents.some((parent, node) => {
    return parent < 0 && frames.category(nodeFrames[node] ?? 0) === 'main';
  });
}

/**
 * The node as whose function each node counts. With `mainOnly`, it is NOBODY for the root of the main thread and for all other
 * threads.
 */
function ownersOf(tree: TreeShape, mainOnly: boolean): Int32Array {
  const categories = Array.from({ length: tree.frames.length }, (_, id) =>
    tree.frames.category(id),
  );
  const categoryOf = (node: number): FrameCategory => categories[tree.nodeFrames[node] ?? 0] ?? '';
  const isRoot = (node: number): boolean => (tree.parents[node] ?? -1) < 0;
  const owners = new Int32Array(tree.length);
  for (let node = 0; node < tree.length; node++) {
    const parent = tree.parents[node] ?? -1;
    const above = owners[parent] ?? NOBODY;
    if (mainOnly && above === NOBODY && !isMainRoot(parent)) owners[node] = NOBODY;
    else owners[node] = above !== NOBODY && countsAs(above, categoryOf(node)) ? above : node;
  }
  return owners;

  /** Whether a frame of this category counts as the function above it. The root is no function if it is a thread. */
  function countsAs(above: number, category: FrameCategory): boolean {
    if (category === 'kernel') return categoryOf(above) !== 'kernel' && !isRoot(above);
    return category === '' && isScript(categoryOf(above));
  }

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
