// Runs the tests of other files again on PostgreSQL.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { until } from '../../../scripts/until.ts';
import { backUp, newPlace, newTarget, openWithGame, problemsOf, restoreTo } from './backup-rig.ts';
import { type OpenPlatform, openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { runUpkeep } from './run-upkeep.ts';
import { newDatabase, type Postgres, postgresMissing, startPostgres } from './start-postgres.ts';

/** Time limit of a test file. A file that hangs is ended, after it could report where. */
const FILE_MS = 600_000;
const END_MS = 30_000;

const missing = postgresMissing();
const skip = missing ?? false;
let postgres: Postgres;
before(() => {
  if (missing === null) postgres = startPostgres();
});
after(() => {
  if (missing === null) postgres[Symbol.dispose]();
});

async function runTests(file: string): Promise<void> {
  const path = join(import.meta.dirname, `${file}.test.ts`);
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const child = spawn(
    process.execPath,
    ['--test', '--test-concurrency=1', '--test-reporter=tap', path],
    {
      env: { ...environment, SVC_TEST_POSTGRES: postgres.url },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: FILE_MS,
    },
  );
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = await once(child, 'close', { signal: AbortSignal.timeout(FILE_MS + END_MS) });
  const output = Buffer.concat(chunks).toString();
  const passed = Number(/^# pass (\d+)$/m.exec(output)?.[1] ?? 0);
  assert.equal(
    code,
    0,
    output
      .split('\n')
      .filter((line) => /not ok|error|code:|expected|actual/.test(line))
      .join('\n'),
  );
  assert.ok(passed > 0, `${passed} tests passed`);
}

const FILES = [
  'delete-account',
  'deleted-games',
  'admin-acts',
  'admin-users',
  'admin-games',
  'reports',
  'notices',
  'mail',
  'logout',
  'export',
  'identity',
  'tokens',
  'projects',
  'publishing',
  'hook-address',
  'previews',
  'previews-races',
  'play-release',
  'publishers',
  'change-slug',
  'stats',
  'parts',
  'parts-stopped',
  'store',
  'media-access',
  'avatar',
  'play',
  'catalog',
  'audit',
  'quotas',
  'rate-limits',
  'grace',
  'attempts',
  'migrations',
  'withdrawn',
  'taken-away',
  'transactions',
  'backup',
  'backup-hold',
  'paging',
];
for (const file of FILES) test(`${file} on PostgreSQL`, { skip }, () => runTests(file));

test('with two servers on one database, a token revoked at one is rejected by the other at once', {
  skip,
}, async () => {
  await using one = await openOnPostgres();
  await using two = await openPlatform({ settings: one.settings });
  const ada = await one.person('Ada');
  const { secret, token } = await ada.client.call('createToken', { body: { name: 'both' } });
  const there = two.clientWith(secret);
  assert.equal((await there.call('me', {})).user.uid, ada.uid);
  await ada.client.call('revokeToken', { params: { id: token.id } });
  await assert.rejects(there.call('me', {}), { code: 'token_revoked' });
});

test('a request does not wait for a transaction that has locked its token', { skip }, async () => {
  await using platform = await openOnPostgres();
  const ada = await platform.person('Ada');
  const { secret, token } = await ada.client.call('createToken', { body: { name: 'busy' } });
  const client = platform.clientWith(secret);
  await using other = await openTransaction(platform);
  await other.query('update tokens set revoked_at = revoked_at where id = $1', [token.id]);
  const { user } = await soon(client.call('me', {}));
  assert.equal(user.uid, ada.uid);
  await other.query('rollback');
  await client.call('me', {});
  const { tokens } = await ada.client.call('tokens', {});
  assert.notEqual(tokens[0]?.last_used_at, null);
});

test('connections that the database closes are replaced', {
  skip,
}, async () => {
  await using platform = await openOnPostgres();
  const ada = await platform.person('Ada');
  await using other = await openTransaction(platform);
  const end = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  assert.ok(((await other.query(end)).rowCount ?? 0) > 0, 'it had idle connections');
  await other.query('commit');
  await until(
    () => ada.client.call('me', {}).then(({ user }) => user.uid, String),
    (uid) => uid === ada.uid,
    'the server answers again',
    30_000,
  );
  platform.lines.splice(0);
});

test('the upkeep leaves expired files that a transaction has locked to its next run', {
  skip,
}, async () => {
  await using platform = await openOnPostgres();
  const { client } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Kept' } });
  const one = 'assets/a.0123456789abcdef.js';
  const two = 'assets/b.0123456789abcdef.js';
  await publishBuild(client, game.id, '1', { 'index.html': 'one', [one]: 'one' });
  await publishBuild(client, game.id, '2', { 'index.html': 'two', [two]: 'two' });
  await publishBuild(client, game.id, '3', { 'index.html': 'three' });
  await using other = await openTransaction(platform);
  const expire = 'update kept_manifests set until = 0';
  assert.equal((await other.query(expire)).rowCount, 2, 'one for each replaced release');
  await other.query('commit');
  await other.query('begin');
  const { rows } = await other.query('select manifest_id from kept_manifests order by manifest_id');
  const [first] = rows;
  await other.query('select 1 from kept_manifests where manifest_id = $1 for update', [
    first.manifest_id,
  ]);
  await soon(runUpkeep(platform));
  const left = 'select manifest_id from kept_manifests';
  assert.deepEqual((await other.query(left)).rows, [first]);
  await other.query('rollback');
  await soon(runUpkeep(platform));
  assert.deepEqual((await other.query(left)).rows, []);
});

test('a backup of SQLite is restored to PostgreSQL, and one of PostgreSQL to SQLite', {
  skip,
}, async (t) => {
  const target = await newTarget(t);
  await using site = await openWithGame();
  await backUp(site.platform, target.store);
  const empty = await newPlace(t);
  const databaseUrl = await newDatabase(postgres.url);
  const onPostgres = { ...empty, settings: { ...empty.settings, databaseUrl } };
  await restoreTo(onPostgres, target.store);
  assert.deepEqual(await problemsOf(onPostgres), []);
  const { snapshot } = await backUp(onPostgres, target.store);
  assert.equal(snapshot.engine, 'postgres');
  const onSqlite = await newPlace(t);
  await restoreTo(onSqlite, target.store, { id: snapshot.id });
  assert.deepEqual(await problemsOf(onSqlite), []);
});

async function openOnPostgres(): Promise<OpenPlatform> {
  process.env['SVC_TEST_POSTGRES'] = postgres.url;
  try {
    return await openPlatform();
  } finally {
    delete process.env['SVC_TEST_POSTGRES'];
  }
}

/** A connection of another program to the platform's database, in a transaction. */
async function openTransaction(platform: OpenPlatform) {
  const client = new pg.Client({ connectionString: platform.settings.databaseUrl ?? '' });
  await client.connect();
  await client.query('begin');
  return {
    query: (text: string, values: readonly unknown[] = []) => client.query(text, [...values]),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** Returns the answer. Throws if it takes so long that it must have waited for a lock. */
function soon<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const late = setTimeout(15_000, undefined, { ref: false }).then(() => {
    throw new Error('The request waits');
  });
  return Promise.race([answer, late]);
}
