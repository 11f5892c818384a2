import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { signal } from '@preact/signals';
import { StandInElement } from '../../../test/stand-in-element.ts';
import { page, settle } from '../../../test/stand-in-page.ts';
import type { BoxInfo, FlameInfo } from './draw/flame-info.ts';
import { FlameInput, ROW_PX } from './flame-input.ts';
import type { Viewport } from './layout/viewport.ts';

const INFO = { rows: 50, span: 1000 } as FlameInfo;

function boxAt(row: number, x0: number, x1: number, box = row): BoxInfo {
  return { box, row, x0, x1, name: `f${box}`, total: x1 - x0 } as BoxInfo;
}

/** A graph of 50 rows and width 1,000. 20 rows and 500 to 700 are visible on 1,000 pixels: 0.2 per pixel. */
function open(t: TestContext, more: { upward?: boolean; rows?: number } = {}) {
  const element = new StandInElement(1000);
  const opened: BoxInfo[] = [];
  const parts = {
    name: 'flame',
    info: signal<FlameInfo | null>({ ...INFO, rows: more.rows ?? 50 }),
    viewport: signal<Viewport>({ x0: 500, x1: 700, top: 180 }),
    hover: signal<BoxInfo | null>(null),
    chosen: signal<BoxInfo | null>(null),
    size: signal({ width: 1000, height: 20 * ROW_PX }),
    upward: more.upward ?? false,
    open: (box: BoxInfo) => void opened.push(box),
  };
  const input = new FlameInput(element.element, parts);
  t.after(() => input.stop());
  const viewport = (): number[] => {
    const { x0, x1, top } = parts.viewport.value;
    return [x0, x1, top].map((value) => Math.round(value * 1000) / 1000);
  };
  return { ...parts, element, input, opened, viewport };
}

beforeEach(() => {
  page.asked.length = 0;
  page.answers = {
    hitFlame: ({ row, x }) => boxAt(row, x, x + 10),
    nearFlame: () => null,
    searchFlame: () => ({ boxes: 0, share: 0 }),
  };
});

const asked = (name: string): unknown[] =>
  page.asked.filter((call) => call.name === name).map(({ args }) => args);

test('the wheel scrolls, a sideways wheel moves, and with Ctrl it zooms around the pointer', (t) => {
  const { element, viewport } = open(t);
  assert.equal(element.send('wheel', { deltaY: 40 }), true, 'the page does not scroll');
  assert.deepEqual(viewport(), [500, 700, 220]);
  element.send('wheel', { deltaX: 100 });
  assert.deepEqual(viewport(), [520, 720, 220]);
  element.send('wheel', { deltaY: -50, shiftKey: true });
  assert.deepEqual(viewport(), [510, 710, 220]);
  element.send('wheel', { x: 250, deltaY: -100, ctrlKey: true });
  const [x0 = 0, x1 = 0] = viewport();
  assert.ok(x1 - x0 < 200 && Math.abs(x0 + (x1 - x0) / 4 - 560) < 0.01, `${x0} to ${x1}`);
  element.send('wheel', { deltaY: 1e6 });
  assert.equal(viewport()[2], 30 * ROW_PX, 'not past the last row');
});

test('the wheel zooms if all rows fit, and upward graphs scroll in the other direction', (t) => {
  const flat = open(t, { rows: 20 });
  flat.element.send('wheel', { x: 500, deltaY: -100 });
  const [x0 = 0, x1 = 0] = flat.viewport();
  assert.ok(x1 - x0 < 200 && Math.abs((x0 + x1) / 2 - 600) < 0.01, `${x0} to ${x1}`);
  const upward = open(t, { upward: true });
  upward.element.send('wheel', { deltaY: -40 });
  assert.deepEqual(upward.viewport(), [500, 700, 220]);
});

test('a drag moves the graph with the pointer, and chooses nothing', async (t) => {
  const { element, viewport, chosen } = open(t);
  element.send('pointerdown', { x: 500, y: 100 });
  element.send('pointermove', { x: 400, y: 110 });
  assert.deepEqual(viewport(), [520, 720, 170]);
  element.send('pointerup', { x: 400, y: 110 });
  await settle();
  assert.equal(chosen.value, null);
  element.send('pointermove', { x: 100, y: 110 });
  assert.deepEqual(viewport(), [520, 720, 170], 'it ended');
  const other = open(t, { upward: true });
  other.element.send('pointerdown', { x: 500, y: 100 });
  other.element.send('pointermove', { x: 500, y: 110 });
  assert.deepEqual(other.viewport(), [500, 700, 190]);
});

