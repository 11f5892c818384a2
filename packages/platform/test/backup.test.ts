// Backups under load, and what a restore brings back. Runs on SQLite and on PostgreSQL.
import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import type { PlatformClient } from '@svc/contracts/platform';
import { sql } from 'kysely';
import sharp from 'sharp';
import { dumpTables } from '../src/backup/dump-tables.ts';
import { keyOfPart } from '../src/backup/parts.ts';
import { insertRows, type Row } from '../src/backup/rows.ts';
import { FORMAT, formatSnapshot, newSnapshotId, snapshotKey } from '../src/backup/snapshot.ts';
import { openBareDatabase } from '../src/database/bare-database.ts';
import { migrateTo } from '../src/database/migrate.ts';
import { migrationsFor } from '../src/database/migrations.ts';
import { openDatabase } from '../src/database/open-database.ts';
import type { FileStore } from '../src/files/file-store.ts';
import { openSpool } from '../src/files/spool.ts';
import {
  backUp,
  filesOf,
  keysOf,
  newPlace,
  newTarget,
  openRestored,
  openWithGame,
  PATHS,
  page,
  playFiles,
  problemsOf,
  restoreTo,
  runCommand,
  type Target,
  verify,
} from './backup-rig.ts';
import { openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { openUpload } from './publish-parts.ts';

/** Bounds what a slow machine has to restore. */
const MOST_VERSIONS = 60;

/** Text from other programs has line separators that JSON does not escape. */
const DESCRIPTION = 'One line\u2028and another\u2029and\ttwo\nmore';

/** A platform whose releases stay. */
let shared: Awaited<ReturnType<typeof openWithGame>>;
before(async () => {
  shared = await openWithGame();
});
after(() => shared[Symbol.asyncDispose]());

async function coverForm(): Promise<FormData> {
  const create = { width: 320, height: 320, channels: 3, background: '#336699' } as const;
  const form = new FormData();
  form.set('metadata', JSON.stringify({ tagline: 'Played again', description: DESCRIPTION }));
  form.set('cover', new Blob([new Uint8Array(await sharp({ create }).png().toBuffer())]));
  return form;
}

/** Publishes further versions until it is stopped. Returns the number of the last one that was answered. */
function publishOn(client: PlatformClient, id: string) {
  const stop = new AbortController();
  let answered = 2;
  const first = Promise.withResolvers<void>();
  const work = (async () => {
    for (let version = 3; version < MOST_VERSIONS && !stop.signal.aborted; version++) {
      await publishBuild(client, id, String(version), filesOf(version));
      answered = version;
      first.resolve();
    }
  })();
  return {
    first: first.promise,
    answered: () => answered,
    /** Stops it. Throws if a publish has failed. */
    async [Symbol.asyncDispose]() {
      stop.abort();
      await work;
    },
  };
}

test('everything that was answered before a backup under load is there after a loss and a restore', async (t) => {
  const target = await newTarget(t);
  const place = await newPlace(t);
  let before: Record<string, string>;
  let answered: number;
  {
    await using site = await openWithGame();
    const { platform, client, game } = site;
    await client.call('updateStore', { params: { id: game.id }, form: await coverForm() });
    const { secret } = await client.call('createToken', { body: { name: 'ci' } });
    before = { ...(await playFiles(platform, game.slug, PATHS)), secret };
    await using load = publishOn(client, game.id);
    await load.first;
    answered = load.answered();
    // In a process of its own: on SQLite, two connections of one process can wait for each other.
    const made = await runCommand(['backup', target.root, '--json'], platform);
    assert.deepEqual([made.code, made.stderr], [0, '']);
    const { event, lost, copied } = JSON.parse(made.stdout);
    assert.deepEqual([event, lost, copied > 0], ['backed_up', [], true]);
    assert.ok(load.answered() > answered, 'it ran under load');
    assert.deepEqual(await verify(target.store), []);
  }
  // The platform with its database and its files is gone.
  const restored = await restoreTo(place, target.store);
  assert.deepEqual([restored.faults, restored.kept], [[], 0]);
  assert.deepEqual(await problemsOf(place), []);
  await using again = await openRestored(place);
  const client = again.clientWith(before['secret'] ?? '');
  const { games } = await client.call('projects', {});
  const [game] = games;
  assert.equal(game?.tagline, 'Played again');
  const cover = await fetch(game.cover_url ?? '');
  assert.equal((await sharp(await cover.arrayBuffer()).metadata()).width, 320);
  const { db } = await openDatabase(place.dataDir, place.settings.databaseUrl);
  t.after(() => db.destroy());
  const { description } = await db
    .selectFrom('games')
    .select('description')
    .executeTakeFirstOrThrow();
  assert.equal(description, DESCRIPTION);
  const releases = await db.selectFrom('releases').select('version').execute();
  const versions = releases.map(({ version }) => Number(version));
  for (let version = 1; version <= answered; version++) {
    assert.ok(versions.includes(version), `version ${version} of ${versions}`);
  }
  for (const version of ['1', '2']) {
    await client.call('rollback', { params: { id: game.id }, body: { version } });
    const played = await playFiles(again, game.slug, PATHS);
    const expected = filesOf(Number(version));
    for (const [path, content] of Object.entries(expected)) {
      const bytes = played[path]?.split(' ').at(-1) ?? '';
      assert.deepEqual(Buffer.from(bytes, 'base64'), Buffer.from(content), `${version} ${path}`);
    }
    if (version === '2') for (const path of PATHS) assert.equal(played[path], before[path]);
  }
  await publishBuild(client, game.id, 'next', filesOf(200));
});

test('a second backup copies only what is new, and each can be restored', async (t) => {
  const target = await newTarget(t);
  await using site = await openWithGame();
  const { platform, client, game } = site;
  const first = await backUp(platform, target.store);
  assert.equal(first.copied, new Set(first.snapshot.files.map(([, hash]) => hash)).size);
  const reads: string[] = [];
  const changeFiles = (files: FileStore): FileStore => ({
    ...files,
    open(key) {
      reads.push(key);
      return files.open(key);
    },
  });
  const same = await backUp(platform, target.store, { changeFiles });
  assert.deepEqual([same.copied, same.copiedBytes, reads], [0, 0, []]);
  assert.deepEqual(same.snapshot.files.toSorted(), first.snapshot.files.toSorted());
  await publishBuild(client, game.id, '3', filesOf(3));
  const third = await backUp(platform, target.store, { changeFiles });
  const old = new Set(first.snapshot.files.map(([key]) => key));
  const added = third.snapshot.files.map(([key]) => key).filter((key) => !old.has(key));
  assert.ok(added.length > 0 && added.length < third.snapshot.files.length);
  assert.ok(reads.every((key) => added.includes(key)));
  assert.ok(third.copied > 0 && third.copied <= added.length);
  for (const { snapshot } of [first, third]) {
    const place = await newPlace(t);
    const restored = await restoreTo(place, target.store, { id: snapshot.id });
    assert.deepEqual([restored.faults, restored.stored], [[], snapshot.files.length]);
    assert.deepEqual(await problemsOf(place), []);
  }
});

test('the time of the last backup is a metric, and missing before the first one', async (t) => {
  const target = await newTarget(t);
  const { settings } = await newPlace(t);
  const observe = { ...settings.observe, metrics: { host: '127.0.0.1', port: 0 } };
  await using platform = await openPlatform({ settings: { ...settings, observe } });
  const read = async (): Promise<number | null> => {
    const text = await (await fetch(platform.running.metricsUrl ?? '')).text();
    const value = /^svc_last_backup_timestamp_seconds (\S+)$/m.exec(text)?.[1];
    return value === undefined ? null : Number(value);
  };
  assert.equal(await read(), null);
  const { snapshot } = await backUp(platform, target.store);
  assert.equal(await read(), snapshot.created_at / 1000);
});

test('a restore keeps the database and the files that are there', async (t) => {
  const target = await newTarget(t);
  const { snapshot } = await backUp(shared.platform, target.store);
  await assert.rejects(
    restoreTo(shared.platform, target.store),
    /Cannot restore: the database has data already \(in secrets\)/,
  );
  // As after a restore that was killed before the rows: some files are there, and one is damaged.
  const place = await newPlace(t);
  const root = join(place.dataDir, 'projects');
  await restoreTo(place, target.store);
  const again = { ...(await newPlace(t)), dataDir: place.dataDir };
  if (again.settings.databaseUrl === null) await removeDatabase(place.dataDir);
  const [[damaged = '', hash] = [], [missing = ''] = []] = snapshot.files;
  await writeFile(join(root, damaged), 'damaged');
  await rm(join(root, missing));
  const repeated = await restoreTo(again, target.store);
  assert.deepEqual([repeated.stored, repeated.kept], [2, snapshot.files.length - 2]);
  assert.deepEqual(await problemsOf(again), []);
  assert.match(hash ?? '', /^[0-9a-f]{64}$/);
});

async function removeDatabase(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (name.startsWith('platform.sqlite')) await rm(join(dataDir, name));
  }
}

