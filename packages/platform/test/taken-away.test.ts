// Removed content is no longer public in any form or from any cache, and deleted content leaves the disk.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { decodeManifest } from '../src/database/manifest.ts';
import { migrationsFor } from '../src/database/migrations.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { NodeSqliteDialect, openSqliteFile } from '../src/database/sqlite-dialect.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';

let platform: OpenPlatform;
let ada: Person;
before(async () => {
  platform = await openPlatform();
  ada = await platform.person('Ada');
});
after(() => platform[Symbol.asyncDispose]());

const ONE = 'assets/one-DkZ3xQ9p.js';
const TWO = 'assets/two-DkZ3xQ9p.js';
const LARGE = 'assets/large-DkZ3xQ9p.bin';
/** Compresses well, so that it has three forms. */
const script = (name: string): string => `/* ${name} */ ${'play(); '.repeat(200)}`;

type Game = { readonly id: string; readonly slug: string };

/** A game with releases 0, 1 and 2: the last one is live, hashed files of 1 are kept. */
async function newGame(title: string): Promise<Game> {
  const { game } = await ada.client.call('createProject', { body: { title } });
  const large = randomBytes(1024 * 1024 + 1);
  await publishBuild(ada.client, game.id, '0', { 'index.html': 'zero' });
  const first = { 'index.html': 'one', [ONE]: script('one'), [LARGE]: large };
  await publishBuild(ada.client, game.id, '1', first);
  await publishBuild(ada.client, game.id, '2', { 'index.html': 'two', [TWO]: script('two') });
  return game;
}

/** The statuses of all kinds of requests for the file. `etag` is the one that a browser has cached. */
async function ask({ slug }: Game, path: string, etag = '"none"'): Promise<number[]> {
  const address = `${platform.baseUrl}/play/${slug}/${path}`;
  const asked: RequestInit[] = [
    ...['identity', 'gzip', 'br'].map((coding) => ({ headers: { 'accept-encoding': coding } })),
    { headers: { 'accept-encoding': 'identity', 'if-none-match': etag } },
    { headers: { range: 'bytes=0-9' } },
    { method: 'HEAD' },
  ];
  const statuses: number[] = [];
  for (const init of asked) {
    const answer = await fetch(address, init);
    await answer.arrayBuffer();
    statuses.push(answer.status);
  }
  return statuses;
}

async function etagOf({ slug }: Game, path: string): Promise<string> {
  const headers = { 'accept-encoding': 'identity' };
  const answer = await fetch(`${platform.baseUrl}/play/${slug}/${path}`, { headers });
  await answer.arrayBuffer();
  return answer.headers.get('etag') ?? '';
}

const THERE = [200, 200, 200, 304, 206, 200];
const GONE = [404, 404, 404, 404, 404, 404];

/** Expects that the files are available in every form, runs the work, and expects that they are 404 in every form. */
async function expectGone(
  game: Game,
  paths: readonly string[],
  work: () => Promise<unknown>,
): Promise<void> {
  const etags = new Map<string, string>();
  for (const path of paths) {
    etags.set(path, await etagOf(game, path));
    // Twice: the second time from memory.
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(await ask(game, path, etags.get(path)), THERE, `${path} before`);
    }
  }
  await work();
  for (const path of paths) {
    assert.deepEqual(await ask(game, path, etags.get(path)), GONE, `${path} after`);
  }
}

async function filesOf({ id }: Game): Promise<string[]> {
  const folder = join(platform.dataDir, 'projects', id);
  return (await readdir(folder, { recursive: true }).catch(() => [])).sort();
}

test('deleting a release removes its hashed files from play at once, and no file of another release', async () => {
  const game = await newGame('Deleted');
  const params = { id: game.id };
  await publishBuild(ada.client, game.id, '3', { 'index.html': 'three', 'same.js': script('one') });
  const before = await filesOf(game);
  await expectGone(game, [ONE, LARGE], () =>
    ada.client.open('deleteRelease', { params: { ...params, version: '1' } }),
  );
  // The second release stays, and so do the days of grace for its players.
  assert.deepEqual(await ask(game, TWO, await etagOf(game, TWO)), THERE);
  assert.equal((await fetch(`${platform.baseUrl}/play/${game.slug}/same.js`)).status, 200);
  const left = await filesOf(game);
  assert.equal(before.length - left.length, 3, 'its ZIP, its page and its large file');
});

test('a file that a deleted release shares with a replaced one stays for the players of that one', async () => {
  const { game } = await ada.client.call('createProject', { body: { title: 'Shared' } });
  const params = { id: game.id };
  for (const version of ['1', '2']) {
    await publishBuild(ada.client, game.id, version, { 'index.html': version, [ONE]: script('x') });
  }
  await publishBuild(ada.client, game.id, '3', { 'index.html': 'three' });
  await ada.client.open('deleteRelease', { params: { ...params, version: '1' } });
  await expectGone(game, [ONE], () =>
    ada.client.open('deleteRelease', { params: { ...params, version: '2' } }),
  );
});

test('a rollback removes the files of the replaced release and kept files from play', async () => {
  const game = await newGame('Rolled back');
  const rollback = { params: { id: game.id }, body: { version: '0' } };
  await expectGone(game, [ONE, LARGE, TWO], () => ada.client.call('rollback', rollback));
});

