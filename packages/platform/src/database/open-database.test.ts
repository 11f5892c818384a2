import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { logTo } from '@svc/observe/testing';
import { ApiError } from '@svc/serve';
import { Kysely, sql } from 'kysely';
import { isUniqueViolation, openDatabase } from './open-database.ts';
import { createOutages } from './outages.ts';
import type { Db, Tables } from './schema.ts';
import { readSigningKey } from './signing-key.ts';
import { NodeSqliteDialect, openSqliteFile } from './sqlite-dialect.ts';

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-database-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function openFor(t: TestContext, folder: string) {
  const opened = await openDatabase(folder, null);
  t.after(() => opened.db.destroy());
  return opened;
}

function keepSecret(db: Db, name: string, value: string | null = 'x') {
  return db
    .insertInto('secrets')
    .values({ name, value: value as string })
    .execute();
}

const names = async (db: Db): Promise<string[]> =>
  (await db.selectFrom('secrets').select('name').orderBy('name').execute()).map((row) => row.name);

test('a SQLite file is opened with durable commits and foreign keys', async (t) => {
  const file = openSqliteFile(join(await newFolder(t), 'platform.sqlite'));
  const pragma = (name: string) => Object.values(file.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  const reported = ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout'].map(pragma);
  file.close();
  // 2 is FULL.
  assert.deepEqual(reported, ['wal', 2, 1, 5000]);
});

test('the stamp changes only with writes, of this process and of others', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 });
  const folder = await newFolder(t);
  const { db, changeStamp } = await openFor(t, folder);
  const other = await openFor(t, folder);
  assert.ok(changeStamp !== null);
  t.mock.timers.tick(1);
  const first = changeStamp();
  t.mock.timers.tick(1);
  await names(db);
  await names(other.db);
  assert.equal(changeStamp(), first, 'reading changes nothing');
  await keepSecret(db, 'own');
  const second = changeStamp();
  assert.notEqual(second, first, 'an own write counts at once');
  await keepSecret(other.db, 'foreign');
  t.mock.timers.tick(1);
  const third = changeStamp();
  assert.notEqual(third, second, 'a commit of another counts a millisecond later');
  assert.equal(changeStamp(), third);
});

test('isUniqueViolation is true only for unique violations, on both engines', async (t) => {
  const { db } = await openFor(t, await newFolder(t));
  await keepSecret(db, 'key');
  const user = {
    ...{ issuer: 'i', sub: 's', email: null, name: 'n', avatar: null, avatar_id: null },
    ...({ name_edited: 0, avatar_edited: 0, role: 'player', created_at: 1 } as const),
  };
  const insertUser = (uid: string) =>
    db
      .insertInto('users')
      .values({ ...user, uid })
      .execute();
  await insertUser('a');
  const thrown = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => assert.fail('nothing was thrown'),
      (error: unknown) => error,
    );
  assert.equal(isUniqueViolation(await thrown(keepSecret(db, 'key'))), true, 'a primary key');
  assert.equal(isUniqueViolation(await thrown(insertUser('b'))), true, 'a unique constraint');
  assert.equal(isUniqueViolation(await thrown(keepSecret(db, 'other', null))), false, 'not null');
  const foreign = { id: 'x', uid: 'nobody', bytes: 1, content: new Uint8Array(1), created_at: 1 };
  const orphan = db.insertInto('avatars').values(foreign).execute();
  assert.equal(isUniqueViolation(await thrown(orphan)), false, 'a foreign key');
  assert.equal(isUniqueViolation({ code: '23505' }), true);
  for (const error of [{ code: '23503' }, {}, null, undefined, '23505']) {
    assert.equal(isUniqueViolation(error), false, JSON.stringify(error));
  }
});

test('a transaction holds the write lock from its start, and is rolled back completely if it fails', async (t) => {
  const folder = await newFolder(t);
  const { db } = await openFor(t, folder);
  const beside = new DatabaseSync(join(folder, 'platform.sqlite'), { timeout: 0 });
  t.after(() => beside.close());
  const failing = db.transaction().execute(async (trx) => {
    assert.throws(() => beside.exec('begin immediate'), /locked/);
    await trx.insertInto('secrets').values({ name: 'never', value: 'x' }).execute();
    throw new Error('the reason');
  });
  await assert.rejects(failing, /^Error: the reason$/);
  assert.deepEqual(await names(db), []);
  beside.exec('begin immediate; rollback');
});

