// The stage of a game after Play: in view and as large as the window allows, and in full screen on phones.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publishBuild } from '@svc/platform/testing';
import type { Page } from 'playwright-core';
import { until } from '../../scripts/until.ts';
import { noBrowser, openStore, type Store } from './open-store.ts';

let store: Store;
before(async () => {
  if (noBrowser !== false) return;
  store = await openStore();
  const { client } = await store.site.developer('Ada');
  const body = { title: 'Staged', description: 'words\n\n'.repeat(60) };
  const { game } = await client.call('createProject', { body });
  await publishBuild(client, game.id, '1', { 'index.html': '<title>g</title><p>words' });
  const form = new FormData();
  const layout = {
    ...{ template: 'classic', theme: 'auto', accent: null, sections: ['description'] },
    orientation: 'landscape',
  };
  form.set('metadata', JSON.stringify({ layout }));
  await client.call('updateStore', { params: { id: game.id }, form });
});
after(() => store?.[Symbol.asyncDispose]());

const open = (page: Page) => page.goto(`${store.site.origin}/games/staged`);
const play = (page: Page) => page.getByRole('link', { name: 'Play', exact: true }).click();

/** Where the stage and the bar below it are in the window, in CSS pixels. */
function placeOf(page: Page) {
  return page.evaluate(() => {
    const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect();
    const stage = box('.stage');
    return {
      ...{ top: stage?.top ?? -1, left: stage?.left ?? -1 },
      ...{ width: stage?.width ?? 0, height: stage?.height ?? 0 },
      bottom: box('.player-bar')?.bottom ?? 0,
      window: [innerWidth, innerHeight] as const,
    };
  });
}

test('after Play the whole stage and its buttons are in the window, whatever its size', {
  skip: noBrowser,
}, async () => {
  for (const [width, height] of [
    [1440, 900],
    [1280, 620],
    [1920, 1080],
    [900, 1200],
    [600, 500],
  ] as const) {
    const page = await store.visitor({ viewport: { width, height } });
    await open(page);
    await play(page);
    const size = `${width} × ${height}`;
    const place = await until(
      () => placeOf(page),
      ({ top, bottom }) => top >= 0 && bottom <= height,
      `the stage is in view, ${size}`,
      10_000,
    );
    const isFull = place.height > height - 110 || place.width > 0.9 * Math.min(width, 1216);
    assert.ok(isFull, `${size}: ${JSON.stringify(place)}`);
    await page.context().close();
  }
});

test('on a phone Play opens full screen, and asks for the orientation of the game', {
  skip: noBrowser,
}, async () => {
  const page = await store.visitor({
    viewport: { width: 390, height: 844 },
    ...{ hasTouch: true, isMobile: true },
  });
  await page.addInitScript(() => {
    const lock = async (orientation: string): Promise<void> => {
      document.documentElement.dataset['turned'] = orientation;
    };
    Object.defineProperty(ScreenOrientation.prototype, 'lock', { value: lock });
  });
  await open(page);
  await play(page);
  await page.waitForFunction(() => document.fullscreenElement?.className === 'stage');
  await page.waitForFunction(() => document.documentElement.dataset['turned'] === 'landscape');
  await page.evaluate(() => document.exitFullscreen());
  await page.frameLocator('iframe').getByText('words').waitFor();
  await page.context().close();
});

test('on a phone without full screen the game fills the window until the visitor leaves', {
  skip: noBrowser,
}, async () => {
  for (const [width, height] of [
    [390, 844],
    [844, 390],
  ] as const) {
    const page = await store.visitor({
      viewport: { width, height },
      ...{ hasTouch: true, isMobile: true },
    });
    await page.addInitScript(() => {
      Object.defineProperty(Document.prototype, 'fullscreenEnabled', { value: false });
    });
    await open(page);
    await play(page);
    const leave = page.getByRole('button', { name: 'Leave full screen' });
    await leave.waitFor();
    const { top, left, ...place } = await placeOf(page);
    assert.deepEqual([top, left, place.width, place.height], [0, 0, width, height]);
    await page.frameLocator('iframe').getByText('words').waitFor();
    await leave.click();
    await leave.waitFor({ state: 'hidden' });
    assert.ok((await placeOf(page)).height < height);
    await page.getByRole('button', { name: 'Full screen' }).click();
    await leave.waitFor();
    await page.context().close();
  }
  assert.deepEqual(store.faults, []);
});
