import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LineTrack } from '../timeline-data.ts';
import { scaleOf, valueToY } from './track-rows.ts';

const track = (unit: string, ...values: number[]): LineTrack => ({
  kind: 'line',
  id: 'counter/a',
  label: 'a',
  source: 'browser',
  unit,
  series: [{ label: 'a', t: Float64Array.from(values.keys()), value: Float64Array.from(values) }],
});

test('a scale begins at 0, and goes below it where a value does', () => {
  assert.deepEqual(scaleOf(track('count', 10, 20)), { bottom: 0, top: 26 });
  const { bottom, top } = scaleOf(track('units', -50, 20));
  assert.ok(bottom < -50 && top > 20, `${bottom} to ${top}`);
});

test('values that are all below 0, all 0 or none still have a scale', () => {
  for (const values of [[-5, -1], [0, 0], [], [Number.NaN]]) {
    const { bottom, top } = scaleOf(track('count', ...values));
    assert.ok(bottom <= 0 && top > 0, `${values}: ${bottom} to ${top}`);
  }
});

test('valueToY puts the foot of a scale below its top, and 0 between them where it lies between', () => {
  const scale = { bottom: -10, top: 30 };
  assert.equal(valueToY(scale, 100, 20, -10), 100);
  assert.equal(valueToY(scale, 100, 20, 30), 20);
  assert.equal(valueToY(scale, 100, 20, 0), 80);
});
