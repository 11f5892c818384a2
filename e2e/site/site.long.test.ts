// The built site: every link leads to something, the search works by keyboard, and nothing is requested from other hosts.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { until } from '../../scripts/until.ts';
import { isVitePressInstalled } from '../../scripts/vitepress.ts';
import { ROOT } from '../../scripts/workspaces.ts';
import { buildSite } from '../../site/build.ts';
import { makePages } from '../../site/make-pages.ts';
import { violations } from '../viewer/axe.ts';
import { openPage, serveFolder } from '../viewer/open-standalone.ts';
import { noBrowser } from '../viewer/open-viewer.ts';
import { brokenAddresses, readPage, type SitePage } from './read-page.ts';

const MISSING = isVitePressInstalled() ? false : 'VitePress is not installed: npm ci in site/';
const BROWSER = { skip: MISSING || noBrowser };
const BASE = '/guides/svc/';

const folder = temporaryFolder();
const out = join(folder.path, 'site');

before(async () => {
  if (MISSING === false) await buildSite({ out, base: BASE });
});

function readPages(): Map<string, SitePage> {
  const paths = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.html'),
  );
  return new Map(paths.map((path) => [path, readPage(readFileSync(join(out, path), 'utf8'))]));
}

test('every address in every page exists on the site, with its anchor', { skip: MISSING }, () => {
  const pages = readPages();
  assert.ok(pages.size > 100);
  assert.deepEqual(
    brokenAddresses(pages, BASE, (path) => existsSync(join(out, path))),
    [],
  );
});

test('an address that leads nowhere is found', () => {
  const html = [
    '<h1 id="a b">x</h1><a class="l" href="/x/docs/">1</a><a href="/x/docs/#one">2</a><a href="#a%20b">3</a><a href="./#a%20b">3</a>',
    '<a href="/y/">4</a><a href="./none.html">5</a><img src="/x/a.png"><a href="#none">6</a>',
    '<a href="https://other.example/">7</a><code>&lt;a href="none"</code>',
  ].join('');
  const pages = new Map([
    ['index.html', readPage(html)],
    [
      'docs/index.html',
      readPage('<h2 id="one" tabindex="-1">x</h2><a href="../index.html#none">8</a>'),
    ],
  ]);
  assert.deepEqual(
    brokenAddresses(pages, '/x/', (path) => path.endsWith('index.html')),
    [
      'index.html: /y/',
      'index.html: ./none.html',
      'index.html: /x/a.png',
      'index.html: #none',
      'docs/index.html: ../index.html#none',
    ],
  );
});

test('no page loads anything from another host', { skip: MISSING }, () => {
  const foreign = [...readPages()].flatMap(([path, { loaded }]) =>
    loaded
      .filter((address) => /^(?:https?:)?\/\//.test(address))
      .map((address) => `${path}: ${address}`),
  );
  assert.deepEqual(foreign, []);
});

test('a page with a broken link fails the build, which leaves the earlier site as it was', {
  skip: MISSING,
}, async () => {
  using other = temporaryFolder();
  const earlier = join(other.path, 'site');
  mkdirSync(earlier);
  writeFileSync(join(earlier, '.svc-site'), '');
  const site = await makePages();
  const pages = new Map([...site.pages, ['broken.md', '# Broken\n\n[gone](nothing.md)\n']]);
  await assert.rejects(buildSite({ out: earlier, base: '/' }, { ...site, pages }), /dead link/);
  assert.deepEqual(readdirSync(other.path), ['site']);
  assert.deepEqual(readdirSync(earlier), ['.svc-site']);
  assert.ok(!existsSync(join(ROOT, `site/.work-${process.pid}`)));
});

test('a build replaces an earlier site', { skip: MISSING }, async () => {
  writeFileSync(join(out, 'old.html'), 'old');
  await buildSite({ out, base: BASE });
  assert.ok(!existsSync(join(out, 'old.html')) && existsSync(join(out, 'index.html')));
});

/** Opens the search by its key and types. Returns the titles of the results. */
async function search(page: Page, words: string): Promise<string[]> {
  await page.keyboard.press('/');
  const input = page.locator('#localsearch-input');
  await input.waitFor();
  await input.fill(words);
  const results = page.locator('#localsearch-list [role=option]');
  await results.first().waitFor();
  return (await results.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
}

const SEARCHES = {
  rollback: /svc rollback$/,
  '--fail-on': /svc trace diff/,
  'POST /projects/{id}/rollback': /POST \/projects\/\{id\}\/rollback$/,
  gpu_bytes: /./,
};

for (const [words, title] of Object.entries(SEARCHES)) {
  test(`the search finds "${words}"`, BROWSER, async (t) => {
    const { address } = await serveFolder(t, out, BASE);
    const { page, faults, requested } = await openPage(t, `${address}tour.html`);
    const titles = await search(page, words);
    assert.ok(
      titles.some((one) => title.test(one)),
      titles.join('\n'),
    );
    assert.deepEqual(faults, []);
    assert.deepEqual(
      requested.filter((url) => !url.startsWith(address)),
      [],
    );
  });
}

test('the first result of a search opens by the Enter key', BROWSER, async (t) => {
  const { address } = await serveFolder(t, out, BASE);
  const { page, faults } = await openPage(t, address);
  await search(page, 'rollback');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${address}reference/commands/rollback.html*`);
  await page.getByRole('heading', { level: 1, name: 'svc rollback' }).waitFor();
  assert.deepEqual(faults, []);
});

const PAGES = [
  '',
  'tour.html',
  'docs/cli.html',
  'reference/platform-api/releases.html',
  'reference/commands/trust.html',
];

for (const dark of [false, true]) {
  for (const path of PAGES) {
    test(`/${path} is accessible and quiet, ${dark ? 'dark' : 'light'}`, BROWSER, async (t) => {
      const { address } = await serveFolder(t, out, BASE);
      const { page, faults, requested } = await openPage(t, address + path, dark);
      assert.deepEqual(await violations(page), []);
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await until(
          () =>
            page.evaluate(
              () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
            ),
          (tooMany) => tooMany <= 0,
          `the page fits ${width} px (last: px too wide)`,
        );
      }
      assert.deepEqual(await violations(page), []);
      assert.deepEqual(faults, []);
      assert.deepEqual(
        requested.filter((url) => !url.startsWith(address)),
        [],
      );
    });
  }
}

test('a page has its text without scripts', { skip: MISSING }, () => {
  const html = readFileSync(join(out, 'docs/vpt.html'), 'utf8');
  assert.match(html, /MUST and MAY have the meaning of RFC 2119/);
});
