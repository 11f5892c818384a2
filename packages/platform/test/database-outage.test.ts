// PostgreSQL that is stopped, hangs, or ends connections: answers, time limits, log lines, locks.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { stopProcess } from '../../../scripts/stop-process.ts';
import { until } from '../../../scripts/until.ts';
import { readSettings } from '../src/index.ts';
import { expectError, readErrorCode } from './expect-error.ts';
import { startFlakyProxy } from './flaky-proxy.ts';
import { type OpenPlatform, openPlatform } from './open-platform.ts';
import { startProcess } from './platform-process.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import {
  contentsOf,
  openUpload,
  partOf,
  publishParts,
  sendPart,
  sendParts,
} from './publish-parts.ts';
import { spooledFiles, storedKeys } from './read-state.ts';
import { runUpkeep } from './run-upkeep.ts';
import { signIn } from './sign-in.ts';
import { newDatabase, type Postgres, postgresMissing, startPostgres } from './start-postgres.ts';

const missing = postgresMissing();
const skip = missing ?? false;
/** An answer must arrive within this time while the database hangs. */
const ANSWER_MS = 5_000;

/** A server on this machine has noticed within this time that a client has closed its connection. */
const LEAVE_MS = 500;

/** How the driver sends a commit. */
const COMMIT = 'Q\0\0\0\u000bcommit\0';

let postgres: Postgres;
before(() => {
  if (missing === null) postgres = startPostgres();
});
after(() => {
  if (missing === null) postgres[Symbol.dispose]();
});

function openWith(databaseUrl: string, environment: Record<string, string> = {}) {
  return openPlatform({ settings: { ...readSettings(environment), databaseUrl } });
}

async function publishGame(platform: OpenPlatform) {
  const { client, idToken } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Outage' } });
  await publishBuild(client, game.id, '1', { 'index.html': 'one', 'other.txt': 'other' });
  return { client, game, idToken };
}

/** The lines about the database that cannot be reached, or can again. */
const aboutDatabase = (platform: OpenPlatform): string[] =>
  platform.lines.filter((line) => line.includes('the database can'));

test('while PostgreSQL is stopped, its socket is gone, and answers are 503 unavailable, not 404 or 500', {
  skip,
}, async () => {
  const metrics = { SVC_METRICS_PORT: '0' };
  await using platform = await openWith(await newDatabase(postgres.url), metrics);
  const { client, game } = await publishGame(platform);
  postgres.stop();
  try {
    const medium = `/media/${game.id}/${game.id}.webp`;
    for (const path of ['/home', `/games/${game.slug}`, `/play/${game.slug}/`, medium]) {
      const answer = await fetch(platform.baseUrl + path);
      assert.equal(await readErrorCode(answer), 'unavailable', path);
      assert.equal(answer.headers.get('retry-after'), '2', path);
    }
    await expectError(client.call('me', {}), 'unavailable');
    await expectError(client.call('unpublish', { params: { id: game.id } }), 'unavailable');
    assert.equal((await fetch(`${platform.baseUrl}/healthz`)).status, 200);
    assert.equal(aboutDatabase(platform).length, 1, platform.lines.join('\n'));
    assert.match(aboutDatabase(platform)[0] ?? '', /cannot be reached: .*ENOENT/);
    const counted = await (await fetch(platform.running.metricsUrl ?? '')).text();
    const failed = /^svc_database_errors_total\{code="unavailable"\} (\d+)$/m.exec(counted)?.[1];
    assert.ok(Number(failed) >= 6, failed);
    assert.doesNotMatch(counted, /^svc_users/m, 'totals are left out');
    assert.match(counted, /^svc_database_pool_waiting 0$/m);
  } finally {
    postgres.start();
  }
  assert.equal(await (await fetch(`${platform.baseUrl}/play/${game.slug}/`)).text(), 'one');
  assert.deepEqual(aboutDatabase(platform).slice(1), ['the database can be reached again']);
});

