// Play on several processes with one PostgreSQL: changes at one are seen at the others, whatever happens to connections.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_LOG } from '@svc/observe';
import pg from 'pg';
import { stopProcess } from '../../../scripts/stop-process.ts';
import { until } from '../../../scripts/until.ts';
import { checkStore } from '../src/check/check-store.ts';
import { readSettings } from '../src/index.ts';
import { openStores } from '../src/start/open-stores.ts';
import { type FlakyProxy, startFlakyProxy } from './flaky-proxy.ts';
import { makeAdmin } from './make-admin.ts';
import { freshName, type OpenPlatform, openPlatform } from './open-platform.ts';
import { startProcess } from './platform-process.ts';
import { publishBuild } from './publish-build.ts';
import { storedKeys } from './read-state.ts';
import { newDatabase, type Postgres, postgresMissing, startPostgres } from './start-postgres.ts';

const missing = postgresMissing();
const skip = missing ?? false;
/** No process plays an old state for longer than this after the change was answered. */
const STALE_MS = 1_000;
/** Text in the first bytes of the connection on which a process listens. */
const LISTENER = 'svc-platform-listener';

let postgres: Postgres;
before(() => {
  if (missing === null) postgres = startPostgres();
});
after(() => {
  if (missing === null) postgres[Symbol.dispose]();
});

type Rig = AsyncDisposable & {
  /** Where changes are made. */
  readonly a: OpenPlatform;
  /** Where games are played. Its connections go through the proxy. */
  readonly b: OpenPlatform;
  readonly proxy: FlakyProxy;
  readonly databaseUrl: string;
};

