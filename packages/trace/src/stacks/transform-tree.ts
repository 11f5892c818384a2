// Transforms trees: hides or merges frames, and compares two recordings.

import { TreeBuilder } from './build-tree.ts';
import { type Exact, plus } from './exact-column.ts';
import { addNode } from './frame-sums.ts';
import { FrameTable } from './frame-table.ts';
import type { StackTree } from './stack-tree.ts';

/** `unplaced` is the weight of the samples all of whose frames are hidden. It is not in the tree. */
export type TransformedTree = { readonly tree: StackTree; readonly unplaced: Exact };

/** Removes matched frames. Their children and their own weight go to the nearest ancestor that stays. */
export function hideFrames(tree: StackTree, matched: Uint8Array): TransformedTree {
  const builder = new TreeBuilder();
  const placed = new Int32Array(tree.length);
  let unplaced: Exact = 0;
  for (let node = 0; node < tree.length; node++) {
    const frame = tree.nodeFrames[node] ?? 0;
    const parent = placed[tree.parents[node] ?? -1] ?? -1;
    const place = matched[frame] === 1 ? parent : builder.child(parent, frame);
    placed[node] = place;
    if (place < 0) unplaced = plus(unplaced, tree.self.at(node));
    else addNode(builder, place, tree, node);
  }
  return { tree: builder.finish(tree.unit, tree.frames), unplaced };
}

/** Replaces each run of matched frames by one frame named `label`. */
export function mergeFrames(tree: StackTree, matched: Uint8Array, label: string): StackTree {
  const table = new FrameTable();
  const ids = new Int32Array(tree.frames.length);
  for (let id = 0; id < ids.length; id++) {
    ids[id] = table.internText(matched[id] === 1 ? label : tree.frames.text(id));
  }
  const merged = table.internText(label);
  const builder = new TreeBuilder(table);
  const placed = new Int32Array(tree.length);
  for (let node = 0; node < tree.length; node++) {
    const above = tree.parents[node] ?? -1;
    const parent = placed[above] ?? -1;
    const frame = ids[tree.nodeFrames[node] ?? 0] ?? 0;
    const goesOn = frame === merged && above >= 0 && ids[tree.nodeFrames[above] ?? 0] === merged;
    const place = goesOn ? parent : builder.child(parent, frame);
    placed[node] = place;
    addNode(builder, place, tree, node);
  }
  return builder.finish(tree.unit);
}

/** One tree with the weights of `earlier` as `before` and of `later` as `self`. Frames are matched by their text. */
export function diffTrees(earlier: StackTree, later: StackTree): StackTree {
  const builder = new TreeBuilder();
  layOver(builder, earlier, (place, node) =>
    builder.add(place, 0, 0, earlier.self.at(node), earlier.decimals),
  );
  layOver(builder, later, (place, node) =>
    builder.add(place, later.self.at(node), later.decimals, 0, 0),
  );
  return { ...builder.finish(later.unit), samples: earlier.samples + later.samples };
}

function layOver(
  builder: TreeBuilder,
  tree: StackTree,
  add: (place: number, node: number) => void,
): void {
  const ids = Int32Array.from({ length: tree.frames.length }, (_, id) =>
    builder.frames.internText(tree.frames.text(id)),
  );
  const placed = new Int32Array(tree.length);
  for (let node = 0; node < tree.length; node++) {
    const parent = placed[tree.parents[node] ?? -1] ?? -1;
    const place = builder.child(parent, ids[tree.nodeFrames[node] ?? 0] ?? 0);
    placed[node] = place;
    add(place, node);
  }
}
