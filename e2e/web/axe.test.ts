// axe finds no violation in the pages of the store and the dashboard, in both themes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser, openStore, type Store } from './open-store.ts';
import { administer, publishGames, signInAsOwner } from './publish-games.ts';

const AXE = readFileSync(new URL(import.meta.resolve('axe-core')), 'utf8');

let store: Store;
let paths: string[] = [];

before(async () => {
  if (noBrowser !== false) return;
  store = await openStore();
  paths = await publishGames(store);
});
after(() => store?.[Symbol.asyncDispose]());

type Found = { violations: { id: string; nodes: { html: string }[] }[] };

async function violations(page: Page, options: object): Promise<string[]> {
  const found = await page.evaluate<Found>(`axe.run(document, ${JSON.stringify(options)})`);
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** All rules in the light theme, and the rules about colours in the dark theme. */
async function findNothing(page: Page, path: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(store.site.origin + path);
  await page.evaluate(AXE);
  assert.deepEqual(await violations(page, { iframes: false }), [], `${path}, light`);
  await page.emulateMedia({ colorScheme: 'dark' });
  const contrast = { iframes: false, runOnly: ['color-contrast'] };
  assert.deepEqual(await violations(page, contrast), [], `${path}, dark`);
}

test('axe finds no violation in the store, light or dark', { skip: noBrowser }, async () => {
  const page = await store.visitor({ bypassCSP: true });
  for (const path of paths) await findNothing(page, path);
});

test('axe finds no violation in the dashboard, light or dark', {
  skip: noBrowser,
}, async () => {
  const page = await store.visitor({ bypassCSP: true });
  for (const path of await signInAsOwner(store, page)) await findNothing(page, path);
  for (const path of await administer(store)) await findNothing(page, path);
});
