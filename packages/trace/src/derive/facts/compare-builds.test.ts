import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareBuilds, shortDigests } from './compare-builds.ts';

const A = `sha256:${'0123456789abcdef'.repeat(4)}`;

test('builds are the same if their digests are, and unknown if one is missing', () => {
  assert.equal(compareBuilds(A, A), 'same');
  assert.equal(compareBuilds(A, `${A.slice(0, -1)}0`), 'different');
  for (const [before, after] of [
    [null, A],
    [A, null],
    [null, null],
  ] as const) {
    assert.equal(compareBuilds(before, after), 'unknown');
  }
});

test('short digests have 12 digits, and all of them if both begin alike', () => {
  const other = `sha256:f${A.slice(8)}`;
  const alike = `${A.slice(0, -1)}0`;
  assert.deepEqual(shortDigests(A, A), ['0123456789ab', '0123456789ab']);
  assert.deepEqual(shortDigests(A, other), ['0123456789ab', 'f123456789ab']);
  assert.deepEqual(shortDigests(A, alike), [A.slice(7), alike.slice(7)]);
  assert.deepEqual(shortDigests('x'.repeat(100_000), 'build 7'), ['x'.repeat(12), 'build 7']);
});
