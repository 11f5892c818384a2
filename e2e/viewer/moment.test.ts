// The content of a time range, and navigation between hitches.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { violations } from './axe.ts';
import { noBrowser } from './open-viewer.ts';
import { openSample } from './sample-viewer.ts';

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
    ['Assets', /hero_4\.bin|sky_4\.bin|rock_4\.bin/],
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
