// A database of version 0008, with the files that it refers to, is migrated and works: what older versions stored is played,
// downloaded, shared with new releases, and removed.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { Kysely, PostgresDialect } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import sharp from 'sharp';
import { migrationsFor } from '../src/database/migrations.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { NodeSqliteDialect, openSqliteFile } from '../src/database/sqlite-dialect.ts';
import { readSettings } from '../src/index.ts';
import { usedFiles } from '../src/storage/collect-unused.ts';
import { storedBytes } from '../src/storage/stored-bytes.ts';
import { makeZip } from './make-zip.ts';
import { chooseDatabase, openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { filesIn } from './read-state.ts';

/** The tables of an older version. */
type OldDb = Kysely<Record<string, Record<string, unknown>>>;

const GAME = '01900000-0000-7000-8000-000000000000';
const FIRST = '01900000-0000-7000-8000-000000000001';
const SECOND = '01900000-0000-7000-8000-000000000002';
const IMAGE = '01900000-0000-7000-8000-000000000003';
const KEPT = 'assets/old-DkZ3xQ9p.js';

const sha256 = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex');
const SHARED = 'shared '.repeat(200);
const FIRST_FILES = { 'index.html': 'first', 'shared.txt': SHARED, [KEPT]: 'old()' };
const SECOND_FILES = { 'index.html': 'second', 'shared.txt': SHARED };

async function openOld(dataDir: string, databaseUrl: string | null): Promise<OldDb> {
  const dialect =
    databaseUrl === null
      ? new NodeSqliteDialect(openSqliteFile(join(dataDir, 'platform.sqlite')), () => {})
      : new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl }) });
  const db: OldDb = new Kysely({ dialect });
  const engine = databaseUrl === null ? 'sqlite' : 'postgres';
  const steps = Object.entries(migrationsFor(engine)).filter(([name]) => name < '0009');
  const provider = { getMigrations: async () => Object.fromEntries(steps) };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  assert.equal(error, undefined);
  return db;
}

/** Gives the game of a new developer the rows and files of two releases and an image, as version 0008 stored them. */
async function fill(db: OldDb, dataDir: string, uid: string): Promise<void> {
  const store = (key: string, bytes: string | Uint8Array): void => {
    const path = join(dataDir, 'projects', GAME, key);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  };
  const game = { id: GAME, developer_uid: uid, title: 'Old', slug: 'old-game', engine: 'html5' };
  const live = { status: 'published', live_release_id: SECOND, published_at: 1, cover_id: IMAGE };
  const rest = { tags: '[]', screenshots: '[]', created_at: 1, updated_at: 1 };
  await db
    .insertInto('games')
    .values({ ...game, ...live, ...rest })
    .execute();
  const brotli = zlib.brotliCompressSync(SHARED);
  const contents = new Set([...Object.values(FIRST_FILES), ...Object.values(SECOND_FILES)]);
  for (const text of contents) {
    const br_bytes = text === SHARED ? brotli.length : null;
    const row = { game_id: GAME, hash: sha256(text), bytes: text.length, br_bytes };
    await db.insertInto('contents').values(row).execute();
    store(`files/${sha256(text)}`, text);
  }
  store(`files/${sha256(SHARED)}.br`, brotli);
  for (const [id, version, files] of [
    [FIRST, '1', FIRST_FILES],
    [SECOND, '2', SECOND_FILES],
  ] as const) {
    const zip = makeZip(files);
    const sizes = { zip_bytes: zip.length, expanded_bytes: 1, file_count: 2, digest: 'x' };
    const release = { id, game_id: GAME, version, created_at: Number(version), ...sizes };
    await db
      .insertInto('releases')
      .values({ ...release, isolation: 'none' })
      .execute();
    store(`builds/${id}.zip`, zip);
    for (const [path, text] of Object.entries(files)) {
      const row = { release_id: id, path, ...delivered(path, text) };
      await db.insertInto('release_files').values(row).execute();
    }
  }
  const until = Date.now() + 86_400_000;
  const kept = { game_id: GAME, release_id: FIRST, path: KEPT, until };
  await db
    .insertInto('kept_files')
    .values({ ...kept, ...delivered(KEPT, 'old()') })
    .execute();
  const image = { id: IMAGE, game_id: GAME, kind: 'image', file: `${IMAGE}.png`, bytes: 5 };
  await db
    .insertInto('media')
    .values({ ...image, type: 'image/png', variants: '[]', created_at: 1 })
    .execute();
  store(`media/${IMAGE}.png`, 'image');
  // A publish was killed.
  store(`files/${'a'.repeat(64)}`, 'orphan');
  const claim = { game_id: GAME, kind: 'publish', owner: 'elsewhere~1~aa', beat_at: 1 };
  await db.insertInto('claims').values(claim).execute();
}

