// The metadata of lists for search engines, link previews and feed readers.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ADA, gameOf, openStandIn, releaseOf, type StandInSite } from './stand-in-api.ts';

const COVER = 'https://media.example/cover.png';
const OTHER = 'https://media.example/other.png';

async function openLists(t: TestContext): Promise<StandInSite> {
  const site = await openStandIn(t, { name: 'Arcade' });
  const games = [gameOf({ cover_url: COVER }), gameOf({ slug: 'sun', cover_url: OTHER })];
  const list = { games, developers: [ADA], next_cursor: null };
  site.api.answers['GET /home'] = { json: list };
  site.api.answers['GET /devs/ada-uid'] = { json: { ...list, developer: ADA } };
  site.api.answers['GET /games/moon'] = { json: { game: games[0], developer: ADA } };
  site.api.answers['GET /games/moon/releases'] = {
    json: { releases: [releaseOf()], next_cursor: null },
  };
  return site;
}

/** The only match of the pattern, or null. */
function find(text: string, pattern: RegExp): string | null {
  const found = [...text.matchAll(pattern)].map(([, value = '']) => value);
  assert.ok(found.length < 2, `${pattern} is unique`);
  return found[0] ?? null;
}

test('each list has its own address, description, image and feed, on later pages too', async (t) => {
  const site = await openLists(t);
  const { origin } = site.web;
  const front = 'Play games in your browser, without installation or account. Newest games first.';
  const rows: [path: string, title: string, description: string, feed: string | null][] = [
    ['/', 'Arcade', front, '/feed.xml'],
    ['/categories/puzzle', 'Puzzle games', 'Puzzle games on Arcade, newest first.', null],
    ['/tags/short', 'Games tagged “short”', 'Games tagged “short” on Arcade, newest first.', null],
    ['/devs/ada-uid', 'Ada', 'Games by Ada on Arcade.', null],
    [
      '/games/moon/releases',
      'Releases of Moon',
      'Every release of Moon with its notes.',
      '/games/moon/releases.xml',
    ],
  ];
  for (const [path, title, description, feed] of rows) {
    for (const query of ['', '?cursor=c']) {
      const text = await site.read(path + query);
      const shown = {
        title: find(text, /<title>([^<]*)<\/title>/g),
        description: find(text, /<meta name="description" content="([^"]*)">/g),
        address: find(text, /<link rel="canonical" href="([^"]*)">/g),
        image: find(text, /<meta property="og:image" content="([^"]*)">/g),
        feed: find(text, /<link rel="alternate" type="application\/rss\+xml" href="([^"]*)"/g),
        atom: find(text, /<link rel="alternate" type="application\/atom\+xml" href="([^"]*)"/g),
      };
      const own = path === '/' ? (query === '' ? title : 'Older games · Arcade') : null;
      assert.deepEqual(
        shown,
        {
          title: own ?? `${title} · Arcade`,
          ...{ description, address: origin + path, image: COVER, feed },
          atom: feed?.replace('.xml', '.atom') ?? null,
        },
        path + query,
      );
      assert.doesNotMatch(text, /noindex/);
    }
  }
});

test('the front page and a developer’s page contain structured data', async (t) => {
  const site = await openLists(t);
  const { origin } = site.web;
  const dataOf = async (path: string): Promise<unknown> => {
    const json = find(
      await site.read(path),
      /<script type="application\/ld\+json">(.*?)<\/script>/g,
    );
    return JSON.parse(json ?? 'null');
  };
  const context = { '@context': 'https://schema.org' };
  assert.deepEqual(await dataOf('/'), {
    ...{ ...context, '@type': 'WebSite', name: 'Arcade', url: origin },
  });
  assert.deepEqual(await dataOf('/devs/ada-uid'), {
    ...{ ...context, '@type': 'ProfilePage' },
    mainEntity: { '@type': 'Person', name: 'Ada', url: `${origin}/devs/ada-uid` },
  });
});

