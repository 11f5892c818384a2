// The call tree as columns: a prefix tree whose nodes ascend from parent to child, so that every sum is one loop backwards.

import { ExactColumn, type PackedColumn } from './exact-column.ts';
import { FrameNames } from './frame-table.ts';

/** A finished tree. Nodes are 0 … length − 1; a node's parent is before it, −1 for a root; siblings have different frames. */
export type StackTree = {
  readonly length: number;
  readonly parents: Int32Array<ArrayBuffer>;
  /** Each node's frame, an id of `frames`. */
  readonly nodeFrames: Int32Array<ArrayBuffer>;
  readonly frames: FrameNames;
  /** Weight of the samples that end in the node; for two counts the second. Its value is `self / 10^decimals`. */
  readonly self: ExactColumn;
  /** The first of two counts, or null where there is one. */
  readonly before: ExactColumn | null;
  readonly decimals: number;
  readonly unit: string;
  /** Samples that were added up. */
  readonly samples: number;
  /** How many of them end in a node LEFT_OUT, because the tree was full. */
  readonly leftOut: number;
};

/** Each node's weight with everything below it, exact. */
export function sumTotals(parents: Int32Array, self: ExactColumn): ExactColumn {
  const totals = new ExactColumn(parents.length);
  const { values } = totals;
  values.set(self.values.subarray(0, parents.length));
  if (self.addsUpSafely) {
    for (let node = parents.length - 1; node >= 0; node--) {
      const parent = parents[node] ?? -1;
      if (parent >= 0) values[parent] = (values[parent] ?? 0) + (values[node] ?? 0);
    }
    return totals;
  }
  if (!self.isSafe)
    for (let node = 0; node < parents.length; node++) totals.set(node, self.at(node));
  for (let node = parents.length - 1; node >= 0; node--) {
    const parent = parents[node] ?? -1;
    if (parent >= 0) totals.add(parent, totals.isSafe ? (values[node] ?? 0) : totals.at(node));
  }
  return totals;
}

/** How far each node is from its root: 0 for a root. */
export function depthsOf(parents: Int32Array): Int32Array<ArrayBuffer> {
  const depths = new Int32Array(parents.length);
  for (let node = 0; node < parents.length; node++) {
    const parent = parents[node] ?? -1;
    depths[node] = parent < 0 ? 0 : (depths[parent] ?? 0) + 1;
  }
  return depths;
}

/** A node's frames, outermost first. */
export function pathOf(tree: StackTree, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = tree.parents[at] ?? -1) path.push(tree.nodeFrames[at] ?? 0);
  return path.reverse();
}

/** A tree as plain data, to send to another thread; `unpackTree` makes it a tree again. Shares the arrays. */
export type PackedTree = Omit<StackTree, 'frames' | 'self' | 'before'> & {
  readonly arena: Uint8Array<ArrayBuffer>;
  readonly ends: Int32Array<ArrayBuffer>;
  readonly self: PackedColumn;
  readonly before: PackedColumn | null;
};

export function packTree({ frames, self, before, ...rest }: StackTree): PackedTree {
  const { arena, ends } = frames;
  return { ...rest, arena, ends, self: self.pack(), before: before?.pack() ?? null };
}

export function unpackTree({ arena, ends, self, before, ...rest }: PackedTree): StackTree {
  return {
    ...rest,
    frames: new FrameNames(arena, ends),
    self: ExactColumn.unpack(self),
    before: before === null ? null : ExactColumn.unpack(before),
  };
}
