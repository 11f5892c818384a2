// A dropped frame log of another tool opens, and the first line of the page says what caused the hitches.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { violations } from './axe.ts';
import { dropFile, noBrowser, openViewer, pickFile } from './open-viewer.ts';

const HEADER = 'EVENTS,FrameTime,GameThreadTime,GPUTime,Exclusive/GameThread/LoadPackage';
/** Every fiftieth frame loads a package for 70 ms. */
const ROWS = Array.from({ length: 200 }, (_, i) => (i % 50 === 49 ? ',80,78,9,70' : ',16,9,9,0'));
const PROFILE = `${[HEADER, ...ROWS, HEADER, '[HasHeaderRowAtEnd],1'].join('\n')}`;

test('a CSV profile of Unreal Engine names the part that caused the hitches', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults } = viewer;
  await dropFile(page, 'Profile(20260301_100000).csv', PROFILE);
  await page.getByRole('heading', { name: 'All 4 hitches are caused by “LoadPackage”.' }).waitFor();
  await page.getByText('LoadPackage took 70 ms').first().click();
  const dialog = page.getByRole('dialog', { name: '0:00.784, 80.0 ms' });
  await dialog.getByText('LoadPackage GameThread 70.0 ms').waitFor();
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'About' }).click();
  await page.getByText('CSV profile of Unreal Engine, shown as .vpt').waitFor();
  assert.deepEqual(faults, []);
});

test('a gzip file of several parts, which browsers do not expand, is rejected with the next step, and the agent opens it', {
  skip: noBrowser,
}, async () => {
  const parts = Buffer.concat([gzipSync(PROFILE.slice(0, 500)), gzipSync(PROFILE.slice(500))]);
  await using viewer = await openViewer();
  const { page, folder } = viewer;
  const path = join(folder, 'Profile.csv.gz');
  writeFileSync(path, parts);
  await pickFile(page, path);
  await page
    .getByText(/it has several parts.*Expand it with gunzip/)
    .first()
    .waitFor();
  await using opened = await openViewer({ file: path });
  await opened.page
    .getByRole('heading', { name: 'All 4 hitches are caused by “LoadPackage”.' })
    .waitFor();
});