test('a click chooses the box under it, and focuses the graph', async (t) => {
  const { element, chosen } = open(t);
  element.send('pointerdown', { x: 250, y: 10 });
  element.send('pointermove', { x: 252, y: 11 });
  element.send('pointerup', { x: 250, y: 10 });
  await settle();
  assert.deepEqual(asked('hitFlame').at(-1), { canvas: 'flame', row: 10, x: 550 });
  assert.equal(chosen.value?.row, 10);
  assert.equal(element.focused, 1);
  page.answers.hitFlame = () => null;
  element.send('pointerdown', { x: 250, y: 10 });
  element.send('pointerup', { x: 250, y: 10 });
  await settle();
  assert.equal(chosen.value, null, 'there is nothing outside of the boxes');
  const upward = open(t, { upward: true });
  upward.element.send('pointerdown', { x: 250, y: 350 });
  upward.element.send('pointerup', { x: 250, y: 350 });
  await settle();
  assert.deepEqual(asked('hitFlame').at(-1), { canvas: 'flame', row: 10, x: 550 });
  assert.equal(element.send('pointerdown', { button: 2 }), false);
  element.send('pointerup', { button: 2 });
  await settle();
  assert.equal(asked('hitFlame').length, 3, 'the right button is left to the browser');
});

test('the box under the pointer is requested one position at a time, always the latest', async (t) => {
  const { element, hover } = open(t);
  const { promise, resolve } = Promise.withResolvers<BoxInfo>();
  page.answers.hitFlame = () => promise;
  for (const x of [0, 100, 200]) element.send('pointermove', { x, y: 0 });
  await settle();
  assert.equal(asked('hitFlame').length, 1);
  page.answers.hitFlame = () => boxAt(10, 540, 550);
  resolve(boxAt(10, 500, 510));
  await settle();
  assert.deepEqual(
    asked('hitFlame').map((args) => Reflect.get(Object(args), 'x')),
    [500, 540],
  );
  assert.equal(hover.value?.x0, 540);
  const same = hover.value;
  element.send('pointermove', { x: 201, y: 0 });
  await settle();
  assert.equal(hover.value, same, 'the same box is not set again');
  element.send('pointerleave');
  assert.equal(hover.value, null);
});

test('an answer after the pointer has left shows nothing', async (t) => {
  const { element, hover } = open(t);
  const { promise, resolve } = Promise.withResolvers<BoxInfo>();
  page.answers.hitFlame = () => promise;
  element.send('pointermove', { x: 0, y: 0 });
  await settle();
  element.send('pointerleave');
  resolve(boxAt(10, 500, 510));
  await settle();
  assert.equal(hover.value, null);
});

test('a double click fills the width with the box', async (t) => {
  const { element, viewport, chosen } = open(t);
  element.send('dblclick', { x: 0, y: 0 });
  await settle();
  assert.deepEqual(viewport(), [500, 510, 180]);
  assert.equal(chosen.value?.row, 10);
  page.answers.hitFlame = () => null;
  element.send('dblclick', { x: 0, y: 0 });
  await settle();
  assert.deepEqual(viewport(), [500, 510, 180]);
});

test('keys zoom, scroll and show all', async (t) => {
  const { element, viewport } = open(t);
  const after = async (key: string): Promise<number[]> => {
    assert.equal(element.press(key), true, key);
    await settle();
    return viewport();
  };
  assert.deepEqual(await after('+'), [530, 670, 180]);
  assert.deepEqual(await after('-'), [502, 698, 180]);
  assert.deepEqual(await after('='), [531.4, 668.6, 180]);
  assert.deepEqual(await after('PageDown'), [531.4, 668.6, 468]);
  assert.deepEqual(await after('PageUp'), [531.4, 668.6, 180]);
  assert.deepEqual(await after('0'), [0, 1000, 0]);
  for (const key of ['a', 'Tab']) assert.equal(element.press(key), false);
  for (const held of ['altKey', 'ctrlKey', 'metaKey'])
    assert.equal(element.press('0', { [held]: true }), false);
});

