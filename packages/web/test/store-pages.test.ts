// The API calls of the store's pages, and how the pages show the responses.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Game, PageLayout } from '@svc/contracts/platform';
import {
  ADA,
  gameOf,
  mediaOf,
  openStandIn,
  pageOf,
  releaseOf,
  type StandInSite,
} from './stand-in-api.ts';

const game = (slug: string, more: Partial<Game> = {}): Game =>
  gameOf({ id: slug, slug, title: slug.toUpperCase(), ...more });

/** A site whose lists contain these games. */
async function listing(
  t: TestContext,
  games: readonly Game[],
  next: string | null = null,
): Promise<StandInSite> {
  const site = await openStandIn(t);
  site.api.answers['GET /home'] = { json: { games, developers: [ADA], next_cursor: next } };
  return site;
}

/** The queries that the API received at a route. */
const queries = ({ api }: StandInSite, route: string): object[] =>
  api.asked.filter((asked) => asked.route === route).map(({ query }) => query);

const all = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

test('the front page shows the newest game large and the others as cards, and older pages only cards', async (t) => {
  const site = await listing(t, [game('one'), game('two'), game('three')], 'next/1');
  const front = await site.read('/');
  assert.deepEqual(all(front, /<section class="feature"[\s\S]*?<h2><a href="([^"]+)"/g), [
    '/games/one',
  ]);
  assert.deepEqual(all(front, /<h3><a href="([^"]+)"/g), ['/games/two', '/games/three']);
  assert.match(front, /rel="next" href="\/\?cursor=next%2F1">Older games</);
  assert.doesNotMatch(front, />Newest games<\/a>\n/);
  assert.match(front, /<a href="\/devs\/ada-uid">Ada<\/a>/);
  assert.match(front, /aria-label="Categories"><a href="\/" aria-current="page">All/);
  const older = await site.read('/?cursor=next%2F1');
  assert.doesNotMatch(older, /class="feature"/);
  assert.deepEqual(all(older, /<h3><a href="([^"]+)"/g).length, 3);
  assert.match(older, /<title>Older games · [\s\S]*href="\/">Newest games<\/a>/);
  await site.read('/?cursor=');
  await site.read('/categories/puzzle?cursor=c');
  await site.read('/tags/short');
  assert.deepEqual(queries(site, 'GET /home'), [
    { limit: '25' },
    { limit: '24', cursor: 'next/1' },
    { limit: '25' },
    { limit: '24', category: 'puzzle', cursor: 'c' },
    { limit: '24', tag: 'short' },
  ]);
});

test('a store with no game or a single game says so', async (t) => {
  assert.match(await (await listing(t, [])).read('/'), /No games have been published yet/);
  const one = await (await listing(t, [game('one')])).read('/');
  assert.match(one, /There are no other games yet/);
  assert.doesNotMatch(one, /class="pager"|class="tag-cloud"/);
  const none = await (await listing(t, [])).read('/tags/short');
  assert.match(none, /No games yet/);
});

test('lists show at most sixteen tags, the most common first, and equally common ones in alphabetical order', async (t) => {
  const tags = Array.from({ length: 20 }, (_, index) => `t${String.fromCharCode(116 - index)}`);
  const site = await listing(t, [
    game('a', { tags }),
    game('b', { tags: ['ta', 'tt'] }),
    game('c', { tags: ['tt'] }),
  ]);
  const [cloud = ''] =
    /<section class="tag-cloud">[\s\S]*?<\/section>/.exec(await site.read('/')) ?? [];
  const rest = tags.filter((tag) => tag !== 'ta' && tag !== 'tt').toSorted();
  const expected = ['tt', 'ta', ...rest].slice(0, 16);
  assert.deepEqual(all(cloud, /href="\/tags\/([^"]+)"/g), expected);
});

test('an unknown category or an invalid tag causes no API call', async (t) => {
  const site = await listing(t, []);
  for (const path of [
    '/categories/nowhere',
    '/categories/Puzzle',
    '/tags/x',
    '/tags/Short',
    `/tags/${'x'.repeat(25)}`,
    '/tags/a_b',
  ]) {
    assert.equal((await site.ask(path)).status, 404, path);
  }
  assert.deepEqual(queries(site, 'GET /home'), []);
  for (const path of ['/tags/xy', `/tags/${'x'.repeat(24)}`, '/tags/3-d']) {
    assert.equal((await site.ask(path)).status, 200, path);
  }
});

