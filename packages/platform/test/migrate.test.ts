// The schema of the database: `svc-platform migrate`, SVC_MIGRATE, starts at the same time, older and newer programs.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { sql } from 'kysely';
import { migrateDatabase, openDatabase } from '../src/database/open-database.ts';
import { newDatabase, type Postgres, postgresMissing, startPostgres } from './start-postgres.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');
const FIRST = '0001_people';
const missing = postgresMissing();

let postgres: Postgres;
before(() => {
  if (missing === null) postgres = startPostgres();
});
after(() => {
  if (missing === null) postgres[Symbol.dispose]();
});

type Place = { readonly folder: string; readonly url: string | null };

async function newPlace(t: TestContext, engine: string): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-migrate-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return { folder, url: engine === 'SQLite' ? null : await newDatabase(postgres.url) };
}

/** Runs `svc-platform` with the arguments on the place. */
async function run({ folder, url }: Place, args: string[], environment = {}) {
  const child = spawn(process.execPath, [MAIN, ...args, '--data-dir', folder], {
    env: {
      PATH: process.env['PATH'] ?? '',
      ...(url === null ? {} : { SVC_DATABASE_URL: url }),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  const output: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      output[name] += String(chunk);
    });
  }
  const [code] = await once(child, 'close');
  return { code, ...output };
}

/** Records migrations in the database as a newer program would. */
async function addMigrations(
  { folder, url }: Place,
  ...names: [name: string, isCompatible: boolean][]
): Promise<void> {
  const { db } = await openDatabase(folder, url);
  for (const [name, isCompatible] of names) {
    await sql`insert into kysely_migration (name, timestamp) values (${name}, '2030-01-01')`.execute(
      db,
    );
    if (isCompatible) {
      await sql`insert into compatible_migrations (name) values (${name})`.execute(db);
    }
  }
  await db.destroy();
}

for (const engine of ['SQLite', 'PostgreSQL']) {
  const skip = engine === 'SQLite' ? false : (missing ?? false);

  test(`svc-platform migrate creates the schema on ${engine}, and repeating it changes nothing`, {
    skip,
  }, async (t) => {
    const place = await newPlace(t, engine);
    const first = await run(place, ['migrate', '--json']);
    assert.equal(first.code, 0, first.stderr);
    const { event, applied } = JSON.parse(first.stdout);
    assert.equal(event, 'migrated');
    assert.equal(applied[0], FIRST);
    const second = await run(place, ['migrate']);
    assert.deepEqual(second, { code: 0, stdout: 'The database is up to date\n', stderr: '' });
    const wrong = await run(place, ['migrate', '--port', '1']);
    assert.equal(wrong.code, 1);
  });

  test(`with SVC_MIGRATE=off on ${engine}, a start with an older schema fails and names the command`, {
    skip,
  }, async (t) => {
    const place = await newPlace(t, engine);
    const refused = await run(place, ['--dev', '--port', '0'], { SVC_MIGRATE: 'off' });
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /^Cannot start: the database lacks 0001_people, .*Run "svc-platform migrate" first/,
    );
    await migrateDatabase(place.folder, place.url);
    const { db } = await openDatabase(place.folder, place.url, { migrate: false });
    await db.selectFrom('games').select('id').execute();
    await db.destroy();
  });

  test(`${engine}: processes that start at once on an empty database all succeed, and one migrates`, {
    skip,
  }, async (t) => {
    const place = await newPlace(t, engine);
    const runs = await Promise.all(
      Array.from({ length: 3 }, () => run(place, ['migrate', '--json'])),
    );
    for (const { code, stderr } of runs) assert.equal(code, 0, stderr);
    const names: string[] = runs.flatMap(({ stdout }) => JSON.parse(stdout).applied);
    assert.equal(names.filter((name) => name === FIRST).length, 1);
    assert.equal(new Set(names).size, names.length);
  });

  test(`${engine}: a program works with a newer schema only if each newer migration is compatible`, {
    skip,
  }, async (t) => {
    const place = await newPlace(t, engine);
    const { folder, url } = place;
    await addMigrations(place, ['9998_later', true], ['9999_last', true]);
    const { db } = await openDatabase(folder, url);
    await db.selectFrom('games').select('id').execute();
    await db.destroy();
    assert.deepEqual(await migrateDatabase(folder, url), []);
    await addMigrations(place, ['99999_other', false]);
    const refusal =
      /^Error: A newer version of svc-platform has changed the database \(99999_other\)/;
    await assert.rejects(openDatabase(folder, url), refusal);
    await assert.rejects(openDatabase(folder, url, { migrate: false }), refusal);
    const { code, stderr } = await run(place, ['migrate']);
    assert.deepEqual([code, stderr.endsWith('Use the newer version\n')], [1, true]);
  });
}
