// The text about the differences to the live release.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Build } from '@svc/game-build';
import { formatDiff, localDiff, sizeDiff } from './format-diff.ts';

const build = {
  files: [
    { path: 'a', bytes: 1 },
    { path: 'b', bytes: 20 },
    { path: 'c', bytes: 300 },
  ],
} as unknown as Build;

test('sizeDiff adds up the new and changed files, which players download again', () => {
  const diff = { new: ['a'], changed: ['b'], same: ['c'], gone: ['d'] };
  assert.deepEqual(sizeDiff(diff, build), { ...diff, bytes: 21 });
  assert.deepEqual(localDiff(build), { new: ['a', 'b', 'c'], changed: [], same: [], gone: [] });
  assert.equal(sizeDiff(localDiff(build), build).bytes, 321);
  assert.equal(sizeDiff({ ...diff, new: ['elsewhere'] }, build).bytes, 20);
});

test('formatDiff counts each kind of change, and lists up to eight paths of each', () => {
  const paths = (count: number) => Array.from({ length: count }, (_, at) => `p${at}`);
  const diff = {
    new: paths(8),
    changed: ['x\u001b'],
    same: paths(1000),
    gone: paths(9),
    bytes: 2048,
  };
  assert.deepEqual(formatDiff(diff), [
    '8 new, 1 changed, 1,000 same, 9 gone; 2.0 KiB for players to download',
    ...paths(8).map((path) => `  + ${path}`),
    '  ~ x\\x1b',
    ...paths(8).map((path) => `  - ${path}`),
    '  - … and 1 more',
  ]);
});
