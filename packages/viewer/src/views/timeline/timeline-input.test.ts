import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { StandInElement } from '../../../test/stand-in-element.ts';
import '../../../test/stand-in-page.ts';
import { momentRange, selection } from '../../state/address.ts';
import { showMomentHere } from './frame-at-cursor.ts';
import { handleTimelineInput } from './timeline-input.ts';
import { cursor, measured, releaseCursor, visibleRange } from './timeline-state.ts';

// A view of 400 ms on 1,000 pixels, of a trace of 1,000 ms: 0.4 ms per pixel.
const chart = new StandInElement(1000);
handleTimelineInput(chart.element);

beforeEach(() => {
  measured.value = { duration: 1000, tracks: [], gaps: [] };
  visibleRange.value = { from: 200, to: 600 };
  selection.value = null;
  for (const pointerId of [1, 2]) chart.send('pointerup', { pointerId });
  selection.value = null;
  releaseCursor();
});

const near = (value: { from: number; to: number } | null, from: number, to: number): void => {
  const message = `${value?.from} to ${value?.to}`;
  assert.ok(value !== null && Math.abs(value.from - from) < 1e-6, message);
  assert.ok(Math.abs(value.to - to) < 1e-6, message);
};

function drag(from: number, to: number, how: Record<string, unknown> = {}): void {
  chart.send('pointerdown', { x: from, ...how });
  chart.send('pointermove', { x: (from + to) / 2, ...how });
  chart.send('pointermove', { x: to, ...how });
  chart.send('pointerup', { x: to, ...how });
}

test('the wheel zooms around the time at the pointer, and upwards zooms in', () => {
  assert.equal(chart.send('wheel', { x: 250, deltaY: -100 }), true, 'the page does not scroll');
  const { from, to } = visibleRange.value;
  assert.ok(to - from < 400, `${from} to ${to}`);
  assert.ok(Math.abs(from + (to - from) / 4 - 300) < 1e-6, `${from} to ${to}`);
  chart.send('wheel', { x: 250, deltaY: 100 });
  near(visibleRange.value, 200, 600);
});

test('a sideways wheel, or the wheel with Shift, moves the view', () => {
  chart.send('wheel', { deltaX: 100, deltaY: 20 });
  near(visibleRange.value, 240, 640);
  chart.send('wheel', { deltaY: -50, shiftKey: true });
  near(visibleRange.value, 220, 620);
  chart.send('wheel', { deltaX: 50, deltaY: 0, shiftKey: true });
  near(visibleRange.value, 240, 640);
  chart.send('wheel', { deltaX: 1e6, deltaY: 0 });
  near(visibleRange.value, 600, 1000);
});

test('a drag selects in either direction, and a click clears the selection', () => {
  drag(100, 300);
  near(selection.value, 240, 320);
  drag(500, 250);
  near(selection.value, 300, 400);
  near(visibleRange.value, 200, 600);
  drag(100, 103);
  assert.equal(selection.value, null);
  drag(100, 104);
  near(selection.value, 240, 241.6);
  assert.ok(chart.captured.length > 0);
});

test('a selection is limited to the trace', () => {
  visibleRange.value = { from: 0, to: 1000 };
  drag(900, 1500);
  near(selection.value, 900, 1000);
  drag(100, -700);
  near(selection.value, 0, 100);
  drag(-20, 0);
  assert.equal(selection.value, null);
});

test('a drag on the axis, with Shift, with the middle button or with a finger moves the view and keeps the selection', () => {
  const kept = { from: 1, to: 2 };
  for (const how of [{ y: 23 }, { shiftKey: true }, { button: 1 }, { pointerType: 'touch' }]) {
    visibleRange.value = { from: 200, to: 600 };
    selection.value = kept;
    drag(500, 250, how);
    near(visibleRange.value, 300, 700);
    assert.deepEqual(selection.value, kept, JSON.stringify(how));
    chart.send('pointerdown', { x: 5, ...how });
    chart.send('pointerup', { x: 5, ...how });
    assert.deepEqual(selection.value, kept, 'a click there keeps the selection');
  }
  selection.value = null;
  visibleRange.value = { from: 200, to: 600 };
  drag(500, 250, { y: 24 });
  near(selection.value, 300, 400);
});

