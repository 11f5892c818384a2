// The content of a time range, and navigation between hitches.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { traceFromText } from '@svc/trace/testing';
import { violations } from './axe.ts';
import { noBrowser, openViewer, pickFile } from './open-viewer.ts';
import { openSample, showTimeline } from './sample-viewer.ts';

/** A hitch in which an upload takes most of the time of its caller. The name of the asset is `name`. */
const uploadTrace = (name: string): string =>
  traceFromText(`import
    0 frames 10*10 100 10*10
    0 stacks m_[M];frame_[S];show_[S];texImage2D 75000@100 | m_[M];frame_[S];spawn_[S] 20000@175
    0 stacks m_[M];frame_[S] 1000@260
    104 asset 7 COMET texture upload main_thread_ms=62 dims=4096x4096 format=RGBA8
    196 span 3 layout rendering`).replaceAll('COMET', name);

test('a time range shows frames, assets, long tasks, marks and log, and its stacks as a graph and as a table', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openSample();
  const { page, faults } = viewer;
  await page.evaluate(() => {
    location.hash = 'view=frames&range=4000-6600';
  });
  await page.getByText('Only the selected time range.').waitFor();
  await page.keyboard.press('m');
  const dialog = page.getByRole('dialog', { name: '0:04.000, 2.60 s' });
  await dialog
    .getByRole('list', { name: 'Frames' })
    .getByText(/GPU .* draw calls/)
    .first()
    .waitFor();
  for (const [part, text] of [
    ['Loads and reads', /hero_4\.bin|sky_4\.bin|rock_4\.bin/],
    ['Long tasks', /main\.js:update/],
    ['Marks', /wave 4/],
    ['Log', /texture cache missed 6 times/],
  ] as const) {
    await dialog.getByRole('region', { name: part, exact: true }).getByText(text).first().waitFor();
  }
  const graph = dialog.getByRole('application', { name: /^Stacks of this moment/ });
  await graph.focus();
  await page.keyboard.press('ArrowDown');
  await dialog.getByText(/^main, 100\.0 percent/).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor();
  await dialog.getByText(/Samples from 0:04\.000 to 0:07\.000/).waitFor();
  await dialog.getByRole('button', { name: 'Show table' }).click();
  await dialog.getByRole('region', { name: 'Functions' }).getByRole('row').nth(3).waitFor();
  assert.deepEqual(await violations(page), []);
  await dialog.getByRole('button', { name: 'Later hitch' }).click();
  await page.getByRole('dialog', { name: /^0:0[4-6]\.\d+, \d+\.\d ms$/ }).waitFor();
  await page.getByRole('button', { name: 'Show on the timeline' }).click();
  await page.getByRole('application', { name: /^Timeline/ }).waitFor();
  const first = page.url();
  await page.keyboard.press('n');
  await page.waitForURL((url) => url.href !== first && /range=/.test(url.hash));
  await page.keyboard.press('p');
  await page.waitForURL(first);
  assert.deepEqual(faults, []);
});

test('the dialog of a hitch states first what caused it, also with a long path on a phone', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer({ size: { width: 390, height: 844 } });
  const { page, faults } = viewer;
  const cause = page.getByRole('dialog').locator('section').first().locator('p').first();
  const show = async (file: string, asset: string): Promise<void> => {
    await pickFile(page, { name: file, text: uploadTrace(asset) });
    await page.getByText(file).first().waitFor();
    await showTimeline(page);
    await page.keyboard.press('n');
    await page.keyboard.press('m');
    await cause.waitFor();
  };
  const text = async (): Promise<string> => (await cause.innerText()).replaceAll('\u00a0', ' ');
  const rest = '(4096×4096 RGBA8) took 62 ms, spawn ran for 20 ms, show ran for 13 ms.';
  await show('short.vpt', 'comet.png');
  assert.equal(await text(), `Causes: uploading comet.png ${rest}`);
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('Escape');
  const path = `https://cdn.game.example/${'textures/'.repeat(40)}comet.png`;
  await show('long.vpt', path);
  assert.match(
    await text(),
    /^Causes: uploading https:\/\/cdn\.game\.example\/.*….*textures\/comet\.png \(/,
  );
  assert.ok((await text()).endsWith(rest));
  await cause.getByTitle(path, { exact: true }).waitFor();
  const width = await page.getByRole('dialog').evaluate((box) => box.scrollWidth - box.clientWidth);
  assert.equal(width, 0);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(faults, []);
});

