// The direction and the size of changes, and the limits of a check.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLimits, hasRatio } from './change-limits.ts';
import { compareMetrics } from './compare-metrics.ts';
import { worstChange } from './diff-traces.ts';
import type { MetricName, MetricValue, TraceMetrics } from './trace-metrics.ts';

const value = (number: number): MetricValue => ({ value: number, slope: null });
const slope = (number: number, low: number, high: number, grows = true): MetricValue => ({
  value: number,
  slope: { low, high, grows },
});
const changeOf = (metric: MetricName, before?: MetricValue, after?: MetricValue) =>
  compareMetrics(
    before === undefined ? {} : { [metric]: before },
    after === undefined ? {} : { [metric]: after },
  )[0];
const verdictOf = (metric: MetricName, before: MetricValue, after: MetricValue) =>
  changeOf(metric, before, after)?.verdict;

test('compareMetrics returns the change and its ratio', () => {
  assert.deepEqual(changeOf('p95_ms', value(20), value(25)), {
    ...{ metric: 'p95_ms', before: 20, after: 25, change: 5, ratio: 0.25, verdict: 'worse' },
  });
  assert.deepEqual(changeOf('hitches_per_minute', value(0), value(3)), {
    ...{ metric: 'hitches_per_minute', before: 0, after: 3, change: 3, ratio: null },
    verdict: 'worse',
  });
  assert.deepEqual(changeOf('rss_bytes_per_minute', slope(10, 8, 12), slope(20, 18, 22)), {
    ...{ metric: 'rss_bytes_per_minute', before: 10, after: 20, change: 10, ratio: null },
    verdict: 'worse',
  });
});

test('compareMetrics knows the direction that is better', () => {
  assert.equal(verdictOf('p95_ms', value(20), value(10)), 'better');
  assert.equal(verdictOf('average_fps', value(60), value(50)), 'worse');
  assert.equal(verdictOf('average_fps', value(50), value(60)), 'better');
});

test('compareMetrics counts a change of at most 1 % as the same', () => {
  assert.equal(verdictOf('p95_ms', value(100), value(101)), 'same');
  assert.equal(verdictOf('p95_ms', value(100), value(101.01)), 'worse');
  assert.equal(verdictOf('p95_ms', value(100), value(99)), 'same');
  assert.equal(verdictOf('p95_ms', value(100), value(98.99)), 'better');
  assert.equal(verdictOf('hitches_per_minute', value(0), value(0)), 'same');
});

test('compareMetrics counts slopes as the same if their intervals overlap', () => {
  const before = slope(10, 0, 20);
  const verdict = (after: MetricValue) => verdictOf('heap_bytes_per_minute', before, after);
  assert.equal(verdict(slope(50, 20, 90)), 'same');
  assert.equal(verdict(slope(50, 21, 90)), 'worse');
  assert.equal(verdict(slope(-9, -50, 0)), 'same');
  assert.equal(verdict(slope(-9, -50, -1, false)), 'better');
});

test('a slope is worse or better only if the memory with the larger one keeps growing', () => {
  const verdict = (before: MetricValue, after: MetricValue) =>
    verdictOf('rss_bytes_per_minute', before, after);
  const [slow, fast] = [slope(1, 0, 2), slope(9, 8, 10)];
  const caches = slope(9, 8, 10, false);
  assert.equal(verdict(slow, fast), 'worse');
  assert.equal(verdict(slow, caches), 'same');
  assert.equal(verdict(fast, slow), 'better');
  assert.equal(verdict(caches, slow), 'same');
});

test('compareMetrics lists what one of the traces has, in the order of the metrics', () => {
  const before: TraceMetrics = { rss_max_bytes: value(1), p50_ms: value(1) };
  const after: TraceMetrics = { average_fps: value(1), p50_ms: value(1) };
  assert.deepEqual(
    compareMetrics(before, after).map(({ metric, before: was, after: is, change, verdict }) => [
      metric,
      was,
      is,
      change,
      verdict,
    ]),
    [
      ['average_fps', null, 1, null, 'unknown'],
      ['p50_ms', 1, 1, 0, 'same'],
      ['rss_max_bytes', 1, null, null, 'unknown'],
    ],
  );
});

