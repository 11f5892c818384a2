// Builds a call tree of folded stacks. The viewer reads folded files with it.

import { Int32List } from '../bytes/growable.ts';
import { TreeBuilder, type TreeRoom } from '../stacks/build-tree.ts';
import type { StackTree } from '../stacks/stack-tree.ts';
import {
  type FoldedEnding,
  FoldedScanner,
  type FoldedSink,
  type FoldedStack,
} from './scan-folded.ts';

/** The unit of folded counts. The format does not state what was counted. */
export const FOLDED_UNIT = 'count';

/** Adds the stacks of a scanner to a tree. `leaf` returns the innermost node of a stack. */
export class StackPath {
  readonly #tree: TreeBuilder;
  readonly #nodes = new Int32List();

  constructor(tree: TreeBuilder) {
    this.#tree = tree;
  }

  leaf(stack: FoldedStack): number {
    this.#nodes.reserve(stack.frames);
    const nodes = this.#nodes.values;
    const { bytes, base, starts, ends, hashes } = stack;
    let node = stack.shared === 0 ? -1 : (nodes[stack.shared - 1] ?? -1);
    for (let i = stack.shared; i < stack.frames; i++) {
      if (this.#tree.isLeftOut(node)) {
        nodes.fill(node, i, stack.frames);
        break;
      }
      const start = base + (starts[i] ?? 0);
      const end = base + (ends[i] ?? 0);
      node = this.#tree.child(node, this.#tree.frames.intern(bytes, start, end, hashes[i] ?? 0));
      nodes[i] = node;
    }
    return node;
  }
}

/** Call `push` with the bytes, then `finish`. Throws as FoldedScanner, and `too_large`; for too many nodes only without `room`. */
export class FoldedTreeReader implements FoldedSink {
  readonly #tree: TreeBuilder;
  readonly #path: StackPath;
  readonly #scanner = new FoldedScanner(this);
  #two = false;

  constructor(room: TreeRoom | null = null) {
    this.#tree = new TreeBuilder(undefined, room);
    this.#path = new StackPath(this.#tree);
  }

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  finish(): { tree: StackTree; ending: FoldedEnding } {
    const ending = this.#scanner.finish();
    return { tree: this.#tree.finish(FOLDED_UNIT), ending };
  }

  counts(counts: 1 | 2): void {
    this.#two = counts === 2;
  }

  stack(stack: FoldedStack): void {
    const leaf = this.#path.leaf(stack);
    if (this.#two)
      this.#tree.add(leaf, stack.weight, stack.decimals, stack.before, stack.beforeDecimals);
    else this.#tree.add(leaf, stack.weight, stack.decimals);
  }
}

/** The tree of folded text in memory, for small files and tests. */
export function readFolded(input: string | Uint8Array): { tree: StackTree; ending: FoldedEnding } {
  const reader = new FoldedTreeReader();
  reader.push(typeof input === 'string' ? new TextEncoder().encode(input) : input);
  return reader.finish();
}
