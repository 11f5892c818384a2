// Frame statistics, hitches and moments on traces drawn as text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../model/build-model.ts';
import { traceFromText } from '../testing/trace-from-text.ts';
import { frameStats, percentile } from './frame-stats.ts';
import { findHitches, momentOf } from './moment.ts';

test('frameStats tells percentiles, average and 1% low by their formulas', () => {
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

test('a frame is over budget when it takes more than 5 % longer, for the number as for the list', () => {
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

test('frameStats leaves time under a loss out, and knows nothing of no frames', () => {
  const model = modelOf(traceFromText('browser\n0 frames 10 10 900 10\n20 loss hidden_tab 850\n'));
  const frames = model.frames[0] ?? assert.fail();
  const stats = frameStats(frames, model.losses);
  assert.deepEqual([stats.count, stats.left_out, stats.max_ms], [3, 1, 10]);
  const none = frameStats(frames, model.losses, { window: { from_ms: 5000, to_ms: 6000 } });
  assert.deepEqual([none.count, none.mean_ms, none.average_fps], [0, null, null]);
});

test('percentile is the nearest rank', () => {
  const sorted = Float64Array.of(15, 20, 35, 40, 50);
  assert.deepEqual(
    [5, 30, 40, 50, 100].map((p) => percentile(sorted, p)),
    [15, 20, 20, 35, 50],
  );
});

test('momentOf tells what fell into a hitch, heaviest first', () => {
  const model = modelOf(
    traceFromText(`browser
      0 frames 16 80 16
      10 asset 1 rock texture decode main_thread_ms=30
      40 asset 2 tree texture upload main_thread_ms=50
      96 asset 3 late texture upload main_thread_ms=5
      20 longtask 70
      16 mark level
      15.9 mark before
      0 span 200 all
      20 stacks main;decode 3 | main;idle 1
    `),
  );
  const [hitch] = findHitches(model, 20);
  assert.equal(hitch?.duration_ms, 80);
  const moment = momentOf(model, { from_ms: 16, to_ms: 96 });
  assert.deepEqual(
    moment.assets.map(({ item, within_ms }) => [item.name, within_ms]),
    [
      ['tree', 50],
      ['rock', 24],
    ],
  );
  assert.equal(moment.longtasks[0]?.within_ms, 70);
  assert.deepEqual(
    moment.marks.map((mark) => mark.name),
    ['level'],
  );
  assert.equal(moment.spans[0]?.within_ms, 80);
  assert.equal(moment.stacks[0]?.tree.samples, 2);
});