test('worstChange is the largest change for the worse, of frames if one of them is worse', () => {
  const before: TraceMetrics = {
    ...{ p50_ms: value(10), p99_ms: value(10), rss_max_bytes: value(10), average_fps: value(60) },
  };
  const worst = (after: TraceMetrics) => worstChange(compareMetrics(before, after))?.metric;
  assert.equal(worst({ p50_ms: value(12), p99_ms: value(13), rss_max_bytes: value(90) }), 'p99_ms');
  assert.equal(worst({ p99_ms: value(13), rss_max_bytes: value(90) }), 'p99_ms');
  assert.equal(worst({ average_fps: value(20), p99_ms: value(13) }), 'average_fps');
  assert.equal(worst({ p50_ms: value(9), rss_max_bytes: value(90) }), 'rss_max_bytes');
  assert.equal(worst({ p50_ms: value(9) }), undefined);
  const zero = compareMetrics(
    { p99_ms: value(1), hitches_per_minute: value(0) },
    { p99_ms: value(900), hitches_per_minute: value(1) },
  );
  assert.equal(worstChange(zero)?.metric, 'hitches_per_minute');
});

test('worstChange is a slope only if nothing else is worse, and then the largest difference', () => {
  const before: TraceMetrics = {
    ...{ hitches_per_minute: value(0), rss_max_bytes: value(100), cpu_mean_percent: value(10) },
    ...{ rss_bytes_per_minute: slope(0, 0, 1), heap_bytes_per_minute: slope(0, 0, 1) },
  };
  const slopes: TraceMetrics = {
    ...{ rss_bytes_per_minute: slope(9, 8, 10), heap_bytes_per_minute: slope(5, 4, 6) },
  };
  const worst = (after: TraceMetrics) =>
    worstChange(compareMetrics(before, { ...slopes, ...after }))?.metric;
  assert.equal(worst({ rss_max_bytes: value(102) }), 'rss_max_bytes');
  assert.equal(
    worst({ rss_max_bytes: value(102), cpu_mean_percent: value(11) }),
    'cpu_mean_percent',
  );
  assert.equal(
    worst({ rss_max_bytes: value(900), hitches_per_minute: value(1) }),
    'hitches_per_minute',
  );
  assert.equal(worst({}), 'rss_bytes_per_minute');
});

const kept = (
  metric: MetricName,
  amount: number,
  relative: boolean,
  before: number | null,
  after: number | null,
) =>
  checkLimits(
    [{ metric, amount, relative }],
    before === null ? {} : { [metric]: value(before) },
    after === null ? {} : { [metric]: value(after) },
  )[0]?.kept;

test('checkLimits accepts a change equal to its limit, and rejects a larger one', () => {
  assert.equal(kept('p95_ms', 0.1, true, 16.7, 16.7 * 1.1), true);
  assert.equal(kept('p95_ms', 0.1, true, 16.7, 18.371), false);
  assert.equal(kept('p95_ms', 0.3, false, 0.1, 0.4), true);
  assert.equal(kept('p95_ms', 0.3, false, 0.1, 0.401), false);
  assert.equal(kept('p95_ms', 0, true, 20, 20), true);
  assert.equal(kept('p95_ms', 0, true, 20, 20.001), false);
});

test('checkLimits checks only changes for the worse', () => {
  assert.equal(kept('p95_ms', 0.1, true, 20, 2), true);
  assert.equal(kept('average_fps', 0.1, true, 60, 90), true);
  assert.equal(kept('average_fps', 0.1, true, 60, 54), true);
  assert.equal(kept('average_fps', 0.1, true, 60, 53.9), false);
});

test('checkLimits rejects each rise from 0 by a relative limit', () => {
  assert.equal(kept('hitches_per_minute', 5, true, 0, 0), true);
  assert.equal(kept('hitches_per_minute', 5, true, 0, 0.1), false);
  assert.equal(kept('hitches_per_minute', 1, false, 0, 1), true);
});

test('checkLimits rejects a metric that a trace lacks', () => {
  assert.equal(kept('p95_ms', 10, true, null, 1), false);
  assert.equal(kept('p95_ms', 10, true, 1, null), false);
  assert.equal(kept('p95_ms', 10, true, null, null), false);
});

test('a slope has no ratio', () => {
  assert.equal(hasRatio('rss_bytes_per_minute'), false);
  assert.equal(hasRatio('rss_mean_bytes'), true);
});