test('while PostgreSQL hangs, requests are answered with 503 unavailable within five seconds', {
  skip,
}, async () => {
  await using proxy = await startFlakyProxy({ path: postgres.socket });
  await using platform = await openWith(await newDatabase(postgres.url, proxy));
  const { client, game } = await publishGame(platform);
  proxy.behave({ kind: 'drop' });
  const startedAt = performance.now();
  const addresses = [`/play/${game.slug}/other.txt`, '/home', `/games/${game.slug}/page`];
  // More requests than connections: some of them wait for one.
  const answers = Array.from({ length: 24 }, (_, at) =>
    fetch(platform.baseUrl + addresses[at % addresses.length]),
  );
  for (const answer of await Promise.all(answers)) {
    assert.equal(await readErrorCode(answer), 'unavailable');
    assert.equal(answer.headers.get('retry-after'), '2');
  }
  const ms = performance.now() - startedAt;
  assert.ok(ms < ANSWER_MS, `${ms} ms`);
  await expectError(client.call('createProject', { body: { title: 'Never' } }), 'unavailable');
  assert.equal(aboutDatabase(platform).length, 1, platform.lines.join('\n'));
  proxy.behave({ kind: 'pass' });
  proxy.cut();
  assert.equal((await client.call('projects', {})).games.length, 1);
});

test('the server ends in time while PostgreSQL hangs', { skip }, async () => {
  await using proxy = await startFlakyProxy({ path: postgres.socket });
  const platform = await openWith(await newDatabase(postgres.url, proxy));
  await platform.person('Ada');
  proxy.behave({ kind: 'drop' });
  const startedAt = performance.now();
  await platform[Symbol.asyncDispose]();
  assert.ok(performance.now() - startedAt < 10_000);
});

test('connections that were cut while they were idle are replaced without a failed request', {
  skip,
}, async () => {
  await using proxy = await startFlakyProxy({ path: postgres.socket });
  await using platform = await openWith(await newDatabase(postgres.url, proxy));
  const { client } = await publishGame(platform);
  for (let round = 0; round < 10; round++) {
    await Promise.all(Array.from({ length: 6 }, () => client.call('me', {})));
    assert.ok(proxy.open > 1);
    proxy.cut();
    // Reads, and a transaction: the process may not have seen the ends of the connections yet.
    await client.call('projects', {});
    proxy.cut();
    await client.call('createToken', { body: { name: `token ${round}` } });
  }
  assert.deepEqual(aboutDatabase(platform), []);
});

test('SVC_DATABASE_POOL limits the connections', { skip }, async () => {
  const databaseUrl = await newDatabase(postgres.url);
  await using platform = await openWith(databaseUrl, { SVC_DATABASE_POOL: '3' });
  const { client } = await publishGame(platform);
  await Promise.all(Array.from({ length: 20 }, () => client.call('projects', {})));
  await using other = await connect(databaseUrl);
  const count = `select count(*) as n from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and application_name = 'svc-platform'`;
  assert.deepEqual((await other.query(count)).rows, [{ n: '3' }]);
});

test('a request that waits too long for a lock is 503 busy with Retry-After, and changes nothing', {
  skip,
}, async () => {
  const databaseUrl = await newDatabase(postgres.url);
  await using platform = await openWith(databaseUrl, { SVC_DATABASE_TIMEOUT_MS: '300' });
  const { client, game } = await publishGame(platform);
  await using other = await connect(databaseUrl);
  await other.query('begin');
  await other.query('select 1 from games for update');
  const error = await expectError(client.call('unpublish', { params: { id: game.id } }), 'busy');
  assert.equal(error.retryAfterSeconds, 1);
  await other.query('rollback');
  assert.equal((await client.call('game', { params: { slug: game.slug } })).game.slug, game.slug);
});

test('a publish whose client leaves while it waits for the database ends at once, and the project is free', {
  skip,
}, async () => {
  const databaseUrl = await newDatabase(postgres.url);
  await using platform = await openWith(databaseUrl);
  const { client, game, idToken } = await publishGame(platform);
  await using other = await connect(databaseUrl);
  await other.query('begin');
  await other.query('lock table attempts in access exclusive mode');
  const leaving = new AbortController();
  const left = fetch(`${platform.baseUrl}/projects/${game.id}/publish`, {
    method: 'POST',
    headers: { authorization: `Bearer ${idToken}` },
    body: publishForm('2', { 'index.html': 'two' }),
    signal: leaving.signal,
  });
  left.catch(() => {});
  await using watcher = await connect(databaseUrl);
  const waiting = `select 1 from pg_locks where relation = 'attempts'::regclass and not granted`;
  await until(
    () => watcher.query(waiting),
    ({ rowCount }) => rowCount === 1,
    'it waits',
  );
  leaving.abort();
  await assert.rejects(left);
  await sleep(LEAVE_MS);
  await other.query('rollback');
  // A client that is only silent has 30 seconds.
  await until(
    () => publishBuild(client, game.id, '2', { 'index.html': 'two' }).catch(() => null),
    (answer) => answer !== null,
    'the project is free',
    10_000,
  );
  assert.deepEqual(
    platform.lines.filter((line) => line.includes('internal')),
    [],
  );
});

