// The sitemap of a list that needs several files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlatformClient } from '@svc/contracts/platform';
import { createSitemap, type SitemapVisit } from './sitemap.ts';

const ORIGIN = 'http://store.example';

/** A platform with `count` games. A cursor is the number of games before it. */
function listOf(count: number): { visit: (path: string) => SitemapVisit; calls: () => number } {
  let calls = 0;
  const api = createPlatformClient({
    baseUrl: 'http://api.example',
    send: async (address) => {
      calls++;
      const { searchParams } = new URL(address);
      const from = Number(searchParams.get('cursor') ?? 0);
      const to = Math.min(count, from + Number(searchParams.get('limit')));
      const games = Array.from({ length: to - from }, (_, index) => ({
        slug: `game-${from + index}`,
        updated_at: '2026-01-01T00:00:00.000Z',
      }));
      return Response.json({ games, developers: [], next_cursor: to < count ? String(to) : null });
    },
  });
  const web = { origin: ORIGIN, now: () => 0 };
  return { visit: (path) => ({ web, api, url: new URL(path, ORIGIN) }), calls: () => calls };
}

function addresses(xml: string): string[] {
  return [...xml.matchAll(/<loc>([^<]+)<\/loc>/g)].map((found) => found[1] ?? '');
}

test('createSitemap lists every game once in the files of the index', async () => {
  const { visit } = listOf(553);
  const sitemap = createSitemap(250);
  const files = addresses((await sitemap.index(visit('/sitemap.xml'))).content);
  assert.deepEqual(files, [
    `${ORIGIN}/sitemap-games.xml`,
    `${ORIGIN}/sitemap-games.xml?after=250`,
    `${ORIGIN}/sitemap-games.xml?after=500`,
  ]);
  const found: string[] = [];
  for (const file of files) found.push(...addresses((await sitemap.file(visit(file))).content));
  const games = found.filter((address) => address.includes('/games/'));
  assert.equal(games.length, 553);
  assert.equal(new Set(found).size, found.length);
  assert.ok(found.includes(`${ORIGIN}/`) && found.includes(`${ORIGIN}/categories/arcade`));
});

test('createSitemap reads the list once an hour for the index', async () => {
  const { visit, calls } = listOf(300);
  const sitemap = createSitemap(250);
  await Promise.all([sitemap.index(visit('/sitemap.xml')), sitemap.index(visit('/sitemap.xml'))]);
  const first = calls();
  await sitemap.index(visit('/sitemap.xml'));
  assert.equal(calls(), first);
});

test('createSitemap reads the list again after an hour, and at once after a failure', async () => {
  let now = 0;
  let calls = 0;
  let isDown = true;
  const api = createPlatformClient({
    baseUrl: 'http://api.example',
    send: async () => {
      calls++;
      if (isDown) return new Response('', { status: 503 });
      return Response.json({ games: [], developers: [], next_cursor: null });
    },
  });
  const visit = { web: { origin: ORIGIN, now: () => now }, api, url: new URL(ORIGIN) };
  const sitemap = createSitemap(250);
  await assert.rejects(sitemap.index(visit), { status: 503 });
  isDown = false;
  assert.deepEqual(addresses((await sitemap.index(visit)).content), [
    `${ORIGIN}/sitemap-games.xml`,
  ]);
  now = 60 * 60_000 - 1;
  await sitemap.index(visit);
  assert.equal(calls, 2);
  now = 60 * 60_000;
  await sitemap.index(visit);
  assert.equal(calls, 3);
});

test('createSitemap lists when each game was changed, and requests a hundred games per call', async () => {
  const { visit, calls } = listOf(250);
  const { content } = await createSitemap(250).file(visit('/sitemap-games.xml?after='));
  assert.match(
    content,
    /<url><loc>http:\/\/store\.example\/games\/game-0<\/loc><lastmod>2026-01-01T00:00:00\.000Z<\/lastmod><\/url>/,
  );
  assert.equal(calls(), 3);
  assert.equal(addresses(content)[0], `${ORIGIN}/`);
});

test('createSitemap lists two thousand games per file', async () => {
  const { visit, calls } = listOf(2001);
  const sitemap = createSitemap();
  const files = addresses((await sitemap.index(visit('/sitemap.xml'))).content);
  assert.deepEqual(files, [
    `${ORIGIN}/sitemap-games.xml`,
    `${ORIGIN}/sitemap-games.xml?after=2000`,
  ]);
  assert.equal(calls(), 21);
});