test('a feed names its page and its own address, and lists fifty releases with their times', async (t) => {
  const site = await openLists(t);
  const { origin } = site.web;
  const channelOf = (xml: string) => ({
    title: find(xml, /<channel><title>([^<]*)<\/title>/g),
    link: find(xml, /<channel><title>[^<]*<\/title><link>([^<]*)<\/link>/g),
    self: find(xml, /<atom:link href="([^"]*)" rel="self" type="application\/rss\+xml"\/>/g),
  });
  const newest = await site.ask('/feed.xml');
  assert.equal(newest.headers.get('content-type'), 'application/rss+xml; charset=utf-8');
  assert.deepEqual(channelOf(await newest.text()), {
    ...{ title: 'Arcade: newest games', link: origin, self: `${origin}/feed.xml` },
  });
  const releases = await site.read('/games/moon/releases.xml');
  assert.deepEqual(channelOf(releases), {
    title: 'Releases of Moon',
    link: `${origin}/games/moon`,
    self: `${origin}/games/moon/releases.xml`,
  });
  assert.equal(find(releases, /<pubDate>([^<]*)<\/pubDate>/g), 'Sun, 01 Mar 2026 10:20:30 GMT');
  const asked = site.api.asked.find(({ route }) => route === 'GET /games/moon/releases');
  assert.deepEqual(asked?.query, { limit: '50' });
  const robots = await site.ask('/robots.txt');
  assert.equal(robots.headers.get('content-type'), 'text/plain; charset=utf-8');
  assert.equal(robots.headers.get('cache-control'), 'public, max-age=300');
});

test('an Atom feed has the entries of the RSS feed, with ids that stay when a page moves', async (t) => {
  const site = await openLists(t);
  const { origin } = site.web;
  const partsOf = (xml: string) => ({
    head: xml.split('<entry>')[0],
    entries: [...xml.matchAll(/<entry>(.*?)<\/entry>/gs)].map(([, entry]) => entry),
  });
  const newest = await site.ask('/feed.atom');
  assert.equal(newest.headers.get('content-type'), 'application/atom+xml; charset=utf-8');
  assert.equal(newest.headers.get('cache-control'), 'public, max-age=300');
  const games = partsOf(await newest.text());
  assert.equal(
    games.head,
    `<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><title>Arcade: newest games</title><id>${origin}/feed</id><updated>2026-03-01T12:00:00.000Z</updated><author><name>Arcade</name></author><link rel="self" type="application/atom+xml" href="${origin}/feed.atom"/><link rel="alternate" type="text/html" href="${origin}"/>\n`,
  );
  assert.match(
    games.entries[0] ?? '',
    new RegExp(
      `^<title>Moon</title><id>urn:uuid:moon-id</id><published>2026-03-01T12:00:00.000Z</published><updated>2026-03-01T12:00:00.000Z</updated><link rel="alternate" type="text/html" href="${origin}/games/moon"/><content type="html">&lt;p&gt;.*&lt;/p&gt;</content>$`,
    ),
  );
  const releases = partsOf(await site.read('/games/moon/releases.atom'));
  for (const part of [
    '<title>Releases of Moon</title><id>urn:uuid:moon-id</id>',
    '<author><name>Ada</name></author>',
    `<link rel="self" type="application/atom+xml" href="${origin}/games/moon/releases.atom"/>`,
    `<link rel="alternate" type="text/html" href="${origin}/games/moon"/>`,
  ]) {
    assert.ok(releases.head?.includes(part), `${part}\n${releases.head}`);
  }
  const rss = await site.read('/games/moon/releases.xml');
  const ids = (xml: string) =>
    [...xml.matchAll(/urn:uuid:([\w-]+)<\/(?:id|guid)/g)].map(([, id]) => id);
  assert.deepEqual(ids(releases.entries.join('')), ids(rss));
  assert.ok(ids(rss).length > 0);
});

test('security.txt names the contacts of the operator, and does not exist without them', async (t) => {
  const contacts = ['https://games.example/report', 'mailto:security@games.example'];
  const origin = 'https://www.games.example';
  const site = await openStandIn(t, { origin, securityContacts: contacts });
  const answer = await site.ask('/.well-known/security.txt');
  assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8');
  const [first, second, expires, canonical] = (await answer.text()).split('\n');
  assert.deepEqual(
    [first, second],
    contacts.map((contact) => `Contact: ${contact}`),
  );
  const days = (Date.parse(expires?.slice('Expires: '.length) ?? '') - Date.now()) / 86_400_000;
  assert.ok(days > 28 && days <= 30, String(days));
  assert.equal(canonical, `Canonical: ${origin}/.well-known/security.txt`);
  const other = await openStandIn(t);
  assert.equal((await other.ask('/.well-known/security.txt')).status, 404);
});
