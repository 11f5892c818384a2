// The interval of a median by order statistics, compared with published binomial probabilities.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differencesOf, medianInterval } from './median-interval.ts';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => count - i);

test('medianInterval returns the whole range of few values, with the confidence that it has', () => {
  assert.equal(medianInterval([]), null);
  assert.deepEqual(medianInterval([7]), { count: 1, median: 7, low: 7, high: 7, confidence: 0 });
  assert.deepEqual(medianInterval([9, 2]), {
    count: 2,
    median: 5.5,
    low: 2,
    high: 9,
    confidence: 0.5,
  });
  const five = medianInterval([5, 1, 4, 2, 3]);
  assert.deepEqual([five?.median, five?.low, five?.high, five?.confidence], [3, 1, 5, 0.9375]);
});

test('medianInterval cuts values at both ends as long as 95 % confidence remain', () => {
  // n, the rank of the lower end, and the confidence: 1 − 2·P(B ≤ rank − 1).
  const rows = [
    [6, 1, 1 - 2 / 64],
    [8, 1, 1 - 2 / 256],
    [9, 2, 1 - (2 * 10) / 512],
    [12, 3, 1 - (2 * (1 + 12 + 66)) / 4096],
    [20, 6, 1 - (2 * 21_700) / 1_048_576],
  ] as const;
  for (const [count, rank, confidence] of rows) {
    const found = medianInterval(upTo(count));
    assert.deepEqual([found?.low, found?.high], [rank, count + 1 - rank], String(count));
    assert.ok(Math.abs((found?.confidence ?? 0) - confidence) < 1e-9, String(count));
  }
});

test('medianInterval of many values is about two standard deviations of the rank', () => {
  const found = medianInterval(upTo(10_000));
  assert.deepEqual([found?.low, found?.high], [4902, 5099]);
  assert.ok((found?.confidence ?? 0) >= 0.95);
});

test('differencesOf compares only successive known values', () => {
  assert.deepEqual(differencesOf([1, 4, null, 5, 3]), [3, -2]);
  assert.deepEqual(differencesOf([1]), []);
});
