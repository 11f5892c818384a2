// Views of call trees. Input and output are folded text, so that they can be compared by eye.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFolded } from '../folded/folded-tree.ts';
import { formatDecimal } from './exact-column.ts';
import {
  calleesOf,
  callersOf,
  heaviest,
  matchedTotal,
  matchFrames,
  sumFrames,
  treeTotal,
} from './frame-sums.ts';
import { layoutLeftHeavy, nodeAt } from './layout-tree.ts';
import { packTree, pathOf, type StackTree, sumTotals, unpackTree } from './stack-tree.ts';
import { diffTrees, hideFrames, mergeFrames } from './transform-tree.ts';

function treeOf(text: string): StackTree {
  return readFolded(text).tree;
}

function folded(tree: StackTree): string[] {
  return Array.from({ length: tree.length }, (_, node) => {
    const stack = pathOf(tree, node).map((frame) => tree.frames.text(frame));
    const columns = tree.before === null ? [tree.self] : [tree.before, tree.self];
    return `${stack.join(';')} ${columns.map((column) => formatDecimal(column.at(node), tree.decimals)).join(' ')}`;
  }).filter((line) => !/^\S* (0 )?0$/.test(line));
}

function frameOf(tree: StackTree, name: string): number {
  return matchFrames(tree.frames, (one) => one === name).indexOf(1);
}

const RECURSIVE = 'main;f;g;f 3\nmain;f 2\nmain;g 5\nother;g;h 7\n';

test('sumFrames counts a recursive function once', () => {
  const tree = treeOf(RECURSIVE);
  const { self, total } = sumFrames(tree);
  const row = (name: string) => [self.at(frameOf(tree, name)), total.at(frameOf(tree, name))];
  assert.deepEqual(row('f'), [5, 5]);
  assert.deepEqual(row('g'), [5, 15]);
  assert.deepEqual(row('main'), [0, 10]);
  assert.equal(treeTotal(tree), 17);
});

test('sumTotals is exact past 2^53', () => {
  const tree = treeOf('a;b 9007199254740993\na;c 9007199254740993\na 1\n');
  assert.equal(sumTotals(tree.parents, tree.self).at(0), 18014398509481987n);
});

test('calleesOf merges the callees of all outermost calls', () => {
  assert.deepEqual(folded(calleesOf(treeOf(RECURSIVE), 2)), ['g 5', 'g;f 3', 'g;h 7']);
});

test('callersOf returns the inverted paths to a function', () => {
  assert.deepEqual(folded(callersOf(treeOf(RECURSIVE), 2)), [
    'g;f;main 3',
    'g;main 5',
    'g;other 7',
  ]);
});

test('matchedTotal counts a sample once, however many of its frames match', () => {
  const tree = treeOf(RECURSIVE);
  assert.equal(
    matchedTotal(
      tree,
      matchFrames(tree.frames, (name) => /[fg]/.test(name)),
    ),
    17,
  );
  assert.equal(
    matchedTotal(
      tree,
      matchFrames(tree.frames, (name) => name === 'f'),
    ),
    5,
  );
});

test('hideFrames moves weight to the nearest visible ancestor, and returns the weight that has none', () => {
  const tree = treeOf('lib;a;lib2;b 1\nlib 2\na;lib2 4\n');
  const { tree: mine, unplaced } = hideFrames(
    tree,
    matchFrames(tree.frames, (name) => name.startsWith('lib')),
  );
  assert.deepEqual(folded(mine), ['a 4', 'a;b 1']);
  assert.equal(unplaced, 2);
});

test('mergeFrames merges each run of matched frames into one', () => {
  const tree = treeOf('main;e1;e2;game;e3 1\nmain;e2;game 2\n');
  const merged = mergeFrames(
    tree,
    matchFrames(tree.frames, (name) => /^e\d/.test(name)),
    '(engine)',
  );
  assert.deepEqual(folded(merged), ['main;(engine);game 2', 'main;(engine);game;(engine) 1']);
});

test('diffTrees merges the trees of two recordings', () => {
  const diff = diffTrees(treeOf('a;b 1\na;c 2\n'), treeOf('a;c 0.5\nd 4\n'));
  assert.deepEqual(folded(diff), ['a;b 1 0', 'a;c 2 0.5', 'd 0 4']);
});

