// The values that the open overlay shows, and pages that lack something or throw.
import './fake-clock.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Uploads } from '../src/gpu/uploads.ts';
import * as svc from '../src/index.ts';
import { addOverlay } from '../src/overlay/overlay.ts';
import { latest } from '../src/recording/active.ts';
import { FakeElement, openPage } from './fake-page.ts';
import { setGlobal } from './recorded.ts';

const PARTS = {
  frames: false,
  longTasks: false,
  memory: false,
  resources: false,
  images: false,
  audio: false,
  webgl: false,
  webgpu: false,
} as const;

function setHeap(t: TestContext, usedJSHeapSize: number): void {
  const memory = { usedJSHeapSize };
  Object.defineProperty(performance, 'memory', { value: memory, configurable: true });
  t.after(() => Reflect.deleteProperty(performance, 'memory'));
}

test('the overlay shows the frame time that 99 % of frames do not exceed', (t) => {
  const { asked, panel } = openPage(t);
  addOverlay({ open: true });
  let time = 1_000;
  asked.at(-1)?.(time);
  for (let frame = 1; frame <= 100; frame++) {
    time += frame;
    asked.at(-1)?.(time);
  }
  t.mock.timers.tick(1_000);
  assert.ok(panel().texts.includes('99.0 ms'), panel().texts.join(' '));
});

test('the overlay shows the heap of the recording, else that of the browser, and all GPU memory', (t) => {
  setHeap(t, 3 * 1_048_576);
  const { panel } = openPage(t);
  const valueAfter = (term: string): string | undefined => {
    const { texts } = panel();
    return texts[texts.indexOf(term) + 1];
  };
  addOverlay({ open: true });
  assert.deepEqual([valueAfter('heap'), valueAfter('GPU')], ['3.0 MiB', '0 B']);
  svc.start({ parts: PARTS });
  const { sink, assets } = latest() ?? assert.fail();
  sink.heapBytes = 5 * 1_048_576;
  new Uploads(assets).add(assets.ofName('rock', 'texture'), 0, 1, 7 * 1_048_576);
  t.mock.timers.tick(2_000);
  assert.deepEqual([valueAfter('heap'), valueAfter('GPU')], ['5.0 MiB', '7.0 MiB']);
});

test('the overlay shows what is unknown, missing or lost', (t) => {
  const { panel, button } = openPage(t);
  svc.start({ parts: PARTS });
  svc.stop();
  addOverlay({ open: true });
  const { texts } = panel();
  assert.equal(texts[texts.indexOf('heap') + 1], 'unknown');
  const rows = () => panel().all.filter(({ tag }) => tag === 'li');
  const visible = () => rows().filter(({ hidden }) => !hidden);
  assert.deepEqual(
    visible().map((row) => row.texts),
    [['No asset costs yet']],
  );
  const pressed = (): unknown => button('Record').attributes['aria-pressed'];
  assert.equal(pressed(), 'false');
  svc.start({ parts: PARTS });
  svc.counter('enemies', Number.NaN);
  for (const name of ['rock', 'tree']) svc.asset(name, { phase: 'decode', mainThreadMs: 12 });
  t.mock.timers.tick(2_000);
  assert.equal(button('Stop').attributes['aria-pressed'], 'true');
  assert.ok(panel().texts.some((text) => /^Recording · .* · 1 lost$/.test(text)));
  assert.deepEqual(
    visible().map((row) => row.texts[0]),
    ['rock', 'tree'],
  );
  const [row] = rows();
  row?.dispatchEvent(new Event('pointerenter'));
  assert.ok(row?.all.some(({ title }) => title === 'rock'));
});

test('a frame budget of a second or more is invalid', (t) => {
  const { panel } = openPage(t);
  const labelOf = (frameBudgetMs: number): unknown => {
    const remove = addOverlay({ open: true, frameBudgetMs });
    const label = panel()
      .all.map(({ attributes }) => attributes['aria-label'])
      .find((one) => one?.startsWith('Frame times'));
    remove();
    return label;
  };
  assert.deepEqual([999, 1_000, 0].map(labelOf), [
    'Frame times, budget 999 ms',
    'Frame times, budget 16.7 ms',
    'Frame times, budget 16.7 ms',
  ]);
});

test('the game does not receive input events of the panel', (t) => {
  const { panel } = openPage(t);
  addOverlay({ open: true });
  const inputs = ['keydown', 'keyup', 'pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click'];
  for (const type of [...inputs, 'touchstart', 'touchend', 'wheel']) {
    const event = new Event(type);
    panel().dispatchEvent(event);
    assert.ok(event.cancelBubble, type);
  }
});

test('the overlay opens in a page without a body', (t) => {
  const { page } = openPage(t);
  const root = new FakeElement();
  Object.assign(page, { body: null, documentElement: root });
  addOverlay({ open: true });
  assert.equal(root.children.length, 1);
});

test('an overlay that cannot be made or updated throws no error', async (t) => {
  const { press } = openPage(t);
  const fault = () => {
    throw new Error('of the page');
  };
  const uncaught: unknown[] = [];
  const hear = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', hear);
  t.after(() => process.off('uncaughtException', hear));
  addOverlay({ open: true });
  Object.defineProperty(performance, 'memory', { get: fault, configurable: true });
  t.after(() => Reflect.deleteProperty(performance, 'memory'));
  t.mock.timers.tick(2_000);
  setGlobal(t, 'CSSStyleSheet', fault);
  addOverlay();
  press('F9');
  // An exception of a listener is reported in a later task.
  await new Promise((done) => setImmediate(done));
  assert.deepEqual(uncaught, []);
});