test('the covers of the first four cards are loaded with the page, and the others lazily', async (t) => {
  const cover = { cover_url: 'https://media.example/c.png', cover_variants: [] };
  const games = Array.from({ length: 6 }, (_, index) => game(`g${index}`, cover));
  const text = await (await listing(t, games)).read('/tags/short');
  const loads = all(
    text,
    /<img src="https:\/\/media\.example[^>]*? (loading="lazy"|fetchpriority="high") /g,
  );
  assert.deepEqual(
    loads.map((load) => load.startsWith('f')),
    [true, true, true, true, false, false],
  );
});

test('a search is trimmed and cut to two hundred characters, and an empty search is not sent', async (t) => {
  const site = await openStandIn(t);
  site.api.answers['GET /search'] = { json: { games: [], developers: [] } };
  for (const path of ['/search', '/search?q=', '/search?q=%20%20']) {
    assert.match(await site.read(path), /Enter a title, a tag or a developer’s name/, path);
  }
  assert.match(await site.read('/search?q=%20moon%20'), /Results for “moon”[\s\S]*No results/);
  await site.read(`/search?q=${encodeURIComponent('🌙'.repeat(201))}`);
  assert.deepEqual(queries(site, 'GET /search'), [
    { q: 'moon', limit: '48' },
    { q: '🌙'.repeat(200), limit: '48' },
  ]);
});

test('found games are shown with their developers, and each missing developer is requested once', async (t) => {
  const site = await openStandIn(t);
  const games = [
    game('a'),
    game('b', { developer_uid: 'bob' }),
    game('c', { developer_uid: 'bob' }),
    game('d', { developer_uid: 'gone' }),
  ];
  site.api.answers['GET /search'] = { json: { games, developers: [ADA] } };
  site.api.answers['GET /users/bob'] = { json: { ...ADA, uid: 'bob', name: 'Bob' } };
  const text = await site.read('/search?q=x');
  assert.match(text, /<h2 id="people">Developers<\/h2>[\s\S]*<h2 id="found">Games<\/h2>/);
  assert.doesNotMatch(text, /No results/);
  const by = all(text, /<p class="by">(.*?)<\/p>/g).map(
    (line) => />([^<]*)<\/a>/.exec(line)?.[1] ?? null,
  );
  assert.deepEqual(by, ['Ada', 'Bob', 'Bob', null]);
  const users = site.api.asked.map(({ route }) => route).filter((route) => route.includes('users'));
  assert.deepEqual(users.toSorted(), ['GET /users/bob', 'GET /users/gone']);
});

test('a developer’s page lists their games in pages', async (t) => {
  const site = await openStandIn(t);
  site.api.answers['GET /devs/ada-uid'] = {
    json: { developer: ADA, games: [game('one')], next_cursor: 'n' },
  };
  const text = await site.read('/devs/ada-uid?cursor=c');
  assert.match(text, /<h1>Ada<\/h1>[\s\S]*Member since <time datetime="[^"]+">Mar 1, 2026<\/time>/);
  assert.match(
    text,
    /href="\/devs\/ada-uid">Newest games<[\s\S]*href="\/devs\/ada-uid\?cursor=n">Older games</,
  );
  await site.read('/devs/ada-uid?cursor=');
  assert.deepEqual(queries(site, 'GET /devs/ada-uid'), [
    { limit: '24', cursor: 'c' },
    { limit: '24' },
  ]);
  site.api.answers['GET /devs/ada-uid'] = {
    json: { developer: ADA, games: [], next_cursor: null },
  };
  assert.match(await site.read('/devs/ada-uid'), /No published games/);
});

const NOTES = Array.from({ length: 7 }, (_, index) =>
  releaseOf({
    id: `r${index}`,
    version: `1.0.${7 - index}`,
    live: index === 1,
    notes: index === 0 ? '# New\n\n<b>x</b>' : null,
    isolation: index === 1 ? 'none' : 'credentialless',
    zip_bytes: index === 1 ? 1536 : 0,
    created_at: `2026-03-0${8 - index}T00:00:00.000Z`,
  }),
);

