// Data from browser APIs: long frames and their scripts, loads, decoded sounds, the page's memory.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launch, openPage } from './page.ts';
import { makePng } from './png.ts';
import { ofAsset, only, stopAndRead } from './trace-of.ts';
import { makeWav } from './wav.ts';

let browser: Browser;
before(async () => {
  browser = await launch(
    '--host-resolver-rules=MAP far.test 127.0.0.1',
    // Otherwise a response takes up to a minute, because it waits for a garbage collection.
    '--enable-blink-features=ForceEagerMeasureMemory',
  );
});
after(() => browser.close());

const START = `import * as svc from '@svc/collector'; globalThis.svc = svc; svc.start();`;
const PICTURE = makePng(64, 32);
const files = (path: string) => {
  if (path.endsWith('.wav')) return { type: 'audio/wav', body: makeWav() };
  if (!path.startsWith('/art/')) return null;
  const headers = {
    'cache-control': 'max-age=3600',
    'cross-origin-resource-policy': 'cross-origin',
  };
  return { type: 'image/png', body: PICTURE, headers };
};

/** Waits until the current trace contains the text. */
const traceHas = (page: Page, text: string) =>
  page.waitForFunction((part) => Reflect.get(globalThis, 'svc').exportText().includes(part), text, {
    polling: 100,
  });

test('a long frame is recorded with the script that caused it', async () => {
  await using game = await openPage(
    `${START}
    function chopWood() { const until = performance.now() + 120; while (performance.now() < until); }
    setInterval(() => requestAnimationFrame(chopWood), 400);`,
    { browser },
  );
  await traceHas(game.page, 'chopWood');
  const tasks = only(await stopAndRead(game.page), 'longtask');
  const long = tasks.find(({ scripts }) => scripts?.some(({ name }) => name.includes('chopWood')));
  assert.ok((long?.duration_ms ?? 0) >= 120 && (long?.blocking_ms ?? 0) > 0, JSON.stringify(long));
  const script = long?.scripts?.find(({ name }) => name === 'chopWood main.js');
  assert.ok((script?.duration_ms ?? 0) >= 119, JSON.stringify(long));
});

test('long tasks are recorded if the browser has no long animation frames', async () => {
  await using game = await openPage(
    // Again and again: on a busy machine Chromium sometimes gives no observer an entry for a task.
    `${START}
    setInterval(() => { const until = performance.now() + 120; while (performance.now() < until); }, 400);`,
    {
      browser,
      before: async (page) => {
        await page.addInitScript(`
          const types = PerformanceObserver.supportedEntryTypes.filter((type) => type !== 'long-animation-frame');
          Object.defineProperty(PerformanceObserver, 'supportedEntryTypes', { get: () => types });`);
      },
    },
  );
  // On a busy machine the start of the page is a long task too, and is recorded first.
  const hasLong = (): boolean =>
    Reflect.get(globalThis, 'svc')
      .exportText()
      .split('\n')
      .some(
        (line: string) => /"type":"longtask"/.test(line) && JSON.parse(line).duration_ms >= 119,
      );
  await game.page.waitForFunction(hasLong, undefined, { polling: 100 });
  const tasks = only(await stopAndRead(game.page), 'longtask');
  assert.ok(
    tasks.every(({ scripts }) => scripts === undefined),
    JSON.stringify(tasks),
  );
});

