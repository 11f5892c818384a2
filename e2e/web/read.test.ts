// Reading: pages without JavaScript, and a game page with little script and no layout shift.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { noBrowser, openStore, type Store } from './open-store.ts';
import { publishGames } from './publish-games.ts';

const SCRIPT_BYTES = 60_000;

let store: Store;

before(async () => {
  if (noBrowser !== false) return;
  store = await openStore();
  await publishGames(store);
});
after(() => store?.[Symbol.asyncDispose]());

test('without JavaScript, a visitor can read, search and play', { skip: noBrowser }, async () => {
  const page = await store.visitor({ javaScriptEnabled: false });
  await page.goto(store.site.origin);
  await page.getByRole('searchbox').fill('moon');
  await page.getByRole('searchbox').press('Enter');
  await page.getByRole('link', { name: 'Moonhop', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Moonhop' }).waitFor();
  await page.getByRole('link', { name: 'Play', exact: true }).click();
  await page.frameLocator('iframe').getByText('it plays').waitFor();
  await page.getByRole('link', { name: 'Ada' }).first().click();
  await page.getByRole('heading', { name: 'Games' }).waitFor();
});

test('the game page loads little script and does not shift', { skip: noBrowser }, async () => {
  const page = await store.visitor();
  const sizes: Promise<number>[] = [];
  page.on('response', (answer) => {
    if (answer.request().resourceType() === 'script')
      sizes.push(answer.body().then((body) => body.length));
  });
  await page.goto(`${store.site.origin}/games/moonhop`, { waitUntil: 'networkidle' });
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  assert.ok(total > 0 && total < SCRIPT_BYTES, `${total} bytes of script`);
  const shift = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += Number(Reflect.get(entry, 'value'));
        }).observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
      }),
  );
  assert.ok(shift < 0.01, `shifted by ${shift}`);
});