/** A site with one game, whose page has these sections. */
async function withGame(
  t: TestContext,
  sections: PageLayout['sections'],
  more: Partial<Parameters<typeof pageOf>[0]> = {},
): Promise<StandInSite> {
  const site = await openStandIn(t);
  const layout = { template: 'wide', theme: 'auto', accent: null, sections } as const;
  site.api.answers['GET /games/moon/page'] = {
    json: {
      game: gameOf(),
      developer: ADA,
      page: pageOf({ layout, ...more }),
      category: { id: 'puzzle', name: 'Puzzle' },
      releases: NOTES,
      embed: { url: 'https://play.example/play/moon/', allow: 'fullscreen' },
    },
  };
  return site;
}

test('a game’s page shows the sections that its owner chose, in their order', async (t) => {
  const content = {
    description: 'Words',
    screenshots: [
      mediaOf({ alt: 'A moon' }),
      mediaOf({ id: 's2', url: 'https://media.example/2.png' }),
    ],
    trailer: mediaOf({ kind: 'video', url: 'https://media.example/t.mp4' }),
  };
  const headings = (text: string): string[] => all(text, /<section aria-labelledby="(\w+)"/g);
  const some = await withGame(t, ['releases', 'description', 'trailer'], content);
  assert.deepEqual(headings(await some.read('/games/moon')), ['releases', 'about', 'trailer']);
  const rest = await withGame(t, ['developer', 'screenshots'], content);
  const text = await rest.read('/games/moon');
  assert.deepEqual(headings(text), ['maker', 'shots']);
  assert.match(text, /<article class="game wide">/);
  assert.match(
    text,
    /data-caption="A moon"><picture[^>]*><img src="https:\/\/media\.example\/shot\.png" alt="A moon"/,
  );
  assert.match(text, /<img src="https:\/\/media\.example\/2\.png" alt="Screenshot 2 of Moon"/);
  // Empty sections are omitted.
  const empty = await withGame(t, ['trailer', 'screenshots', 'description', 'developer']);
  assert.deepEqual(headings(await empty.read('/games/moon')), ['maker']);
});

test('players can choose the releases that the owner offers, and the live one is played above', async (t) => {
  const site = await withGame(t, ['releases']);
  const url = (id: string) => `https://play.example/play/moon/.release/${id}/`;
  site.api.answers['GET /games/moon/releases'] = {
    json: {
      releases: [
        releaseOf({ version: '3', play_url: url('c') }),
        releaseOf({ version: '2', live: false, play_url: null }),
        releaseOf({ version: '1', live: false, playable: true, play_url: url('a') }),
      ],
      next_cursor: null,
    },
  };
  site.api.answers['GET /games/moon'] = { json: { game: gameOf(), developer: ADA } };
  const text = await site.read('/games/moon/releases');
  assert.deepEqual(all(text, /<a [^>]*href="([^"]+)"[^>]*>Play [^<]+<\/a>/g), [url('a')]);
});

test('a game’s page shows the facts of the live release', async (t) => {
  const site = await withGame(t, ['releases'], { tags: ['short'] });
  const text = await site.read('/games/moon');
  const facts = Object.fromEntries(
    [...text.matchAll(/<dt>([^<]+)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name = '', value = '']) => [
      name,
      value.replace(/<[^>]+>/g, ''),
    ]),
  );
  assert.deepEqual(facts, {
    Category: 'Puzzle',
    Engine: 'Godot',
    Version: '1.0.0',
    Published: 'Mar 1, 2026',
    Updated: 'Mar 7, 2026',
    Download: '1.5 KiB',
  });
  assert.match(text, /<ul class="tags" aria-label="Tags"><li><a href="\/tags\/short">short</);
  assert.match(text, /data-isolated="no"/);
  const opened = all(text, /<li><details( open)?><summary>/g);
  assert.deepEqual(opened, [...Array(5).fill(' open'), '', '']);
  assert.deepEqual(all(text, /<strong>([\d.]+)<\/strong> <span class="mark">current/g), ['1.0.6']);
  assert.match(text, /<h3>New<\/h3>\n<p>&lt;b&gt;x&lt;\/b&gt;/);
});

test('only the owner of a game sees the owner’s actions', async (t) => {
  const site = await withGame(t, []);
  const as = async (uid: string): Promise<string> =>
    site.read('/games/moon', { headers: { cookie: await site.cookie({ uid }) } });
  assert.match(
    await as(ADA.uid),
    /<h2 id="yours">Your game<\/h2>[\s\S]*href="\/dashboard\/games\/moon-id\/page"/,
  );
  assert.doesNotMatch(await as('another'), /Yours/);
  assert.doesNotMatch(await site.read('/games/moon'), /Yours/);
});