test('a text that the browser does not copy is selected in a field of the dialog and of the notice', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('Write permission denied.'));
  });
  await pickFile(page, { name: 'upload.vpt', text: uploadTrace('comet.png') });
  await page
    .getByRole('region', { name: 'Worst moments' })
    .getByRole('button', { name: /comet\.png/ })
    .click();
  const dialog = page.getByRole('dialog', { name: '0:00.100, 100 ms' });
  const selected = (): Promise<string> => page.evaluate(() => String(getSelection()));
  await dialog.getByRole('button', { name: 'Copy link' }).click();
  const field = dialog.getByRole('textbox', { name: 'The link, to copy by hand' });
  await field.waitFor();
  assert.match(await field.inputValue(), /#moment=100-200$/);
  assert.equal(await selected(), await field.inputValue());
  assert.equal(await field.isEditable(), false);
  await dialog.getByRole('button', { name: 'Copy as Markdown' }).click();
  const markdown = dialog.getByRole('textbox', { name: 'The Markdown, to copy by hand' });
  await markdown.waitFor();
  assert.match(await selected(), /^### Hitch of 100 ms/);
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('Escape');
  const inNotice = page
    .getByRole('log', { name: 'Messages' })
    .getByRole('textbox', { name: 'The link, to copy by hand' });
  await inNotice.focus();
  assert.match(await selected(), /#moment=100-200$/);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(faults, []);
});

test('a hitch shows the frames around it, and its link and its Markdown can be shared', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await pickFile(page, { name: 'upload.vpt', text: uploadTrace('comet.png') });
  await page
    .getByRole('region', { name: 'Worst moments' })
    .getByRole('button', { name: /comet\.png/ })
    .click();
  const dialog = page.getByRole('dialog', { name: '0:00.100, 100 ms' });
  const frames = dialog.getByRole('list', { name: 'Frames' }).getByRole('listitem');
  await frames.nth(2).waitFor();
  const texts = await frames.allInnerTexts();
  assert.deepEqual(
    texts.map((text) => text.replaceAll(/\s+/g, ' ').trim()),
    [
      'Frame before, 0:00.090 10.0 ms',
      'This frame, 0:00.100 100 ms 83.3 ms over the budget, main thread 98.0 ms',
      'Frame after, 0:00.200 10.0 ms main thread 0 ms',
    ],
  );
  await dialog.getByRole('region', { name: 'Uploads' }).getByText('comet.png').waitFor();
  await dialog.getByRole('region', { name: 'Rendering' }).getByText('layout').waitFor();
  assert.deepEqual(await violations(page), []);
  const copied = async (name: string): Promise<string> => {
    await dialog.getByRole('button', { name }).click();
    return await page.evaluate(() => navigator.clipboard.readText());
  };
  const link = await copied('Copy link');
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/#moment=100-200$/);
  assert.match(
    await copied('Copy as Markdown'),
    /^### Hitch of 100 ms at 0:00\.100 in upload\.vpt\n/,
  );
  await dialog.getByRole('button', { name: /^Frame before/ }).click();
  await page.getByRole('dialog', { name: '0:00.090, 10.0 ms' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.ok(!page.url().includes('moment'), 'a closed dialog is not in the address');
  await page.evaluate((hash) => {
    location.hash = hash;
  }, new URL(link).hash);
  await dialog.waitFor();
  assert.deepEqual(faults, []);
});
