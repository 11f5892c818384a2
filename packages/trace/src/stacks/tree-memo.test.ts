import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../model/build-model.ts';
import { traceFromText } from '../testing/trace-from-text.ts';
import type { TreeShape } from './stack-tree.ts';
import { oncePerShape } from './tree-memo.ts';

const treeOf = (stacks: string) => {
  const [found] = modelOf(traceFromText(`browser\n0 stacks ${stacks}`)).stacks;
  assert.ok(found !== undefined);
  return found.tree;
};

test('a value is computed once for trees that share names and nodes, and again for any other', () => {
  let computed = 0;
  const lengthOf = oncePerShape(({ length }: TreeShape) => {
    computed++;
    return length;
  });
  const tree = treeOf('a;b 1');
  const weighed = { ...tree, samples: 7 };
  assert.deepEqual([lengthOf(tree), lengthOf(weighed), computed], [2, 2, 1]);
  assert.deepEqual([lengthOf(treeOf('a;b;c 1')), computed], [3, 2]);
  const renamed = { ...tree, nodeFrames: tree.nodeFrames.slice() };
  const moved = { ...tree, parents: tree.parents.slice(0, 1), length: 1 };
  assert.deepEqual([lengthOf(moved), computed], [1, 3]);
  assert.deepEqual([lengthOf(renamed), computed], [2, 4]);
});