test('a transaction that SQLite has rolled back itself fails with the first error', async (t) => {
  const { db } = await openFor(t, await newFolder(t));
  const failing = db.transaction().execute(async (trx) => {
    await sql`rollback`.execute(trx);
    throw new Error('the disk is full');
  });
  await assert.rejects(failing, /^Error: the disk is full$/);
  await keepSecret(db, 'after');
  assert.deepEqual(await names(db), ['after']);
});

test('a statement can be repeated, even after many others', async (t) => {
  const { db } = await openFor(t, await newFolder(t));
  await keepSecret(db, 'first');
  for (let number = 0; number < 600; number++) {
    const { rows } = await sql<{ n: number }>`select ${sql.lit(number)} as n`.execute(db);
    assert.equal(rows[0]?.n, number);
  }
  await keepSecret(db, 'last');
  assert.deepEqual(await names(db), ['first', 'last']);
});

test('a database whose migration fails is unchanged, and the error states the cause', async (t) => {
  const folder = await newFolder(t);
  const file = new DatabaseSync(join(folder, 'platform.sqlite'));
  // A later table already exists, so earlier steps run before the migration fails.
  file.exec('create table media (something text)');
  await assert.rejects(openDatabase(folder, null), /media.*already exists/);
  const tables = file.prepare("select name from sqlite_master where type = 'table'").all();
  file.close();
  const made = tables
    .map((row) => String(row['name']))
    .filter((name) => !name.startsWith('kysely'));
  assert.deepEqual(made, ['media']);
});

test('the signing key has 32 random bytes, is created once, and is the same for all processes', async (t) => {
  const folder = await newFolder(t);
  const { db } = await openFor(t, folder);
  const other = await openFor(t, folder);
  const keys = await Promise.all([readSigningKey(db), readSigningKey(other.db)]);
  keys.push(await readSigningKey(db));
  for (const key of keys) assert.deepEqual(key, keys[0]);
  assert.equal(keys[0]?.length, 32);
  const elsewhere = await openFor(t, await newFolder(t));
  assert.notDeepEqual(await readSigningKey(elsewhere.db), keys[0]);
});

const hasCode = (code: string) => (error: unknown) =>
  error instanceof ApiError && error.code === code && error.cause instanceof Error;

test('a SQLite file that another program has locked is busy for writers, and readers continue', async (t) => {
  const folder = await newFolder(t);
  await keepSecret((await openFor(t, folder)).db, 'first');
  const path = join(folder, 'platform.sqlite');
  const db: Db = new Kysely<Tables>({
    dialect: new NodeSqliteDialect(new DatabaseSync(path, { timeout: 20 }), () => {}),
  });
  t.after(() => db.destroy());
  using other = new DatabaseSync(path);
  other.exec('begin immediate');
  await assert.rejects(keepSecret(db, 'alone'), hasCode('busy'));
  const inTransaction = db.transaction().execute((trx) => keepSecret(trx, 'together'));
  await assert.rejects(inTransaction, hasCode('busy'));
  assert.deepEqual(await names(db), ['first']);
  other.exec('rollback');
  await keepSecret(db, 'second');
  assert.deepEqual(await names(db), ['first', 'second']);
});

test('a SQLite file that cannot be written is unavailable, and the operator reads when that begins and ends', async (t) => {
  const folder = await newFolder(t);
  await (await openFor(t, folder)).db.destroy();
  const file = openSqliteFile(join(folder, 'platform.sqlite'));
  const lines: string[] = [];
  const outages = createOutages(logTo((line) => lines.push(line)));
  const db: Db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(file, () => {}, outages) });
  t.after(() => db.destroy());
  file.exec('PRAGMA query_only = on');
  for (const name of ['first', 'second']) {
    await assert.rejects(keepSecret(db, name), hasCode('unavailable'));
  }
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /cannot be reached: attempt to write a readonly database\. /);
  file.exec('PRAGMA query_only = off');
  await keepSecret(db, 'third');
  assert.deepEqual(lines.slice(1), ['the database can be reached again']);
});

test('a SQLite file without space is storage_full, and the transaction is rolled back', async (t) => {
  const folder = await newFolder(t);
  await (await openFor(t, folder)).db.destroy();
  const file = openSqliteFile(join(folder, 'platform.sqlite'));
  const db: Db = new Kysely<Tables>({ dialect: new NodeSqliteDialect(file, () => {}) });
  t.after(() => db.destroy());
  file.exec('PRAGMA max_page_count = 1');
  const full = db.transaction().execute(async (trx) => {
    await keepSecret(trx, 'small');
    await keepSecret(trx, 'large', 'x'.repeat(1_000_000));
  });
  await assert.rejects(full, hasCode('storage_full'));
  assert.deepEqual(await names(db), []);
});
