// Staged builds in a browser: only their link plays them until they are made live, and a revoked link plays nothing.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { makeZip, publishBuild, publishForm } from '@svc/platform/testing';
import type { Page } from 'playwright-core';
import type { Game, PlatformClient } from '../../packages/contracts/src/platform.ts';
import { findNothing, fits } from './check-page.ts';
import { noBrowser, openStore, type Store } from './open-store.ts';

const stagedText = (version: string) => `Version ${version} is staged. Players can’t see it yet.`;

let store: Store;
let page: Page;
let client: PlatformClient;

before(async () => {
  if (noBrowser !== false) return;
  store = await openStore();
  ({ page, client } = await store.owner('Ada'));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
});
after(() => store?.[Symbol.asyncDispose]());

const filesOf = (text: string) => ({ 'index.html': `<!doctype html><title>${text}</title>` });

async function newGame(title: string, live: string | null): Promise<Game> {
  const { game } = await client.call('createProject', { body: { title } });
  if (live !== null) await publishBuild(client, game.id, live, filesOf(live));
  return game;
}

const open = (target: Page, { id }: Game) =>
  target.goto(`${store.site.origin}/dashboard/games/${id}`);

async function fillForm(target: Page, version: string, text: string): Promise<void> {
  await target.getByLabel('Version').fill(version);
  const file = { name: 'build.zip', mimeType: 'application/zip', buffer: makeZip(filesOf(text)) };
  await target.getByLabel('Build (ZIP file)').setInputFiles(file);
}

/** The title of the page at an address, or its status if it is not 200. */
async function titleAt(url: string): Promise<string | number> {
  const answer = await fetch(url);
  if (!answer.ok) return answer.status;
  return /<title>(.*?)<\/title>/.exec(await answer.text())?.[1] ?? '';
}

const played = ({ slug }: Game) => titleAt(`${store.site.platform.baseUrl}/play/${slug}/`);
const newLink = async (target: Page) =>
  (await target.locator('[data-new-link]').textContent()) ?? '';
const button = (name: string | RegExp) => page.getByRole('button', { name });
const item = (name: string) => page.getByRole('listitem').filter({ hasText: name });

test('a staged ZIP file is played at its link only, and by players after it was made live', {
  skip: noBrowser,
}, async () => {
  const game = await newGame('Tides', '1.0.0');
  await open(page, game);
  await page
    .getByText(
      'No links yet. Stage a build, choose “Create link” next to a release, or run svc publish --preview NAME.',
    )
    .waitFor();
  await findNothing(page, 'no links');
  await fillForm(page, '2.0.0', 'two');
  await button('Stage').click();
  await page.getByText(`${stagedText('2.0.0')} Play it at http`).waitFor();
  await findNothing(page, 'after staging');
  const link = await newLink(page);
  assert.deepEqual([await titleAt(link), await played(game)], ['two', '1.0.0']);
  for (const path of ['/games/tides', '/games/tides/releases', '/games/tides/releases.xml', '/']) {
    const text = await (await fetch(store.site.origin + path)).text();
    assert.ok(!text.includes('2.0.0') && !text.includes(link), path);
  }
  await button('Copy link').click();
  await button('Copied').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
  const opened = page.context().waitForEvent('page');
  await page.locator('[data-new-link]').click();
  const tab = await opened;
  await tab.waitForFunction(() => document.title === 'two');
  await tab.close();

  await page.reload();
  assert.equal(await page.getByText('is staged').count(), 0);
  assert.equal(page.url(), `${store.site.origin}/dashboard/games/${game.id}`);
  const staged = page.getByRole('row', { name: /^2\.0\.0 staged/ });
  await staged.getByRole('button', { name: 'Make live' }).click();
  await page.getByText('Version 2.0.0 is live. Players now get it.').waitFor();
  assert.deepEqual([await titleAt(link), await played(game)], ['two', 'two']);
  await page.getByRole('row', { name: /^2\.0\.0 live/ }).waitFor();
  assert.equal(await staged.count(), 0);
});

