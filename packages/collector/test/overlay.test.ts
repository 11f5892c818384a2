// The overlay in the page: its key, frames, timer and buttons. A removed overlay leaves nothing behind.
import './fake-clock.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as svc from '../src/index.ts';
import { addOverlay } from '../src/overlay/overlay.ts';
import { clock } from './fake-clock.ts';
import { openPage } from './fake-page.ts';
import { setGlobal } from './recorded.ts';

test('only its key opens and closes the overlay, and a key that is held down only once', (t) => {
  const { press, isOpen } = openPage(t);
  addOverlay();
  assert.equal(isOpen(), 0);
  assert.equal(press('F8'), false);
  assert.equal(isOpen(), 0);
  assert.equal(press('F9'), true, 'the page does not act on it');
  assert.equal(isOpen(), 1);
  assert.equal(press('F9', true), false);
  assert.equal(isOpen(), 1);
  press('F9');
  assert.equal(isOpen(), 0);
  press('F9');
  assert.equal(isOpen(), 1);
});

test('an invalid option has its default', (t) => {
  const { press, isOpen } = openPage(t);
  const add = (options: unknown) => Reflect.apply(addOverlay, undefined, [options]);
  for (const options of [null, { key: '', open: 'yes', frameBudgetMs: -1 }, { key: 5, open: 1 }]) {
    const remove = add(options);
    assert.equal(isOpen(), 0);
    press('F9');
    assert.equal(isOpen(), 1);
    remove();
    assert.equal(isOpen(), 0);
  }
  add({ key: 'KeyP', open: true });
  assert.equal(isOpen(), 1);
  press('F9');
  assert.equal(isOpen(), 1);
  press('KeyP');
  assert.equal(isOpen(), 0);
});

test('a new overlay replaces the previous one, and a removed one no longer listens for its key', (t) => {
  const { press, isOpen } = openPage(t);
  addOverlay({ key: 'F7', open: true });
  const remove = addOverlay({ key: 'F8' });
  assert.equal(isOpen(), 0, 'the first is removed');
  assert.equal(press('F7'), false);
  press('F8');
  assert.equal(isOpen(), 1);
  remove();
  assert.equal(isOpen(), 0);
  assert.equal(press('F8'), false);
  assert.equal(isOpen(), 0);
});

test('without a recording, an open overlay measures frames itself, and a closed one has no timer', (t) => {
  const { asked, cancelled, press, panel } = openPage(t);
  const update = t.mock.fn(setInterval);
  setGlobal(t, 'setInterval', update);
  const cleared = t.mock.fn(clearInterval);
  setGlobal(t, 'clearInterval', cleared);
  addOverlay();
  assert.deepEqual([asked.length, update.mock.callCount()], [0, 0]);
  press('F9');
  assert.equal(asked.length, 1);
  assert.equal(panel().texts[0], '–');
  for (const time of [1_000, 1_010, 1_030, 7_000, 7_000, 7_030]) asked.at(-1)?.(time);
  assert.equal(asked.length, 7);
  t.mock.timers.tick(1_000);
  assert.deepEqual(panel().texts.slice(0, 2), ['50', ' fps'], '10, 20 and 30 ms');
  assert.ok(panel().texts.includes('30.0 ms'));
  assert.equal(asked.length, 7, 'frames are requested once');
  press('F9');
  assert.deepEqual(cancelled.at(-1), 7);
  assert.equal(cleared.mock.calls.at(-1)?.arguments[0], update.mock.calls[0]?.result);
  press('F9');
  assert.equal(asked.length, 8);
  asked.at(-1)?.(9_000);
  t.mock.timers.tick(1_000);
  assert.equal(panel().texts[0], '50', 'the time while it was closed is not a frame');
});

test('with a recording the overlay shows its frames, and does not measure', (t) => {
  const { asked, cancelled, press, panel, button } = openPage(t);
  addOverlay({ open: true });
  assert.equal(asked.length, 1);
  cancelled.length = 0;
  const { texts } = panel();
  assert.ok(texts.includes('Nothing recorded yet'));
  assert.ok(button('Export').disabled);
  button('Record').dispatchEvent(new Event('click'));
  assert.equal(svc.status().state, 'recording');
  assert.ok(!button('Export').disabled);
  assert.deepEqual(cancelled, [1], 'its own measurement has ended');
  assert.equal(asked.length, 2, 'the second request is the recording’s');
  for (let at = 0; at < 5; at++) {
    clock.ms += 25;
    asked.at(-1)?.(clock.ms);
  }
  svc.asset('rock', { phase: 'decode', mainThreadMs: 12, bytes: 2_097_152 });
  t.mock.timers.tick(1_000);
  assert.equal(panel().texts[0], '40');
  assert.ok(!panel().texts.includes('rock'), 'assets are updated every second time');
  t.mock.timers.tick(1_000);
  const shown = panel().texts;
  assert.deepEqual(shown.slice(shown.indexOf('rock'), shown.indexOf('rock') + 3), [
    'rock',
    '12.0 ms',
    '2.0 MiB',
  ]);
  button('Stop').dispatchEvent(new Event('click'));
  assert.equal(svc.status().state, 'stopped');
  assert.ok(panel().texts.some((text) => text.startsWith('Stopped · ')));
  assert.ok(!button('Export').disabled);
  button('×').dispatchEvent(new Event('click'));
  press('F9');
  button('Record').dispatchEvent(new Event('click'));
  assert.equal(svc.status().state, 'recording', 'it records again');
});

test('without a document the overlay does nothing', (t) => {
  openPage(t);
  const listen = t.mock.fn();
  setGlobal(t, 'addEventListener', listen);
  setGlobal(t, 'document', undefined);
  const remove = addOverlay({ open: true });
  remove();
  assert.equal(listen.mock.callCount(), 0);
});
