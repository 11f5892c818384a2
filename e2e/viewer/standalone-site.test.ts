// The viewer as a static site: under any path, without a network after the first visit, and with clean updates.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { integrityOf } from '../../packages/viewer/scripts/write-page.ts';
import { until } from '../../scripts/until.ts';
import { violations } from './axe.ts';
import { buildHere, openPage, serveFolder } from './open-standalone.ts';
import { noBrowser, pickFile } from './open-viewer.ts';
import { sampleTrace } from './sample-trace.ts';
import { go } from './sample-viewer.ts';

const BROWSER = { skip: noBrowser };

/** Waits until the service worker has stored the site and answers the page. */
const stored = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => navigator.serviceWorker.controller !== null);

const caches = (page: Page): Promise<string[]> => page.evaluate(() => window.caches.keys());

test(
  'the site works under a sub-path, and after the first visit without a network',
  BROWSER,
  async (t) => {
    const { site } = await buildHere(t);
    const { address, paths, stop } = await serveFolder(
      t,
      site,
      '/tools/profile viewer/'.replace(' ', '%20'),
    );
    const { page, faults, requested } = await openPage(t, address);
    await stored(page);
    assert.deepEqual(await violations(page), []);
    assert.ok(
      requested.every((url) => url.startsWith(address)),
      requested.join(' '),
    );
    assert.ok(
      paths.every((path) => path.startsWith(new URL(address).pathname)),
      paths.join(' '),
    );
    await stop();
    for (const from of [address, `${address}index.html`, `${address}?from=mail#view=frames`]) {
      await page.goto(from);
      await page.getByText('Nothing leaves this computer').waitFor();
    }
    await pickFile(page, { name: 'sample.vpt', text: sampleTrace() });
    await page.getByRole('region', { name: 'Hitches, worst first' }).waitFor();
    await go(page, 'Stacks');
    await page.getByRole('application', { name: /^Flame graph/ }).waitFor();
    assert.deepEqual(faults, []);
  },
);

test('the site has a manifest with which browsers install it', BROWSER, async (t) => {
  const { site } = await buildHere(t);
  const { address } = await serveFolder(t, site, '/a/');
  const { page } = await openPage(t, address);
  const session = await page.context().newCDPSession(page);
  const { errors, url, data } = await session.send('Page.getAppManifest');
  assert.deepEqual([errors, url], [[], `${address}manifest.webmanifest`]);
  const { start_url, scope, icons } = JSON.parse(data ?? '{}');
  assert.deepEqual([start_url, scope], ['./', './']);
  assert.equal((await fetch(new URL(icons[0].src, url))).status, 200);
});

test(
  'an update replaces the old version and its files, and no trace that is open',
  BROWSER,
  async (t) => {
    const { site } = await buildHere(t);
    const { address } = await serveFolder(t, site);
    const { page, faults } = await openPage(t, address);
    await stored(page);
    const [first = ''] = await caches(page);
    const foreign = `svc-viewer ${address}other/ 1`;
    await page.evaluate((name) => window.caches.open(name), foreign);
    await deploy(site);
    await page.reload();
    await page
      .getByText('A new version of this viewer is ready. Reload the page to use it.')
      .waitFor();
    // A page that is open when another one starts the new version keeps its trace.
    const second = await page.context().newPage();
    await pickFile(page, { name: 'kept.folded', text: 'main;a 1\n' });
    await page.getByRole('heading', { name: 'kept.folded' }).waitFor();
    await until(
      async () => {
        // The page loads itself again, which may interrupt this load.
        await second.goto(address).catch(() => {});
        return await second.locator(`html[lang=${CHANGED}]`).count();
      },
      (count) => count > 0,
      'the new version is shown',
    );
    await until(
      () => caches(second),
      (names) => !names.includes(first),
      'the old files are removed',
    );
    const names = await caches(second);
    assert.equal(names.length, 2, names.join(', '));
    assert.ok(names.includes(foreign), 'the cache of another site stays');
    await page.getByRole('heading', { name: 'kept.folded' }).waitFor();
    assert.deepEqual(faults, []);
  },
);

test('a deployment that is incomplete changes nothing', BROWSER, async (t) => {
  const { site } = await buildHere(t);
  const { address, stop } = await serveFolder(t, site);
  const { page } = await openPage(t, address);
  await stored(page);
  const before = await caches(page);
  // The service worker is new, but the host still answers with the old page.
  const old = await readFile(join(site, 'index.html'));
  await deploy(site);
  await writeFile(join(site, 'index.html'), old);
  const state = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    await registration.update();
    const { installing } = registration;
    if (installing === null) return 'no update';
    if (installing.state !== 'redundant') {
      await new Promise((resolve) =>
        installing.addEventListener('statechange', resolve, { once: true }),
      );
    }
    return installing.state;
  });
  assert.equal(state, 'redundant');
  assert.deepEqual(await caches(page), before);
  await stop();
  await page.reload();
  await page.getByText('Nothing leaves this computer').waitFor();
});

/** The language of the page of a changed site, by which a test recognizes it. */
const CHANGED = 'en-GB';

/** Changes the page of a site, like the build of another version. */
async function deploy(site: string): Promise<void> {
  const [page, worker] = [join(site, 'index.html'), join(site, 'service-worker.js')];
  const html = await readFile(page, 'utf8');
  const changed = html.replace('lang="en"', `lang="${CHANGED}"`);
  const code = await readFile(worker, 'utf8');
  const version = /version:[`'"](sha256-[^`'"]+)/.exec(code)?.[1] ?? '';
  assert.ok(version !== '' && code.includes(integrityOf(html)));
  const next = code
    .replaceAll(integrityOf(html), integrityOf(changed))
    .replaceAll(version, integrityOf(version));
  await writeFile(page, changed);
  await writeFile(worker, next);
}