test('layoutLeftHeavy orders children by weight, and nodeAt finds the drawn node', () => {
  const tree = treeOf('a;x 1\na;y 5\nb 10\n');
  const layout = layoutLeftHeavy(tree);
  const named = (node: number) => (node < 0 ? null : tree.frames.name(tree.nodeFrames[node] ?? 0));
  assert.equal(layout.total, 16);
  assert.deepEqual(
    [0.5, 10.5, 15.9].map((x) => named(nodeAt(layout, x, 0))),
    ['b', 'a', 'a'],
  );
  assert.deepEqual(
    [0.5, 10.5, 15.9].map((x) => named(nodeAt(layout, x, 1))),
    [null, 'y', 'x'],
  );
});

test('packTree survives a structured clone', () => {
  const tree = treeOf('a;b_[k] 1e20\na 1\n');
  const copy = unpackTree(structuredClone(packTree(tree)));
  assert.deepEqual(folded(copy), folded(tree));
});

test('views of a tree with two counts keep both', () => {
  const tree = treeOf('a;lib;b 1 2\na;lib 4 8\nb;a 16 32\n');
  const lib = matchFrames(tree.frames, (name) => name === 'lib');
  assert.deepEqual(folded(hideFrames(tree, lib).tree), ['a 4 8', 'a;b 1 2', 'b;a 16 32']);
  assert.deepEqual(folded(mergeFrames(tree, lib, 'x')), ['a;x 4 8', 'a;x;b 1 2', 'b;a 16 32']);
  assert.deepEqual(folded(calleesOf(tree, frameOf(tree, 'lib'))), ['lib 4 8', 'lib;b 1 2']);
  assert.deepEqual(folded(callersOf(tree, frameOf(tree, 'a'))), ['a 5 10', 'a;b 16 32']);
  assert.equal(diffTrees(treeOf('a 1\na 1\nb 1\n'), treeOf('a 1\n')).samples, 4);
});

test('two counts with different decimals have one scale', () => {
  assert.deepEqual(folded(treeOf('a 1 2\nb 0.5 3\nc 1 0.25\n')), ['a 1 2', 'b 0.5 3', 'c 1 0.25']);
});

test('children of the same weight keep their order, whether few or many', () => {
  for (const count of [3, 24, 25, 60]) {
    const weight = (i: number): number => [5, 9, 5, 1][i % 4] ?? 0;
    const tree = treeOf(Array.from({ length: count }, (_, i) => `f${i} ${weight(i)}\n`).join(''));
    const { order, start } = layoutLeftHeavy(tree);
    const expected = Array.from({ length: count }, (_, i) => i).sort(
      (a, b) => weight(b) - weight(a) || a - b,
    );
    assert.deepEqual(Array.from(order.children), expected);
    assert.equal(start[expected[1] ?? 0], weight(expected[0] ?? 0));
  }
});

test('with negative weights, the width of a node is the sum of the magnitudes below it', () => {
  const layout = layoutLeftHeavy(treeOf('a;b 5\na;c -3\nd 1\n'));
  assert.deepEqual(Array.from(layout.width), [8, 5, 3, 1]);
  assert.deepEqual([layout.total, layout.maxDepth], [9, 1]);
});

test('a node includes its left edge and excludes its right edge, and nodeAt never returns one without width', () => {
  const layout = layoutLeftHeavy(treeOf('a;x 2\na;y 3\nb 5\nempty 0\na;none 0\n'));
  const at = (x: number, depth: number): number => nodeAt(layout, x, depth);
  assert.deepEqual(
    [at(0, 0), at(4.9, 0), at(5, 0), at(9.9, 0), at(10, 0), at(-1, 0)],
    [0, 0, 3, 3, -1, -1],
  );
  assert.deepEqual([at(0, 1), at(3, 1), at(4.9, 1), at(5, 1)], [2, 1, 1, -1]);
});

test('heaviest returns the largest first, ties by index', () => {
  assert.deepEqual(heaviest(Float64Array.of(1, 5, 3, 5, 5, 0), 4), [1, 3, 4, 2]);
  assert.deepEqual(heaviest(Float64Array.of(1, 2), 5), [1, 0]);
  assert.deepEqual(heaviest(Float64Array.of(1, 2), 0), []);
});

test('the suffix of a frame sets its category and is not part of its name', () => {
  const { frames } = treeOf('a_[k];b_[j];c_[i];d_[w];e_[x];_[k];_[];f[k] 1\n');
  assert.deepEqual(
    Array.from({ length: frames.length }, (_, id) => `${frames.name(id)} ${frames.category(id)}`),
    ['a kernel', 'b jit', 'c inlined', 'd waker', 'e_[x] ', ' kernel', '_[] ', 'f[k] '],
  );
  assert.equal(frames.text(0), 'a_[k]');
});
