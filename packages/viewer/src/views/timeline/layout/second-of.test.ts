import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secondOf } from './second-of.ts';

test('a time is in the whole second that begins at or before it', () => {
  const from = (t: number, end = 5500): number => secondOf(t, end).from;
  assert.deepEqual(
    [-5, 0, 999.9, 1000, 2500].map((t) => from(t)),
    [0, 0, 0, 1000, 2000],
  );
  assert.deepEqual(secondOf(2500, 9000), { from: 2000, to: 3000 });
});

test('the end of a trace is in its last second', () => {
  assert.equal(secondOf(5500, 5500).from, 5000);
  assert.equal(secondOf(6000, 6000).from, 5000);
  assert.equal(secondOf(9000, 5500).from, 5000);
  assert.equal(secondOf(0, 0).from, 0);
});
