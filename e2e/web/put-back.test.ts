// A bad day in a browser: a rollback is undone, an unpublished game goes online again, and a page that moved keeps its visitors.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publishBuild } from '@svc/platform/testing';
import type { Page } from 'playwright-core';
import type { Game, PlatformClient } from '../../packages/contracts/src/platform.ts';
import { findNothing, fits } from './check-page.ts';
import { noBrowser, openStore, type Store } from './open-store.ts';

/** A game that counts its starts. */
const COUNTER = `<!doctype html><title>Counter</title><p>Starts: <b></b></p><script>
localStorage.starts = 1 + Number(localStorage.starts ?? 0);
document.querySelector('b').textContent = localStorage.starts;
</script>`;

let store: Store;
let page: Page;
let client: PlatformClient;

before(async () => {
  if (noBrowser !== false) return;
  store = await openStore();
  ({ page, client } = await store.owner('Ada'));
});
after(() => store?.[Symbol.asyncDispose]());

async function newGame(title: string, versions: readonly string[]): Promise<Game> {
  const { game } = await client.call('createProject', { body: { title } });
  for (const version of versions) {
    const files = { 'index.html': COUNTER, 'version.txt': version };
    await publishBuild(client, game.id, version, files);
  }
  return game;
}

const open = (target: Page, { id }: Game) =>
  target.goto(`${store.site.origin}/dashboard/games/${id}`);

/** The version that players get, or the status if they get none. */
async function played({ slug }: Game): Promise<string | number> {
  const answer = await fetch(`${store.site.platform.baseUrl}/play/${slug}/version.txt`);
  return answer.ok ? answer.text() : answer.status;
}

test('a rollback is undone with the button below the result, and unpublishing with the one above, also without JavaScript', {
  skip: noBrowser,
}, async () => {
  const game = await newGame('Undone', ['1.0.0', '2.0.0']);
  await open(page, game);
  for (const target of [page, await store.withoutScripts(page)]) {
    await target.getByRole('button', { name: 'Make live: 1.0.0' }).click();
    await target.getByText('Version 1.0.0 is live. Players now get it.').waitFor();
    assert.equal(await played(game), '1.0.0');
    await target.getByRole('button', { name: 'Undo: make 2.0.0 live again' }).click();
    await target.getByText('Version 2.0.0 is live. Players now get it.').waitFor();
    assert.equal(await played(game), '2.0.0');
    await target.getByRole('button', { name: 'Unpublish' }).click();
    await target.getByText('Unpublished. Players can no longer open').waitFor();
    assert.equal(await played(game), 404);
    await target.getByRole('button', { name: 'Put online again: 2.0.0' }).click();
    await target.getByText('Version 2.0.0 is live. Players now get it.').waitFor();
    assert.equal(await played(game), '2.0.0');
  }
  await findNothing(page, 'after an undo');
  await page.getByRole('button', { name: 'Unpublish' }).click();
  await findNothing(page, 'offline');
  await open(page, game);
  await page.getByRole('button', { name: 'Put online again: 2.0.0' }).click();
  await page.getByText('Version 2.0.0 is live. Players now get it.').waitFor();
  assert.equal(await played(game), '2.0.0');
});

test('a page moves with its visitors, and they keep their saves', { skip: noBrowser }, async () => {
  const game = await newGame('Counter', ['1.0.0']);
  const visitor = await store.visitor();
  const play = async (path: string): Promise<string | null> => {
    await visitor.goto(store.site.origin + path);
    return visitor.frameLocator('iframe').locator('b').textContent();
  };
  assert.equal(await play('/games/counter?play=1'), '1');
  await open(page, game);
  await page.getByText('Change the address').first().click();
  const field = page.getByLabel('New address');
  await field.fill('dash--board');
  await page.getByRole('button', { name: 'Change the address' }).click();
  assert.equal(
    await field.evaluate((input) => input instanceof HTMLInputElement && input.validity.valid),
    false,
    'the browser rejects it',
  );
  await field.fill('play');
  await page.getByRole('button', { name: 'Change the address' }).click();
  await page.getByRole('alert').getByText('The slug "play" is reserved').first().waitFor();
  assert.equal(await field.inputValue(), 'play');
  await findNothing(page, 'a rejected address');
  await field.fill('abacus');
  await page.getByRole('button', { name: 'Change the address' }).click();
  await page.getByText('The page has a new address. The old one leads there.').waitFor();
  await page.getByText('These lead there too: /games/counter').waitFor();
  await findNothing(page, 'moved');
  for (const width of [1440, 940, 390]) await fits(page, width, 'moved');
  assert.equal(await play('/games/counter?play=1'), '2');
  assert.equal(visitor.url(), `${store.site.origin}/games/abacus?play=1`);
  assert.equal(await play('/games/abacus?play=1'), '3');
  await visitor.goto(`${store.site.origin}/games/counter/releases`);
  assert.equal(visitor.url(), `${store.site.origin}/games/abacus/releases`);
  await visitor.goto(`${store.site.platform.baseUrl}/play/abacus/`);
  assert.equal(visitor.url(), `${store.site.platform.baseUrl}/play/counter/`);
  // The first request of a rejected form.
  assert.match(store.faults.pop() ?? '', /status of 4/);
  assert.deepEqual(store.faults, []);
});