test('a staged folder makes a draft playable at its link, and the notice makes it live', {
  skip: noBrowser,
}, async (t: TestContext) => {
  const game = await newGame('Snow', null);
  const top = await mkdtemp(join(tmpdir(), 'svc-folder-'));
  t.after(() => rm(top, { recursive: true, force: true }));
  const folder = join(top, 'snow');
  await mkdir(folder);
  await writeFile(join(folder, 'index.html'), filesOf('first')['index.html']);
  await open(page, game);
  await page.getByLabel('Choose a folder').setInputFiles(folder);
  await page.locator('[data-chosen]').getByText('1 file').waitFor();
  await button('Stage').click();
  await page.getByText(stagedText('1.0.0')).waitFor();
  assert.deepEqual([await titleAt(await newLink(page)), await played(game)], ['first', 404]);
  assert.equal((await fetch(`${store.site.origin}/games/snow`)).status, 404);
  await page.locator('.notice').getByRole('button', { name: 'Make live' }).click();
  await page.getByText('is live. Players now get it.').waitFor();
  assert.equal(await played(game), 'first');
});

test('links are created, copied, used and revoked on the page', { skip: noBrowser }, async () => {
  const game = await newGame('Links', '1.0.0');
  await publishBuild(client, game.id, '1.1.0', filesOf('1.1.0'));
  const params = { id: game.id };
  const form = publishForm('pr', filesOf('pr'));
  const { preview } = await client.call('publish', { params, query: { preview: 'pr-7' }, form });
  await open(page, game);
  await button('Create link: 1.0.0').click();
  await page.getByText('The link has been created. It plays version 1.0.0').waitFor();
  const link = await newLink(page);
  assert.deepEqual([await titleAt(link), await played(game)], ['1.0.0', '1.1.0']);
  await page.reload();
  await item('Version 1.0.0').getByText('last used').waitFor();
  await item('pr-7').getByText('never used').waitFor();
  await item('pr-7').getByRole('button', { name: 'Copy the link of pr-7' }).click();
  await item('pr-7').getByRole('button', { name: 'Copied' }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), preview?.url);
  await page
    .getByRole('status')
    .getByText('Copied the link of pr-7')
    .waitFor({ state: 'attached' });
  await item('Version 1.0.0').getByRole('button', { name: 'Copy the link of 1.0.0' }).click();
  await item('Version 1.0.0').getByRole('button', { name: 'Copied the link of 1.0.0' }).waitFor();
  assert.equal(await button('Copied').count(), 1);
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
  await button('Copied').waitFor({ state: 'detached' });
  await item('pr-7').getByText('Revoke …').click();
  await findNothing(page, 'a revocation');

  await button('Revoke the link of 1.0.0').click();
  await page.getByText('The link is revoked and no longer works.').waitFor();
  assert.equal(await titleAt(link), 404);
  assert.equal(await titleAt(preview?.url ?? ''), 'pr');
  await item('pr-7').getByText('Revoke …').click();
  await button('Revoke the link of pr-7').click();
  await page.getByText('No links yet.').waitFor();
  assert.equal(await titleAt(preview?.url ?? ''), 404);
  assert.equal(await page.getByRole('row', { name: /^pr/ }).count(), 0);
});

test('warnings of a staged build are listed first, and its link is shown after them', {
  skip: noBrowser,
}, async (t) => {
  const game = await newGame('Warned', '1.0.0');
  await open(page, game);
  await fillForm(page, '2.0.0', 'two');
  t.after(() => page.unrouteAll({ behavior: 'ignoreErrors' }));
  await page.route('**/upload?stage=true', async (route) => {
    const response = await route.fetch();
    const json: { text: string; next: string } = await response.json();
    const findings = [{ entry: 'a.js', message: 'It is large', hint: null }];
    const text = `${json.text} The build has these warnings:`;
    await route.fulfill({ response, json: { ...json, text, findings } });
  });
  await button('Stage').click();
  const status = page.locator('[data-status]');
  const hasFocus = () => status.evaluate((place) => place === document.activeElement);
  await status.getByText(`${stagedText('2.0.0')} The build has these warnings:`).waitFor();
  await status.getByText('It is large').waitFor();
  assert.ok(await hasFocus());
  await findNothing(page, 'warnings');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Show the link');
  await status.getByRole('link', { name: 'Show the link' }).click();
  await page.getByText(`${stagedText('2.0.0')} Play it at http`).waitFor();
  assert.equal(await titleAt(await newLink(page)), 'two');
});

