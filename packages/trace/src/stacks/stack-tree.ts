// The call tree in columns. A parent always precedes its children, so that every sum is one backward loop.

import { ExactColumn, type PackedColumn } from './exact-column.ts';
import { FrameNames } from './frame-table.ts';

/** A finished tree. Nodes are 0 … length − 1. The parent of a node precedes it, −1 for a root. Siblings have different frames. */
export type StackTree = {
  readonly length: number;
  readonly parents: Int32Array<ArrayBuffer>;
  /** The frame of each node, an id of `frames`. */
  readonly nodeFrames: Int32Array<ArrayBuffer>;
  readonly frames: FrameNames;
  /** The weight of the samples that end in the node (with two counts: the second). Its value is `self / 10^decimals`. */
  readonly self: ExactColumn;
  /** The first of two counts, or null if there is only one. */
  readonly before: ExactColumn | null;
  readonly decimals: number;
  readonly unit: string;
  /** The number of samples. */
  readonly samples: number;
  /** The number of samples that end in a LEFT_OUT node because the tree was full. */
  readonly leftOut: number;
};

/** The nodes and the names of a tree, without weights. */
export type TreeShape = Pick<StackTree, 'length' | 'parents' | 'nodeFrames' | 'frames'>;

/** The exact weight of each node including its descendants. */
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

/** The depth of each node; a root has depth 0. */
export function depthsOf(parents: Int32Array): Int32Array<ArrayBuffer> {
  const depths = new Int32Array(parents.length);
  for (let node = 0; node < parents.length; node++) {
    const parent = parents[node] ?? -1;
    depths[node] = parent < 0 ? 0 : (depths[parent] ?? 0) + 1;
  }
  return depths;
}

/** The frames of a node's stack, outermost first. */
export function pathOf(tree: StackTree, node: number): number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = tree.parents[at] ?? -1) path.push(tree.nodeFrames[at] ?? 0);
  return path.reverse();
}

/** A tree as plain data that can be sent to another thread; `unpackTree` reverses it. Shares the arrays. */
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
