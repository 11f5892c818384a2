import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  clampViewport,
  isSameBox,
  panViewport,
  viewportAfterGrowth,
  viewportOfBox,
  zoomViewport,
} from './viewport.ts';

test('zoomViewport keeps the point under the pointer', () => {
  const viewport = zoomViewport({ x0: 0, x1: 100, top: 0 }, 0.25, 0.5);
  assert.deepEqual(viewport, { x0: 12.5, x1: 62.5, top: 0 });
});

test('clampViewport never leaves the graph and never shows more than all', () => {
  const extent = { span: 100, rows: 50 };
  assert.deepEqual(clampViewport({ x0: -20, x1: 40, top: -3 }, extent, 100, 10), {
    x0: 0,
    x1: 60,
    top: 0,
  });
  assert.deepEqual(clampViewport({ x0: -20, x1: 400, top: 9999 }, extent, 100, 10), {
    x0: 0,
    x1: 100,
    top: 400,
  });
});

test('panViewport moves by parts of the visible width', () => {
  assert.deepEqual(panViewport({ x0: 10, x1: 20, top: 5 }, 0.5, 7), { x0: 15, x1: 25, top: 12 });
});

test('viewportOfBox fills the width with a box and scrolls only when its row is not in view', () => {
  const viewport = { x0: 0, x1: 100, top: 0 };
  assert.deepEqual(viewportOfBox({ x0: 3, x1: 4, row: 2 }, viewport, 100, 10), {
    x0: 3,
    x1: 4,
    top: 0,
  });
  assert.equal(viewportOfBox({ x0: 3, x1: 4, row: 30 }, viewport, 90, 10).top, 270);
});

test('viewportAfterGrowth still shows all, or keeps a box at its place, or keeps the same part', () => {
  const before = { span: 100, rows: 4 };
  const after = { span: 200, rows: 5 };
  const none = { before, after, was: null, again: null };
  assert.deepEqual(viewportAfterGrowth({ x0: 0, x1: 100, top: 7 }, none), {
    x0: 0,
    x1: 200,
    top: 7,
  });
  assert.deepEqual(viewportAfterGrowth({ x0: 25, x1: 50, top: 0 }, none), {
    x0: 50,
    x1: 100,
    top: 0,
  });
  const box = { before, after, was: { x0: 30, x1: 40 }, again: { x0: 100, x1: 130 } };
  assert.deepEqual(viewportAfterGrowth({ x0: 30, x1: 50, top: 0 }, box), {
    x0: 100,
    x1: 160,
    top: 0,
  });
});

test('clampViewport stops at the precision of doubles, at the same place', () => {
  const { x0, x1 } = clampViewport({ x0: 50, x1: 50, top: 0 }, { span: 100, rows: 1 }, 100, 10);
  assert.ok(x1 > x0 && x1 - x0 < 1e-9, `${x0} to ${x1}`);
  const right = clampViewport({ x0: 90, x1: 120, top: 0 }, { span: 100, rows: 1 }, 100, 10);
  assert.deepEqual(right, { x0: 70, x1: 100, top: 0 });
});

test('viewportOfBox does not scroll if the row is completely in view', () => {
  const box = (row: number) => ({ x0: 0, x1: 1, row });
  const viewport = { x0: 0, x1: 1, top: 20 };
  assert.deepEqual(
    [1, 2, 11, 12].map((row) => viewportOfBox(box(row), viewport, 100, 10).top),
    [10 - 100 / 3, 20, 20, 120 - 100 / 3],
  );
});

test('viewportAfterGrowth stays within the graph, and accepts an empty previous one', () => {
  const before = { span: 100, rows: 4 };
  const after = { span: 110, rows: 4 };
  const box = { before, after, was: { x0: 40, x1: 50 }, again: { x0: 5, x1: 25 } };
  assert.deepEqual(viewportAfterGrowth({ x0: 30, x1: 90, top: 0 }, box), {
    x0: 0,
    x1: 105,
    top: 0,
  });
  assert.deepEqual(viewportAfterGrowth({ x0: 30, x1: 99, top: 0 }, box), {
    x0: 0,
    x1: 110,
    top: 0,
  });
  const empty = { before: { span: 0, rows: 0 }, after, was: null, again: null };
  assert.deepEqual(viewportAfterGrowth({ x0: 5, x1: -1, top: 3 }, empty), {
    x0: 5,
    x1: -1,
    top: 3,
  });
});

test('isSameBox compares place, name and weight', () => {
  const box = { box: 1, name: 'a', x0: 0, total: 5 };
  assert.equal(isSameBox(box, { ...box }), true);
  assert.deepEqual(
    [isSameBox(null, null), isSameBox(box, null), isSameBox(null, box)],
    [true, false, false],
  );
  for (const other of [{ box: 2 }, { name: 'b' }, { x0: 1 }, { total: 6 }])
    assert.equal(isSameBox(box, { ...box, ...other }), false, JSON.stringify(other));
});
