// A long series as few points.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { POINTS, thinSeries } from './thin-series.ts';

test('a short series keeps every known value', () => {
  const t = [0, 1000, 2000, 3000];
  assert.deepEqual(thinSeries(t, [5, Number.NaN, 7, 6]), [
    { t: 0, value: 5 },
    { t: 2000, value: 7 },
    { t: 3000, value: 6 },
  ]);
  assert.deepEqual(thinSeries([], []), []);
  assert.deepEqual(thinSeries([5, 5], [1, 2]), [{ t: 5, value: 2 }]);
});

test('each point of a long series is the largest value of its part', () => {
  const t = Array.from({ length: 1200 }, (_, i) => i);
  const points = thinSeries(
    t,
    t.map((i) => (i === 600 ? 9999 : i % 10)),
  );
  assert.equal(points.length, POINTS);
  assert.equal(Math.max(...points.map(({ value }) => value)), 9999);
  assert.deepEqual(points[0], { t: 9, value: 9 });
  assert.equal(points.filter(({ value }) => value === 9).length, POINTS - 1);
});
