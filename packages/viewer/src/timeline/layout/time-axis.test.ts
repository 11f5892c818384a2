import assert from 'node:assert/strict';
import { test } from 'node:test';
import { followGrowth, panBy, timeToX, within, xToTime, zoomAt } from './time-axis.ts';

const whole = { from: 0, to: 1000 };

test('timeToX and xToTime undo each other', () => {
  const view = { from: 100, to: 300 };
  assert.equal(timeToX(view, 400, 150), 100);
  assert.equal(xToTime(view, 400, 100), 150);
});

test('zoomAt keeps the moment under the pointer, and stays in the trace', () => {
  assert.deepEqual(zoomAt({ from: 0, to: 1000 }, 250, 0.5, whole), { from: 125, to: 625 });
  assert.deepEqual(zoomAt({ from: 0, to: 500 }, 0, 9, whole), whole);
});

test('panBy and within stop at the ends', () => {
  assert.deepEqual(panBy({ from: 0, to: 100 }, -50, whole), { from: 0, to: 100 });
  assert.deepEqual(panBy({ from: 0, to: 100 }, 5000, whole), { from: 900, to: 1000 });
  assert.deepEqual(within({ from: -10, to: 5000 }, whole), whole);
});

test('followGrowth follows the end where it was seen, and leaves any other view alone', () => {
  const after = { from: 0, to: 2000 };
  assert.deepEqual(followGrowth(whole, whole, after), after);
  assert.deepEqual(followGrowth({ from: 900, to: 1000 }, whole, after), { from: 1900, to: 2000 });
  assert.deepEqual(followGrowth({ from: 100, to: 200 }, whole, after), { from: 100, to: 200 });
});