function delivered(path: string, text: string) {
  const type = path.endsWith('.js') ? 'text/javascript' : 'text/html';
  const sizes = { bytes: text.length, inner_bytes: text.length };
  return { hash: sha256(text), type, ...sizes, hashed_name: path === KEPT ? 1 : 0 };
}

test('what an older version stored is played, downloaded, shared and removed', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-migrations-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const databaseUrl = await chooseDatabase();
  const old = await openOld(dataDir, databaseUrl);
  const user = { uid: 'user', issuer: 'dev', sub: 'x', name: 'Ada', role: 'developer' };
  const edited = { name_edited: 0, avatar_edited: 0, created_at: 1 };
  await old
    .insertInto('users')
    .values({ ...user, ...edited })
    .execute();
  await fill(old, dataDir, 'user');
  await old.destroy();

  const settings = { ...readSettings({}), databaseUrl };
  await using platform = await openPlatform({ dataDir, settings });
  const ada = await platform.person('Ada');
  const { db } = await openDatabase(dataDir, databaseUrl);
  t.after(() => db.destroy());
  await db.updateTable('games').set({ developer_uid: ada.uid }).execute();
  const play = (path: string, headers = {}) =>
    fetch(`${platform.baseUrl}/play/old-game/${path}`, { headers });
  const params = { id: GAME };
  for (const [path, text] of Object.entries({ ...SECOND_FILES, [KEPT]: 'old()' })) {
    assert.equal(await (await play(path)).text(), text, path);
  }
  const compressed = await play('shared.txt', { 'accept-encoding': 'br' });
  assert.equal(compressed.headers.get('content-encoding'), 'br');
  assert.equal(await compressed.text(), SHARED);
  const { page } = await ada.client.call('project', { params });
  assert.equal(await (await fetch(page.cover?.url ?? '')).text(), 'image');
  const hashes = async () =>
    (await db.selectFrom('media').select('hash').execute()).map((row) => row.hash);
  assert.deepEqual(await hashes(), [null]);
  const zip = await ada.client.open('downloadBuild', { params: { ...params, version: '1' } });
  assert.deepEqual(Buffer.from(await zip.arrayBuffer()), makeZip(FIRST_FILES));
  const keys = async () =>
    (await filesIn(platform, join('projects', GAME))).map((path) => path.split(`${GAME}/`)[1]);
  assert.ok(!(await keys()).includes(`files/${'a'.repeat(64)}`), 'the orphan was removed');
  const texts = ['first', 'second', 'old()', SHARED].join('').length;
  const [zips, variant] = [makeZip(FIRST_FILES).length + makeZip(SECOND_FILES).length, 1];
  const expected = texts + zips + zlib.brotliCompressSync(SHARED).length * variant + 'image'.length;
  assert.equal(await storedBytes(db, GAME), expected);

  await publishBuild(ada.client, GAME, '3', { 'index.html': 'third', 'shared.txt': SHARED });
  assert.equal(await (await play('shared.txt')).text(), SHARED);
  const added = (await keys()).filter((key) => !/^(?:files|builds|media)\//.test(key ?? ''));
  assert.equal(added.length, 2, 'the page and the ZIP: the shared content is not stored again');
  for (const version of ['1', '2']) {
    const { status } = await ada.client.open('deleteRelease', { params: { ...params, version } });
    assert.equal(status, 204);
  }
  const left = (await keys()).filter((key) => !added.includes(key));
  const shared = `files/${sha256(SHARED)}`;
  assert.deepEqual(left.sort(), [shared, `${shared}.br`, `media/${IMAGE}.png`]);
  assert.equal((await usedFiles({ db }, GAME)).keys.size, left.length + added.length);
  await ada.client.call('rollback', { params, body: { version: '3' } });
  assert.equal(await (await play('index.html')).text(), 'third');

  const create = { width: 60, height: 40, channels: 3, background: '#3366cc' } as const;
  const form = new FormData();
  form.set('metadata', '{}');
  const image = await sharp({ create }).png().toBuffer();
  form.set('cover', new Blob([new Uint8Array(image)]), 'cover.png');
  const replaced = await ada.client.call('updateStore', { params, form });
  const stored = await (await fetch(replaced.page.cover?.url ?? '')).arrayBuffer();
  assert.deepEqual(await hashes(), [sha256(Buffer.from(stored))]);
});