test('unpublish hides the whole game', async () => {
  const game = await newGame('Unpublished');
  const params = { id: game.id };
  await expectGone(game, [ONE, LARGE, TWO, ''], () => ada.client.call('unpublish', { params }));
  await expectUnlisted(game);
});

test('deleting a project hides all of it, and its removal removes it from the disk', async () => {
  const game = await newGame('Removed');
  const params = { id: game.id };
  await expectGone(game, [ONE, LARGE, TWO, ''], () => ada.client.open('deleteProject', { params }));
  await expectUnlisted(game);
  assert.notDeepEqual(await filesOf(game), []);
  await ada.client.call('removeDeletedGame', { params });
  await expectUnlisted(game);
  assert.deepEqual(await filesOf(game), []);
});

async function expectUnlisted({ slug }: Game): Promise<void> {
  for (const path of [`games/${slug}`, `games/${slug}/page`, `games/${slug}/releases`]) {
    assert.equal((await fetch(`${platform.baseUrl}/${path}`)).status, 404, path);
  }
  for (const path of ['home?limit=100', `search?q=${slug}`, `devs/${ada.uid}?limit=100`]) {
    const answer = await fetch(`${platform.baseUrl}/${path}`);
    assert.equal(answer.status, 200, path);
    assert.ok(!(await answer.text()).includes(`"slug":"${slug}"`), path);
  }
}

test('migrating an older database adds the release to kept files, and drops those of deleted releases', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-kept-'));
  const dialect = new NodeSqliteDialect(openSqliteFile(join(dataDir, 'platform.sqlite')), () => {});
  const old = new Kysely<OldTables>({ dialect });
  const steps = Object.entries(migrationsFor('sqlite')).filter(([name]) => name < '0008');
  const provider = { getMigrations: async () => Object.fromEntries(steps) };
  const { error } = await new Migrator({ db: old, provider }).migrateToLatest();
  assert.equal(error, undefined);
  await fillOldDatabase(old);
  await old.destroy();
  const { db } = await openDatabase(dataDir, null);
  const kept = await db
    .selectFrom('kept_manifests')
    .innerJoin('manifests', 'manifests.id', 'manifest_id')
    .select(['release_id', 'content'])
    .execute();
  const files = await Promise.all(kept.map(async (row) => decodeManifest(row.content)));
  const removals = await db.selectFrom('removals').select(['game_id', 'kind']).execute();
  await db.destroy();
  await rm(dataDir, { recursive: true });
  assert.deepEqual(
    kept.map(({ release_id }, index) => [release_id, files[index]?.map((file) => file.path)]),
    [['there', [ONE]]],
  );
  assert.deepEqual(
    removals.map((row) => ({ ...row })),
    [{ game_id: 'game', kind: 'unused' }],
  );
});

/** The tables of an older version. */
type OldTables = Record<string, Record<string, unknown>>;

async function fillOldDatabase(old: Kysely<OldTables>): Promise<void> {
  const none = { tagline: null, description: null, category: null, layout: null, isolation: null };
  const media = { banner_id: null, cover_id: null, trailer_id: null, screenshots: '[]' };
  const user = {
    uid: 'user',
    issuer: 'dev',
    sub: 'x',
    email: null,
    name: 'x',
    avatar: null,
    avatar_id: null,
  };
  const edited = { name_edited: 0, avatar_edited: 0, created_at: 1 } as const;
  const file = { hash: 'h', type: 'text/javascript', encoding: null, bytes: 1, inner_bytes: 1 };
  const sizes = { zip_bytes: 1, expanded_bytes: 1, file_count: 1, digest: 'x', isolation: 'none' };
  await old
    .insertInto('users')
    .values({ ...user, ...edited, role: 'developer' })
    .execute();
  await old
    .insertInto('games')
    .values({
      ...{ id: 'game', developer_uid: 'user', title: 'x', slug: 'x', engine: 'other', tags: '[]' },
      ...{ ...none, ...media, status: 'published', live_release_id: 'live', published_at: 1 },
      ...{ created_at: 1, updated_at: 1 },
    })
    .execute();
  await old
    .insertInto('releases')
    .values([
      {
        id: 'older',
        game_id: 'game',
        version: '0',
        notes: null,
        ...sizes,
        created_at: 0,
        deleted_at: null,
      },
      {
        id: 'there',
        game_id: 'game',
        version: '1',
        notes: null,
        ...sizes,
        created_at: 1,
        deleted_at: null,
      },
      {
        id: 'gone',
        game_id: 'game',
        version: '2',
        notes: null,
        ...sizes,
        created_at: 2,
        deleted_at: 3,
      },
    ])
    .execute();
  const contents = ['h', 'other'].map((hash) => ({ game_id: 'game', hash, bytes: 1 }));
  await old.insertInto('contents').values(contents).execute();
  await old
    .insertInto('release_files')
    .values([
      { release_id: 'older', path: ONE, hashed_name: 1, ...file },
      { release_id: 'there', path: ONE, hashed_name: 1, ...file },
      // Other content with the same name.
      { release_id: 'older', path: TWO, hashed_name: 1, ...file, hash: 'other' },
    ])
    .execute();
  for (const path of [ONE, TWO]) {
    const row = { game_id: 'game', path, hashed_name: 1, until: 9, ...file };
    await old.insertInto('kept_files').values(row).execute();
  }
}
