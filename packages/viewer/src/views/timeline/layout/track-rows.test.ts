import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LineTrack } from '../timeline-data.ts';
import { AXIS_HEIGHT, LANE_HEIGHT, scaleOf, TRACK_GAP, trackRows, valueToY } from './track-rows.ts';

const track = (unit: string, ...values: number[]): LineTrack => ({
  kind: 'line',
  id: 'counter/a',
  label: 'a',
  source: 'browser',
  unit,
  series: [{ label: 'a', t: Float64Array.from(values.keys()), value: Float64Array.from(values) }],
});

test('a scale begins at 0, or below the lowest negative value', () => {
  assert.deepEqual(scaleOf(track('count', 10, 20)), { bottom: 0, top: 26 });
  const { bottom, top } = scaleOf(track('units', -50, 20));
  assert.deepEqual([Math.round(bottom), top], [-55, 26]);
});

test('a scale exists for negative values only, zeros only, and no values', () => {
  for (const values of [[-5, -1], [0, 0], [], [Number.NaN]]) {
    const { bottom, top } = scaleOf(track('count', ...values));
    assert.ok(bottom <= 0 && top > 0, `${values}: ${bottom} to ${top}`);
  }
});

test('valueToY maps the bottom of a scale to the foot and the top to the head', () => {
  const scale = { bottom: -10, top: 30 };
  assert.equal(valueToY(scale, 100, 20, -10), 100);
  assert.equal(valueToY(scale, 100, 20, 30), 20);
  assert.equal(valueToY(scale, 100, 20, 0), 80);
});

test('the scale of CPU is at least one core, and is shared by all lines of a track', () => {
  assert.equal(scaleOf(track('percent', 1, 2)).top, 104);
  assert.equal(scaleOf(track('percent', 200)).top, 260);
  const [series] = track('bytes', 10).series;
  const second = { label: 'b', t: Float64Array.from([0]), value: Float64Array.from([100]) };
  assert.ok(series);
  assert.equal(scaleOf({ ...track('bytes'), series: [series, second] }).top, 130);
});

test('tracks are below the axis and each other, and their height grows with the lanes', () => {
  const lanes = (count: number) =>
    ({
      kind: 'intervals',
      record: 'span',
      id: `span/${count}`,
      label: 'Spans',
      source: 'browser',
      t: new Float64Array(),
      duration: new Float64Array(),
      lane: new Uint8Array(),
      lanes: count,
      names: [],
    }) as const;
  const { rows, height } = trackRows([track('bytes', 1), lanes(1), lanes(6)]);
  assert.equal(rows[0]?.top, AXIS_HEIGHT);
  for (const [index, { top, height: tall }] of rows.entries()) {
    assert.equal(rows[index + 1]?.top ?? height, top + tall + TRACK_GAP);
  }
  assert.ok((rows[2]?.height ?? 0) >= 6 * LANE_HEIGHT, 'six lanes have room');
  assert.ok((rows[1]?.height ?? 0) < (rows[2]?.height ?? 0));
  assert.deepEqual(trackRows([]), { rows: [], height: AXIS_HEIGHT });
});
