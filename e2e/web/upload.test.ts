// The upload form in a browser: dropped files, progress, Stop, expired session, findings, connection loss.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { makeZip } from '@svc/platform/testing';
import type { Page } from 'playwright-core';
import type { PlatformClient } from '../../packages/contracts/src/platform.ts';
import { until } from '../../scripts/until.ts';
import { noBrowser, openStore, type Store } from './open-store.ts';

const SMALL = makeZip({ 'index.html': '<!doctype html><title>game</title>' });
/** Incompressible bytes, so that a slow connection is slow. */
const LARGE = makeZip({ 'index.html': 'x', 'level.bin': randomBytes(1_000_000) });
const SLOW_BYTES_A_SECOND = 100_000;

let store: Store;
let page: Page;
let client: PlatformClient;

before(async () => {
  if (noBrowser !== false) return;
  store = await openStore();
  ({ page, client } = await store.owner('Ada'));
});
after(() => store?.[Symbol.asyncDispose]());

/** Opens the page of a new draft. */
async function openDraft(title: string): Promise<string> {
  const { game } = await client.call('createProject', { body: { title } });
  await page.goto(`${store.site.origin}/dashboard/games/${game.id}`);
  return game.id;
}

async function choose(bytes: Buffer): Promise<void> {
  const file = { name: 'build.zip', mimeType: 'application/zip', buffer: bytes };
  await page.getByLabel('Build (ZIP file)').setInputFiles(file);
}

const publish = () => page.getByRole('button', { name: 'Upload and publish' });
const status = (words: string) => page.locator('[data-status]').getByText(words);

async function versions(id: string): Promise<string[]> {
  const { releases } = await client.call('releases', { params: { id } });
  return releases.map(({ version }) => version);
}

async function limitUpload(bytesASecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesASecond,
  });
}

test('a ZIP file that is dropped on the form is published', {
  skip: noBrowser,
}, async () => {
  const id = await openDraft('Dropped');
  const form = page.locator('form[data-upload]');
  const files = await page.evaluateHandle((base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], 'dropped.zip', { type: 'application/zip' }));
    return transfer;
  }, SMALL.toString('base64'));
  await form.dispatchEvent('dragover', { dataTransfer: files });
  assert.match((await form.getAttribute('class')) ?? '', /dropping/);
  await form.dispatchEvent('drop', { dataTransfer: files });
  assert.doesNotMatch((await form.getAttribute('class')) ?? '', /dropping/);
  await publish().click();
  await page.getByText('Published. Players now get this release').waitFor();
  assert.deepEqual(await versions(id), ['1.0.0']);
});

test('the progress bar moves during the upload, and Stop publishes nothing and keeps the form', {
  skip: noBrowser,
}, async () => {
  const id = await openDraft('Stopped');
  await limitUpload(SLOW_BYTES_A_SECOND);
  await choose(LARGE);
  await page.getByLabel('Release notes').fill('Kept notes');
  await publish().click();
  const bar = page.getByRole('progressbar', { name: 'Upload' });
  await page.waitForFunction(() => {
    const found = document.querySelector<HTMLProgressElement>('[data-status] progress');
    return found !== null && found.position > 0 && found.position < 1;
  });
  assert.ok(await publish().isDisabled());
  await page.getByRole('button', { name: 'Stop' }).click();
  await status('Stopped. Nothing was published').waitFor();
  const place = page.locator('[data-status]');
  assert.ok(await place.evaluate((element) => element === document.activeElement));
  assert.equal(await bar.count(), 0);
  assert.deepEqual(await versions(id), []);
  assert.equal(await page.getByLabel('Release notes').inputValue(), 'Kept notes');

  await limitUpload(-1);
  const done = page.getByText('Published. Players now get this release');
  const busy = status('another publish of this project is running');
  const sendAgain = async (): Promise<boolean> => {
    await publish().click();
    await done.or(busy).waitFor();
    return done.isVisible();
  };
  // The platform notices the stop of the first upload later than this page.
  await until(sendAgain, (published) => published, 'the upload is taken');
  assert.deepEqual(await versions(id), ['1.0.0']);
});

test('an expired session is reported, and the kept file can be uploaded after the sign-in in another tab', {
  skip: noBrowser,
}, async () => {
  const id = await openDraft('Signed out');
  await choose(SMALL);
  await page.getByLabel('Release notes').fill('Kept notes');
  await page.context().clearCookies();
  await publish().click();
  await status('Your session has ended. Nothing was published').waitFor();
  assert.deepEqual(await versions(id), []);

  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: 'Sign in in a new tab' }).click();
  const tab = await opened;
  await tab.getByLabel('Your name').fill('Ada');
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByRole('heading', { name: 'You are signed in' }).waitFor();
  await tab.close();
  await publish().click();
  await page.getByText('Published. Players now get this release').waitFor();
  const { releases } = await client.call('releases', { params: { id } });
  assert.equal(releases[0]?.notes, 'Kept notes');
});

test('findings are listed by file, each with a hint', {
  skip: noBrowser,
}, async () => {
  const id = await openDraft('Findings');
  await choose(
    makeZip({ 'index.html': 'x', '../up.js': 'x', 'a\\b.js': 'x', '<img src=x>.js': 'x' }),
  );
  await page.getByRole('button', { name: 'Check only' }).click();
  const list = page.getByRole('alert').getByRole('listitem');
  await list.filter({ hasText: '../up.js' }).first().waitFor();
  await list.filter({ hasText: 'a\\b.js' }).first().waitFor();
  const entries = await list.locator('code').allTextContents();
  assert.ok(entries.includes('../up.js') && entries.includes('a\\b.js'), entries.join(' '));
  assert.equal(await page.locator('[data-status] img').count(), 0);
  await choose(SMALL);
  await page.getByRole('button', { name: 'Check only' }).click();
  await status('The build passed all checks').waitFor();
  assert.deepEqual(await versions(id), []);
});

test('a lost connection is reported, and the form is kept', { skip: noBrowser }, async () => {
  await openDraft('Broken line');
  await choose(SMALL);
  await page.route('**/upload', (route) => route.abort('connectionreset'));
  await publish().click();
  await status('The store can’t be reached').waitFor();
  await page.unroute('**/upload');
  await publish().click();
  await page.getByText('Published. Players now get this release').waitFor();
});