test('the right button is left to the browser', () => {
  selection.value = { from: 1, to: 2 };
  drag(500, 250, { button: 2 });
  assert.deepEqual(selection.value, { from: 1, to: 2 });
  near(visibleRange.value, 200, 600);
});

test('a cancelled pointer ends the drag', () => {
  chart.send('pointerdown', { x: 100 });
  chart.send('pointermove', { x: 300 });
  chart.send('pointercancel', { x: 300 });
  chart.send('pointermove', { x: 700 });
  near(selection.value, 240, 320);
});

test('two fingers zoom by the change of their distance', () => {
  const finger = (pointerId: number, x: number) => ({ pointerId, x, pointerType: 'touch' });
  chart.send('pointerdown', finger(1, 400));
  chart.send('pointerdown', finger(2, 600));
  chart.send('pointermove', finger(2, 800));
  const { from, to } = visibleRange.value;
  assert.ok(Math.abs(to - from - 200) < 1e-6, `${from} to ${to}`);
  assert.ok(Math.abs(from + (to - from) * 0.6 - 440) < 1e-6, 'around their middle');
  chart.send('pointerup', finger(2, 800));
  chart.send('pointerup', finger(1, 400));
  assert.equal(selection.value, null);
});

test('the cursor follows the pointer within the trace, and disappears when it leaves', () => {
  chart.send('pointermove', { x: 250 });
  assert.equal(cursor.value, 300);
  visibleRange.value = { from: 0, to: 1000 };
  chart.send('pointermove', { x: 1200 });
  assert.equal(cursor.value, 1000);
  chart.send('pointermove', { x: -1 });
  assert.equal(cursor.value, 0);
  chart.send('pointerdown', { x: 5 });
  chart.send('pointerleave');
  assert.equal(cursor.value, 0, 'a drag continues outside');
  chart.send('pointerup', { x: 5 });
  chart.send('pointerleave');
  assert.equal(cursor.value, null);
});

test('a double click shows the selection, or else all', () => {
  selection.value = { from: 300, to: 310 };
  chart.send('dblclick');
  assert.deepEqual(visibleRange.value, { from: 300, to: 310 });
  selection.value = null;
  chart.send('dblclick');
  assert.deepEqual(visibleRange.value, { from: 0, to: 1000 });
});

test('a double click opens the longest frame near it, and M the frame at the crosshair', () => {
  const frames = {
    kind: 'frames',
    id: 'frames/browser',
    label: 'Frame time',
    source: 'browser',
    t: Float64Array.from([0, 100, 301, 381]),
    duration: Float64Array.from([100, 201, 80, 10]),
  } as const;
  measured.value = { duration: 1000, tracks: [frames], gaps: [] };
  chart.send('dblclick', { x: 255 });
  assert.deepEqual(momentRange.value, { from: 100, to: 301 }, '2 ms beside the click');
  chart.send('dblclick', { x: 900 });
  assert.deepEqual(momentRange.value, { from: 100, to: 301 }, 'there is no frame');
  momentRange.value = null;
  showMomentHere();
  assert.equal(momentRange.value, null, 'there is no crosshair');
  visibleRange.value = { from: 200, to: 600 };
  chart.send('pointermove', { x: 460 });
  showMomentHere();
  assert.deepEqual(momentRange.value, { from: 381, to: 391 });
  selection.value = { from: 5, to: 6 };
  showMomentHere();
  assert.deepEqual(momentRange.value, { from: 5, to: 6 });
  momentRange.value = null;
});

test('keys move, zoom and show', () => {
  selection.value = { from: 300, to: 310 };
  for (const [key, from, to] of [
    ['ArrowUp', 240, 560],
    ['+', 240, 560],
    ['=', 240, 560],
    ['ArrowDown', 150, 650],
    ['-', 150, 650],
    ['Home', 0, 400],
    ['End', 600, 1000],
    ['0', 0, 1000],
    ['Enter', 300, 310],
  ] as const) {
    visibleRange.value = { from: 200, to: 600 };
    assert.equal(chart.press(key), true, key);
    near(visibleRange.value, from, to);
  }
  visibleRange.value = { from: 200, to: 600 };
  cursor.value = 200;
  chart.press('+');
  near(visibleRange.value, 200, 520);
  visibleRange.value = { from: 200, to: 600 };
  cursor.value = 100;
  chart.press('+');
  near(visibleRange.value, 240, 560);
});