const OLD_USER = {
  ...{ uid: 'ada', issuer: 'i', sub: 's', name: 'Ada', name_edited: 0, avatar_edited: 0 },
  ...{ role: 'developer', created_at: 1 },
};
const OLD_GAME = {
  ...{ id: 'old', developer_uid: 'ada', title: 'Old Game', slug: 'old-game', engine: 'other' },
  ...{ tags: '[]', screenshots: '[]', status: 'draft', created_at: 1, updated_at: 1 },
};

/** Fills a database of an older version with a user and a game, and backs it up as that version would. */
async function backUpOlder(t: TestContext, { store }: Target, migrations: readonly string[]) {
  const place = await newPlace(t);
  const { databaseUrl } = place.settings;
  await using bare = await openBareDatabase({ ...place, databaseUrl, timeoutMs: 4000 });
  const { db, engine } = bare;
  await migrateTo(db, engine, migrations);
  const insert = (table: string, row: Row) =>
    db.transaction().execute((trx) => insertRows(trx, table, [row]));
  await insert('users', OLD_USER);
  await insert('games', OLD_GAME);
  await using spool = openSpool(join(place.dataDir, 'spool'));
  await using folder = await spool.openFolder();
  const tables = await dumpTables(db, folder, new AbortController().signal);
  const id = newSnapshotId(0, '0'.repeat(8));
  const parts = {
    format: FORMAT,
    id,
    created_at: 0,
    version: '0',
    engine,
    recipients: null,
  } as const;
  const rows = tables.map(({ path: _, ...table }) => table);
  const text = formatSnapshot({
    ...parts,
    migrations: [...migrations],
    tables: rows,
    files: [],
    lost: [],
  });
  const path = folder.newFile();
  await writeFile(path, text);
  await store.create(snapshotKey(id), path);
  for (const dump of tables) {
    await store.create(keyOfPart({ folder: 'tables', hash: dump.hash }, null), dump.path);
  }
}

