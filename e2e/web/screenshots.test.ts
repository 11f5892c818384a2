// Screenshots of a page in a browser: order by keyboard and mouse, alternative text, and the viewer.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publishBuild } from '@svc/platform/testing';
import { until } from '../../scripts/until.ts';
import { type MediaEditor, openMediaEditor } from './media-editor.ts';
import { noBrowser } from './open-store.ts';

const EVIL = '"><img src=x onerror=alert(1)>';

let desk: MediaEditor;

before(async () => {
  if (noBrowser === false) desk = await openMediaEditor();
});
after(() => desk?.[Symbol.asyncDispose]());

test('screenshots can be ordered by keyboard, and the focus stays with the moved image', {
  skip: noBrowser,
}, async () => {
  const { id } = await desk.open('By key');
  const [a = '', b = '', c = ''] = await desk.addThree(id);
  await desk.page.getByRole('button', { name: 'Move screenshot 1 later' }).focus();
  await desk.page.keyboard.press('Enter');
  await desk.announced('Moved to position 2 of 3.');
  await desk.page.keyboard.press('Enter');
  await desk.announced('Moved to position 3 of 3.');
  assert.deepEqual(
    (await desk.stored(id)).screenshots.map((shot) => shot.id),
    [b, c, a],
  );
  const focused = await desk.page.evaluate(() =>
    document.activeElement?.getAttribute('aria-label'),
  );
  assert.equal(focused, 'Move screenshot 3 later');
  await desk.page.keyboard.press('Shift+Tab');
  await desk.page.keyboard.press('Space');
  await desk.announced('Moved to position 2 of 3.');
  assert.deepEqual(
    (await desk.stored(id)).screenshots.map((shot) => shot.id),
    [b, a, c],
  );
});

test('screenshots can be ordered by dragging one onto another', { skip: noBrowser }, async () => {
  const { id } = await desk.open('By hand');
  const [a = '', b = '', c = ''] = await desk.addThree(id);
  await desk.page.setViewportSize({ width: 1440, height: 1600 });
  await desk.shots().nth(2).locator('img').dragTo(desk.shots().nth(0).locator('img'));
  await desk.announced('Moved to position 1 of 3.');
  assert.deepEqual(
    (await desk.stored(id)).screenshots.map((shot) => shot.id),
    [c, a, b],
  );
});

test('the owner’s alternative text is on the page, and the viewer is operated by keyboard', {
  skip: noBrowser,
}, async () => {
  const { id, slug } = await desk.open('Described');
  await desk.addThree(id);
  await desk.page.getByLabel('Alternative text of screenshot 1').fill(`A red field ${EVIL}`);
  await desk.page.getByLabel('Alternative text of screenshot 1').press('Enter');
  await desk.announced('Alternative text of screenshot 1 has been saved.');
  await desk.page.getByRole('button', { name: 'Remove screenshot 2' }).click();
  await desk.announced('Screenshot 2 has been removed.');
  await publishBuild(desk.client, id, '1.0.0', { 'index.html': 'x' });

  const visitor = await desk.store.visitor();
  await visitor.goto(`${desk.store.site.origin}/games/${slug}`);
  const links = visitor.locator('[data-gallery] a');
  assert.equal(await links.count(), 2);
  assert.equal(await links.nth(0).locator('img').getAttribute('alt'), `A red field ${EVIL}`);
  assert.equal(await links.nth(1).locator('img').getAttribute('alt'), 'Screenshot 2 of Described');
  await links.nth(0).focus();
  await visitor.keyboard.press('Enter');
  const viewer = visitor.getByRole('dialog', { name: 'Screenshots' });
  await viewer.getByText('1 of 2').waitFor();
  await viewer.locator('figcaption', { hasText: 'A red field' }).waitFor();
  await visitor.keyboard.press('ArrowRight');
  await viewer.getByText('2 of 2').waitFor();
  await visitor.keyboard.press('ArrowRight');
  await viewer.getByText('1 of 2').waitFor();
  await visitor.keyboard.press('End');
  await viewer.getByText('2 of 2').waitFor();
  await visitor.keyboard.press('Escape');
  await viewer.waitFor({ state: 'hidden' });
  // Browsers send the close event of a dialog in the next frame.
  await until(
    () => links.nth(1).evaluate((link) => link === document.activeElement),
    (isFocused) => isFocused,
    'the second screenshot has the focus',
  );
  assert.deepEqual(
    desk.store.faults.filter((fault) => !/status of 40[01]/.test(fault)),
    [],
  );
});
