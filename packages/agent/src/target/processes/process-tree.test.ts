import assert from 'node:assert/strict';
import { test } from 'node:test';
import { descendantsOf, lineOf } from './process-tree.ts';

const PROCESSES = [
  { pid: 1, parent: 0 },
  { pid: 10, parent: 1 },
  { pid: 11, parent: 10 },
  { pid: 12, parent: 10 },
  { pid: 13, parent: 12 },
  { pid: 20, parent: 1 },
];

test('descendantsOf: children and their children, without the process itself', () => {
  const of = (pid: number) =>
    descendantsOf(pid, PROCESSES)
      .map((one) => one.pid)
      .sort();
  assert.deepEqual(of(10), [11, 12, 13]);
  assert.deepEqual(of(13), []);
  assert.deepEqual(of(99), []);
});

test('a circle of parents, which two readings can make, is followed once', () => {
  const circle = [
    { pid: 1, parent: 3 },
    { pid: 2, parent: 1 },
    { pid: 3, parent: 2 },
    { pid: 4, parent: 4 },
  ];
  assert.deepEqual(
    descendantsOf(1, circle).map(({ pid }) => pid),
    [2, 3],
  );
  assert.deepEqual(descendantsOf(4, circle), []);
  assert.deepEqual([...lineOf(2, circle)], [2, 1, 3]);
});

test('lineOf: the process, its parent and so on', () => {
  assert.deepEqual([...lineOf(13, PROCESSES)], [13, 12, 10, 1, 0]);
  assert.deepEqual([...lineOf(99, PROCESSES)], [99]);
});
