// Hostile text in every field and a hostile site in a browser: no script runs, and no data changes.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { type TestContext, test } from 'node:test';
import { publishForm } from '@svc/platform/testing';
import type { Page } from 'playwright-core';
import { noBrowser, openStore, type Store } from './open-store.ts';

const EVIL = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
const LINK = '[x](javascript:alert(3)) <a href="javascript:alert(4)">y</a> <svg onload=alert(5)>';
/** A PNG with one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** Creates a developer with hostile text in all fields and file names. Returns the paths of all pages that show them. */
async function fillWithHostileText(store: Store, page: Page): Promise<string[]> {
  const { client, uid } = await store.site.developer('Eve');
  await client.call('editProfile', { body: { name: `Eve ${EVIL}` } });
  const { game } = await client.call('createProject', {
    body: { title: `Evil ${EVIL}`, slug: 'evil', tagline: EVIL, tags: ['evil'] },
  });
  const form = new FormData();
  const metadata = {
    description: `${EVIL}\n\n${LINK}`,
    category: 'horror',
    alt: { 'new:0': EVIL },
  };
  form.set('metadata', JSON.stringify(metadata));
  for (const part of ['cover', 'banner', 'screenshots']) {
    form.set(part, new Blob([PIXEL]), `${EVIL}.png`);
  }
  await client.call('updateStore', { params: { id: game.id }, form: form });
  const build = { 'index.html': 'x', '<img src=x onerror=alert(6)>.js': 'x' };
  await client.call('publish', {
    params: { id: game.id },
    form: publishForm('1.0.0', build, `${EVIL}\n\n${LINK}`),
  });
  await client.call('createToken', { body: { name: EVIL } });
  await page.goto(`${store.site.origin}/sign-in?return_to=/dashboard`);
  await page.getByLabel('Your name').fill('Eve');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Your games' }).waitFor();
  const project = `/dashboard/games/${game.id}`;
  return [
    ...['/', '/games/evil', '/games/evil/releases', `/devs/${uid}`, '/tags/evil'],
    ...['/categories/horror', '/search?q=evil', `/search?q=${encodeURIComponent(EVIL)}`],
    ...['/dashboard', project, `${project}/page`, `${project}/preview`],
    ...['/dashboard/tokens', '/dashboard/profile', '/dashboard/new'],
  ];
}

test('hostile text in every field and file name is shown as text on every page', {
  skip: noBrowser,
}, async () => {
  await using store = await openStore();
  const page = await store.visitor();
  for (const path of await fillWithHostileText(store, page)) {
    await page.goto(store.site.origin + path, { waitUntil: 'networkidle' });
    const found = await page.evaluate(
      () =>
        document.querySelectorAll('img[src="x"], [onerror], [onload], a[href^="javascript:" i]')
          .length,
    );
    assert.equal(found, 0, path);
  }
  assert.deepEqual(store.faults, []);
});

test('feeds and sitemaps with hostile text are well-formed XML', {
  skip: noBrowser,
}, async () => {
  await using store = await openStore();
  const page = await store.visitor();
  await fillWithHostileText(store, page);
  for (const [path, root, items] of [
    ['/feed.xml', 'rss', 'item'],
    ['/games/evil/releases.xml', 'rss', 'item'],
    ['/feed.atom', 'feed', 'entry'],
    ['/games/evil/releases.atom', 'feed', 'entry'],
    ['/sitemap.xml', 'sitemapindex', 'sitemap'],
    ['/sitemap-games.xml', 'urlset', 'url'],
  ] as const) {
    const text = await (await fetch(store.site.origin + path)).text();
    const read = await page.evaluate(
      ({ text, items }) => {
        const xml = new DOMParser().parseFromString(text, 'application/xml');
        return [xml.documentElement.localName, xml.getElementsByTagName(items).length > 0];
      },
      { text, items },
    );
    assert.deepEqual(read, [root, true], path);
  }
});

test('a form on another site that a signed-in user submits changes nothing', {
  skip: noBrowser,
}, async (t) => {
  await using store = await openStore();
  const { page, client } = await store.owner('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Mine' } });
  const target = `${store.site.origin}/dashboard/games/${game.id}/delete`;
  const thief = await serve(
    t,
    `<form method="post" action="${target}"><input name="title" value="Mine"></form><script>document.forms[0].submit()</script>`,
  );
  await page.goto(thief);
  await page.getByRole('heading', { name: 'This form was sent from another site' }).waitFor();
  assert.equal((await client.call('project', { params: { id: game.id } })).game.title, 'Mine');
});

test('another site can’t frame a page of the store or a preview', {
  skip: noBrowser,
}, async (t) => {
  await using store = await openStore();
  const { page, client } = await store.owner('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Mine' } });
  for (const path of ['/', '/dashboard', `/dashboard/games/${game.id}/preview`]) {
    const thief = await serve(t, `<iframe src="${store.site.origin}${path}"></iframe>`);
    const refused = page.waitForEvent('console', (message) =>
      /frame-ancestors|X-Frame-Options/.test(message.text()),
    );
    await page.goto(thief);
    await refused;
    await page.waitForFunction(() => document.querySelector('iframe')?.contentDocument === null);
  }
});

/** Serves a page on another origin. */
async function serve(t: TestContext, html: string): Promise<string> {
  const server: Server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`;
}
