import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IntervalTrack, LineTrack, Track } from '../timeline-data.ts';
import { intervalAt, lastAt, readOut, rowAt, valueAt } from './hit.ts';
import { AXIS_HEIGHT, LANE_HEIGHT, TRACK_GAP, trackRows } from './track-rows.ts';

const sampled = {
  label: 'RSS',
  t: Float64Array.from([0, 1000, 2000]),
  value: Float64Array.from([1, Number.NaN, 3]),
};

const intervals: IntervalTrack = {
  kind: 'intervals',
  record: 'span',
  id: 'span/a/browser',
  label: 'Spans',
  source: 'browser',
  t: Float64Array.from([0, 10, 100]),
  duration: Float64Array.from([50, 5, 20]),
  lane: Uint8Array.from([0, 1, 0]),
  lanes: 2,
  names: ['outer', 'inner', 'late'],
};

test('lastAt returns the last index at or before a time', () => {
  const times = Float64Array.from([0, 10, 10, 20]);
  assert.deepEqual(
    [-1, 0, 9, 10, 15, 20, 99].map((t) => lastAt(times, t)),
    [-1, 0, 0, 2, 2, 3, 3],
  );
});

test('valueAt returns the nearest sample, but none that is too far away or was not measured', () => {
  const at = (t: number, near = 600): number | null => valueAt(sampled, t, near);
  assert.deepEqual(
    [0, 400, 1700, 2600].map((t) => at(t)),
    [1, 1, 3, 3],
  );
  assert.deepEqual(
    [1000, 601, 2601].map((t) => at(t)),
    [null, null, null],
  );
  assert.equal(at(2601, 601), 3);
  assert.equal(at(-1, 0), null);
});

test('valueAt returns a holding value from its start to the end', () => {
  const held = { ...sampled, value: Float64Array.from([1, 2, 3]), heldTo: 5000 };
  assert.deepEqual(
    [-1, 0, 999, 1000, 1999, 2000, 5000, 5001].map((t) => valueAt(held, t, 0)),
    [null, 1, 1, 2, 2, 3, 3, null],
  );
});

const read = (track: Track, t: number, near = 2): string => readOut(track, t, near);

test('readOut of lines returns the value in its unit, with names if there are several', () => {
  const line: LineTrack = {
    kind: 'line',
    id: 'memory/native',
    label: 'Memory',
    source: 'native',
    unit: 'bytes',
    series: [{ ...sampled, value: Float64Array.from([1024, 2048, 4096]) }],
  };
  assert.equal(read(line, 900), '2.00 KiB');
  assert.equal(read(line, 3500), '4.00 KiB');
  assert.equal(read(line, 3501), '');
  const pss = { label: 'PSS', t: Float64Array.from([1000]), value: Float64Array.from([512]) };
  assert.equal(read({ ...line, series: [...line.series, pss] }, 1000), 'RSS 2.00 KiB · PSS 512 B');
});

test('readOut of frames, intervals and points describes what is at the time, else it is empty', () => {
  const frames: Track = {
    kind: 'frames',
    id: 'frames/browser',
    label: 'Frame time',
    source: 'browser',
    t: Float64Array.from([0, 16, 50]),
    duration: Float64Array.from([16, 20, 16]),
  };
  assert.deepEqual(
    [-1, 0, 15, 16, 36, 37, 50].map((t) => read(frames, t)),
    ['', '16.0 ms', '16.0 ms', '20.0 ms', '20.0 ms', '', '16.0 ms'],
  );
  assert.equal(read(intervals, 12), 'inner · 5.00 ms');
  assert.equal(read(intervals, 30), 'outer · 50.0 ms');
  assert.equal(read(intervals, 60), '');
  const points: Track = {
    kind: 'points',
    record: 'mark',
    id: 'mark/browser',
    label: 'Marks',
    source: 'browser',
    t: Float64Array.from([100, 110]),
    names: ['a', 'b'],
  };
  assert.equal(read(points, 104, 5), 'a · 0:00.100');
  assert.equal(read(points, 106, 5), 'b · 0:00.110');
  assert.equal(read(points, 116, 5), '');
  assert.equal(read(points, 94, 5), '');
});

test('intervalAt returns the latest interval at a time, in one lane or in any', () => {
  const at = (t: number, lane: number | null, near = 0): number =>
    intervalAt(intervals, t, near, lane);
  assert.deepEqual([at(12, null), at(12, 0), at(12, 1)], [1, 0, 1]);
  assert.deepEqual([at(30, null), at(30, 1)], [0, -1]);
  assert.deepEqual([at(60, null), at(60, 0), at(52, 0, 2)], [-1, -1, 0]);
  assert.equal(at(98, null, 3), 2);
  assert.equal(at(-1, null), -1);
});

test('rowAt returns the track at a height and its lane', () => {
  const { rows } = trackRows([intervals, intervals]);
  const first = rows[0]?.top ?? 0;
  assert.equal(rowAt(rows, AXIS_HEIGHT - 1), null);
  assert.deepEqual(rowAt(rows, first + 5), { row: rows[0], lane: 0 });
  assert.equal(rowAt(rows, first + 4 + LANE_HEIGHT)?.lane, 0);
  assert.deepEqual(rowAt(rows, first + 5 + LANE_HEIGHT), { row: rows[0], lane: 1 });
  const second = rows[1]?.top ?? 0;
  assert.equal(rowAt(rows, second)?.row, rows[1]);
  assert.equal(rowAt(rows, second - TRACK_GAP), null, 'between two tracks');
});
