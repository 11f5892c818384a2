import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FrameTrack, Gap, LineTrack, PointTrack } from '../timeline-data.ts';
import {
  AXIS_HEIGHT,
  LANE_HEIGHT,
  scaleOf,
  slowestMs,
  TRACK_GAP,
  trackRows,
  valueToY,
} from './track-rows.ts';

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

const frames = (...durations: number[]): FrameTrack => ({
  kind: 'frames',
  id: 'frames/browser',
  label: 'Frame time',
  source: 'browser',
  t: Float64Array.from(durations.keys(), (index) => index * 1000),
  duration: Float64Array.from(durations),
});
const marks: PointTrack = {
  kind: 'points',
  record: 'mark',
  id: 'mark/browser',
  label: 'Marks',
  source: 'browser',
  t: new Float64Array(),
  names: [],
};

test('tracks fill the room: frames get most of it, and rows of events stay compact', () => {
  const tracks = [track('bytes', 1), frames(16), marks];
  const at = (room: number): number[] => trackRows(tracks, room).rows.map((row) => row.height);
  const [line = 0, strip = 0, points = 0] = at(0);
  assert.ok(points < line && line < strip, `${at(0)}`);
  assert.deepEqual(at(100), at(0), 'the minimum');
  const { height } = trackRows(tracks, 500);
  assert.ok(height > 495 && height <= 500, String(height));
  const [tallLine = 0, tallStrip = 0, tallPoints = 0] = at(500);
  assert.ok(tallLine > line && tallStrip > 2 * tallLine);
  assert.equal(tallPoints, points);
  assert.deepEqual(at(5000), [260, 620, points], 'the maximum');
  assert.deepEqual(at(5000), at(9000));
});

test('room that one track can not use goes to the others', () => {
  const tracks = [frames(16), ...new Array(4).fill(track('bytes', 1))];
  const { rows, height } = trackRows(tracks, 1660);
  assert.equal(rows[0]?.height, 620);
  assert.equal(new Set(rows.slice(1).map((row) => row.height)).size, 1);
  assert.ok(height > 1650 && height <= 1660, String(height));
});

test('a track of several lines has room for the value of each', () => {
  const [series] = track('bytes', 1).series;
  assert.ok(series);
  const two = { ...track('bytes', 1), series: [series, series] };
  const heightOf = (one: LineTrack): number => trackRows([one]).rows[0]?.height ?? 0;
  assert.equal(heightOf(two) - heightOf(track('bytes', 1)), 17);
});

test('the slowest frame is the longest outside of the gaps of its source', () => {
  const gap = (t: number, duration: number, source: string | null): Gap => {
    return { t, duration, source, reason: 'hidden_tab', count: null };
  };
  const slowest = (...gaps: Gap[]): number => slowestMs(frames(16, 300, 700, 20), gaps);
  assert.equal(slowest(), 700);
  assert.equal(slowest(gap(2100, 10, 'browser')), 300);
  assert.equal(slowest(gap(2100, 10, null)), 300);
  assert.equal(slowest(gap(2100, 10, 'native')), 700);
  assert.equal(slowest(gap(2100, 0, 'browser')), 700, 'a loss without a duration');
  assert.equal(slowest(gap(2700, 10, 'browser')), 700, 'it begins at the end of the frame');
  assert.equal(slowest(gap(1990, 10, 'browser')), 700, 'it ends at the start of the frame');
  assert.equal(slowestMs(frames(), []), 0);
});
