import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assignLanes, firstAt, indicesInView, linePoints, worstFrames } from './columns.ts';

const view = { from: 0, to: 100 };
const same = (value: number): number => value;

test('linePoints interrupts the line at missing values and at gaps', () => {
  const times = Float64Array.from([0, 10, 20, 30, 60, 70]);
  const values = Float64Array.from([1, 2, Number.NaN, 3, 4, 5]);
  const gap = { t: 35, duration: 10, reason: 'hidden_tab', source: null, count: null };
  const { xs, ys } = linePoints(
    { t: times, value: values },
    { view, toX: same, toY: same, gaps: [gap] },
  );
  assert.deepEqual(ys, [1, 2, Number.NaN, 3, Number.NaN, 4, 5]);
  assert.equal(xs.length, ys.length);
});

test('linePoints keeps peaks when many values share a pixel', () => {
  const times = Float64Array.from({ length: 10_000 }, (_, i) => i / 100);
  const values = Float64Array.from({ length: 10_000 }, (_, i) => (i === 5555 ? 900 : 1));
  const { ys } = linePoints({ t: times, value: values }, { view, toX: same, toY: same, gaps: [] });
  assert.ok(ys.length < 500);
  assert.ok(ys.includes(900));
});

test('linePoints keeps the lowest and the highest value of a pixel in their order, and all values if they are few', () => {
  const ten = (...values: number[]): number[] => {
    const t = Float64Array.from(values, (_, i) => 10 + i / 100);
    return linePoints(
      { t, value: Float64Array.from(values) },
      { view, toX: same, toY: same, gaps: [] },
    ).ys;
  };
  assert.deepEqual(ten(5, 9, 7, 1, 6, 6), [9, 1]);
  assert.deepEqual(ten(5, 1, 7, 9, 6, 6), [1, 9]);
  assert.deepEqual(ten(4, 4, 4, 4, 4, 4), [4]);
  assert.deepEqual(ten(5, 9, 7, 1), [5, 9, 7, 1]);
});

test('linePoints draws holding values as steps, up to a gap and to the end', () => {
  const held = {
    t: Float64Array.from([0, 10, 40]),
    value: Float64Array.from([1, 2, 5]),
    heldTo: 90,
  };
  const gap = { t: 20, duration: 10, reason: 'hidden_tab', source: null, count: null };
  const { xs, ys } = linePoints(held, { view, toX: same, toY: same, gaps: [gap] });
  assert.deepEqual(ys, [1, 1, 2, 2, Number.NaN, 5, 5]);
  assert.deepEqual(xs, [0, 10, 10, 20, 20, 40, 90]);
  assert.deepEqual(
    linePoints(held, { view: { from: 50, to: 60 }, toX: same, toY: same, gaps: [gap] }).ys,
    [5, 5],
  );
});

test('worstFrames keeps the longest frame of a pixel and spreads a long one over its pixels', () => {
  const worst = worstFrames(
    Float64Array.from([0, 1, 2, 50]),
    Float64Array.from([1, 9, 1, 20]),
    view,
    50,
  );
  assert.equal(worst[0], 9);
  assert.equal(worst[25], 20);
  assert.equal(worst[34], 20);
  assert.equal(worst[40], 0);
});

test('assignLanes keeps overlapping intervals apart', () => {
  const { lane, lanes } = assignLanes(
    Float64Array.from([0, 1, 5, 6]),
    Float64Array.from([4, 4, 1, 1]),
  );
  assert.deepEqual(Array.from(lane), [0, 1, 0, 0]);
  assert.equal(lanes, 2);
});

test('assignLanes reuses free lanes, and does not exceed the maximum', () => {
  const from = (...t: number[]): Float64Array => Float64Array.from(t);
  const touching = assignLanes(from(0, 4, 8), from(4, 4, 1));
  assert.deepEqual([[...touching.lane], touching.lanes], [[0, 0, 0], 1]);
  const crowd = assignLanes(from(0, 1, 2, 3, 20), from(10, 10, 10, 10, 1), 2);
  assert.deepEqual([[...crowd.lane], crowd.lanes], [[0, 1, 1, 1, 0], 2]);
  const more = assignLanes(new Float64Array(9), new Float64Array(9).fill(1));
  assert.equal(more.lanes, 6);
  assert.deepEqual(assignLanes(from(), from()).lanes, 1);
});

test('firstAt returns the first index not before a time, and indicesInView adds a neighbour on each side', () => {
  const times = Float64Array.from([0, 10, 10, 20, 30]);
  assert.deepEqual(
    [-1, 0, 5, 10, 11, 30, 31].map((t) => firstAt(times, t)),
    [0, 0, 1, 1, 3, 4, 5],
  );
  assert.deepEqual(indicesInView(times, { from: 12, to: 18 }), { from: 2, to: 4 });
  assert.deepEqual(indicesInView(times, { from: 0, to: 30 }), { from: 0, to: 5 });
});

test('worstFrames includes a frame that overlaps the start of the view, and none after the end', () => {
  const worst = worstFrames(
    Float64Array.from([90, 150, 200]),
    Float64Array.from([30, 7, 99]),
    { from: 100, to: 200 },
    10,
  );
  assert.deepEqual([...worst], [30, 30, 0, 0, 0, 7, 0, 0, 0, 0]);
});
