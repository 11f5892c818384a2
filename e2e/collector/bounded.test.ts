// The limits of a recording: budget, queue, hidden tab, crash.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readVpt } from '@svc/trace';
import type { Browser, Page } from 'playwright-core';
import { until } from '../../scripts/until.ts';
import { launch, openPage } from './page.ts';
import { only, readTrace, stopAndRead } from './trace-of.ts';

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const START = `import * as svc from '@svc/collector'; globalThis.svc = svc;`;
/** Adds a hundred marks per frame until `enough()`. */
const CHATTER = `
globalThis.made = 0;
(function frame() {
  for (let one = 0; one < 100; one++) svc.mark('moment number ' + made++);
  if (!(globalThis.ready = enough())) requestAnimationFrame(frame);
})();`;

test('at the budget the oldest batches are dropped, and the trace reports the loss', async () => {
  await using game = await openPage(
    `${START} svc.start({ budgetBytes: 100_000 }); const enough = () => svc.status().lost > 5000; ${CHATTER}`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  const status = await game.page.evaluate<{ bytes: number; lost: number; state: string }>(
    'svc.status()',
  );
  assert.equal(status.state, 'recording');
  assert.ok(status.bytes <= 100_000, String(status.bytes));
  const text = await game.page.evaluate<string>('(svc.stop(), svc.exportText())');
  assert.ok(text.length <= 100_000, String(text.length));
  const lines = readTrace(text);
  const [loss, ...others] = only(lines, 'loss');
  assert.deepEqual(others, []);
  assert.equal(loss?.reason, 'storage_cap');
  assert.equal(loss?.count, await game.page.evaluate('svc.status().lost'));
  const marks = only(lines, 'mark');
  const numbers = marks.map(({ name }) => Number(name.split(' ').at(-1)));
  assert.deepEqual(
    numbers,
    Array.from(numbers, (_number, at) => (numbers[0] ?? 0) + at),
  );
  assert.equal(numbers.at(-1), await game.page.evaluate('made - 1'));
  assert.ok(marks.length > 100);
});

test('at the budget the recording stops if configured, and the page is unchanged', async () => {
  await using game = await openPage(
    `${START}
    const original = WebGL2RenderingContext.prototype.drawArrays;
    svc.start({ budgetBytes: 100_000, whenFull: 'stop' });
    globalThis.back = () => WebGL2RenderingContext.prototype.drawArrays === original;
    const enough = () => svc.status().state === 'stopped'; ${CHATTER}`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  assert.equal(await game.page.evaluate('back()'), true);
  const read = readVpt(await game.page.evaluate<string>('svc.exportText()'));
  assert.equal(read.end?.reason, 'storage_cap');
  assert.equal(only(read.lines, 'loss')[0]?.reason, 'storage_cap');
  assert.equal(only(read.lines, 'mark')[0]?.name, 'moment number 0');
});

test('records that exceed the queue are counted and dropped', async () => {
  await using game = await openPage(
    `${START} svc.start(); for (let made = 0; made < 40_000; made++) svc.mark('m'); globalThis.ready = true;`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  const lines = await stopAndRead(game.page);
  const marks = only(lines, 'mark').length;
  const [loss] = only(lines, 'loss').filter(({ reason }) => reason === 'buffer_full');
  assert.ok(marks > 10_000 && marks < 20_000);
  assert.ok(Math.abs(marks + (loss?.count ?? 0) - 40_000) < 50, `${marks} and ${loss?.count}`);
});

test('a hidden tab is recorded as a loss and not as a slow frame', async () => {
  await using game = await openPage(
    `${START} svc.start();
    const hide = (hidden) => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true }); document.dispatchEvent(new Event('visibilitychange')); };
    const later = (ms) => new Promise((done) => setTimeout(done, ms));
    await later(200);
    hide(true);
    await later(500);
    hide(false);
    await later(200);
    hide(true);
    await later(50);
    globalThis.partial = svc.exportText();
    globalThis.ready = true;`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  const partial = readVpt(await game.page.evaluate<string>('partial'));
  assert.equal(partial.end, null);
  assert.equal(only(partial.lines, 'loss').length, 2, 'the current gap is reported too');
  const lines = await stopAndRead(game.page);
  const [loss] = only(lines, 'loss');
  assert.equal(loss?.reason, 'hidden_tab');
  assert.ok((loss?.duration_ms ?? 0) >= 495);
  const from = loss?.t ?? 0;
  const to = from + (loss?.duration_ms ?? 0);
  for (const line of only(lines, 'frames')) {
    let at = line.t;
    for (const duration of line.duration_ms) {
      assert.ok(
        at + duration <= from + 20 || at >= to - 20,
        `a frame from ${at} over ${duration} ms lies in the gap ${from} to ${to}`,
      );
      at += duration;
    }
  }
});

test('a spool keeps the trace when the tab crashes', async () => {
  const code = `
    import * as svc from '@svc/collector';
    import { discardLeftOver, leftOver, makeSpool } from '@svc/collector/spool';
    globalThis.svc = svc;
    globalThis.leftOver = async () => Promise.all((await leftOver()).map(({ trace }) => trace.text()));
    globalThis.discard = discardLeftOver;
    globalThis.begin = (budgetBytes) => svc.start({ spool: makeSpool(), budgetBytes });
    globalThis.ready = true;`;
  await using game = await openPage(code, { browser });
  const { page } = game;
  await page.waitForFunction('globalThis.ready');
  await page.evaluate(`begin(); svc.mark('before the crash')`);
  await leftOverHas(page, 'before the crash');
  await page.goto('chrome://crash').catch(() => {});
  const after = await page.context().newPage();
  await after.goto(game.origin);
  await after.waitForFunction('globalThis.ready');
  const [text = ''] = await after.evaluate<string[]>('leftOver()');
  const read = readVpt(text);
  assert.equal(read.end, null);
  assert.deepEqual(
    only(read.lines, 'mark').map(({ name }) => name),
    ['before the crash'],
  );

  // At the budget the spool drops the same batches, keeps its header, and reports the loss.
  await after.evaluate(`discard().then(() => begin(65536))`);
  await after.evaluate(
    `setInterval(() => { for (let made = 0; made < 60; made++) svc.mark('one of many'); }, 10)`,
  );
  await after.waitForFunction('svc.status().lost > 3000');
  await after.evaluate('svc.stop()');
  await leftOverHas(after, '"type":"end"');
  const [kept = ''] = await after.evaluate<string[]>('leftOver()');
  assert.ok(kept.length < 120_000, String(kept.length));
  assert.ok(only(readTrace(kept), 'loss').length > 0);
  await after.evaluate('discard()');
  assert.deepEqual(await after.evaluate('leftOver()'), []);
  await after.close();
});

test('a spool that can’t store or is not used prints nothing, and the game can delete stored traces', async () => {
  const begin = `import * as svc from '@svc/collector'; import { makeSpool } from '@svc/collector/spool';`;
  await using barred = await openPage(
    `${begin}
    addEventListener('unhandledrejection', (event) => { globalThis.rejected = String(event.reason); });
    indexedDB.open = () => { throw new Error('nothing may be stored'); };
    makeSpool();
    setTimeout(() => { globalThis.ready = true; }, 100);`,
    { browser },
  );
  await barred.page.waitForFunction('globalThis.ready');
  assert.equal(await barred.page.evaluate('globalThis.rejected'), undefined);
  assert.deepEqual(barred.heard, []);

  await using game = await openPage(
    `${begin}
    import { leftOver } from '@svc/collector/spool';
    globalThis.svc = svc;
    svc.start({ spool: makeSpool() });
    svc.mark('stored');
    globalThis.leftOver = async () => Promise.all((await leftOver()).map(({ trace }) => trace.text()));
    globalThis.wipe = () => new Promise((done) => {
      const request = indexedDB.deleteDatabase('svc-collector');
      request.onsuccess = () => done('deleted');
      request.onblocked = () => done('blocked');
    });`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.wipe');
  await leftOverHas(game.page, 'stored');
  assert.equal(await game.page.evaluate('wipe()'), 'deleted');
  await stopAndRead(game.page);
  assert.deepEqual(game.heard, []);
});

/** Waits until the newest stored trace contains the text. */
async function leftOverHas(page: Page, text: string): Promise<void> {
  await until(
    () => page.evaluate<string[]>('leftOver()'),
    ([trace]) => trace?.includes(text) === true,
    `the newest trace left behind has ${text}`,
  );
}
