// Frame statistics of traces in the test notation.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { countedFrames, frameStats, percentile } from './frame-stats.ts';
import { lossIntervals } from './loss-intervals.ts';
import { findHitches } from './moment.ts';

test('frameStats returns percentiles, average and 1% low by their formulas', () => {
  const durations = Array.from({ length: 200 }, (_, i) => i + 1).join(' ');
  const model = modelOf(traceFromText(`browser\n0 frames ${durations}\n`));
  const stats = frameStats(model.frames[0] ?? assert.fail(), model.losses, { budget_ms: 100 });
  assert.equal(stats.count, 200);
  assert.equal(stats.mean_ms, 100.5);
  assert.deepEqual(
    [stats.p50_ms, stats.p90_ms, stats.p95_ms, stats.p99_ms, stats.p99_9_ms, stats.max_ms],
    [100, 180, 190, 198, 200, 200],
  );
  assert.equal(stats.average_fps, 1000 / 100.5);
  assert.equal(stats.low_1_percent_fps, 1000 / 199.5);
  assert.equal(stats.over_budget, 95);
  assert.equal(stats.over_budget_ms, 95 * 53);
});

test('a frame is over budget if it takes more than 5 % longer, in the count and in the list', () => {
  const model = modelOf(traceFromText('browser\n0 frames 20 20.9 21 21.1 16 40\n'));
  const stats = frameStats(model.frames[0] ?? assert.fail(), model.losses, { budget_ms: 20 });
  const hitches = findHitches(model, 20);
  assert.deepEqual(
    hitches.map(({ duration_ms }) => duration_ms),
    [40, 21.1],
  );
  assert.equal(stats.over_budget, hitches.length);
  const over = hitches.reduce((sum, { over_ms }) => sum + over_ms, 0);
  assert.ok(Math.abs(stats.over_budget_ms - over) < 1e-9);
});

test('frameStats ignores frames that overlap a loss, and returns null values without frames', () => {
  const model = modelOf(traceFromText('browser\n0 frames 10 10 900 10\n20 loss hidden_tab 850\n'));
  const frames = model.frames[0] ?? assert.fail();
  const stats = frameStats(frames, model.losses);
  assert.deepEqual([stats.count, stats.left_out, stats.max_ms], [3, 1, 10]);
  const none = frameStats(frames, model.losses, { window: { from_ms: 5000, to_ms: 6000 } });
  assert.deepEqual(none, {
    count: 0,
    left_out: 0,
    mean_ms: null,
    p50_ms: null,
    p90_ms: null,
    p95_ms: null,
    p99_ms: null,
    p99_9_ms: null,
    max_ms: null,
    average_fps: null,
    low_1_percent_fps: null,
    budget_ms: 1000 / 60,
    over_budget: 0,
    over_budget_ms: 0,
  });
});

test('frameStats does not depend on the order of the frames', () => {
  const model = modelOf(traceFromText('browser\n0 frames 5 100 1 20 9\n'));
  const stats = frameStats(model.frames[0] ?? assert.fail(), []);
  assert.deepEqual([stats.p50_ms, stats.p90_ms, stats.max_ms], [9, 100, 100]);
  assert.equal(stats.low_1_percent_fps, 10);
  assert.equal(stats.over_budget, 2);
});

test('the 1% low is computed from the slowest 1% of frames, rounded up to at least one', () => {
  const low = (count: number): number | null => {
    const durations = Array.from({ length: count }, (_, i) => i + 1).join(' ');
    const model = modelOf(traceFromText(`browser\n0 frames ${durations}\n`));
    return frameStats(model.frames[0] ?? assert.fail(), []).low_1_percent_fps;
  };
  assert.equal(low(1), 1000);
  assert.equal(low(99), 1000 / 99);
  assert.equal(low(100), 1000 / 100);
  assert.equal(low(101), 1000 / 100.5);
  assert.equal(low(150), 1000 / 149.5);
});

test('a window contains the frames that start in it', () => {
  const model = modelOf(traceFromText('browser\n0 frames 10 20 30 40\n35 loss hidden_tab 1\n'));
  const frames = model.frames[0] ?? assert.fail();
  const within = (from_ms: number, to_ms: number) =>
    countedFrames(frames, model.losses, { from_ms, to_ms });
  assert.deepEqual(within(10, 60), { kept: [1], left_out: 1 });
  assert.deepEqual(within(10, 60.1), { kept: [1, 3], left_out: 1 });
  assert.deepEqual(within(10.1, 60), { kept: [], left_out: 1 });
  assert.deepEqual(within(0, 30), { kept: [0, 1], left_out: 0 });
  assert.deepEqual(frameStats(frames, [], { window: { from_ms: 10, to_ms: 60 } }).max_ms, 30);
});

test('a frame is lost if it overlaps a loss of its own source or of all sources', () => {
  const model = modelOf(
    traceFromText(`browser native
      0 browser:frames 10*10
      20 browser:loss hidden_tab 30
      25 browser:loss hidden_tab 5
      50 browser:loss hidden_tab 10
      70 native:loss late_sampler 20
      95 loss paused
    `),
  );
  const frames = model.frames[0] ?? assert.fail();
  assert.deepEqual(countedFrames(frames, model.losses), { kept: [0, 1, 6, 7, 8, 9], left_out: 4 });
  assert.deepEqual(lossIntervals(model.losses, 'browser'), { from: [20], to: [60] });
  const everywhere = model.losses.map(({ source: _, ...loss }) => loss);
  assert.deepEqual(countedFrames(frames, everywhere).kept, [0, 1, 6, 9]);
});

test('a loss of one collector leaves the frames in the statistics', () => {
  const text = 'browser\n0 frames 10*10\n20 loss buffer_full 30 probe=stacks\n70 loss hidden_tab 5';
  const { frames, losses } = modelOf(traceFromText(text));
  assert.equal(countedFrames(frames[0] ?? assert.fail(), losses).left_out, 1);
  assert.deepEqual(lossIntervals(losses, 'browser', 'stacks'), { from: [20], to: [50] });
});

test('frames of zero duration have no frame rate', () => {
  const model = modelOf(traceFromText('browser\n0 frames 0 0\n'));
  const stats = frameStats(model.frames[0] ?? assert.fail(), []);
  assert.deepEqual(
    [stats.count, stats.mean_ms, stats.average_fps, stats.low_1_percent_fps, stats.over_budget],
    [2, 0, null, null, 0],
  );
});

test('percentile returns the nearest rank, also if the rank is not an exact binary number', () => {
  const ascending = (count: number) => Float64Array.from({ length: count }, (_, i) => i + 1);
  assert.equal(percentile(ascending(41_000), 99.9), 40_959);
  assert.equal(percentile(ascending(999), 99.9), 999);
  assert.equal(percentile(ascending(3), 0), 1);
  assert.equal(percentile(ascending(0), 50), null);
});

test('percentile returns the nearest rank', () => {
  const sorted = Float64Array.of(15, 20, 35, 40, 50);
  assert.deepEqual(
    [5, 30, 40, 50, 100].map((p) => percentile(sorted, p)),
    [15, 20, 20, 35, 50],
  );
});
