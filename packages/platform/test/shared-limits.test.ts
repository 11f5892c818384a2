// Rate limits of several processes on one PostgreSQL: what is shared, and what happens while the database does not answer.
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import type { PlatformLimits } from '@svc/contracts/platform';
import { until } from '../../../scripts/until.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { readSettings } from '../src/index.ts';
import { createOwnBuckets } from '../src/rates/buckets.ts';
import { createSharedBuckets } from '../src/rates/shared-buckets.ts';
import { startFlakyProxy } from './flaky-proxy.ts';
import { type OpenPlatform, openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { runUpkeep } from './run-upkeep.ts';
import {
  newDatabase,
  type Postgres,
  postgresMissing,
  queryDatabase,
  startPostgres,
} from './start-postgres.ts';

const missing = postgresMissing();
const skip = missing ?? false;
let postgres: Postgres;
before(() => {
  if (missing === null) postgres = startPostgres();
});
after(() => {
  if (missing === null) postgres[Symbol.dispose]();
});

type Options = {
  readonly limits?: Partial<PlatformLimits>;
  readonly more?: Readonly<Record<string, string>>;
  readonly now?: () => number;
};

async function openOn(
  t: TestContext,
  databaseUrl: string,
  { limits = {}, more = {}, now }: Options = {},
): Promise<OpenPlatform> {
  const settings = readSettings({ SVC_DATABASE_URL: databaseUrl, ...more });
  const clock = now === undefined ? {} : { now };
  // The machine may be busy.
  const platform = await openPlatform({ settings, limits, ratePatienceMs: 2_000, ...clock });
  t.after(() => platform[Symbol.asyncDispose]());
  return platform;
}

async function search({ baseUrl }: OpenPlatform): Promise<number> {
  const answer = await fetch(`${baseUrl}/search?q=x`);
  await answer.arrayBuffer();
  return answer.status;
}

/** A sign-in that is rejected without a query to the database. */
async function fail({ baseUrl }: OpenPlatform): Promise<number> {
  const answer = await fetch(`${baseUrl}/auth/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id_token: 'wrong' }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

test('two processes share their limits, whatever their clocks; with SVC_RATE_LIMIT=own they do not', {
  skip,
}, async (t) => {
  const databaseUrl = await newDatabase(postgres.url);
  const limits = { rate_searches_per_minute: 4, daily_projects_per_user: 2 };
  const one = await openOn(t, databaseUrl, { limits });
  const two = await openOn(t, databaseUrl, { limits, now: () => Date.now() - 60_000 });
  const own = await openOn(t, databaseUrl, { limits, more: { SVC_RATE_LIMIT: 'own' } });
  const alternating = [];
  for (const platform of [one, two, one, two, one, two, own, own]) {
    alternating.push(await search(platform));
  }
  assert.deepEqual(alternating, [200, 200, 200, 200, 429, 429, 200, 200]);
});

test('of a hundred requests at once to two processes, exactly the limit is accepted', {
  skip,
}, async (t) => {
  const databaseUrl = await newDatabase(postgres.url);
  const openBuckets = async () => {
    const { db } = await openDatabase('', databaseUrl);
    t.after(() => db.destroy());
    const own = createOwnBuckets(() => 0);
    const onAlone = () => assert.fail();
    return createSharedBuckets({ db, own, onAlone, onFailed: assert.ifError, patienceMs: 60_000 });
  };
  const processes = [await openBuckets(), await openBuckets()];
  const period = 24 * 3600 * 1e6;
  const shares = [
    { key: 'address', cost: period / 30, period },
    { key: 'user', cost: period / 1000, period },
  ];
  const takeAll = async (_: unknown, index: number) => {
    // In both orders, which must not block each other.
    const ordered = index % 4 < 2 ? shares : shares.toReversed();
    const levels = (await processes[index % 2]?.take(ordered)) ?? [];
    return levels.every(({ fits }) => fits);
  };
  const taken = await Promise.all(Array.from({ length: 100 }, takeAll));
  assert.equal(taken.filter(Boolean).length, 30);
});

test('while PostgreSQL does not answer, each process goes on with what it knows', {
  skip,
}, async (t) => {
  await using proxy = await startFlakyProxy({ path: postgres.socket });
  const databaseUrl = await newDatabase(postgres.url, proxy);
  const limits = { rate_sessions_per_minute: 6 };
  // A request that waited for the database would fail the test by its time.
  const more = { SVC_DATABASE_TIMEOUT_MS: '60000' };
  const one = await openOn(t, databaseUrl, { limits, more });
  const two = await openOn(t, databaseUrl, { limits, more });
  const failures = async (times: readonly OpenPlatform[]) => {
    const statuses: number[] = [];
    for (const platform of times) statuses.push(await fail(platform));
    return statuses;
  };
  assert.deepEqual(await failures([one, two, one]), [401, 401, 401]);
  proxy.behave({ kind: 'drop' });
  assert.deepEqual(await failures([one, one, one, one]), [401, 401, 401, 429]);
  assert.deepEqual(await failures([two, two, two, two, two]), [401, 401, 401, 401, 429]);
  proxy.behave({ kind: 'refuse' });
  proxy.cut();
  assert.equal(await fail(one), 429);
  proxy.behave({ kind: 'pass' });
  // Three are used in the database, and six in the memory of each process.
  await until(
    () => fail(one),
    (status) => status === 401,
    'the processes share again',
    30_000,
  );
  one.lines.splice(0);
  two.lines.splice(0);
});

test('the table has hashes instead of addresses and users, no log, and no row for players', {
  skip,
}, async (t) => {
  const databaseUrl = await newDatabase(postgres.url);
  const platform = await openOn(t, databaseUrl);
  const { client, uid } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Played' } });
  await publishBuild(client, game.id, '1', { 'index.html': 'played' });
  const read = () => queryDatabase(databaseUrl, 'select * from rate_limits order by key');
  const rows = await read();
  assert.ok(rows.length > 0);
  assert.ok(rows.every(({ key }) => /^[\w+/]{43}=$/.test(String(key))));
  assert.doesNotMatch(JSON.stringify(rows), new RegExp(`127\\.0\\.0|${uid}`));
  const [table] = await queryDatabase(
    databaseUrl,
    `select relpersistence from pg_class where relname = 'rate_limits'`,
  );
  assert.equal(table?.['relpersistence'], 'u', 'unlogged');
  for (let times = 0; times < 3; times++) {
    const played = await fetch(`${platform.baseUrl}/play/${game.slug}/`);
    assert.equal(await played.text(), 'played');
  }
  assert.deepEqual(await read(), rows);
});

test('the upkeep removes full buckets and keeps the others', { skip }, async (t) => {
  const databaseUrl = await newDatabase(postgres.url);
  const platform = await openOn(t, databaseUrl, { limits: { rate_searches_per_minute: 1 } });
  await platform.person('Ada');
  assert.deepEqual([await search(platform), await search(platform)], [200, 429]);
  const count = async () => {
    const statement = 'select count(*)::int as count from rate_limits';
    return Number((await queryDatabase(databaseUrl, statement))[0]?.['count']);
  };
  const all = await count();
  await queryDatabase(
    databaseUrl,
    'update rate_limits set full_at = 0 where full_at = (select max(full_at) from rate_limits)',
  );
  await runUpkeep(platform);
  assert.ok((await count()) < all);
  assert.equal(await search(platform), 429, 'its bucket is not full');
});

test('if the statement fails, the process counts alone and logs why', { skip }, async (t) => {
  const databaseUrl = await newDatabase(postgres.url);
  const platform = await openOn(t, databaseUrl, { limits: { rate_searches_per_minute: 1 } });
  await queryDatabase(databaseUrl, 'drop table rate_limits');
  assert.deepEqual([await search(platform), await search(platform)], [200, 429]);
  assert.match(platform.lines.join('\n'), /rate limits cannot be shared/);
  platform.lines.splice(0);
});
