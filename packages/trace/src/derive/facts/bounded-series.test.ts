// A series in bounded memory: exact up to the limit, folded into buckets beyond it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoundedSeries, MEMORY_POINTS, SERIES_POINTS } from './bounded-series.ts';
import { seriesStats } from './series-stats.ts';

function seriesOf(count: number, valueAt: (i: number) => number, fold: 'mean' | 'max' = 'mean') {
  const series = new BoundedSeries(fold);
  for (let i = 0; i < count; i++) series.add(i * 1000, valueAt(i));
  return series.finish() ?? assert.fail('no values');
}

test('BoundedSeries keeps every value up to its limit', () => {
  const { stats, points, values_per_bucket } = seriesOf(SERIES_POINTS, (i) => (i * 7919) % 1000);
  assert.equal(values_per_bucket, 1);
  assert.equal(points.t.length, SERIES_POINTS);
  assert.deepEqual(stats, seriesStats(points.t, points.value));
  assert.equal(points.value[4095], (4095 * 7919) % 1000);
});

test('BoundedSeries combines pairs from the next value on, and keeps the exact range and average', () => {
  const { stats, points, values_per_bucket } = seriesOf(SERIES_POINTS + 1, (i) => i);
  assert.equal(values_per_bucket, 2);
  assert.equal(points.t.length, SERIES_POINTS / 2 + 1);
  assert.deepEqual([points.t[0], points.value[0], points.value[2047]], [500, 0.5, 4094.5]);
  assert.deepEqual([points.t[2048], points.value[2048]], [4096_000, 4096]);
  const { count, min, mean, max, last } = stats;
  assert.deepEqual([count, min, mean, max, last], [4097, 0, 2048, 4096, 4096]);
  assert.equal(stats.slope_per_minute?.slope, 60);
});

test('a bucket is the average of its values, also if it is not full', () => {
  const { points, values_per_bucket } = seriesOf(SERIES_POINTS + 3, (i) => i);
  assert.equal(values_per_bucket, 2);
  assert.deepEqual([...points.value.slice(-2)], [4096.5, 4098]);
  assert.deepEqual([...points.t.slice(-2)], [4096_500, 4098_000]);
});

test('buckets that are combined again stay averages', () => {
  const { points, values_per_bucket } = seriesOf(2 * SERIES_POINTS + 3, (i) => i);
  assert.equal(values_per_bucket, 4);
  assert.deepEqual(
    [...points.value.slice(0, 2), ...points.value.slice(-2)],
    [1.5, 5.5, 8189.5, 8193],
  );
});

test('a series of any length has at most SERIES_POINTS points', () => {
  for (const count of [8191, 8192, 8193, 50_000]) {
    const { stats, points, values_per_bucket } = seriesOf(count, (i) => i % 100);
    assert.ok(points.t.length <= SERIES_POINTS && points.t.length > SERIES_POINTS / 4);
    assert.equal(stats.count, count);
    assert.ok(points.t.length * values_per_bucket >= count);
    assert.deepEqual([stats.min, stats.max, stats.last], [0, 99, (count - 1) % 100]);
    assert.ok(points.t.every((t, i) => i === 0 || t > (points.t[i - 1] ?? 0)));
  }
});

test('a series of the highest values keeps the highest of each bucket', () => {
  const { points, stats } = seriesOf(SERIES_POINTS * 4, (i) => (i === 5000 ? 900 : i % 2), 'max');
  assert.equal(Math.max(...points.value), 900);
  assert.equal(stats.max, 900);
  assert.equal(points.value.filter((value) => value === 900).length, 1);
  assert.equal(Math.min(...points.value), 1);
  const falling = seriesOf(SERIES_POINTS + 2, (i) => -i, 'max');
  assert.deepEqual([falling.points.value[0], falling.points.value.at(-1)], [0, -4096]);
});

test('a series of memory has up to MEMORY_POINTS values, then averages', () => {
  const series = new BoundedSeries('mean', MEMORY_POINTS);
  for (let i = 0; i < MEMORY_POINTS; i++) series.add(i, i % 7);
  assert.equal(series.finish()?.values_per_bucket, 1);
  series.add(MEMORY_POINTS, 7);
  const { values_per_bucket, points, stats } = series.finish() ?? assert.fail();
  assert.deepEqual([values_per_bucket, points.t.length], [2, MEMORY_POINTS / 2 + 1]);
  assert.deepEqual([stats.count, stats.max, stats.last], [MEMORY_POINTS + 1, 7, 7]);
});

test('BoundedSeries sorts values by time, and the last value is the latest', () => {
  const series = new BoundedSeries('mean');
  for (const [t, value] of [
    [3000, 3],
    [1000, 1],
    [3000, 4],
    [2000, 2],
  ] as const) {
    series.add(t, value);
  }
  const { stats, points } = series.finish() ?? assert.fail();
  assert.deepEqual([...points.value], [1, 2, 3, 4]);
  assert.equal(stats.last, 4);
});

test('BoundedSeries returns null without values', () => {
  assert.equal(new BoundedSeries('mean').finish(), null);
});
