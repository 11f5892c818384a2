// Compares the builder with a plain map on random stacks, and tests a tree without room.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FoldedTreeReader } from '../folded/folded-tree.ts';
import { LEFT_OUT, TreeBuilder, type TreeRoom } from './build-tree.ts';
import { treeTotal } from './frame-sums.ts';
import { FrameTable } from './frame-table.ts';
import { pathOf, type StackTree, sumTotals } from './stack-tree.ts';

const stacks = fc.array(
  fc.tuple(fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 6 }), fc.nat({ max: 9 })),
  { minLength: 1, maxLength: 60 },
);

function read(
  lines: readonly (readonly [readonly number[], number])[],
  room?: TreeRoom,
): StackTree {
  const reader = new FoldedTreeReader(room);
  const text = lines.map(([path, weight]) => `${path.map((id) => `f${id}`).join(';')} ${weight}\n`);
  reader.push(new TextEncoder().encode(text.join('')));
  return reader.finish().tree;
}

/** The weight of each path, including everything below it. */
function totalsByPath(tree: StackTree): Map<string, number> {
  const totals = sumTotals(tree.parents, tree.self);
  return new Map(
    Array.from({ length: tree.length }, (_, node) => [
      pathOf(tree, node)
        .map((frame) => tree.frames.text(frame))
        .join(';'),
      Number(totals.at(node)),
    ]),
  );
}

test('TreeBuilder returns an existing child, and numbers nodes by first appearance, at any number of children', () => {
  fc.assert(
    fc.property(stacks, (lines) => {
      const builder = new TreeBuilder();
      const known = new Map<string, number>();
      for (const [path] of lines) {
        let node = -1;
        for (const frame of path) {
          const key = `${node}/${frame}`;
          const expected = known.get(key) ?? known.size;
          known.set(key, expected);
          node = builder.child(node, frame);
          assert.equal(node, expected);
        }
      }
      assert.equal(builder.length, known.size);
    }),
  );
});

test('TreeBuilder finds each of 100,000 children of one node', () => {
  const builder = new TreeBuilder();
  for (let turn = 0; turn < 2; turn++) {
    for (let frame = 0; frame < 100_000; frame++) assert.equal(builder.child(-1, frame), frame);
  }
});

test('TreeBuilder rejects more than `mostNodes` nodes', () => {
  const builder = new TreeBuilder(new FrameTable(), null, 3);
  assert.deepEqual([builder.child(-1, 0), builder.child(0, 1), builder.child(-1, 2)], [0, 1, 2]);
  assert.throws(() => builder.child(2, 3), {
    name: 'TraceError',
    code: 'too_large',
    message: /more than 3 nodes/,
  });
  assert.equal(builder.child(0, 1), 1, 'what is there is found');
  assert.equal(builder.length, 3);
});

test('a full tree leaves out frames, keeps all sums exact, and counts the samples it cut', () => {
  fc.assert(
    fc.property(stacks, fc.nat({ max: 40 }), (lines, nodes) => {
      const whole = read(lines);
      const cut = read(lines, { nodes, leftOut: 1000 });
      assert.equal(treeTotal(cut), treeTotal(whole));
      const expected = totalsByPath(whole);
      const shown = [...totalsByPath(cut)].filter(([path]) => !path.endsWith(LEFT_OUT));
      assert.equal(shown.length, Math.min(nodes, whole.length));
      for (const [path, total] of shown) assert.equal(total, expected.get(path));
      const paths = new Set(shown.map(([path]) => path));
      const without = lines.filter(([path]) => !paths.has(path.map((id) => `f${id}`).join(';')));
      assert.equal(cut.leftOut, without.length);
    }),
  );
});

test('a full tree without room for LEFT_OUT nodes has one LEFT_OUT root', () => {
  const tree = read(
    [
      [[1, 2], 1],
      [[1, 3], 2],
      [[1, 2, 4], 4],
    ],
    { nodes: 2, leftOut: 0 },
  );
  assert.deepEqual(
    [...totalsByPath(tree)],
    [
      ['f1', 1],
      ['f1;f2', 1],
      [LEFT_OUT, 6],
    ],
  );
});

test('a full tree has at most `room.leftOut` LEFT_OUT nodes, then one LEFT_OUT root', () => {
  const lines = [
    [[1, 2], 1],
    [[1, 3], 2],
    [[1, 2, 4], 4],
    [[1, 2, 5], 8],
  ] as const;
  assert.deepEqual(
    [...totalsByPath(read(lines, { nodes: 2, leftOut: 1 }))],
    [
      ['f1', 3],
      ['f1;f2', 1],
      [`f1;${LEFT_OUT}`, 2],
      [LEFT_OUT, 12],
    ],
  );
});
