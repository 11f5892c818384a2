import assert from 'node:assert/strict';
import { test } from 'node:test';
import { framePart, frameScale, frameTicks } from './frame-scale.ts';

const near = (value: number, expected: number): void => {
  assert.ok(Math.abs(value - expected) < 1e-9, `${value}, not ${expected}`);
};

test('without a frame over three budgets the scale is linear and ends at three budgets', () => {
  for (const slowest of [0, 12, 30, Number.NaN]) {
    const scale = frameScale(10, slowest);
    assert.deepEqual(scale, { budgetMs: 10, breakMs: 30, topMs: 30, linear: 1 });
    for (const [ms, part] of [
      [0, 0],
      [-1, 0],
      [10, 1 / 3],
      [15, 0.5],
      [30, 1],
      [31, 1],
    ] as const) {
      near(framePart(scale, ms), part);
    }
  }
});

test('with a slower frame the scale is logarithmic above three budgets and ends at that frame', () => {
  const scale = frameScale(10, 3000);
  assert.equal(scale.linear, 0.5);
  for (const [ms, part] of [
    [0, 0],
    [15, 0.25],
    [30, 0.5],
    [300, 0.75],
    [3000, 1],
    [9000, 1],
  ] as const) {
    near(framePart(scale, ms), part);
  }
  const sample = frameScale(1000 / 60, 700);
  const [quarter, most] = [framePart(sample, 250), framePart(sample, 700)];
  assert.ok(most - quarter > 0.15, `250 ms at ${quarter}, 700 ms at ${most}`);
});

test('a slightly slower frame hardly changes the scale, and both parts meet with one slope', () => {
  near(frameScale(10, 30.3).linear, 1 - Math.log(1.01) / (1 + Math.log(1.01)));
  const scale = frameScale(10, 60);
  const below = framePart(scale, 30) - framePart(scale, 29.999);
  const above = framePart(scale, 30.001) - framePart(scale, 30);
  assert.ok(Math.abs(above / below - 1) < 1e-3, `${below}, then ${above}`);
});

const labels = (budget: number, slowest: number, apart = 0.01): string[] =>
  frameTicks(frameScale(budget, slowest), apart).map(({ label }) => label);

test('the ticks are the budgets, then round times, then the slowest frame', () => {
  assert.deepEqual(labels(1000 / 60, 700), [
    'budget 16.7 ms',
    '2× 33.3 ms',
    '3× 50 ms',
    '100 ms',
    '200 ms',
    '500 ms',
    '700 ms',
  ]);
  assert.deepEqual(labels(1000 / 60, 40), ['budget 16.7 ms', '2× 33.3 ms', '3× 50 ms']);
  assert.deepEqual(labels(10, 2000).slice(-3), ['500 ms', '1 s', '2.00 s']);
  assert.deepEqual(labels(1e-3, 0.005), ['budget 1 µs', '2× 2 µs', '3× 3 µs', '5.00 µs']);
});

test('ticks without room are left out, the least important first', () => {
  assert.deepEqual(labels(1000 / 60, 700, 0.11), [
    'budget 16.7 ms',
    '2× 33.3 ms',
    '3× 50 ms',
    '100 ms',
    '200 ms',
    '700 ms',
  ]);
  assert.deepEqual(labels(1000 / 60, 700, 0.3), ['budget 16.7 ms', '3× 50 ms', '700 ms']);
  assert.deepEqual(labels(1000 / 60, 700, 2), ['budget 16.7 ms']);
  for (const { ms, part } of frameTicks(frameScale(10, 3000), 0.05)) {
    near(part, framePart(frameScale(10, 3000), ms));
  }
});
