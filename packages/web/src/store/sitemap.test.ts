// The sitemap over a list that is longer than one file.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlatformClient } from '@svc/contracts/platform';
import { createSitemap, type SitemapVisit } from './sitemap.ts';

const ORIGIN = 'http://store.example';

/** A platform whose list holds `count` games; the cursor is how many come before. */
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

test('createSitemap lists every game once, in files that the index names', async () => {
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

test('createSitemap reads the list once for all who ask for the index within an hour', async () => {
  const { visit, calls } = listOf(300);
  const sitemap = createSitemap(250);
  await Promise.all([sitemap.index(visit('/sitemap.xml')), sitemap.index(visit('/sitemap.xml'))]);
  const first = calls();
  await sitemap.index(visit('/sitemap.xml'));
  assert.equal(calls(), first);
});
