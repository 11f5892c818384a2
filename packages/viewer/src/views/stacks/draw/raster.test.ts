import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderLeftHeavy, readFolded } from '@svc/trace';
import { layOutTree, rowOf } from '../layout/flame-layout.ts';
import { type FlameView, labelledBoxes, rasterFlame, rowTop, visibleRows } from './raster.ts';

const GROUND = 0xff000000;

function drawn(
  text: string,
  size: Partial<FlameView> = {},
  matched: ReadonlySet<string> | null = null,
) {
  const { tree } = readFolded(text);
  const { width, order } = orderLeftHeavy(tree);
  const layout = layOutTree(tree.parents, width, order);
  const view: FlameView = {
    x0: 0,
    x1: layout.span,
    top: 0,
    width: 200,
    height: 60,
    rowHeight: 10,
    ratio: 1,
    upward: false,
    ...size,
  };
  const palette = Uint32Array.from({ length: 256 }, (_, index) => 0xff000001 + index);
  const paint = Uint8Array.from(tree.nodeFrames, (frame) => frame % 100);
  const before = new Uint32Array(layout.node.length + 1);
  for (let box = 0; box < layout.node.length; box++) {
    const name = tree.frames.name(tree.nodeFrames[layout.node[box] ?? 0] ?? 0);
    before[box + 1] = (before[box] ?? 0) + (matched?.has(name) ? 1 : 0);
  }
  const pixels = new Uint32Array(view.width * view.height);
  rasterFlame(
    pixels,
    layout,
    { paint, palette, ground: GROUND, matchesBefore: matched && before },
    view,
  );
  const at = (x: number, y: number): number =>
    (pixels[Math.floor(y) * view.width + Math.floor(x)] ?? 0) - 0xff000001;
  return { tree, layout, view, paint, at };
}

test('rasterFlame gives the centre of every box that is two pixels wide its colour', () => {
  const lines = Array.from(
    { length: 60 },
    (_, i) => `root;m${i % 7};f${i};g${i % 3} ${1 + ((i * 37) % 90)}`,
  );
  const { layout, view, paint, at } = drawn(`${lines.join('\n')}\n`, { width: 1200 });
  let visited = 0;
  for (let box = 0; box < layout.node.length; box++) {
    const scale = view.width / layout.span;
    const [left = 0, right = 0] = [(layout.x0[box] ?? 0) * scale, (layout.x1[box] ?? 0) * scale];
    if (right - left < 2) continue;
    visited++;
    const y = rowTop(rowOf(layout, box), view) + 4;
    assert.equal(at((left + right) / 2, y), paint[layout.node[box] ?? 0], `box ${box}`);
  }
  assert.ok(visited > 60);
});

test('rasterFlame visits no more boxes than pixels, and still shows thin ones', () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `root;f${i} 1`);
  const { at } = drawn(`${lines.join('\n')}\n`);
  for (let x = 0; x < 200; x++) assert.notEqual(at(x, 14), GROUND - 0xff000001, `pixel ${x}`);
});

test('rasterFlame dims boxes that do not match, and shows a match among thin boxes', () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `root;f${i} 1`);
  const { at } = drawn(`${lines.join('\n')}\n`, {}, new Set(['f777']));
  const bright = Array.from({ length: 200 }, (_, x) => at(x, 14)).filter((index) => index < 128);
  assert.equal(bright.length, 1);
  assert.ok(at(3, 4) >= 128);
});

test('rowTop counts from the top, or from the bottom for upward graphs', () => {
  const view = {
    x0: 0,
    x1: 1,
    top: 5,
    width: 1,
    height: 100,
    rowHeight: 10,
    ratio: 1,
    upward: false,
  };
  assert.equal(rowTop(2, view), 15);
  assert.equal(rowTop(2, { ...view, upward: true }), 75);
});

test('labelledBoxes returns only boxes that are wide enough, cut to the view', () => {
  const { layout, view } = drawn('a;wide 90\na;thin 1\na;other 9\n', { x0: 50, x1: 100 });
  const labels = labelledBoxes(layout, view, 30);
  assert.equal(labels.length, 3);
  assert.ok(labels.every((label) => label.x >= 0 && label.x + label.width <= view.width + 1e-9));
});

test('visibleRows includes rows that are partly visible', () => {
  const { layout, view } = drawn('a;b;c;d;e 1\n');
  const rows = (top: number, height: number) => visibleRows(layout, { ...view, top, height });
  assert.deepEqual(rows(0, 20), { first: 0, last: 2 });
  assert.deepEqual(rows(1, 20), { first: 0, last: 3 });
  assert.deepEqual(rows(10, 10), { first: 1, last: 2 });
  assert.deepEqual(rows(-5, 10), { first: 0, last: 1 });
  assert.deepEqual(rows(40, 100), { first: 4, last: 5 });
});

test('labelledBoxes returns the position of each box, and finds wide boxes among thin ones', () => {
  const { layout, view } = drawn('a;wide 90\na;thin 1\na;other 9\n', { x0: 50, x1: 100 });
  const labels = labelledBoxes(layout, view, 30).map(({ x, y, width }) => [
    x,
    y,
    Math.round(width),
  ]);
  assert.deepEqual(labels, [
    [0, 0, 200],
    [0, 10, 160],
    [160, 10, 36],
  ]);
  const cut = labelledBoxes(layout, { ...view, x1: 80 }, 30);
  assert.deepEqual(
    cut.map(({ width }) => Math.round(width)),
    [200, 200],
  );
  const thin = Array.from({ length: 500 }, (_, i) => `root;f${i} 1`);
  const many = drawn(`${thin.join('\n')}\nroot;wide 300\n`);
  const wide = labelledBoxes(many.layout, many.view, 30);
  assert.deepEqual(
    wide.map(({ box }) => many.layout.x1[box]),
    [800, 300],
  );
  const order = drawn(`root;a 300\n${thin.join('\n')}\n`, { x0: 290, x1: 800 });
  assert.equal(labelledBoxes(order.layout, order.view, 30).length, 1);
});

test('one pixel between boxes and rows stays free, and nothing is drawn outside of the graph', () => {
  const { at } = drawn('a;b 1\nc 1\n', { x0: -2, x1: 4, height: 40, width: 120 });
  const free = GROUND - 0xff000001;
  assert.deepEqual(
    [39, 40, 58, 59, 60, 79, 80].map((x) => at(x, 0) === free),
    [true, false, false, true, false, true, true],
  );
  assert.deepEqual(
    [8, 9, 10, 18, 19, 20].map((y) => at(45, y) === free),
    [false, true, false, false, true, true],
  );
});
