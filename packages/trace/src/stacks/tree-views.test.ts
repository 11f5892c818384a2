// Views on call trees, drawn as folded text: what goes in and what comes out can be read side by side.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFolded } from '../folded/folded-tree.ts';
import { formatDecimal } from './exact-column.ts';
import {
  calleesOf,
  callersOf,
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

test('calleesOf merges what all outermost calls did', () => {
  assert.deepEqual(folded(calleesOf(treeOf(RECURSIVE), 2)), ['g 5', 'g;f 3', 'g;h 7']);
});

test('callersOf turns the ways to a function upside down', () => {
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

test('hideFrames gives weight to the nearest frame that stays and tells what has none', () => {
  const tree = treeOf('lib;a;lib2;b 1\nlib 2\na;lib2 4\n');
  const { tree: mine, unplaced } = hideFrames(
    tree,
    matchFrames(tree.frames, (name) => name.startsWith('lib')),
  );
  assert.deepEqual(folded(mine), ['a 4', 'a;b 1']);
  assert.equal(unplaced, 2);
});

test('mergeFrames shows each run of matched frames as one', () => {
  const tree = treeOf('main;e1;e2;game;e3 1\nmain;e2;game 2\n');
  const merged = mergeFrames(
    tree,
    matchFrames(tree.frames, (name) => /^e\d/.test(name)),
    '(engine)',
  );
  assert.deepEqual(folded(merged), ['main;(engine);game 2', 'main;(engine);game;(engine) 1']);
});

test('diffTrees lays two recordings over each other', () => {
  const diff = diffTrees(treeOf('a;b 1\na;c 2\n'), treeOf('a;c 0.5\nd 4\n'));
  assert.deepEqual(folded(diff), ['a;b 1 0', 'a;c 2 0.5', 'd 0 4']);
});

test('layoutLeftHeavy puts heavy children first, and nodeAt finds what is drawn', () => {
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