test('the left and right keys move the crosshair, and the view with it at its edges', () => {
  assert.equal(chart.press('ArrowRight'), true);
  assert.equal(cursor.value, 400, 'it appears in the middle');
  chart.press('ArrowRight');
  assert.equal(cursor.value, 408);
  chart.press('ArrowLeft');
  chart.press('ArrowLeft');
  assert.equal(cursor.value, 392);
  near(visibleRange.value, 200, 600);
  cursor.value = 596;
  chart.press('ArrowRight');
  assert.equal(cursor.value, 604);
  near(visibleRange.value, 300, 700);
  visibleRange.value = { from: 600, to: 1000 };
  cursor.value = 998;
  chart.press('ArrowRight');
  assert.equal(cursor.value, 1000);
  near(visibleRange.value, 600, 1000);
  cursor.value = 100;
  chart.press('ArrowLeft');
  assert.equal(cursor.value, 800, 'one that is out of view comes back');
});

test('a crosshair that a key placed stays when the pointer leaves, and Escape removes it', () => {
  assert.equal(chart.press('Escape'), false, 'there is none');
  chart.press('ArrowRight');
  chart.send('pointerleave');
  assert.equal(cursor.value, 400);
  assert.equal(chart.press('Escape'), true);
  assert.equal(cursor.value, null);
  chart.press('ArrowRight');
  chart.send('pointermove', { x: 250 });
  assert.equal(chart.press('Escape'), false, 'the pointer has taken it');
  chart.send('pointerleave');
  assert.equal(cursor.value, null);
});

test('a tap places the crosshair, and it stays when the finger is lifted', () => {
  const finger = { x: 250, pointerType: 'touch' };
  chart.send('pointerdown', finger);
  assert.equal(cursor.value, null);
  chart.send('pointerup', finger);
  chart.send('pointerleave', finger);
  assert.equal(cursor.value, 300);
  releaseCursor();
  chart.send('pointerdown', finger);
  chart.send('pointercancel', finger);
  assert.equal(cursor.value, null, 'a touch that scrolls the page places none');
});

test('other keys, and keys with Ctrl, Alt or Meta, are left to the browser', () => {
  for (const held of ['ctrlKey', 'metaKey', 'altKey']) {
    assert.equal(chart.press('ArrowLeft', { [held]: true }), false, held);
  }
  for (const key of ['a', 'Tab', 'Escape']) assert.equal(chart.press(key), false, key);
  near(visibleRange.value, 200, 600);
});

test('arrow keys with Shift create a selection and move its right end', () => {
  cursor.value = 300;
  chart.press('ArrowRight', { shiftKey: true });
  near(selection.value, 300, 310);
  chart.press('ArrowRight', { shiftKey: true });
  near(selection.value, 300, 320);
  chart.press('ArrowLeft', { shiftKey: true });
  near(selection.value, 300, 310);
  for (let i = 0; i < 3; i++) chart.press('ArrowLeft', { shiftKey: true });
  assert.ok((selection.value?.to ?? 0) > 300, 'never empty');
  selection.value = { from: 300, to: 595 };
  near(visibleRange.value, 200, 600);
  chart.press('ArrowRight', { shiftKey: true });
  near(visibleRange.value, 300, 700);
  selection.value = null;
  cursor.value = null;
  visibleRange.value = { from: 200, to: 600 };
  chart.press('ArrowRight', { shiftKey: true });
  near(selection.value, 400, 410);
});

test('after `stop` no event has an effect', () => {
  const other = new StandInElement(1000);
  handleTimelineInput(other.element)();
  assert.equal(other.send('wheel', { deltaY: 100 }), false);
  other.press('End');
  other.send('pointermove', { x: 5 });
  near(visibleRange.value, 200, 600);
  assert.equal(cursor.value, null);
});