test('loads have sizes, also from the cache, except loads from other origins', async () => {
  await using game = await openPage(
    `${START}
    for (let time = 0; time < 2; time++) await (await fetch('/art/near.png')).arrayBuffer();
    const image = new Image();
    image.src = location.origin.replace('127.0.0.1', 'far.test') + '/art/far.png';
    await new Promise((done, fail) => { image.onload = done; image.onerror = fail; });
    globalThis.ready = true;`,
    { browser, files },
  );
  await game.page.waitForFunction('globalThis.ready');
  await traceHas(game.page, 'art/far.png');
  const lines = await stopAndRead(game.page);
  const [first, second] = ofAsset(lines, 'art/near.png').filter(({ phase }) => phase === 'load');
  assert.deepEqual(
    [first?.bytes, first?.encoded_bytes, first?.cached],
    [PICTURE.length, PICTURE.length, false],
  );
  assert.ok((first?.transfer_bytes ?? 0) > PICTURE.length, 'headers travel too');
  assert.deepEqual([second?.transfer_bytes, second?.cached], [0, true]);
  const far = only(lines, 'asset').find(({ name }) => name.endsWith('/art/far.png'));
  assert.ok(far?.name.startsWith('far.test:'));
  assert.deepEqual([far?.opaque, far?.bytes, far?.transfer_bytes], [true, undefined, undefined]);
});

test('a load that ended before its start has no duration, and the trace is valid', async () => {
  await using game = await openPage(`${START} await (await fetch('/art/rock.png')).blob();`, {
    browser,
    files,
    before: async (page) => {
      await page.addInitScript(`
        Object.defineProperty(PerformanceEntry.prototype, 'duration', { get() { return this.name.endsWith('.png') ? -32 : 1; } });`);
    },
  });
  await traceHas(game.page, 'art/rock.png');
  const [load] = ofAsset(await stopAndRead(game.page), 'art/rock.png');
  assert.deepEqual(
    [load?.phase, load?.duration_ms, load?.bytes],
    ['load', undefined, PICTURE.length],
  );
});

test('loads before the start that the browser has dropped are recorded as a loss', async () => {
  await using game = await openPage(
    `import * as svc from '@svc/collector';
    globalThis.svc = svc;
    performance.setResourceTimingBufferSize(1);
    for (let time = 0; time < 3; time++) await (await fetch('/art/early.png?' + time)).arrayBuffer();
    svc.start();
    await (await fetch('/art/late.png')).arrayBuffer();
    globalThis.ready = true;`,
    { browser, files },
  );
  await game.page.waitForFunction('globalThis.ready');
  await traceHas(game.page, 'art/late.png');
  const lines = await stopAndRead(game.page);
  const [loss] = only(lines, 'loss');
  assert.equal(loss?.reason, 'buffer_full');
  assert.ok((loss?.count ?? 0) >= 3, String(loss?.count));
});

test('a sound is recorded with its decoded size, with a promise and with a callback', async () => {
  await using game = await openPage(
    `${START}
    const context = new OfflineAudioContext(1, 8000, 8000);
    const bytes = async (name) => (await fetch('/sounds/' + name + '.wav')).arrayBuffer();
    await context.decodeAudioData(await bytes('bell'));
    const gong = await bytes('gong');
    await new Promise((done) => context.decodeAudioData(gong, done));
    await context.decodeAudioData(new ArrayBuffer(8)).catch(() => {});
    globalThis.ready = true;`,
    { browser, files },
  );
  await game.page.waitForFunction('globalThis.ready');
  const lines = await stopAndRead(game.page);
  const decodes = only(lines, 'asset').filter(({ phase }) => phase === 'decode');
  assert.deepEqual(
    decodes.map(({ name, kind, bytes, encoded_bytes, dims }) => [
      name,
      kind,
      bytes,
      encoded_bytes,
      dims,
    ]),
    ['bell', 'gong'].map((name) => [
      `sounds/${name}.wav`,
      'audio',
      3200,
      makeWav().length,
      [800, 1],
    ]),
  );
});

test('an isolated page records its total memory', async () => {
  await using game = await openPage(START, { browser });
  await traceHas(game.page, 'page_memory_bytes');
  const counters = only(await stopAndRead(game.page), 'counter');
  const page = counters.find(({ name }) => name === 'page_memory_bytes');
  assert.equal(page?.unit, 'bytes');
  assert.ok((page?.value ?? 0) > 100_000, String(page?.value));
});