/** Two platforms with one database and one data folder. */
async function openTwo(): Promise<Rig> {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-processes-'));
  stack.defer(() => rm(dataDir, { recursive: true, force: true }));
  const proxy = stack.use(await startFlakyProxy({ path: postgres.socket }));
  const databaseUrl = await newDatabase(postgres.url);
  const open = (url: string) =>
    openPlatform({ dataDir, settings: { ...readSettings({}), databaseUrl: url } });
  const a = stack.use(await open(databaseUrl));
  const name = new URL(databaseUrl).pathname;
  const b = stack.use(await open(`postgres://app@127.0.0.1:${proxy.port}${name}`));
  const running = stack.move();
  return { a, b, proxy, databaseUrl, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function publishGame(platform: OpenPlatform) {
  const { client } = await platform.person(freshName('Ada'));
  const { game } = await client.call('createProject', { body: { title: freshName('Played') } });
  await publishBuild(client, game.id, '1', { 'index.html': '1' });
  return { client, game, params: { id: game.id } };
}

/** What a player gets: the text of the page, or the status of an error. */
async function play(platform: { readonly baseUrl: string }, slug: string): Promise<string> {
  const answer = await fetch(`${platform.baseUrl}/play/${slug}/`);
  const text = await answer.text();
  return answer.ok ? text : String(answer.status);
}

/** Plays until the page is the expected one. Returns the milliseconds that it took. */
async function playedAfter(
  platform: OpenPlatform,
  slug: string,
  expected: string,
): Promise<number> {
  const startedAt = performance.now();
  await until(
    () => play(platform, slug),
    (text) => text === expected,
    `the page is ${expected}`,
    20_000,
  );
  return performance.now() - startedAt;
}

/** Waits until the game is played from memory, without a query. */
async function untilCached(rig: Rig, slug: string): Promise<void> {
  await using other = await connect(rig.databaseUrl);
  const name = `select state_change from pg_stat_activity
    where datname = current_database() and application_name = 'svc-platform'
    order by state_change desc limit 1`;
  const lastQuery = async () => String((await other.query(name)).rows[0]?.state_change?.getTime());
  await until(
    async () => {
      await play(rig.b, slug);
      const earlier = await lastQuery();
      for (let number = 0; number < 3; number++) await play(rig.b, slug);
      return (await lastQuery()) === earlier;
    },
    Boolean,
    'play does not query',
    20_000,
  );
}

test('the deletion of a replaced release and the end of an offer at one process end it at another', {
  skip,
}, async () => {
  await using rig = await openTwo();
  const { a, b } = rig;
  const { client, game, params } = await publishGame(a);
  const addressAt = async (platform: OpenPlatform, version: string) => {
    const { releases } = await client.call('releases', { params });
    const id = releases.find((release) => release.version === version)?.id;
    return `${platform.baseUrl}/play/${game.slug}/.release/${id}/`;
  };
  const statusAt = async (address: string) => {
    const answer = await fetch(address);
    await answer.arrayBuffer();
    return answer.status;
  };
  const first = await addressAt(b, '1');
  assert.equal(await statusAt(first), 200);
  await publishBuild(client, game.id, '2', { 'index.html': '2' });
  // The page with this address may come from the other process before this one has heard of the release.
  const second = await addressAt(b, '2');
  assert.deepEqual([await statusAt(first), await statusAt(second)], [200, 200]);
  const untilGone = (address: string) =>
    until(
      () => statusAt(address),
      (status) => status === 404,
      'the release is gone',
      20_000,
    );
  await client.call('deleteRelease', { params: { ...params, version: '1' } });
  await untilGone(first);
  const edit = (playable: boolean) =>
    client.call('editRelease', { params: { ...params, version: '2' }, body: { playable } });
  await edit(true);
  await publishBuild(client, game.id, '3', { 'index.html': '3' });
  await client.call('rollback', { params, body: { version: '3' } });
  assert.equal(await statusAt(second), 200);
  await client.call('unpublish', { params });
  await untilGone(second);
});

test('publish, rollback, unpublish, acts of administrators, deletion, isolation and profiling at one process are played by another', {
  skip,
}, async () => {
  await using rig = await openTwo();
  const { a, b } = rig;
  const { client, game, params } = await publishGame(a);
  const { client: root } = await makeAdmin(a, freshName('Root'));
  const { game: other } = await publishGame(a);
  const owner = { uid: other.developer_uid };
  const headerOf = async (platform: OpenPlatform, name = 'cross-origin-embedder-policy') =>
    (await fetch(`${platform.baseUrl}/play/${game.slug}/`)).headers.get(name);
  await playedAfter(b, game.slug, '1');
  await untilCached(rig, game.slug);
  const set = (metadata: object) => {
    const form = new FormData();
    form.set('metadata', JSON.stringify(metadata));
    return client.call('updateStore', { params, form });
  };
  const changes: [what: string, change: () => Promise<unknown>, expected: string][] = [
    ['publish', () => publishBuild(client, game.id, '2', { 'index.html': '2' }), '2'],
    ['rollback', () => client.call('rollback', { params, body: { version: '1' } }), '1'],
    ['unpublish', () => client.call('unpublish', { params }), '404'],
    ['again', () => client.call('rollback', { params, body: { version: '2' } }), '2'],
    ['deletion', () => client.call('deleteProject', { params }), '404'],
    ['its end', () => client.call('restoreProject', { params }), '2'],
    ['take-down', () => root.call('takeDown', { params, body: {} }), '404'],
    ['restoration', () => root.call('restoreGame', { params, body: {} }), '2'],
    ['of a release', () => root.call('takeDown', { params, body: { version: '2' } }), '404'],
    ['its restoration', () => root.call('restoreGame', { params, body: { version: '2' } }), '2'],
  ];
  const ofOther: typeof changes = [
    ['nothing', async () => {}, '1'],
    ['suspension', () => root.call('suspendUser', { params: owner, body: {} }), '404'],
    ['its end', () => root.call('restoreUser', { params: owner }), '1'],
  ];
  const make = async ({ slug }: { slug: string }, list: typeof changes) => {
    for (const [what, change, expected] of list) {
      await change();
      assert.equal(await play(a, slug), expected, `${what} at the same process`);
      const ms = await playedAfter(b, slug, expected);
      assert.ok(ms < STALE_MS, `${what} took ${ms} ms`);
      await untilCached(rig, slug);
    }
  };
  await make(game, changes);
  await make(other, ofOther);
  assert.equal(await headerOf(b), 'credentialless');
  await set({ isolation: 'require-corp' });
  assert.equal(await headerOf(a), 'require-corp');
  await until(
    () => headerOf(b),
    (header) => header === 'require-corp',
    'isolation',
    STALE_MS,
  );
  await untilCached(rig, game.slug);
  await set({ profiling: true });
  assert.equal(await headerOf(a, 'document-policy'), 'js-profiling');
  await until(
    () => headerOf(b, 'document-policy'),
    (header) => header === 'js-profiling',
    'profiling',
    STALE_MS,
  );
  await client.call('deleteProject', { params });
  assert.ok((await playedAfter(b, game.slug, '404')) < STALE_MS);
});

test('a slug that was unknown is played as soon as a game has it', { skip }, async () => {
  await using rig = await openTwo();
  const { client } = await rig.a.person('Ada');
  assert.equal(await play(rig.b, 'brand-new'), '404');
  await untilCached(rig, 'brand-new');
  const { game } = await client.call('createProject', {
    body: { title: 'Brand New', slug: 'brand-new' },
  });
  await publishBuild(client, game.id, '1', { 'index.html': 'new' });
  assert.ok((await playedAfter(rig.b, 'brand-new', 'new')) < STALE_MS);
});

test('a slug that was unknown leads to the game whose page moves there at another process', {
  skip,
}, async () => {
  await using rig = await openTwo();
  const { client, game, params } = await publishGame(rig.a);
  assert.equal(await play(rig.b, 'moved-here'), '404');
  await untilCached(rig, 'moved-here');
  await client.call('changeSlug', { params, body: { slug: 'moved-here' } });
  const moved = () => fetch(`${rig.b.baseUrl}/play/moved-here/`, { redirect: 'manual' });
  const { headers } = await until(moved, ({ status }) => status === 302, 'a redirect', STALE_MS);
  assert.match(headers.get('location') ?? '', new RegExp(`/play/${game.slug}/$`));
});

test('a statement that only locks a game notifies nobody, and other games stay in memory', {
  skip,
}, async () => {
  await using rig = await openTwo();
  const { game } = await publishGame(rig.a);
  await using other = await connect(rig.databaseUrl);
  const heard: string[] = [];
  other.on('notification', ({ payload = '' }) => heard.push(payload));
  await other.query('listen svc_games');
  await other.query('update games set updated_at = updated_at');
  await other.query("update games set title = title || '!' where slug = $1", [game.slug]);
  await other.query("update games set slug = 'other-slug' where slug = $1", [game.slug]);
  await other.query("update games set slug = $1 where slug = 'other-slug'", [game.slug]);
  const moves = [game.slug, game.slug, 'other-slug', 'other-slug', game.slug];
  await until(
    () => heard.length,
    (count) => count >= moves.length,
    'notifications',
    5_000,
  );
  assert.deepEqual(heard, moves);
});

test('a repair that restores only an empty file notifies all processes, and the size is correct', {
  skip,
}, async () => {
  await using rig = await openTwo();
  const { client } = await rig.a.person('Ada');
  const { game } = await client.call('createProject', { body: { title: freshName('Empty') } });
  await publishBuild(client, game.id, '1', { 'index.html': '1', 'empty.txt': '' });
  const nothing = createHash('sha256').digest('hex');
  const lost = (await storedKeys(rig.a, game.id)).find((key) => key.endsWith(nothing)) ?? '';
  await rm(join(rig.a.dataDir, 'projects', lost));
  await using other = await connect(rig.databaseUrl);
  const sizeOf = async () =>
    (await other.query('select content_bytes from games where id = $1', [game.id])).rows[0]
      ?.content_bytes;
  const size = await sizeOf();
  const heard: string[] = [];
  other.on('notification', ({ payload = '' }) => heard.push(payload));
  await other.query('listen svc_games');
  const settings = { ...readSettings({}), databaseUrl: rig.databaseUrl };
  await using stores = await openStores({ dataDir: rig.a.dataDir, settings, log: NO_LOG });
  const options = { repair: true, sizesOnly: true, graceMs: 3_600_000 };
  const { repaired } = await checkStore(stores, options, () => {});
  assert.equal(repaired, 1);
  await until(() => heard.includes(game.slug), Boolean, 'a notification', 5_000);
  // A deletion runs the upkeep.
  const { game: deleted } = await client.call('createProject', { body: { title: 'Deleted' } });
  await client.call('deleteProject', { params: { id: deleted.id } });
  await until(sizeOf, (now) => now === size, 'the size as before', 30_000);
});

test('a listener that PostgreSQL ends is replaced, and changes in between are seen', {
  skip,
}, async () => {
  await using rig = await openTwo();
  const { a, b, databaseUrl } = rig;
  const { client, game, params } = await publishGame(a);
  await using other = await connect(databaseUrl);
  const end = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = '${LISTENER}'`;
  await untilCached(rig, game.slug);
  for (const expected of ['404', '1', '404', '1']) {
    assert.ok(((await other.query(end)).rowCount ?? 0) > 0);
    if (expected === '404') await client.call('unpublish', { params });
    else await client.call('rollback', { params, body: { version: '1' } });
    const ms = await playedAfter(b, game.slug, expected);
    assert.ok(ms < STALE_MS, `${ms} ms`);
    await untilCached(rig, game.slug);
  }
  assert.deepEqual(
    b.lines.filter((line) => line.includes('notifications')),
    [],
  );
});

test('while a network swallows all bytes of the listener, play asks the database, and hears again later', {
  skip,
}, async () => {
  await using rig = await openTwo();
  const { a, b, proxy } = rig;
  const { client, game, params } = await publishGame(a);
  await untilCached(rig, game.slug);
  proxy.behave({ kind: 'drop' }, LISTENER);
  await client.call('unpublish', { params });
  const ms = await playedAfter(b, game.slug, '404');
  assert.ok(ms < STALE_MS + 200, `${ms} ms`);
  for (const expected of ['1', '404', '1', '404', '1']) {
    if (expected === '404') await client.call('unpublish', { params });
    else await client.call('rollback', { params, body: { version: '1' } });
    assert.equal(await play(b, game.slug), expected, 'at once, because play asks');
  }
  proxy.behave({ kind: 'pass' });
  await untilCached(rig, game.slug);
  assert.equal(await play(b, game.slug), '1');
});

test('while notifications are late, no old state is played for longer than a second', {
  skip,
}, async () => {
  await using rig = await openTwo();
  const { a, b, proxy } = rig;
  const { client, game, params } = await publishGame(a);
  await untilCached(rig, game.slug);
  // Later than a beat may be: play asks the database.
  proxy.behave({ kind: 'delay', ms: 700 }, LISTENER);
  for (const expected of ['404', '1', '404', '1']) {
    if (expected === '404') await client.call('unpublish', { params });
    else await client.call('rollback', { params, body: { version: '1' } });
    const ms = await playedAfter(b, game.slug, expected);
    assert.ok(ms < STALE_MS + 200, `${ms} ms`);
  }
});

test('while the database is down, games in memory are played for at most a second', {
  skip,
}, async () => {
  await using rig = await openTwo();
  const { game } = await publishGame(rig.a);
  await untilCached(rig, game.slug);
  for (const kind of ['refuse', 'drop'] as const) {
    rig.proxy.behave({ kind });
    if (kind === 'refuse') rig.proxy.cut();
    const startedAt = performance.now();
    assert.equal(await play(rig.b, game.slug), '1', `${kind}: from memory`);
    let playedMs = 0;
    const text = await until(
      async () => {
        const askedMs = performance.now() - startedAt;
        const seen = await play(rig.b, game.slug);
        if (seen === '1') playedMs = askedMs;
        return seen;
      },
      (seen) => seen !== '1',
      'the game is not played from memory',
      20_000,
    );
    assert.equal(text, '503', kind);
    assert.ok(playedMs <= STALE_MS, `${kind}: played after ${playedMs} ms`);
    assert.equal(await play(rig.b, game.slug), '503', kind);
    rig.proxy.behave({ kind: 'pass' });
    rig.proxy.cut();
    await playedAfter(rig.b, game.slug, '1');
    await untilCached(rig, game.slug);
  }
});

test('a process that was stopped during a publish plays the new release when it continues', {
  skip,
}, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-stopped-'));
  const databaseUrl = await newDatabase(postgres.url);
  await using proxy = await startFlakyProxy({ path: postgres.socket });
  const proxied = `postgres://app@127.0.0.1:${proxy.port}${new URL(databaseUrl).pathname}`;
  const server = await startProcess(dataDir, { SVC_DATABASE_URL: proxied });
  try {
    await using a = await openPlatform({
      dataDir,
      settings: { ...readSettings({}), databaseUrl },
    });
    const { client, game } = await publishGame(a);
    for (let version = 2; version < 5; version++) {
      proxy.behave({ kind: 'pass' });
      const old = String(version - 1);
      await until(
        () => play(server, game.slug),
        (text) => text === old,
        'the old one',
        5_000,
      );
      // Long enough for a beat: the game is in memory.
      await sleep(500);
      // The notification of the publish arrives after the requests.
      proxy.behave({ kind: 'delay', ms: 2 * STALE_MS }, LISTENER);
      stopProcess(server.child);
      await publishBuild(client, game.id, String(version), { 'index.html': String(version) });
      await sleep(STALE_MS);
      const answers = Array.from({ length: 4 }, () => play(server, game.slug));
      // The requests are in the socket before the process continues.
      await sleep(50);
      server.child.kill('SIGCONT');
      for (const text of await Promise.all(answers)) assert.equal(text, String(version));
    }
  } finally {
    await server.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('an operator is informed once if no notifications arrive, and when they arrive again', {
  skip,
}, async () => {
  await using rig = await openTwo();
  const { b, proxy } = rig;
  proxy.behave({ kind: 'refuse' }, LISTENER);
  proxy.cut();
  const lines = () => b.lines.filter((line) => line.includes('notifications'));
  await until(
    () => lines().length,
    (count) => count === 1,
    'a warning',
    20_000,
  );
  assert.match(lines()[0] ?? '', /^warning: no notifications of PostgreSQL arrive: /);
  await sleep(1_000);
  proxy.behave({ kind: 'pass' });
  await until(
    () => lines().length,
    (count) => count === 2,
    'the end',
    20_000,
  );
  assert.equal(lines()[1], 'notifications of PostgreSQL arrive again');
});

async function connect(databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
