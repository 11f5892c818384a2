// The media manager of the editor in a browser, and the media that the API returns.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import type { Locator, Page } from 'playwright-core';
import type { PlatformClient, StorePage } from '../../packages/contracts/src/platform.ts';
import { openStore, type Store } from './open-store.ts';

const { default: sharp } = await import(
  createRequire(new URL('../../packages/platform/package.json', import.meta.url)).resolve('sharp')
);

export type MediaEditor = AsyncDisposable & {
  readonly store: Store;
  readonly page: Page;
  readonly client: PlatformClient;
  /** Opens the editor of a new draft. */
  open(title: string): Promise<{ id: string; slug: string }>;
  /** Returns the page from the API. */
  stored(id: string): Promise<StorePage>;
  /** Waits for an announcement. */
  announced(text: string): Promise<void>;
  /** The screenshots in the panel. */
  shots(): Locator;
  /** Adds screenshots in three colours. Returns their ids in order. */
  addThree(id: string): Promise<string[]>;
};

/** A file with an image of one colour. */
export async function image(name: string, colour: string) {
  const create = { width: 640, height: 400, channels: 3 as const, background: colour };
  const buffer: Buffer = await sharp({ create }).png().toBuffer();
  return { name, mimeType: 'image/png', buffer };
}

export async function openMediaEditor(): Promise<MediaEditor> {
  const store = await openStore();
  const { page, client } = await store.owner('Ada');
  const desk: MediaEditor = {
    store,
    page,
    client,
    async open(title) {
      const { game } = await client.call('createProject', { body: { title } });
      await page.goto(`${store.site.origin}/dashboard/games/${game.id}/page`);
      await page.getByLabel('Choose the cover').waitFor({ state: 'attached' });
      return game;
    },
    stored: async (id) => (await client.call('project', { params: { id } })).page,
    announced: (text) => page.getByRole('status').getByText(text).waitFor({ state: 'attached' }),
    shots: () => page.locator('.shot-list > li.shot:not(.add-shot)'),
    async addThree(id) {
      const colours = ['#aa3344', '#33aa44', '#3344aa'];
      const files = await Promise.all(colours.map((colour, at) => image(`${at}.png`, colour)));
      await page.getByLabel('Add screenshots').setInputFiles(files);
      await desk.announced('2.png has been uploaded.');
      assert.equal(await desk.shots().count(), 3);
      return (await desk.stored(id)).screenshots.map((shot) => shot.id);
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
  return desk;
}
