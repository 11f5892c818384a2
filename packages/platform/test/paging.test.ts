// Paging: every entry once and in the same order, for any page size and for entries of the same millisecond.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { newId } from '../src/database/new-id.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { readErrorCode } from './expect-error.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';

const GAMES = 5;
const RELEASES = 6;

type Page = { names: string[]; next_cursor: string | null };
type Ask = (query: Record<string, string>) => Promise<Page>;

/** The pages of a list with their entries. */
async function walk(ask: Ask, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    assert.ok(pages.length < 20, 'the list ends');
    const query: Record<string, string> = { limit: String(limit) };
    const page: Page = await ask(cursor === null ? query : { ...query, cursor });
    pages.push(page.names);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return pages;
}

function inPages(names: readonly string[], limit: number): string[][] {
  const starts = Array.from({ length: Math.ceil(names.length / limit) }, (_, page) => page * limit);
  return starts.map((start) => names.slice(start, start + limit));
}

/** Lists with their entries, newest first. */
async function makeLists(platform: OpenPlatform, ada: Person): Promise<[string, Ask, string[]][]> {
  const games: { id: string; slug: string }[] = [];
  for (let index = 0; index < GAMES; index++) {
    const body = { title: `Game ${index}`, tags: ['same'] };
    const { game } = await ada.client.call('createProject', { body });
    const form = new FormData();
    form.set('metadata', '{"category":"racing"}');
    await ada.client.call('updateStore', { params: { id: game.id }, form });
    await publishBuild(ada.client, game.id, '0', { 'index.html': 'x' });
    games.unshift(game);
  }
  const [{ id = '', slug = '' } = {}] = games;
  const versions = Array.from({ length: RELEASES }, (_, index) => String(index));
  for (const version of versions.slice(1)) {
    await publishBuild(ada.client, id, version, { 'index.html': version });
  }
  const slugs = games.map((game) => game.slug);
  const anybody = platform.clientWith(null);
  const gamesOf = (page: { games: { slug: string }[]; next_cursor: string | null }): Page => ({
    names: page.games.map((game) => game.slug),
    next_cursor: page.next_cursor,
  });
  const releasesOf = (page: { releases: { version: string }[]; next_cursor: string | null }) => ({
    names: page.releases.map(({ version }) => version),
    next_cursor: page.next_cursor,
  });
  const home =
    (more: Record<string, string>): Ask =>
    async (query) =>
      gamesOf(await anybody.call('home', { query: { ...more, ...query } }));
  const uid = { uid: ada.uid };
  const releases = versions.toReversed();
  return [
    ['home', home({}), slugs],
    ['home of a category', home({ category: 'racing' }), slugs],
    ['home of a tag', home({ tag: 'same' }), slugs],
    ['home of both', home({ tag: 'same', category: 'racing' }), slugs],
    [
      'developer',
      async (query) => gamesOf(await anybody.call('developer', { params: uid, query })),
      slugs,
    ],
    ['projects', async (query) => gamesOf(await ada.client.call('projects', { query })), slugs],
    [
      'releases',
      async (query) => releasesOf(await ada.client.call('releases', { params: { id }, query })),
      releases,
    ],
    [
      'gameReleases',
      async (query) => releasesOf(await anybody.call('gameReleases', { params: { slug }, query })),
      releases,
    ],
  ];
}

test('entries of the same millisecond are listed newest first, each once, and no page is empty', async () => {
  const now = Date.now();
  await using platform = await openPlatform({ now: () => now });
  const ada = await platform.person('Ada');
  const lists = await makeLists(platform, ada);
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  const indexes = [
    ...['releases_of_game', 'games_newest', 'games_by_category', 'games_public_of_developer'],
    ...['games_of_developer', 'game_tags_newest', 'game_tags_by_category'],
  ];
  // Once with the indexes and once without: the order must not depend on an index.
  for (const index of [null, ...indexes]) {
    if (index !== null) await sql`drop index ${sql.table(index)}`.execute(db);
    if (index !== null && index !== indexes.at(-1)) continue;
    for (const [what, ask, names] of lists) {
      for (const limit of [1, 2, names.length - 1, names.length, names.length + 1]) {
        const pages = await walk(ask, limit);
        assert.deepEqual(pages, inPages(names, limit), `${what} by ${limit}, without ${index}`);
      }
    }
  }
  await db.destroy();
});

test('a page has the requested length from 1 to the limit, and only an unchanged cursor is accepted', async () => {
  await using platform = await openPlatform({ limits: { list_default: 2, list_maximum: 4 } });
  const ada = await platform.person('Ada');
  for (let index = 0; index < GAMES; index++) {
    await ada.client.call('createProject', { body: { title: `Game ${index}` } });
  }
  const ask = async (query: string) =>
    fetch(`${platform.baseUrl}/projects?${query}`, {
      headers: { authorization: `Bearer ${ada.idToken}` },
    });
  const first = await ada.client.call('projects', {});
  assert.equal(first.games.length, 2);
  const most = await ada.client.call('projects', { query: { limit: '4' } });
  assert.equal(most.games.length, 4);
  const cursor = first.next_cursor ?? '';
  const [at = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split(' ');
  const code = (text: string): string => Buffer.from(text).toString('base64url');
  assert.equal(code(`${at} ${id}`), cursor);
  const next = await ada.client.call('projects', { query: { cursor } });
  assert.equal(next.games.length, 2);
  for (const query of [
    ...[
      'limit=0',
      'limit=5',
      'limit=-1',
      'limit=1.5',
      'limit=1e0',
      'limit=%201',
      'limit=0x1',
      'limit=',
    ],
    ...[`cursor=${cursor}x`, `cursor=${cursor}=`, `cursor=${code(`0${at} ${id}`)}`],
    ...[`cursor=${code(`${at} ${id.toUpperCase()}`)}`, `cursor=${code(`${at} x`)}`],
    ...[`cursor=${code(`-1 ${id}`)}`, `cursor=${code(`${'9'.repeat(16)} ${id}`)}`],
    ...[`cursor=${code(`${at} ${id} `)}`, `cursor=${code(`x${at} ${id}`)}`],
  ]) {
    const answer = await ask(query);
    const text = await answer.clone().text();
    assert.equal(await readErrorCode(answer), 'invalid_input', query);
    const [name] = query.split('=');
    assert.equal(JSON.parse(text).error.details[0].path, `/${name}`, query);
  }
});

test('the page of a game has its twenty newest releases', async () => {
  await using platform = await openPlatform();
  const { client } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Often' } });
  await publishBuild(client, game.id, '0', { 'index.html': 'x' });
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  try {
    const { live_release_id } = await db
      .selectFrom('games')
      .select('live_release_id')
      .where('id', '=', game.id)
      .executeTakeFirstOrThrow();
    const first = await db
      .selectFrom('releases')
      .selectAll()
      .where('id', '=', live_release_id)
      .executeTakeFirstOrThrow();
    const more = Array.from({ length: 21 }, (_, index) => ({
      ...first,
      id: newId(),
      version: String(index + 1),
      created_at: first.created_at + index + 1,
    }));
    await db.insertInto('releases').values(more).execute();
  } finally {
    await db.destroy();
  }
  const { releases } = await platform
    .clientWith(null)
    .call('gamePage', { params: { slug: game.slug } });
  assert.deepEqual(
    releases.map(({ version }) => Number(version)),
    Array.from({ length: 20 }, (_, index) => 21 - index),
  );
});
