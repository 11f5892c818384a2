// Frame statistics in bounded memory, compared with frameStats.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LossRecord } from '../../format/records.ts';
import { percentile } from '../frames/frame-stats.ts';
import { DurationHistogram } from './duration-histogram.ts';
import { FRAMES_KEPT, FrameTimesSink } from './frame-times.ts';

/** A sequence from 0 to 1 that is the same in each run. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

test('the statistics of frames are exact', () => {
  const sink = new FrameTimesSink('browser');
  const lost: LossRecord = { type: 'loss', t: 2100, reason: 'hidden_tab', duration_ms: 400 };
  sink.take({ type: 'frames', t: 0, duration_ms: Array.from({ length: 98 }, () => 10) }, []);
  sink.take({ type: 'frames', t: 980, duration_ms: [17.5, 17.6, 1000, 300] }, []);
  const { times, curve } = sink.finish([lost]);
  assert.deepEqual(times, {
    source: 'browser',
    count: 101,
    left_out: 1,
    average_fps: 1000 / (2015.1 / 101),
    low_1_percent_fps: 1000 / ((1000 + 17.6) / 2),
    p95_ms: 10,
    p99_ms: 17.6,
    max_ms: 1000,
    budget_ms: 1000 / 60,
    hitches: 2,
    exact: true,
  });
  assert.deepEqual([curve.t.length, curve.t[99], curve.value[99]], [101, 997.5, 17.6]);
});

test('no frame, or only frames in a loss, gives null values', () => {
  const sink = new FrameTimesSink('browser');
  sink.take({ type: 'frames', t: 5, duration_ms: [10] }, []);
  const { times, curve } = sink.finish([
    { type: 'loss', t: 0, reason: 'hidden_tab', duration_ms: 400 },
  ]);
  assert.deepEqual([times.count, times.left_out, times.hitches, times.exact], [0, 1, 0, true]);
  const { average_fps, low_1_percent_fps, p95_ms, p99_ms, max_ms } = times;
  assert.deepEqual(
    [average_fps, low_1_percent_fps, p95_ms, p99_ms, max_ms],
    [null, null, null, null, null],
  );
  assert.equal(curve.t.length, 0);
});

test('frames that take no time have no rate', () => {
  const sink = new FrameTimesSink('browser');
  sink.take({ type: 'frames', t: 5, duration_ms: [0, 0] }, []);
  const { times } = sink.finish([]);
  assert.deepEqual([times.average_fps, times.low_1_percent_fps, times.max_ms], [null, null, 0]);
});

test('beyond FRAMES_KEPT frames, counts stay exact and percentiles are within 0.4 %', () => {
  const sink = new FrameTimesSink('browser');
  const random = noise(7);
  const all = Float64Array.from(
    { length: FRAMES_KEPT + FRAMES_KEPT / 2 },
    (_, i) => Math.round(((i < FRAMES_KEPT ? 14 : 8) + 10 * random() ** 8) * 1000) / 1000,
  );
  const losses: LossRecord[] = [{ type: 'loss', t: 0, reason: 'hidden_tab', duration_ms: 1 }];
  let t = 0;
  for (let i = 0; i < all.length; i += 4096) {
    const duration_ms = [...all.subarray(i, i + 4096)];
    sink.take({ type: 'frames', t, duration_ms }, losses);
    t += duration_ms.reduce((sum, one) => sum + one, 0);
  }
  const { times, curve } = sink.finish(losses);
  const sorted = all.slice(1).sort();
  const near = (value: number | null, wanted: number | null): void => {
    assert.ok(Math.abs((value ?? 0) / (wanted ?? 0) - 1) < 0.004, `${value} ${wanted}`);
  };
  assert.equal(times.exact, false);
  assert.deepEqual([times.count, times.left_out], [all.length - 1, 1]);
  assert.equal(times.max_ms, sorted.at(-1));
  assert.equal(times.hitches, sorted.filter((one) => one > 17.5).length);
  near(times.average_fps, (1000 * sorted.length) / sorted.reduce((sum, one) => sum + one, 0));
  near(times.p95_ms, percentile(sorted, 95));
  near(times.p99_ms, percentile(sorted, 99));
  const slowest = sorted.slice(sorted.length - Math.ceil(sorted.length / 100));
  near(times.low_1_percent_fps, 1000 / (slowest.reduce((a, b) => a + b, 0) / slowest.length));
  assert.ok(curve.t.length <= 4096);
  assert.equal(Math.max(...curve.value), times.max_ms);
});

test('a trace with FRAMES_KEPT frames is exact', () => {
  const sink = new FrameTimesSink('browser');
  const duration_ms = Array.from({ length: FRAMES_KEPT / 4 }, () => 10);
  for (let i = 0; i < 4; i++) sink.take({ type: 'frames', t: i, duration_ms }, []);
  sink.take({ type: 'frames', t: 9, duration_ms: [] }, []);
  const { exact, p99_ms } = sink.finish([]).times;
  assert.deepEqual([exact, p99_ms], [true, 10]);
});

test('DurationHistogram returns ranks and averages of whole buckets', () => {
  const histogram = new DurationHistogram();
  assert.deepEqual(
    [histogram.percentile(50), histogram.meanOfSlowest(0.5), histogram.max],
    [null, null, 0],
  );
  for (const duration of [0, 0.0005, 1, 1, 2, 4, 8, 1e15]) histogram.add(duration);
  assert.equal(histogram.count, 8);
  assert.deepEqual(
    [0, 25, 26, 50, 62.5, 75, 87.5, 100].map((percent) => histogram.percentile(percent)),
    [0.00025, 0.00025, 1, 1, 2, 4, 8, 1e15],
  );
  assert.equal(histogram.meanOfSlowest(0.25), (8 + 1e15) / 2);
  assert.equal(histogram.meanOfSlowest(0.3), (4 + 8 + 1e15) / 3);
  assert.equal(histogram.meanOfSlowest(0.001), 1e15);
  assert.equal(histogram.max, 1e15);
});

test('a bucket of DurationHistogram is at most 1/256 of its value wide', () => {
  const histogram = new DurationHistogram();
  histogram.add(16);
  histogram.add(16.05);
  assert.equal(histogram.percentile(1), 16.025);
  histogram.add(16.07);
  assert.equal(histogram.percentile(100), 16.07);
});