test('a game is not framed before the visitor clicks Play', async (t) => {
  const site = await withGame(t, []);
  assert.doesNotMatch(await site.read('/games/moon'), /<iframe/);
  assert.match(
    await site.read('/games/moon?play'),
    /<iframe src="https:\/\/play\.example\/play\/moon\/" title="Moon" allow="fullscreen" allowfullscreen>/,
  );
});

test('a game’s metadata contains its tagline, or else the beginning of its description', async (t) => {
  const of = async (more: Parameters<typeof pageOf>[0]): Promise<string> => {
    const text = await (await withGame(t, [], more)).read('/games/moon');
    return /<meta name="description" content="([^"]*)"/.exec(text)?.[1] ?? '';
  };
  assert.equal(await of({ tagline: 'Hop', description: 'Words' }), 'Hop');
  assert.equal(await of({ description: `**W** ${'x'.repeat(300)}` }), `W ${'x'.repeat(197)}…`);
  assert.equal(await of({}), 'Moon by Ada: play it in your browser.');
});

test('a long description is split into parts of ten blocks, and a short one is not', async (t) => {
  const blocks = (count: number): string => Array(count).fill('words').join('\n\n');
  const read = async (count: number): Promise<string> =>
    (await withGame(t, ['description'], { description: blocks(count) })).read('/games/moon');
  assert.deepEqual(all(await read(10), /(<div class="part">)/g), []);
  assert.deepEqual(all(await read(21), /(<div class="part">)/g).length, 3);
});

test('the releases page lists all releases with open notes, in pages', async (t) => {
  const site = await openStandIn(t);
  site.api.answers['GET /games/moon'] = { json: { game: gameOf() } };
  site.api.answers['GET /games/moon/releases'] = { json: { releases: NOTES, next_cursor: 'n' } };
  const text = await site.read('/games/moon/releases?cursor=c');
  assert.equal(all(text, /<li><details( open)>/g).length, NOTES.length);
  assert.match(text, /<p class="quiet-text">No notes\.<\/p>/);
  assert.match(
    text,
    />Newest releases<\/a>\n<a [^>]*rel="next" href="\/games\/moon\/releases\?cursor=n">Older releases</,
  );
  await site.read('/games/moon/releases');
  assert.deepEqual(queries(site, 'GET /games/moon/releases'), [
    { limit: '50', cursor: 'c' },
    { limit: '50' },
  ]);
});

test('feeds contain each game and release with its time and text, without characters that XML forbids', async (t) => {
  const site = await listing(t, [
    game('one', { title: 'A\u0000\u001f\ufffe\ud800<b>', tagline: 'T & t' }),
    game('two', { published_at: null }),
  ]);
  const { origin } = site.web;
  const item = (xml: string, index: number): string =>
    all(xml, /<item>(.*?)<\/item>/gs)[index] ?? '';
  const newest = await site.read('/feed.xml');
  assert.deepEqual(queries(site, 'GET /home'), [{ limit: '50' }]);
  assert.equal(
    item(newest, 0),
    `<title>A\ufffd&lt;b&gt;</title><link>${origin}/games/one</link><guid isPermaLink="false">urn:uuid:one</guid><pubDate>Sun, 01 Mar 2026 12:00:00 GMT</pubDate><description>&lt;p&gt;T &amp;amp; t&lt;/p&gt;</description>`,
  );
  assert.match(item(newest, 1), /<pubDate>Sun, 01 Mar 2026 10:20:30 GMT<.*&lt;p&gt;TWO&lt;\/p&gt;/);
  site.api.answers['GET /games/moon'] = { json: { game: gameOf(), developer: { name: 'Ada' } } };
  site.api.answers['GET /games/moon/releases'] = { json: { releases: NOTES, next_cursor: null } };
  const releases = await site.read('/games/moon/releases.xml');
  assert.match(releases, new RegExp(`href="${origin}/games/moon/releases.xml" rel="self"`));
  assert.match(
    item(releases, 0),
    /^<title>Moon 1\.0\.7<\/title><link>[^<]+\/games\/moon\/releases<\/link><guid isPermaLink="false">urn:uuid:r0<.*&lt;h3&gt;New&lt;\/h3&gt;/s,
  );
  assert.match(item(releases, 1), /<description>&lt;p&gt;Version 1\.0\.6&lt;\/p&gt;/);
});
