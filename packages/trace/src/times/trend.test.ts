// The robust slope of series whose slopes can be computed by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, trendOf } from './trend.ts';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

test('trendOf returns the median of all slopes and Sen’s confidence interval', () => {
  // The slope between i and j of the squares is i + j. Of 45 in order, 12th, 23rd and 35th.
  const squares = upTo(10).map((x) => x * x);
  assert.deepEqual(trendOf(upTo(10), squares), { slope: 9, low: 6, high: 12 });
  const straight = upTo(20).map((x) => 5 - 2 * x);
  assert.deepEqual(trendOf(upTo(20), straight), { slope: -2, low: -2, high: -2 });
});

test('trendOf returns the smallest and largest slope as the interval of a few points', () => {
  assert.deepEqual(trendOf([0, 1, 2, 3], [0, 1, 4, 9]), { slope: 3, low: 1, high: 5 });
});

test('trendOf is not affected by an outlier', () => {
  const spiked = upTo(20).map((x) => (x === 10 ? 1e9 : 3 * x));
  assert.equal(trendOf(upTo(20), spiked)?.slope, 3);
});

test('trendOf returns no trend for fewer than four known values', () => {
  assert.equal(trendOf([0, 1, 2], [0, 1, 2]), null);
  const { NaN: none } = Number;
  assert.equal(trendOf([0, 1, 2, 3], [0, none, 2, 3]), null);
  assert.equal(trendOf([0, 1, 2, 3, 4], [0, none, 4, 6, 8])?.slope, 2);
});

test('trendOf ignores slopes between points with the same time', () => {
  assert.deepEqual(trendOf([0, 0, 1, 1], [0, 0, 1, 1]), { slope: 1, low: 1, high: 1 });
});

test('trendOf reduces a long series to the medians of groups of points', () => {
  // The median of each three points is used, so that two outliers change nothing.
  const values = upTo(720).map((x) => [1e9, -1e9, 4 * x][x % 3] ?? 0);
  assert.equal(trendOf(upTo(720), values)?.slope, 4);
  // 240 points are not grouped: the 13,122nd and the 15,560th of 28,680 slopes.
  const squares = upTo(240).map((x) => x * x);
  assert.deepEqual(trendOf(upTo(240), squares), { slope: 239, low: 229, high: 249 });
});

test('median is the middle value, or the mean of the middle two', () => {
  assert.equal(median([1, 2, 10]), 2);
  assert.equal(median([1, 2, 4, 10]), 3);
  assert.equal(median([7]), 7);
  assert.equal(median([]), 0);
});
