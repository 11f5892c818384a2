import assert from 'node:assert/strict';
import { test } from 'node:test';
import { childrenOf, orderLeftHeavy, readFolded, sumTotals } from '@svc/trace';
import fc from 'fast-check';
import {
  boxAt,
  boxOfPath,
  type FlameLayout,
  firstEndingAfter,
  layOutInOrder,
  layOutTree,
  rowOf,
} from './flame-layout.ts';

function merged(text: string): { layout: FlameLayout; name: (box: number) => string } {
  const { tree } = readFolded(text);
  const { width, order } = orderLeftHeavy(tree);
  const layout = layOutTree(tree.parents, width, order);
  return { layout, name: (box) => tree.frames.name(tree.nodeFrames[layout.node[box] ?? 0] ?? 0) };
}

test('layOutTree puts the heaviest child first and leaves self weight free at the right', () => {
  const { layout, name } = merged('a;b 1\na;c 3\na 2\nd 1\n');
  assert.deepEqual(Array.from(layout.rowStart), [0, 2, 4]);
  assert.deepEqual(Array.from(layout.x0), [0, 6, 0, 3]);
  assert.deepEqual(Array.from(layout.x1), [6, 7, 3, 4]);
  assert.deepEqual([0, 1, 2, 3].map(name), ['a', 'd', 'c', 'b']);
  assert.equal(layout.span, 7);
});

test('layOutTree lays out a stack of 100,000 frames without recursion', () => {
  const deep = Array.from({ length: 100_000 }, (_, i) => `f${i}`).join(';');
  const { layout } = merged(`${deep} 5\n`);
  assert.equal(layout.rows, 100_000);
  assert.equal(boxAt(layout, 99_999, 4.9), 99_999);
});

test('layOutTree omits nodes without weight', () => {
  const { layout, name } = merged('a;zero 0\na;b 2\nc;zero 0\nc;d 1\n');
  assert.deepEqual([0, 1, 2, 3].map(name), ['a', 'c', 'b', 'd']);
  assert.equal(layout.node.length, 4);
});

test('boxAt finds every box at its centre, and nothing outside of the boxes', () => {
  const frame = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const line = fc.tuple(
    fc.array(frame, { minLength: 1, maxLength: 8 }),
    fc.integer({ min: 1, max: 1000 }),
  );
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 60 }), (lines) => {
      const text = lines.map(([frames, count]) => `${frames.join(';')} ${count}`).join('\n');
      const { layout } = merged(`${text}\n`);
      for (let box = 0; box < layout.node.length; box++) {
        const row = rowOf(layout, box);
        const centre = ((layout.x0[box] ?? 0) + (layout.x1[box] ?? 0)) / 2;
        assert.equal(boxAt(layout, row, centre), box);
        const left = box > (layout.rowStart[row] ?? 0) ? (layout.x1[box - 1] ?? 0) : 0;
        assert.ok(left <= (layout.x0[box] ?? 0), 'boxes of a row do not overlap');
      }
      assert.equal(boxAt(layout, 0, layout.span + 1), -1);
      assert.equal(boxAt(layout, layout.rows, 0), -1);
    }),
  );
});

test('layOutInOrder keeps the order of samples and joins neighbours with the same callers', () => {
  const { tree } = readFolded('a;b 1\na;c 1\n');
  const [, b, c] = [0, 1, 2];
  const layout = layOutInOrder(tree.parents, {
    node: Int32Array.from([b ?? 0, c ?? 0, c ?? 0, b ?? 0]),
    weight: Float64Array.from([2, 1, 1, 3]),
  });
  assert.ok(layout);
  assert.deepEqual(Array.from(layout.rowStart), [0, 1, 4]);
  assert.deepEqual(Array.from(layout.node), [0, 1, 2, 1]);
  assert.deepEqual(Array.from(layout.x0), [0, 0, 2, 4]);
  assert.deepEqual(Array.from(layout.x1), [7, 2, 4, 7]);
});

test('layOutInOrder returns null instead of exceeding the limit', () => {
  const { tree } = readFolded('a;b 1\na;c 1\n');
  const samples = { node: Int32Array.from([1, 2, 1, 2]), weight: Float64Array.from([1, 1, 1, 1]) };
  assert.equal(layOutInOrder(tree.parents, samples, 3), null);
});

test('layOutTree in order of appearance is as wide as the total weight', () => {
  const { tree } = readFolded('x;y 4\nx;a 5\nw 1\n');
  const layout = layOutTree(
    tree.parents,
    sumTotals(tree.parents, tree.self).values,
    childrenOf(tree.parents),
  );
  assert.equal(layout.span, 10);
  assert.deepEqual(Array.from(layout.node), [0, 3, 1, 2]);
});

test('boxOfPath follows names from the root, also through callers that occur several times', () => {
  const { layout, name } = merged('a;x;y 5\nb;x;y 3\nb;z 1\n');
  const find = (...path: string[]): number => boxOfPath(layout, name, path);
  const found = find('b', 'x', 'y');
  assert.deepEqual([layout.x0[found], layout.x1[found]], [5, 8]);
  assert.equal(find('a', 'z'), -1);
  assert.equal(find('b', 'x', 'y', 'y'), -1);
  assert.equal(find('c'), -1);
});

test('layOutInOrder allows exactly the limit, and grows its arrays', () => {
  const { tree } = readFolded('a;b 1\na;c 1\n');
  const node = Int32Array.from({ length: 3000 }, (_, i) => 1 + (i % 2));
  const samples = { node, weight: new Float64Array(3000).fill(1) };
  assert.equal(layOutInOrder(tree.parents, samples, 3000), null);
  const layout = layOutInOrder(tree.parents, samples, 3001);
  assert.ok(layout);
  assert.deepEqual([layout.rows, layout.span, ...layout.rowStart], [2, 3000, 0, 1, 3001]);
  for (let box = 1; box <= 3000; box++) {
    assert.deepEqual(
      [layout.x0[box], layout.x1[box], layout.node[box]],
      [box - 1, box, 1 + ((box - 1) % 2)],
    );
  }
});

test('layOutInOrder omits samples without weight, and ends a box with its stack', () => {
  const { tree } = readFolded('a;b;c 1\nd 1\n');
  const layout = layOutInOrder(tree.parents, {
    node: Int32Array.from([2, 1, 2, 3, 2]),
    weight: Float64Array.from([1, 2, 0, 4, 8]),
  });
  assert.ok(layout);
  const boxes = Array.from(layout.node, (node, box) => [
    rowOf(layout, box),
    node,
    layout.x0[box],
    layout.x1[box],
  ]);
  assert.deepEqual(boxes, [
    [0, 0, 0, 3],
    [0, 3, 3, 7],
    [0, 0, 7, 15],
    [1, 1, 0, 3],
    [1, 1, 7, 15],
    [2, 2, 0, 1],
    [2, 2, 7, 15],
  ]);
});

test('firstEndingAfter returns the first box that ends after x, and a box includes its left edge but not its right one', () => {
  const { layout } = merged('a 3\nb 2\n');
  assert.deepEqual(
    [-1, 0, 2.9, 3, 4.9, 5].map((x) => firstEndingAfter(layout, 0, x)),
    [0, 0, 0, 1, 1, 2],
  );
  assert.deepEqual(
    [-1, 0, 2.9, 3, 4.9, 5].map((x) => boxAt(layout, 0, x)),
    [-1, 0, 0, 1, 1, -1],
  );
});
