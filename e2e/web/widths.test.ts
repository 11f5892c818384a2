// All pages at common widths: no horizontal scrolling, even with long words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishBuild } from '@svc/platform/testing';
import type { Page } from 'playwright-core';
import { until } from '../../scripts/until.ts';
import { noBrowser, openStore, type Store } from './open-store.ts';
import { administer, publishGames, signInAsOwner } from './publish-games.ts';

const WIDTHS = [360, 390, 768, 1440, 2560];

test('the pages fit 360 to 2560 pixels without horizontal scrolling', {
  skip: noBrowser,
}, async () => {
  await using store = await openStore();
  const paths = await publishGames(store);
  const page = await store.visitor();
  for (const path of [...paths, ...(await signInAsOwner(store, page))])
    await fits(store, page, path);
  for (const path of await administer(store)) await fits(store, page, path);
});

async function fits(store: Store, page: Page, path: string): Promise<void> {
  await page.goto(store.site.origin + path);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    // A page can need a frame to adapt to the window.
    await until(
      () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      (tooMany) => tooMany <= 0,
      `${path} fits ${width} px (last: px too wide)`,
      10_000,
    );
  }
}

test('on a phone the actions of releases and tokens are visible without horizontal scrolling', {
  skip: noBrowser,
}, async () => {
  await using store = await openStore();
  const { page, client } = await store.owner('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Two releases' } });
  for (const version of ['1'.repeat(64), '2.0.0']) {
    await publishBuild(client, game.id, version, { 'index.html': 'x' });
  }
  await client.call('createToken', { body: { name: 'w'.repeat(80) } });
  await page.setViewportSize({ width: 360, height: 740 });
  const actions = [
    [`/dashboard/games/${game.id}`, `Make live: ${'1'.repeat(64)}`],
    ['/dashboard/tokens', `Revoke ${'w'.repeat(80)}`],
  ] as const;
  for (const [path, name] of actions) {
    await page.goto(store.site.origin + path);
    const box = await page.getByRole('row').getByRole('button', { name }).boundingBox();
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 360, `${path}: ${box?.x}`);
    const table = page.getByRole('table');
    assert.ok((await table.getByRole('columnheader').count()) > 4, 'it is still a table');
    assert.equal(await table.getByRole('rowheader').count(), path.endsWith('tokens') ? 1 : 2);
  }
});