test('arrow keys go from box to box, and up and down are swapped in upward graphs', async (t) => {
  const { element, chosen } = open(t);
  let next = 11;
  page.answers.nearFlame = () => boxAt(12, 510, 520, next++);
  for (const key of ['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight']) element.press(key);
  await settle();
  await settle();
  assert.deepEqual(asked('nearFlame'), [
    { canvas: 'flame', box: -1, to: 'first' },
    { canvas: 'flame', box: 11, to: 'parent' },
    { canvas: 'flame', box: 12, to: 'previous' },
    { canvas: 'flame', box: 13, to: 'next' },
  ]);
  assert.equal(chosen.value?.box, 14);
  element.press('ArrowDown');
  await settle();
  assert.deepEqual(asked('nearFlame').at(-1), { canvas: 'flame', box: 14, to: 'child' });
  const upward = open(t, { upward: true });
  upward.chosen.value = boxAt(1, 0, 1);
  upward.element.press('ArrowUp');
  await settle();
  assert.deepEqual(asked('nearFlame').at(-1), { canvas: 'flame', box: 1, to: 'child' });
});

test('the chosen box is moved into view at the same zoom', async (t) => {
  const { element, viewport } = open(t);
  const go = async (box: BoxInfo): Promise<number[]> => {
    page.answers.nearFlame = () => box;
    element.press('ArrowRight');
    await settle();
    return viewport();
  };
  assert.deepEqual(await go(boxAt(12, 510, 520)), [500, 700, 180]);
  assert.deepEqual(await go(boxAt(12, 700, 720)), [610, 810, 180], 'next to the visible part');
  assert.deepEqual(await go(boxAt(5, 700, 720)), [610, 810, 90], 'above it');
  assert.deepEqual(await go(boxAt(40, 700, 720)), [610, 810, 378], 'below it');
});

test('Enter fills the width with the chosen box, opens it with Shift, and chooses the first box if there is none', async (t) => {
  const { element, viewport, chosen, opened } = open(t);
  page.answers.nearFlame = () => boxAt(10, 500, 600);
  element.press('Enter');
  await settle();
  assert.equal(chosen.value?.box, 10);
  element.press('Enter', { shiftKey: true });
  await settle();
  assert.deepEqual([opened.length, opened[0]?.box], [1, 10]);
  assert.deepEqual(viewport(), [500, 700, 180]);
  element.press('Enter');
  await settle();
  assert.deepEqual(viewport(), [500, 600, 180]);
});

test('Escape resets box, zoom and scroll position, and is left to the page if there is nothing to reset', async (t) => {
  const { element, viewport, chosen } = open(t);
  chosen.value = boxAt(1, 0, 1);
  assert.equal(element.press('Escape'), true);
  await settle();
  assert.deepEqual([viewport(), chosen.value], [[0, 1000, 0], null]);
  assert.equal(element.press('Escape'), false);
});

test('a step before the graph exists waits for it', async (t) => {
  const { element, info } = open(t);
  info.value = null;
  element.press('ArrowDown');
  await settle();
  assert.deepEqual(asked('nearFlame'), []);
  info.value = INFO;
  await settle();
  assert.equal(asked('nearFlame').length, 1);
});

test('a step to a match searches first, and makes a narrow match wide enough to be visible', async (t) => {
  const { input, viewport, chosen } = open(t);
  page.answers.nearFlame = () => boxAt(10, 600, 601);
  input.goToMatch({ to: 'next_match', pattern: 'draw' });
  await settle();
  assert.deepEqual(
    page.asked.map(({ name, args }) => [name, args]),
    [
      ['searchFlame', { canvas: 'flame', pattern: 'draw' }],
      ['nearFlame', { canvas: 'flame', box: -1, to: 'next_match' }],
    ],
  );
  assert.equal(chosen.value?.box, 10);
  assert.deepEqual(viewport(), [594, 607, 180]);
  page.answers.nearFlame = () => boxAt(10, 600, 605);
  input.goToMatch({ to: 'next_match', pattern: 'draw' });
  await settle();
  assert.deepEqual(viewport(), [594, 607, 180], 'wide enough already');
});

test('after `stop` no event has an effect', async (t) => {
  const { element, input, viewport } = open(t);
  input.stop();
  assert.equal(element.send('wheel', { deltaY: 40 }), false);
  element.press('0');
  await settle();
  assert.deepEqual(viewport(), [500, 700, 180]);
});
