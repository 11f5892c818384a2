// Images and the trailer of a page in a browser: upload, rejection, expired session, and forms without JavaScript.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { makeWebm } from '@svc/platform/testing';
import { image, type MediaEditor, openMediaEditor } from './media-editor.ts';
import { noBrowser } from './open-store.ts';

const WEBM = makeWebm();
const EVIL = '"><img src=x onerror=alert(1)>';

let desk: MediaEditor;

before(async () => {
  if (noBrowser === false) desk = await openMediaEditor();
});
after(() => desk?.[Symbol.asyncDispose]());

test('cover, banner and trailer are uploaded, shown, replaced and removed', {
  skip: noBrowser,
}, async () => {
  const { id } = await desk.open('Slots');
  await desk.page
    .getByLabel('Choose the cover')
    .setInputFiles(await image(`cover ${EVIL}.png`, '#804020'));
  await desk.page.getByAltText('Current cover').waitFor();
  await desk.page
    .getByLabel('Choose the banner')
    .setInputFiles(await image('banner.png', '#204080'));
  await desk.page.getByAltText('Current banner').waitFor();
  const film = { name: 'film.webm', mimeType: 'video/webm', buffer: WEBM };
  await desk.page.getByLabel('Choose the trailer').setInputFiles(film);
  await desk.page.locator('.slot-trailer video').waitFor();
  const first = await desk.stored(id);
  assert.ok(first.cover !== null && first.banner !== null && first.trailer !== null);
  await desk.page
    .getByLabel('Replace the cover')
    .setInputFiles(await image('other.png', '#111111'));
  await desk.announced('other.png has been uploaded.');
  const second = await desk.stored(id);
  assert.notEqual(second.cover?.id, first.cover.id);
  await desk.page.getByRole('button', { name: 'Remove the trailer' }).click();
  await desk.announced('The trailer has been removed.');
  assert.equal((await desk.stored(id)).trailer, null);
});

test('a file that is not an image is rejected, and the next one is uploaded', {
  skip: noBrowser,
}, async () => {
  const { id } = await desk.open('Refused');
  const bad = { name: 'bad.png', mimeType: 'image/png', buffer: Buffer.from('no picture') };
  await desk.page
    .getByLabel('Add screenshots')
    .setInputFiles([bad, await image('good.png', '#446688')]);
  const refused = desk.page.getByRole('alert').filter({ hasText: 'bad.png' });
  await refused.getByText('is not a PNG, JPEG, WebP or AVIF').waitFor();
  await desk.announced('good.png has been uploaded.');
  assert.equal((await desk.stored(id)).screenshots.length, 1);
  await refused.getByRole('button', { name: 'Dismiss' }).click();
  await refused.waitFor({ state: 'detached' });
});

test('an image that is sent with an expired session can be retried after the sign-in in another tab', {
  skip: noBrowser,
}, async () => {
  const { id } = await desk.open('Ended');
  await desk.page.context().clearCookies();
  await desk.page.getByLabel('Choose the cover').setInputFiles(await image('kept.png', '#226688'));
  const waiting = desk.page.getByRole('alert').filter({ hasText: 'kept.png' });
  await waiting.getByText('Your session has ended').waitFor();
  const tab = await desk.page.context().newPage();
  await tab.goto(`${desk.store.site.origin}/sign-in?return_to=/signed-in`);
  await tab.getByLabel('Your name').fill('Ada');
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByRole('heading', { name: 'You are signed in' }).waitFor();
  await tab.close();
  await waiting.getByRole('button', { name: 'Try again' }).click();
  await desk.announced('kept.png has been uploaded.');
  assert.ok((await desk.stored(id)).cover !== null);
});

test('the owner of a draft sees its images in the editor, the preview and the list, and their plain addresses are not found', {
  skip: noBrowser,
}, async () => {
  const { id } = await desk.open('Private');
  await desk.page.getByLabel('Choose the cover').setInputFiles(await image('c.png', '#135790'));
  await desk.page.getByAltText('Current cover').waitFor();
  const { origin } = desk.store.site;
  const places = [
    [`${origin}/dashboard/games/${id}/page`, 'img[alt="Current cover"]'],
    [`${origin}/dashboard/games/${id}/preview`, 'img[src*="/media/"]'],
    [`${origin}/dashboard`, '.row-cover img'],
  ] as const;
  for (const [address, selector] of places) {
    await desk.page.goto(address, { waitUntil: 'networkidle' });
    const shown = await desk.page
      .locator(selector)
      .first()
      .evaluate((one: HTMLImageElement) => ({ width: one.naturalWidth, source: one.currentSrc }));
    assert.ok(shown.width > 0, `${address} shows no picture`);
    assert.equal((await fetch(shown.source)).status, 200);
    assert.equal((await fetch(shown.source.replace(/\?.*/, ''))).status, 404);
  }
});

test('without JavaScript, forms upload, order, describe and remove images', {
  skip: noBrowser,
}, async () => {
  const { id } = await desk.open('Plain forms');
  const plain = await desk.store.withoutScripts(desk.page);
  await plain
    .getByLabel('Add screenshots')
    .setInputFiles([await image('1.png', '#aa0000'), await image('2.png', '#00aa00')]);
  await plain.getByRole('button', { name: 'Add', exact: true }).click();
  await plain.getByText('The media have been updated.').waitFor();
  const [a = '', b = ''] = (await desk.stored(id)).screenshots.map((shot) => shot.id);
  await plain.getByRole('button', { name: 'Move screenshot 1 later' }).click();
  await plain.getByText('The media have been updated.').waitFor();
  assert.deepEqual(
    (await desk.stored(id)).screenshots.map((shot) => shot.id),
    [b, a],
  );
  await plain.getByLabel('Alternative text of screenshot 2').first().fill('A red field');
  await plain.getByRole('button', { name: 'Save the alternative text of screenshot 2' }).click();
  await plain.getByText('The media have been updated.').waitFor();
  assert.equal((await desk.stored(id)).screenshots[1]?.alt, 'A red field');
  await plain.getByRole('button', { name: 'Remove screenshot 1' }).click();
  await plain.getByText('The media have been updated.').waitFor();
  assert.deepEqual(
    (await desk.stored(id)).screenshots.map((shot) => shot.id),
    [a],
  );
});