test('a backup of an older schema is migrated', async (t) => {
  const target = await newTarget(t);
  const all = Object.keys(migrationsFor('sqlite'));
  const older = all.slice(0, all.indexOf('0022_accounts') + 1);
  await backUpOlder(t, target, older);
  const place = await newPlace(t);
  await restoreTo(place, target.store);
  const { db } = await openDatabase(place.dataDir, place.settings.databaseUrl, { migrate: false });
  t.after(() => db.destroy());
  const [game] = await db.selectFrom('games').selectAll().execute();
  assert.deepEqual([game?.id, game?.title, game?.deleted_at], ['old', 'Old Game', null]);
});

test('a backup of a newer schema or format is rejected, and one with keys that lead elsewhere', async (t) => {
  const target = await newTarget(t);
  const { snapshot } = await backUp(shared.platform, target.store);
  const store = async (change: object): Promise<void> => {
    const changed = { ...snapshot, ...change };
    await writeFile(join(target.root, snapshotKey(snapshot.id)), formatSnapshot(changed));
  };
  await store({ migrations: snapshot.migrations.slice(0, -1) });
  const migrated = await newPlace(t);
  await (await openDatabase(migrated.dataDir, migrated.settings.databaseUrl)).db.destroy();
  await assert.rejects(restoreTo(migrated, target.store), /has a newer schema than the backup/);
  const fresh = await newPlace(t);
  await store({ migrations: [...snapshot.migrations, '0999_later'] });
  await assert.rejects(restoreTo(fresh, target.store), /a newer version .* made it \(0999_later\)/);
  await store({ format: 2 });
  await assert.rejects(restoreTo(fresh, target.store), /A newer version of svc-platform has made/);
  await store({ files: [['../../outside', 'a'.repeat(64), 1]] });
  await assert.rejects(restoreTo(fresh, target.store), /is not one of svc-platform/);
});

test('a database that another version has migrated is not backed up', async (t) => {
  const target = await newTarget(t);
  const { dataDir, settings } = shared.platform;
  const { db, engine } = await openDatabase(dataDir, settings.databaseUrl);
  t.after(() => db.destroy());
  const table = sql.table('kysely_migration');
  const last = Object.keys(migrationsFor(engine)).at(-1) ?? '';
  await sql`insert into ${table} (name, timestamp) values ('0999_later', '0')`.execute(db);
  await sql`insert into compatible_migrations (name) values ('0999_later')`.execute(db);
  await assert.rejects(
    backUp(shared.platform, target.store),
    /has changed the database \(0999_later\)/,
  );
  await sql`delete from ${table} where name = '0999_later'`.execute(db);
  assert.equal((await keysOf(target.store, 'snapshots')).length, 0);
  assert.ok(last.startsWith('00'));
  await backUp(shared.platform, target.store);
  assert.equal((await keysOf(target.store, 'snapshots')).length, 1);
});

test('an upload in parts is in no backup, and its project is whole after a restore', async (t) => {
  const target = await newTarget(t);
  await openUpload(shared.client, shared.game.id, { 'index.html': page('parts') });
  const { snapshot } = await backUp(shared.platform, target.store);
  assert.ok(!snapshot.tables.some(({ name }) => name === 'uploads'));
  const place = await newPlace(t);
  await restoreTo(place, target.store);
  assert.deepEqual(await problemsOf(place), []);
});
