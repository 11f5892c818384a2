// Step functions: their medians by time, least values and sums.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leastLevel, medianLevel, sumOfLevels } from './step-levels.ts';

const LEVELS = { t: [10, 20, 30], value: [4, 1, 8] };
const between = (from_ms: number, to_ms: number) => ({ from_ms, to_ms });

test('medianLevel returns the value that holds for half of the time, with all smaller ones', () => {
  const rows: readonly (readonly [from: number, to: number, median: number])[] = [
    [0, 9, 0],
    [10, 20, 4],
    [20, 30, 1],
    [10, 30, 1],
    [9, 30, 1],
    [0, 20, 0],
    [0, 21, 1],
    [10, 40, 4],
    [15, 36, 4],
    [15, 37, 4],
    [15, 60, 8],
    [30, 90, 8],
  ];
  for (const [from, to, median] of rows) {
    assert.equal(medianLevel(LEVELS, between(from, to)), median, `${from} to ${to}`);
  }
});

test('medianLevel of no time returns the value at its start, after the changes at that time', () => {
  assert.equal(medianLevel(LEVELS, between(20, 20)), 1);
  assert.equal(medianLevel(LEVELS, between(19, 19)), 4);
  assert.equal(medianLevel(LEVELS, between(30, 10)), 8);
  assert.equal(medianLevel({ t: [], value: [] }, between(0, 5)), 0);
});

test('leastLevel includes the value just before the start, and the changes at the end', () => {
  assert.equal(leastLevel(LEVELS, between(11, 19)), 4);
  assert.equal(leastLevel(LEVELS, between(11, 20)), 1);
  assert.equal(leastLevel(LEVELS, between(10, 19)), 0);
  assert.equal(leastLevel(LEVELS, between(30, 40)), 1);
  assert.equal(leastLevel(LEVELS, between(31, 40)), 8);
  assert.equal(leastLevel(LEVELS, between(20, 20)), 1);
});

test('sumOfLevels adds step functions, and merges changes at the same time', () => {
  const other = { t: [5, 20], value: [2, 0] };
  assert.deepEqual(sumOfLevels([LEVELS, other]), { t: [5, 10, 20, 30], value: [2, 6, 1, 8] });
  assert.deepEqual(sumOfLevels([]), { t: [], value: [] });
});
