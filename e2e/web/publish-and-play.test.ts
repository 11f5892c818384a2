// A developer publishes a threaded game in a browser, and a visitor plays it: isolation, and saved data after an update.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeZip } from '@svc/platform/testing';
import type { Page } from 'playwright-core';
import { noBrowser, openStore } from './open-store.ts';

const EVIL = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
/** A game with threads that counts its starts in the browser's storage. */
const game = (version: string): Buffer =>
  makeZip({
    'index.html': `<!doctype html><title>game</title><p id="out"></p><script type="module">
      const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
      localStorage.starts = 1 + Number(localStorage.starts ?? 0);
      const worker = new Worker('worker.js');
      worker.onmessage = ({ data }) => { out.textContent = ['${version}', crossOriginIsolated, data, localStorage.starts].join(' '); };
      worker.postMessage(memory.buffer);
    </script>`,
    'worker.js':
      'onmessage = ({ data }) => { const cells = new Int32Array(data); postMessage(Atomics.add(cells, 0, 1)); };',
  });

async function upload(page: Page, version: string, bytes: Buffer, button: string): Promise<void> {
  await page.getByLabel('Version').fill(version);
  await page.getByLabel('Build (ZIP file)').setInputFiles({
    name: `build ${EVIL.replaceAll('/', '')}.zip`,
    mimeType: 'application/zip',
    buffer: bytes,
  });
  await page.getByRole('button', { name: button }).click();
}

test('a developer signs in and publishes a game, and a visitor plays it isolated in the page and keeps the saved data', {
  skip: noBrowser,
}, async () => {
  await using store = await openStore();
  const { origin } = store.site;
  const page = await store.person(`Ada ${EVIL}`);
  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByRole('button', { name: 'Become a developer' }).click();
  await page.getByRole('link', { name: 'Create your first game' }).click();
  await page.getByLabel('Title').fill(`Threads ${EVIL}`);
  await page.getByLabel('Address').fill('threads');
  await page.getByRole('button', { name: 'Create draft' }).click();

  await page.getByRole('link', { name: 'Edit page' }).click();
  await page.getByRole('textbox', { name: 'Description' }).fill(`# Hello\n\n**bold** ${EVIL}`);
  const preview = page.frameLocator('iframe[title="Preview of the page"]');
  await preview.getByRole('heading', { name: 'Hello' }).waitFor({ state: 'attached' });
  assert.equal(await preview.locator('.prose img').count(), 0);
  await page.getByLabel('Tagline').fill(EVIL);
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('Saved. If the game is published').waitFor();

  await page
    .getByRole('navigation', { name: 'Dashboard' })
    .getByRole('link', { name: 'Games' })
    .click();
  await page.getByRole('link', { name: /^Threads/ }).click();
  await upload(
    page,
    '1.0.0',
    makeZip({ 'index.html': 'x', '../evil.js': 'x' }),
    'Upload and publish',
  );
  await page.getByRole('alert').getByText('../evil.js').first().waitFor();
  await upload(page, '1.0.0', game('one'), 'Check only');
  await page.getByText('The build passed all checks').waitFor();
  await upload(page, '1.0.0', game('one'), 'Upload and publish');
  await page.getByText('Published. Players now get this release').waitFor();

  const visitor = await store.visitor();
  await visitor.goto(`${origin}/games/threads`);
  assert.equal(await visitor.locator('iframe').count(), 0);
  const play = async (): Promise<string> => {
    await visitor.getByRole('link', { name: 'Play', exact: true }).click();
    const out = visitor.frameLocator('iframe').locator('#out');
    await out.filter({ hasText: /./ }).waitFor();
    return (await out.textContent()) ?? '';
  };
  assert.equal(await play(), 'one true 0 1');
  await visitor.getByRole('button', { name: 'Stop' }).click();

  await page.reload();
  assert.equal(await page.getByText('Published. Players now get this release').count(), 0);
  await upload(page, '1.0.1', game('two'), 'Publish this build');
  await page.getByText('Published. Players now get this release').waitFor();
  await visitor.reload();
  assert.equal(await play(), 'two true 0 2');
  await visitor.getByRole('button', { name: 'Full screen' }).click();
  await visitor.waitForFunction(() => document.fullscreenElement !== null);
  assert.deepEqual(
    store.faults.filter((fault) => !/status of 400/.test(fault)),
    [],
  );
});
