import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import { decodeManifest } from './manifest.ts';
import { migrationsFor } from './migrations.ts';
import { openDatabase } from './open-database.ts';
import { NodeSqliteDialect, openSqliteFile } from './sqlite-dialect.ts';

/** The tables of an older version. */
type OldDb = Kysely<Record<string, Record<string, unknown>>>;

const USER = {
  ...{ uid: 'user', issuer: 'dev', sub: 'x', name: 'Ada', role: 'developer', created_at: 1 },
  ...{ name_edited: 0, avatar_edited: 1, avatar: 'https://elsewhere.example/ada.png' },
};

/** Creates the tables with all migrations before the named one, and the new user. */
async function openOld(t: TestContext, before: string) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-old-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = openSqliteFile(join(folder, 'platform.sqlite'));
  const old: OldDb = new Kysely({ dialect: new NodeSqliteDialect(file, () => {}) });
  const steps = Object.entries(migrationsFor('sqlite')).filter(([name]) => name < before);
  const provider = { getMigrations: async () => Object.fromEntries(steps) };
  const { error } = await new Migrator({ db: old, provider }).migrateToLatest();
  assert.equal(error, undefined);
  await old.insertInto('users').values(USER).execute();
  return {
    old,
    /** Applies the other migrations. */
    async migrate() {
      await old.destroy();
      const { db } = await openDatabase(folder, null);
      t.after(() => db.destroy());
      return db;
    },
  };
}

const DELIVERED = { type: 'text/html', bytes: 100, inner_bytes: 100, hashed_name: 0 };

const DELETED = 'release 150';

/** Inserts three projects with 204 releases and a deleted one, kept files, and claims. */
async function fill(trx: OldDb): Promise<void> {
  const game = { developer_uid: 'user', engine: 'html5', status: 'draft', tags: '[]' };
  for (const id of ['game', 'other', 'empty']) {
    const rest = { title: id, slug: id, screenshots: '[]', created_at: 1, updated_at: 1 };
    await trx
      .insertInto('games')
      .values({ ...game, id, ...rest })
      .execute();
  }
  for (const [game_id, hash, gzip_bytes, br_bytes] of [
    ['game', 'shared', 40, 30],
    ['game', 'own', null, null],
    ['other', 'shared', 41, null],
  ] as const) {
    await trx
      .insertInto('contents')
      .values({ game_id, hash, bytes: 100, gzip_bytes, br_bytes })
      .execute();
  }
  const ids = Array.from(
    { length: 205 },
    (_, index) => `release ${String(index).padStart(3, '0')}`,
  );
  const sizes = { zip_bytes: 1, expanded_bytes: 1, file_count: 2, digest: 'x', isolation: 'none' };
  for (const [index, id] of ids.entries()) {
    const game_id = index === 0 ? 'other' : 'game';
    const state = { created_at: index, deleted_at: id === DELETED ? 1 : null };
    await trx
      .insertInto('releases')
      .values({ id, game_id, version: id, ...state, ...sizes })
      .execute();
    const files = [
      { ...DELIVERED, release_id: id, path: `of ${id}.html`, hash: 'shared', encoding: null },
      ...(game_id === 'game'
        ? [{ ...DELIVERED, release_id: id, path: 'b.js', hash: 'own', encoding: 'gzip' }]
        : []),
    ];
    if (id !== DELETED) await trx.insertInto('release_files').values(files).execute();
  }
  for (const [release_id, path, until] of [
    ['release 001', 'b.1.js', 5],
    ['release 001', 'a.1.js', 7],
    ['release 002', 'c.2.js', 6],
  ] as const) {
    const file = { ...DELIVERED, path, hash: 'own', hashed_name: 1 };
    await trx
      .insertInto('kept_files')
      .values({ ...file, game_id: 'game', release_id, until })
      .execute();
  }
  for (const kind of ['publish', 'media']) {
    const claim = { game_id: 'other', kind, owner: 'elsewhere', beat_at: 1 };
    await trx.insertInto('claims').values(claim).execute();
  }
}

test('hundreds of releases are converted, each with its own files; deleted ones have no manifest', async (t) => {
  const { old, migrate } = await openOld(t, '0010');
  await old.transaction().execute(fill);
  const db = await migrate();

  const releases = await db.selectFrom('releases').select(['id', 'manifest_id']).execute();
  for (const { id, manifest_id } of releases) {
    assert.equal(manifest_id, id === DELETED ? null : id);
  }
  const manifests = await db.selectFrom('manifests').selectAll().execute();
  assert.equal(manifests.length, 204 + 2);
  const filesOf = async (id: string) =>
    decodeManifest(manifests.find((one) => one.id === id)?.content ?? new Uint8Array());
  const stored = {
    place: 'files',
    type: 'text/html',
    bytes: 100,
    inner_bytes: 100,
    hashed_name: 0,
  };
  assert.deepEqual(await filesOf('release 204'), [
    { path: 'b.js', hash: 'own', ...stored, encoding: 'gzip', gzip_bytes: null, br_bytes: null },
    {
      path: 'of release 204.html',
      hash: 'shared',
      ...stored,
      encoding: null,
      ...{ gzip_bytes: 40, br_bytes: 30 },
    },
  ]);
  assert.deepEqual(
    (await filesOf('release 000')).map(({ path, gzip_bytes, br_bytes }) => [
      path,
      gzip_bytes,
      br_bytes,
    ]),
    [['of release 000.html', 41, null]],
    'the sizes are those of its project',
  );
  const kept = await db
    .selectFrom('kept_manifests')
    .innerJoin('manifests', 'manifests.id', 'manifest_id')
    .select(['manifest_id', 'game_id', 'until', 'release_id'])
    .orderBy('release_id')
    .execute();
  const keptFiles = await Promise.all(
    kept.map(async ({ manifest_id, ...rest }) => ({
      ...rest,
      paths: (await filesOf(manifest_id)).map(({ path }) => path),
    })),
  );
  assert.deepEqual(keptFiles, [
    { game_id: 'game', until: 7, release_id: 'release 001', paths: ['a.1.js', 'b.1.js'] },
    { game_id: 'game', until: 6, release_id: 'release 002', paths: ['c.2.js'] },
  ]);
  const games = await db
    .selectFrom('games')
    .select(['id', 'content_bytes'])
    .orderBy('id')
    .execute();
  assert.deepEqual(
    games.map(({ id, content_bytes }) => [id, content_bytes]),
    [
      ['empty', 0],
      ['game', 270],
      ['other', 141],
    ],
  );
  const removals = await db.selectFrom('removals').select(['game_id', 'kind']).execute();
  assert.deepEqual(
    removals.map(({ game_id, kind }) => [game_id, kind]),
    [['other', 'unused']],
  );
});

test('addresses of avatars on other hosts are removed', async (t) => {
  const { migrate } = await openOld(t, '0007');
  const db = await migrate();
  const { avatar, avatar_edited, avatar_id } = await db
    .selectFrom('users')
    .selectAll()
    .executeTakeFirstOrThrow();
  assert.deepEqual([avatar, avatar_edited, avatar_id], [null, 0, null]);
});
