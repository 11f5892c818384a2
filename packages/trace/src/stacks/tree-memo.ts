// Remembers what depends on the shape and the names of a tree, but not on its weights. The windows of a trace share both.
import type { TreeShape } from './stack-tree.ts';

/** Returns `derive`, computed once for trees that share their frames and their nodes. The result must not be changed. */
export function oncePerShape<Value>(
  derive: (tree: TreeShape) => Value,
): (tree: TreeShape) => Value {
  const known = new WeakMap<
    TreeShape['frames'],
    Pick<TreeShape, 'parents' | 'nodeFrames'> & { readonly value: Value }
  >();
  return (tree) => {
    const { frames, parents, nodeFrames } = tree;
    const found = known.get(frames);
    if (found?.parents === parents && found.nodeFrames === nodeFrames) return found.value;
    const value = derive(tree);
    known.set(frames, { parents, nodeFrames, value });
    return value;
  };
}