test('without JavaScript, a ZIP file is staged and made live with forms', {
  skip: noBrowser,
}, async () => {
  const game = await newGame('Plain', '1.0.0');
  await open(page, game);
  const plain = await store.withoutScripts(page);
  await fillForm(plain, '2.0.0', 'two');
  await plain.getByRole('button', { name: 'Stage' }).click();
  await plain.getByText(stagedText('2.0.0')).waitFor();
  assert.equal(await plain.getByRole('button', { name: 'Copy' }).count(), 0);
  assert.deepEqual([await titleAt(await newLink(plain)), await played(game)], ['two', '1.0.0']);
  await plain.locator('.notice').getByRole('button', { name: 'Make live' }).click();
  await plain.getByText('is live. Players now get it.').waitFor();
  assert.equal(await played(game), 'two');
});

test('an expired session stages nothing, and a release that another tab made live is reported', {
  skip: noBrowser,
}, async () => {
  const game = await newGame('Late', '1.0.0');
  await open(page, game);
  await fillForm(page, '2.0.0', 'two');
  await button('Stage').click();
  await page.getByText(stagedText('2.0.0')).waitFor();
  await client.call('promote', { params: { id: game.id }, body: { version: '2.0.0' } });
  await publishBuild(client, game.id, '3.0.0', filesOf('three'));
  await page.locator('.notice').getByRole('button', { name: 'Make live' }).click();
  await page.getByRole('alert').getByText('it was live before').waitFor();
  assert.equal(await played(game), 'three');
  await fillForm(page, '4.0.0', 'four');
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await button('Stage').click();
  await page.getByText('Your session has ended. Nothing was published').waitFor();
  await page.context().addCookies(cookies);
  const { releases } = await client.call('releases', { params: { id: game.id } });
  assert.ok(!releases.some(({ version }) => version === '4.0.0'));
});

test('a link and a release that have ended in another tab are reported on the page of the game', {
  skip: noBrowser,
}, async () => {
  const game = await newGame('Ended', '1.0.0');
  await publishBuild(client, game.id, '1.1.0', filesOf('1.1.0'));
  const params = { id: game.id };
  const body = { version: '1.0.0' };
  const { preview } = await client.call('createPreview', { params, body });
  await open(page, game);
  await client.call('revokePreview', { params: { ...params, preview: preview.id } });
  await button('Revoke the link of 1.0.0').click();
  await page.getByText('The link is revoked and no longer works.').waitFor();
  await client.call('deleteRelease', { params: { ...params, version: '1.0.0' } });
  await button('Create link: 1.0.0').click();
  await page.getByRole('alert').getByText('This release or link no longer exists.').waitFor();
  assert.equal(await page.getByRole('row', { name: /^1\.0\.0/ }).count(), 0);
  await page.getByRole('row', { name: /^1\.1\.0 live/ }).waitFor();
  assert.match(store.faults.pop() ?? '', /status of 404/);
});

test('the page fits a phone and a wide screen, and its actions are visible on a phone', {
  skip: noBrowser,
}, async () => {
  const game = await newGame('Narrow', '1.0.0');
  const params = { id: game.id };
  await publishBuild(client, game.id, '1.1.0', filesOf('1.1.0'));
  const long = { version: 'v'.repeat(64), name: 'n'.repeat(64) };
  const form = publishForm(long.version, filesOf('x'));
  await client.call('publish', { params, query: { preview: long.name }, form });
  await open(page, game);
  await button(`Create link: ${long.version}`).click();
  await page.getByText('The link has been created').waitFor();
  for (const width of [2560, 1440, 1300, 1280, 1279, 1000, 940, 833, 768, 390, 360]) {
    await fits(page, width, 'closed');
  }
  for (const row of [long.version, '1.0.0']) {
    await page.getByRole('row', { name: row }).getByText('Delete …').click();
  }
  await item(long.name).getByText('Revoke …').click();
  for (const width of [1440, 1280, 1000, 390]) await fits(page, width, 'with confirmations');
  await page.setViewportSize({ width: 360, height: 900 });
  const names = [`Make live: ${long.version}`, `Create link: ${long.version}`];
  for (const name of [...names, `Revoke the link of ${long.version}`]) {
    const box = await button(name).boundingBox();
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 360, `${name}: ${box?.x}`);
  }
  await findNothing(page, 'on a phone');
  await page.setViewportSize({ width: 1440, height: 900 });
  assert.deepEqual(
    store.faults.filter((fault) => !/status of 40[19]/.test(fault)),
    [],
  );
});