test('a process that stalls in a transaction loses it and its locks, and answers 503 when it continues', {
  skip,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-stalled-'));
  const databaseUrl = await newDatabase(postgres.url);
  const server = await startProcess(folder, {
    SVC_DATABASE_URL: databaseUrl,
    SVC_DATABASE_TIMEOUT_MS: '3000',
  });
  try {
    await using platform = await openWith(databaseUrl);
    const { game } = await publishGame(platform);
    const token = await signIn(server.issuer, 'svc-dev', 'Ada');
    await using other = await connect(databaseUrl);
    await other.query('begin');
    await other.query('select 1 from games for update');
    const answer = fetch(`${server.baseUrl}/projects/${game.id}/unpublish`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    // If this test fails before it reads the answer.
    answer.catch(() => {});
    // Outside of the transaction, which would see the activity as of its first look.
    await using watcher = await connect(databaseUrl);
    const waiting = `select pid from pg_stat_activity where wait_event = 'transactionid'
      and datname = current_database()`;
    const { rows } = await until(
      () => watcher.query(waiting),
      (result) => result.rowCount === 1,
      'it waits',
    );
    stopProcess(server.child);
    await other.query('rollback');
    // PostgreSQL wakes the waiting statement a moment later. Until then, others get the lock first.
    const state = `select state from pg_stat_activity where pid = ${rows[0].pid}`;
    await until(
      () => watcher.query(state),
      (result) => result.rows[0]?.state === 'idle in transaction',
      'it holds the locks',
    );
    // The process now holds the locks of the user and the game, and cannot continue.
    await other.query("set lock_timeout = '30s'");
    const startedAt = performance.now();
    await other.query('update games set title = title');
    const ms = performance.now() - startedAt;
    assert.ok(ms > 1_000 && ms < 20_000, `the locks were held for ${ms} ms`);
    server.child.kill('SIGCONT');
    assert.equal(await readErrorCode(await answer), 'unavailable');
    assert.equal((await fetch(`${server.baseUrl}/games/${game.slug}`)).status, 200);
  } finally {
    await server.kill();
    await rm(folder, { recursive: true, force: true });
  }
});

test('a change whose connection is cut is complete or not made, wherever it is cut', {
  skip,
}, async () => {
  await using proxy = await startFlakyProxy({ path: postgres.socket });
  await using platform = await openWith(await newDatabase(postgres.url, proxy));
  const { client, game } = await publishGame(platform);
  const params = { id: game.id };
  const play = async (path: string) => {
    const answer = await fetch(`${platform.baseUrl}/play/${game.slug}/${path}`);
    return answer.ok ? answer.text() : answer.status;
  };
  const publish = (version: string) => {
    const files = { 'index.html': version, [`${version}.txt`]: version };
    return publishBuild(client, game.id, version, files);
  };
  const release = 'insert into "releases"';
  for (const texts of [[release], [release, 'update "games"'], [release, COMMIT]]) {
    proxy.behave({ kind: 'cut', texts, when: 'before' });
    await expectError(publish('2'), 'unavailable');
    assert.deepEqual([await play(''), await play('other.txt')], ['one', 'other']);
  }
  proxy.behave({ kind: 'cut', texts: [release, COMMIT], when: 'after' });
  const { release: published } = await publish('2');
  assert.equal(published.version, '2', 'the answer of the commit was lost, and its outcome found');
  assert.deepEqual([await play(''), await play('2.txt')], ['2', '2']);
  const rollback = () => client.call('rollback', { params, body: { version: '1' } });
  const audit = 'insert into "audit"';
  proxy.behave({ kind: 'cut', texts: [audit, COMMIT], when: 'before' });
  await expectError(rollback(), 'unavailable');
  assert.equal(await play(''), '2');
  proxy.behave({ kind: 'cut', texts: [audit, COMMIT], when: 'after' });
  await expectError(rollback(), 'unavailable');
  assert.deepEqual([await play(''), await play('other.txt')], ['one', 'other'], 'it was made');
  await publish('3');
  assert.deepEqual([await play(''), await play('3.txt')], ['3', '3']);
});

test('an upload in parts whose connection is cut goes on or was published, wherever it is cut', {
  skip,
}, async () => {
  await using proxy = await startFlakyProxy({ path: postgres.socket });
  const databaseUrl = await newDatabase(postgres.url, proxy);
  await using platform = await openWith(databaseUrl, { SVC_LIMIT_UPLOAD_PART_BYTES: '4096' });
  await using other = await connect(databaseUrl);
  const { client, game } = await publishGame(platform);
  const files = { 'index.html': 'two', 'art.bin': randomBytes(10_000) };
  const open = () => openUpload(client, game.id, files);
  const insert = 'insert into "uploads"';
  for (const texts of [[insert], [insert, COMMIT]]) {
    proxy.behave({ kind: 'cut', texts, when: 'before' });
    await expectError(open(), 'unavailable');
  }
  proxy.behave({ kind: 'cut', texts: [insert, COMMIT], when: 'after' });
  const error = await expectError(open(), 'unavailable');
  assert.equal(error.retryAfterSeconds, 2);
  const upload = await open();
  const contents = contentsOf(upload, files);
  for (const when of ['before', 'after'] as const) {
    // Part 1 is stored, and its answer is lost. Its upload is so old that its end is postponed.
    await other.query('update uploads set touched_at = touched_at - 600000');
    proxy.behave({ kind: 'cut', texts: ['update "uploads"'], when });
    const send = sendPart(client, game.id, upload, 1, partOf(upload, contents, 1));
    await expectError(send, 'unavailable');
    assert.deepEqual(await spooledFiles(platform), []);
  }
  const continued = await open();
  assert.deepEqual([continued.id, continued.received], [upload.id, [1]]);
  await sendParts(client, game.id, continued, files);
  const params = { id: game.id, upload: upload.id };
  const publish = () => client.call('publishUpload', { params, body: { version: '2' } });
  const play = async () => (await fetch(`${platform.baseUrl}/play/${game.slug}/`)).text();
  const release = 'insert into "releases"';
  for (const texts of [[release], [release, 'delete from "uploads"'], [release, COMMIT]]) {
    proxy.behave({ kind: 'cut', texts, when: 'before' });
    await expectError(publish(), 'unavailable');
    assert.equal(await play(), 'one');
    assert.equal((await open()).received.length, upload.part_count);
  }
  proxy.behave({ kind: 'cut', texts: [release, COMMIT], when: 'after' });
  await publish();
  assert.equal(await play(), 'two');
  await expectError(client.call('upload', { params }), 'not_found');
  await runUpkeep(platform);
  const keys = await storedKeys(platform, game.id);
  assert.deepEqual(
    keys.filter((key) => key.includes(upload.id)),
    [],
  );
});

test('while PostgreSQL is stopped, a part is 503 unavailable and leaves nothing', {
  skip,
}, async () => {
  await using platform = await openWith(await newDatabase(postgres.url));
  const { client, game } = await publishGame(platform);
  const files = { 'index.html': 'two' };
  const upload = await openUpload(client, game.id, files);
  postgres.stop();
  try {
    const error = await expectError(sendParts(client, game.id, upload, files), 'unavailable');
    assert.equal(error.retryAfterSeconds, 2);
  } finally {
    postgres.start();
  }
  assert.deepEqual(await spooledFiles(platform), []);
  assert.deepEqual((await openUpload(client, game.id, files)).received, []);
  await publishParts(client, game.id, '2', files);
});

test('a server that cannot reach PostgreSQL does not start, and says why', { skip }, async () => {
  await using proxy = await startFlakyProxy({ path: postgres.socket });
  const databaseUrl = await newDatabase(postgres.url, proxy);
  proxy.behave({ kind: 'drop' });
  const hung = openWith(databaseUrl, { SVC_DATABASE_TIMEOUT_MS: '300' });
  await assert.rejects(hung, /^Error: Cannot open the database: .*time/);
  const { port } = proxy;
  await proxy[Symbol.asyncDispose]();
  const refused = openWith(`postgres://app@localhost:${port}/x`);
  await assert.rejects(refused, /^Error: Cannot open the database: .*ECONNREFUSED/);
});

/** A connection of another program to the database. */
async function connect(databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return {
    query: (text: string) => client.query(text),
    async [Symbol.asyncDispose]() {
      const ended = once(client, 'end');
      await client.end();
      await ended;
    },
  };
}
