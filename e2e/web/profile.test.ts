// The avatar in a browser: preview, upload, public page, rejection, removal, and forms without JavaScript.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { image } from './media-editor.ts';
import { noBrowser, openStore, type Store } from './open-store.ts';

const BAD = { name: 'bad.png', mimeType: 'image/png', buffer: Buffer.from('no picture') };

let store: Store;
before(async () => {
  if (noBrowser === false) store = await openStore();
});
after(() => store?.[Symbol.asyncDispose]());

async function openProfile(name: string): Promise<{ page: Page; uid: string }> {
  const { page, uid } = await store.owner(name);
  await page.goto(`${store.site.origin}/dashboard/profile`);
  return { page, uid };
}

/** The natural width of the avatar on the public page, in pixels; null if an initial is shown. */
async function widthForStrangers(uid: string): Promise<number | null> {
  const page = await store.visitor();
  await page.goto(`${store.site.origin}/devs/${uid}`, { waitUntil: 'networkidle' });
  const picture = page.locator('.person img.face');
  if ((await picture.count()) === 0) {
    assert.equal(await page.locator('.person svg.face').count(), 1);
    return null;
  }
  return picture.evaluate((one: HTMLImageElement) => one.naturalWidth);
}

test('an avatar is previewed before the upload, is public after it, and can be removed', {
  skip: noBrowser,
}, async () => {
  const { page, uid } = await openProfile('Previewed');
  assert.equal(await widthForStrangers(uid), null);
  await page.getByLabel('Choose a picture').setInputFiles(await image('me.png', '#804020'));
  await page.getByText('Preview. The picture is not saved until you upload it.').waitFor();
  const preview = page.getByAltText('Preview of the new picture');
  assert.ok((await preview.evaluate((one: HTMLImageElement) => one.naturalWidth)) > 0);
  assert.equal(await widthForStrangers(uid), null, 'a preview uploads nothing');

  await page.getByLabel('Choose a picture').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('The picture has been saved.').waitFor();
  assert.equal(await page.locator('.picture-shown img.face').count(), 1);
  assert.equal(await widthForStrangers(uid), 256);

  const remove = page.getByRole('button', { name: 'Remove the picture' });
  await remove.focus();
  await page.keyboard.press('Enter');
  await page.getByText('The picture has been removed.').waitFor();
  assert.equal(await remove.count(), 0);
  assert.equal(await widthForStrangers(uid), null);
  assert.deepEqual(store.faults.splice(0), []);
});

test('a file that is not an image is rejected with the reason, and the earlier avatar stays', {
  skip: noBrowser,
}, async () => {
  const { page, uid } = await openProfile('Refused');
  await page.getByLabel('Choose a picture').setInputFiles(await image('me.png', '#208040'));
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.getByText('The picture has been saved.').waitFor();
  await page.getByLabel('Choose another picture').setInputFiles(BAD);
  await page.getByText('This file is not an image that the browser can show.').waitFor();
  await page.getByRole('button', { name: 'Upload' }).click();
  await page.getByRole('alert').getByText('The avatar').waitFor();
  assert.equal(await page.locator('.picture-shown img.face').count(), 1);
  assert.equal(await widthForStrangers(uid), 256);
  const faults = store.faults.splice(0).filter((fault) => !/status of 400/.test(fault));
  assert.deepEqual(faults, []);
});

test('without JavaScript, forms upload and remove an avatar', {
  skip: noBrowser,
}, async () => {
  const { page, uid } = await openProfile('Plain');
  const plain = await store.withoutScripts(page);
  await plain.getByLabel('Choose a picture').setInputFiles(await image('me.png', '#404080'));
  await plain.getByRole('button', { name: 'Upload' }).click();
  await plain.getByText('The picture has been saved.').waitFor();
  assert.equal(await widthForStrangers(uid), 256);
  await plain.getByRole('button', { name: 'Remove the picture' }).click();
  await plain.getByText('The picture has been removed.').waitFor();
  assert.equal(await widthForStrangers(uid), null);
});
