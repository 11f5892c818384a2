// The overlay: one instance, content within its panel, fast response.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import { launch, openPage } from './page.ts';

let browser: Browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const START = `import * as svc from '@svc/collector'; import { addOverlay } from '@svc/collector/overlay'; globalThis.svc = svc; globalThis.addOverlay = addOverlay;`;

test('all content is inside the panel, and no text is cut', async () => {
  await using game = await openPage(
    `${START}
    svc.start();
    for (let made = 0; made < 8; made++) svc.asset('asset ' + made, { phase: 'decode', mainThreadMs: 1234 * (made + 1), durationMs: 9, bytes: 120_000_000 });
    addOverlay({ open: true });`,
    { browser },
  );
  const panel = game.page.getByRole('region', { name: 'Profiler' });
  await panel.getByText('asset 7').waitFor();
  for (const width of [1440, 390, 320]) {
    await game.page.setViewportSize({ width, height: 800 });
    assert.deepEqual(await outside(panel), [], `at ${width}`);
  }
  assert.deepEqual(game.heard, []);
});

/** Texts and buttons that are outside the panel or are cut. */
function outside(panel: Locator): Promise<string[]> {
  return panel.evaluate((section) => {
    const { left, right, top, bottom } = section.getBoundingClientRect();
    return [...section.querySelectorAll('button, .cell, footer span, dt')]
      .filter((one) => {
        const box = one.getBoundingClientRect();
        if (box.height === 0) return false;
        const within =
          box.left >= left && box.right <= right && box.top >= top && box.bottom <= bottom;
        return !within || one.scrollWidth > Math.ceil(box.width);
      })
      .map((one) => `${one.textContent}: ${one.scrollWidth} in ${one.clientWidth}`);
  });
}

test('its button responds at once, and a long name is complete in its tooltip', async () => {
  await using game = await openPage(
    `${START} addOverlay({ open: true }); svc.start(); svc.asset('x'.repeat(80), { phase: 'decode', mainThreadMs: 9, durationMs: 9 }); globalThis.ready = true;`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  const panel = game.page.getByRole('region', { name: 'Profiler' });
  await panel.getByRole('button', { name: 'Stop' }).click();
  assert.equal(await panel.getByRole('button', { name: 'Record' }).count(), 1);
  assert.match(await panel.innerText(), /Stopped/);
  await panel.getByText('x'.repeat(80)).hover();
  assert.equal(await panel.getByTitle('x'.repeat(80)).count(), 1);
});

test('a second overlay replaces the first, and invalid options are ignored', async () => {
  await using game = await openPage(
    `${START}
    const odd = [undefined, null, 0, -1, NaN, 10n, '', Symbol('s'), {}, () => {}];
    const first = addOverlay({ open: true });
    for (const one of odd) addOverlay({ key: one, frameBudgetMs: one, open: true });
    globalThis.count = () => [...document.querySelectorAll('*')].filter((one) => one.shadowRoot).length;
    globalThis.many = count();
    first();
    globalThis.left = count();
    globalThis.ready = true;`,
    { browser },
  );
  await game.page.waitForFunction('globalThis.ready');
  assert.deepEqual([await game.page.evaluate('many'), await game.page.evaluate('left')], [1, 1]);
  const panel = game.page.getByRole('region', { name: 'Profiler' });
  await panel.getByText('Nothing recorded yet').waitFor();
  assert.equal(
    await panel.getByRole('img').getAttribute('aria-label'),
    'Frame times, budget 16.7 ms',
  );
  await game.page.keyboard.press('F9');
  assert.equal(await panel.count(), 0);
  assert.deepEqual(game.heard, []);
});
