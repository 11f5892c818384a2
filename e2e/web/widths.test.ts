// Every page at every width that people have: nothing to scroll sideways, whatever the words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noBrowser, openStore } from './open-store.ts';
import { publishGames, signInAsOwner } from './publish-games.ts';

const WIDTHS = [360, 390, 768, 1440, 2560];

test('the pages fit 360 to 2560 pixels without scrolling sideways', {
  skip: noBrowser,
}, async () => {
  await using store = await openStore();
  const paths = await publishGames(store);
  const page = await store.stranger();
  for (const path of [...paths, ...(await signInAsOwner(store, page))]) {
    await page.goto(store.site.origin + path);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${path} at ${width}: ${wide} px too wide`);
    }
  }
});
