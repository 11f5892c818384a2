import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IntervalTrack, LineTrack, Track } from '../timeline-data.ts';
import { lastAt, readOut, spokenReadOut, valueAt } from './hit.ts';

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

const read = (track: Track, t: number, near = 2): string =>
  readOut(track, t, near)
    .map(({ name, value, more }) => `${name}|${value}${more > 0 ? ` +${more}` : ''}`)
    .join(' ');

test('readOut of lines returns the value in its unit, with names if there are several', () => {
  const line: LineTrack = {
    kind: 'line',
    id: 'memory/native',
    label: 'Memory',
    source: 'native',
    unit: 'bytes',
    series: [{ ...sampled, value: Float64Array.from([1024, 2048, 4096]) }],
  };
  assert.equal(read(line, 900), '|2.0 KiB');
  assert.equal(read(line, 3500), '|4.0 KiB');
  assert.equal(read(line, 3501), '|');
  const pss = { label: 'PSS', t: Float64Array.from([1000]), value: Float64Array.from([512]) };
  assert.equal(read({ ...line, series: [...line.series, pss] }, 1000), 'RSS|2.0 KiB PSS|512 B');
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
    ['', '|16.0 ms', '|16.0 ms', '|20.0 ms', '|20.0 ms', '', '|16.0 ms'],
  );
  assert.equal(read(intervals, 12), 'inner|5.00 ms +1');
  assert.equal(read(intervals, 30), 'outer|50.0 ms');
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
  assert.equal(read(points, 104, 5), 'a|0:00.100');
  assert.equal(read(points, 106, 5), 'b|0:00.110');
  assert.equal(read(points, 116, 5), '');
  assert.equal(read(points, 94, 5), '');
});

test('readOut counts the events that it does not name', () => {
  assert.equal(read(intervals, 12, 100), 'late|20.0 ms +2');
  assert.equal(read(intervals, 52, 2), 'outer|50.0 ms');
  assert.equal(read(intervals, 53, 2), '');
  const times = Float64Array.from([100, 104, 108, 113]);
  const marks: Track = {
    kind: 'points',
    record: 'mark',
    id: 'mark/browser',
    label: 'Marks',
    source: 'browser',
    t: times,
    names: ['a', 'b', 'c', 'd'],
  };
  assert.equal(read(marks, 104, 4), 'b|0:00.104 +2');
});

test('spokenReadOut says every value with its track, and nothing of an empty track', () => {
  const line: LineTrack = {
    kind: 'line',
    id: 'cpu/native',
    label: 'CPU',
    source: 'native',
    unit: 'percent',
    series: [{ label: 'CPU', t: Float64Array.from([0]), value: Float64Array.from([40]) }],
  };
  const two: LineTrack = {
    ...line,
    label: 'Memory',
    unit: 'bytes',
    series: [
      { label: 'RSS', t: Float64Array.from([0]), value: Float64Array.from([2048]) },
      { label: 'PSS', t: Float64Array.from([9000]), value: Float64Array.from([1]) },
    ],
  };
  assert.equal(
    spokenReadOut([line, two, intervals], 12, 2),
    '0:00.012. CPU 40.0 %. Memory RSS 2.0 KiB. Spans inner 5.00 ms and 1 more',
  );
  assert.equal(spokenReadOut([line, intervals], 5000, 2), '0:05.000');
});
