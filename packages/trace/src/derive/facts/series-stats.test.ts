// Statistics of series whose values can be computed by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seriesStats } from './series-stats.ts';

const NONE = Number.NaN;

test('seriesStats returns the range, the average, the 95th percentile, the last value and the slope per minute', () => {
  const t = Array.from({ length: 20 }, (_, i) => i * 1000);
  const value = t.map((_, i) => 20 - i);
  assert.deepEqual(seriesStats(t, value), {
    count: 20,
    min: 1,
    mean: 10.5,
    p95: 19,
    max: 20,
    last: 1,
    slope_per_minute: { slope: -60, low: -60, high: -60 },
  });
});

test('seriesStats ignores unknown values, also at the ends', () => {
  const stats = seriesStats([0, 1000, 2000, 3000], [NONE, 4, 2, NONE]);
  assert.deepEqual(stats, {
    count: 2,
    min: 2,
    mean: 3,
    p95: 4,
    max: 4,
    last: 2,
    slope_per_minute: null,
  });
});

test('seriesStats returns null if no value is known', () => {
  assert.equal(seriesStats([], []), null);
  assert.equal(seriesStats([0, 1], [NONE, NONE]), null);
});
