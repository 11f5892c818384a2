import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  followGrowth,
  panBy,
  rangeOf,
  SHORTEST_VIEW_MS,
  timeToX,
  within,
  xToTime,
  zoomAt,
} from './time-axis.ts';

const whole = { from: 0, to: 1000 };

test('timeToX and xToTime are inverse', () => {
  const view = { from: 100, to: 300 };
  assert.equal(timeToX(view, 400, 150), 100);
  assert.equal(xToTime(view, 400, 100), 150);
});

test('zoomAt keeps the time at the pointer, and stays in the trace', () => {
  assert.deepEqual(zoomAt({ from: 0, to: 1000 }, 250, 0.5, whole), { from: 125, to: 625 });
  assert.deepEqual(zoomAt({ from: 0, to: 500 }, 0, 9, whole), whole);
});

test('panBy and within stop at the ends', () => {
  assert.deepEqual(panBy({ from: 0, to: 100 }, -50, whole), { from: 0, to: 100 });
  assert.deepEqual(panBy({ from: 0, to: 100 }, 5000, whole), { from: 900, to: 1000 });
  assert.deepEqual(within({ from: -10, to: 5000 }, whole), whole);
});

test('followGrowth follows a visible end, and keeps any other view', () => {
  const after = { from: 0, to: 2000 };
  assert.deepEqual(followGrowth(whole, whole, after), after);
  assert.deepEqual(followGrowth({ from: 900, to: 1000 }, whole, after), { from: 1900, to: 2000 });
  assert.deepEqual(followGrowth({ from: 100, to: 200 }, whole, after), { from: 100, to: 200 });
});

test('zoomAt stops at the shortest view, around the same time', () => {
  const { from, to } = zoomAt({ from: 100, to: 101 }, 100.25, 1e-9, whole);
  assert.ok(Math.abs(to - from - SHORTEST_VIEW_MS) < 1e-9, `${from} to ${to}`);
  assert.ok(Math.abs(from + SHORTEST_VIEW_MS / 4 - 100.25) < 1e-9, `${from} to ${to}`);
  assert.deepEqual(zoomAt({ from: 900, to: 1000 }, 1000, 2, whole), { from: 800, to: 1000 });
});

test('a view of the end keeps its length while the trace grows', () => {
  assert.deepEqual(followGrowth({ from: 1, to: 1000 }, whole, { from: 0, to: 1500 }), {
    from: 501,
    to: 1500,
  });
  assert.deepEqual(followGrowth({ from: 0, to: 999 }, whole, { from: 0, to: 1500 }), {
    from: 0,
    to: 999,
  });
  const less = followGrowth({ from: 600, to: 700 }, whole, { from: 0, to: 500 });
  assert.deepEqual(less, { from: 400, to: 500 });
});

test('rangeOf accepts two times in any order', () => {
  assert.deepEqual(rangeOf(7, 3), { from: 3, to: 7 });
  assert.deepEqual(rangeOf(3, 7), { from: 3, to: 7 });
});
