// States of the page without a trace: abandoned recordings, too many windows, no token, a confirmation before Start, a file
// that is too large. axe finds no violation in them.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { violations } from './axe.ts';
import { dropFile, noBrowser, openViewer, pickFile } from './open-viewer.ts';
import { sampleTrace } from './sample-trace.ts';

const clean = async (page: Page, what: string): Promise<void> =>
  assert.deepEqual(await violations(page), [], what);

test('a recording of a killed session is offered, and opens as partial', {
  skip: noBrowser,
}, async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-left-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const path = join(dataDir, 'traces', 'moonhop-4711.vpt.partial');
  await mkdir(join(dataDir, 'traces'), { mode: 0o700 });
  // The last line is incomplete, as after a kill during a write.
  await writeFile(path, sampleTrace({ partial: true, seconds: 5 }).slice(0, -20), { mode: 0o600 });
  await using viewer = await openViewer({ agent: { dataDir } });
  const { page, faults } = viewer;
  await page.getByRole('heading', { name: 'Left behind by an earlier session' }).waitFor();
  const offered = page.locator('.recovered li', { hasText: path });
  await offered.getByRole('button', { name: 'Copy path' }).waitFor();
  await clean(page, 'recovered');
  await pickFile(page, path);
  await page.getByRole('heading', { name: 'moonhop-4711.vpt.partial' }).waitFor();
  await page.getByRole('button', { name: 'Partial' }).click();
  await page.getByRole('dialog').getByText(/torn/i).first().waitFor();
  await clean(page, 'about a torn trace');
  assert.deepEqual(faults, []);
});

test('a fifth window reports that it polls, and uses events after another window is closed', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, agent } = viewer;
  const windows: Page[] = [];
  for (let i = 0; i < 4; i++) {
    const next = await page.context().newPage();
    await next.goto(agent.url);
    await next.getByRole('heading', { name: 'Open a trace' }).waitFor();
    windows.push(next);
  }
  const fifth = windows.at(-1);
  assert.ok(fifth);
  await fifth.getByText('No live connection.').waitFor();
  await clean(fifth, 'fifth window');
  await windows[0]?.close();
  await fifth.getByText('No live connection.').waitFor({ state: 'detached' });
  await fifth.getByRole('heading', { name: 'Open a trace' }).waitFor();
});

for (const dark of [false, true]) {
  test(`axe finds no violation without a token and before a capture, ${dark ? 'dark' : 'light'}`, {
    skip: noBrowser,
  }, async () => {
    await using viewer = await openViewer({ target: true, dark });
    const { page, agent } = viewer;
    await page.getByRole('button', { name: 'Start' }).first().waitFor();
    await clean(page, 'welcome');
    await dropFile(page, 'game.folded', 'main;a 3\nmain;b 4\n');
    await page.getByRole('application', { name: /^Flame graph/ }).waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByRole('dialog', { name: 'Replace the open trace?' }).waitFor();
    await clean(page, 'ask before Start');
    const second = await page.context().newPage();
    await second.goto(agent.origin);
    await second.getByRole('heading', { name: 'Open this session' }).waitFor();
    await clean(second, 'no token');
    await second.getByLabel('Address or token').fill('nothing');
    await second.getByRole('button', { name: 'Open' }).click();
    await second.getByRole('alert').waitFor();
    await clean(second, 'no token in what was pasted');
  });
}

test('a file above the size limit is rejected with both sizes before it is read', {
  skip: noBrowser,
}, async () => {
  await using viewer = await openViewer();
  const { page, faults, folder } = viewer;
  await pickFile(page, { name: 'small.folded', text: 'main;a 1\nmain;b 2\n' });
  await page.getByRole('heading', { name: 'small.folded' }).waitFor();
  const path = join(folder, 'huge.folded');
  const file = await open(path, 'w');
  await file.truncate(5 * 1024 ** 3);
  await file.close();
  await pickFile(page, path);
  const alert = page.getByRole('alert');
  await alert.getByText('huge.folded was not opened.').waitFor();
  await alert.getByText('Its size is 5.0 GiB, and this page opens at most 4.0 GiB').waitFor();
  await clean(page, 'refusal');
  await page.getByRole('heading', { name: 'small.folded' }).waitFor();
  assert.deepEqual(faults, []);
});
