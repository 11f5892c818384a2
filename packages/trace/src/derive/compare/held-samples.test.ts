// Samples of a counter that holds its value.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldSamples } from './held-samples.ts';

test('heldSamples returns the value held at each second from the first record to the end', () => {
  assert.deepEqual(heldSamples([500, 600, 2500], [1, 2, 7], 3500), {
    t: [500, 1500, 2500, 3500],
    value: [1, 2, 7, 7],
  });
  assert.deepEqual(heldSamples([500, 2500], [1, 7], 3499), {
    t: [500, 1500, 2500],
    value: [1, 1, 7],
  });
});

test('heldSamples returns one sample if the trace ends at the first record, and none without records', () => {
  assert.deepEqual(heldSamples([500], [3], 500), { t: [500], value: [3] });
  assert.deepEqual(heldSamples([500], [3], 0), { t: [500], value: [3] });
  assert.deepEqual(heldSamples([], [], 9000), { t: [], value: [] });
});

test('heldSamples returns the last of several values of one time', () => {
  assert.deepEqual(heldSamples([0, 0], [3, 4], 0), { t: [0], value: [4] });
});

test('heldSamples returns at most 3600 samples', () => {
  const hour = 3_600_000;
  assert.equal(heldSamples([0], [1], hour - 1000).t.length, 3600);
  const long = heldSamples([0], [1], 10 * hour);
  assert.equal(long.t.length, 3600);
  assert.ok(Math.abs((long.t.at(-1) ?? 0) - 10 * hour) < 1);
});
