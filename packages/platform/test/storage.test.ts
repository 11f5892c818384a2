// The whole platform with its files in an object store, on SQLite and on PostgreSQL.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { brotliDecompressSync } from 'node:zlib';
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { createPlatformClient } from '@svc/contracts/platform';
import { NO_LOG } from '@svc/observe';
import { until } from '../../../scripts/until.ts';
import { connectStore, type StorageSettings } from '../src/files/s3/connect-store.ts';
import { openS3Store } from '../src/files/s3/open-s3-store.ts';
import { readSettings, type Settings } from '../src/index.ts';
import { expectError, readErrorCode } from './expect-error.ts';
import { startFlakyProxy } from './flaky-proxy.ts';
import { makeZip } from './make-zip.ts';
import { type OpenPlatform, openPlatform } from './open-platform.ts';
import { startProcess } from './platform-process.ts';
import { publishBuild } from './publish-build.ts';
import { removeProject } from './remove-project.ts';
import { signIn } from './sign-in.ts';
import { type Ceph, cephMissing, environmentOf, startCeph } from './start-ceph.ts';
import { newDatabase, type Postgres, postgresMissing, startPostgres } from './start-postgres.ts';

const MIB = 1024 * 1024;
const MAIN = join(import.meta.dirname, '../src/main.ts');

const missing = cephMissing() ?? postgresMissing();
const skip = missing ?? false;
let ceph: Ceph;
let postgres: Postgres;
before(async () => {
  if (missing !== null) return;
  postgres = startPostgres();
  ceph = await startCeph();
});
after(async () => {
  if (missing !== null) return;
  await ceph[Symbol.asyncDispose]();
  postgres[Symbol.dispose]();
});

async function newSettings(
  databaseUrl: string | null,
  storage: Partial<StorageSettings> = {},
): Promise<Settings> {
  const store = { ...(await ceph.newStorage()), ...storage };
  return { ...readSettings({}), databaseUrl, storage: store };
}

/** The keys in the bucket of a platform. */
async function keysOf(platform: OpenPlatform, folder: string): Promise<string[]> {
  assert.ok(platform.settings.storage);
  using store = await openS3Store(platform.settings.storage, NO_LOG);
  const files = await Array.fromAsync(store.list(folder));
  return files.map((file) => file.key).sort();
}

const TEXT = 'const value = call(argument);\n'.repeat(2_000);

for (const [name, open] of [
  ['SQLite', async () => null],
  ['PostgreSQL', () => newDatabase(postgres.url)],
] as const) {
  test(`a build is published, played whole, in ranges and compressed, downloaded and removed on ${name} and S3`, {
    skip,
  }, async () => {
    await using platform = await openPlatform({ settings: await newSettings(await open()) });
    const ada = await platform.person('Ada');
    const { game } = await ada.client.call('createProject', { body: { title: 'Stored' } });
    const large = randomBytes(9 * MIB + 3);
    const files = {
      'index.html': '<!doctype html>',
      'code.js': TEXT,
      'large.bin': large,
      empty: '',
    };
    const zip = makeZip(files);
    await publishBuild(ada.client, game.id, '1', zip);
    const play = `${platform.baseUrl}/play/${game.slug}`;
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${play}/${path}`, { headers: { 'accept-encoding': 'identity', ...headers } });
    const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());
    assert.equal(await (await get('')).text(), files['index.html']);
    assert.ok((await bytesOf(await get('large.bin'))).equals(large));
    assert.equal((await bytesOf(await get('empty'))).length, 0);
    const range = await get('large.bin', { range: `bytes=${5 * MIB}-${5 * MIB + 99}` });
    assert.equal(range.status, 206);
    assert.deepEqual(await bytesOf(range), large.subarray(5 * MIB, 5 * MIB + 100));
    const br = await fetchRaw(`${play}/code.js`, 'br');
    assert.equal(br.encoding, 'br');
    assert.equal(String(brotliDecompressSync(br.body)), TEXT);
    const params = { id: game.id, version: '1' };
    const download = await ada.client.open('downloadBuild', { params });
    assert.ok((await bytesOf(download)).equals(zip));
    assert.ok((await keysOf(platform, game.id)).length >= 5);
    await removeProject(ada.client, game.id);
    await until(
      () => keysOf(platform, game.id),
      (keys) => keys.length === 0,
      'the files are removed',
    );
  });
}

/** Returns a body as it was sent, without decoding. */
async function fetchRaw(
  url: string,
  encoding: string,
): Promise<{ encoding: string; body: Buffer }> {
  const { get } = await import('node:http');
  const request = get(url, { headers: { 'accept-encoding': encoding } });
  const [answer] = await once(request, 'response', { signal: AbortSignal.timeout(60_000) });
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return { encoding: String(answer.headers['content-encoding']), body: Buffer.concat(chunks) };
}

test('a download is streamed, or redirected to the object store if the operator chose that', {
  skip,
}, async () => {
  for (const redirects of [true, false]) {
    await using platform = await openPlatform({ settings: await newSettings(null, { redirects }) });
    const { client, idToken } = await platform.person('Ada');
    const { game } = await client.call('createProject', { body: { title: 'Download' } });
    const zip = makeZip({ 'index.html': 'x' });
    await publishBuild(client, game.id, '1.0', zip);
    const address = `${platform.baseUrl}/projects/${game.id}/releases/1.0/build`;
    const headers = { authorization: `Bearer ${idToken}` };
    const answer = await fetch(address, { headers, redirect: 'manual' });
    const head = await fetch(address, { method: 'HEAD', headers, redirect: 'manual' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(zip.length)]);
    const name = `attachment; filename="${game.slug}-1.0.zip"`;
    if (redirects) {
      assert.deepEqual([answer.status, answer.headers.get('cache-control')], [302, 'no-store']);
      const location = answer.headers.get('location') ?? '';
      assert.ok(location.startsWith(ceph.endpoint));
      const file = await fetch(location);
      assert.equal(file.headers.get('content-disposition'), name);
      assert.ok(Buffer.from(await file.arrayBuffer()).equals(zip));
    } else {
      assert.deepEqual([answer.status, answer.headers.get('content-disposition')], [200, name]);
      assert.ok(Buffer.from(await answer.arrayBuffer()).equals(zip));
    }
    await expectError(
      client.call('downloadBuild', { params: { id: game.id, version: 'none' } }),
      'not_found',
    );
  }
});

test('what one server publishes, another server on the same database and bucket plays within a second', {
  skip,
}, async () => {
  const settings = await newSettings(await newDatabase(postgres.url));
  await using one = await openPlatform({ settings });
  await using two = await openPlatform({ settings });
  const ada = await one.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Shared' } });
  const read = async ({ baseUrl }: OpenPlatform) =>
    (await fetch(`${baseUrl}/play/${game.slug}/`)).text();
  // The other server is notified a moment after the answer.
  const expectPlayed = async (version: string): Promise<void> => {
    for (const server of [one, two]) {
      await until(
        () => read(server),
        (text) => text === version,
        `version ${version} is played`,
      );
    }
  };
  for (const version of ['1', '2', '3']) {
    await publishBuild(ada.client, game.id, version, { 'index.html': version });
    await expectPlayed(version);
  }
  const { secret } = await ada.client.call('createToken', {
    body: { name: 'both', scopes: ['publish'] },
  });
  const elsewhere = two.clientWith(secret);
  await elsewhere.call('rollback', { params: { id: game.id }, body: { version: '1' } });
  await expectPlayed('1');
});

test('while the object store hangs, files in memory are served and the rest is unavailable in time', {
  skip,
}, async () => {
  const settings = await newSettings(null, { timeoutMs: 1_500 });
  await using platform = await openPlatform({ settings });
  const { client, idToken } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Hangs' } });
  await publishBuild(client, game.id, '1', { 'index.html': 'warm', cold: 'cold' });
  const before = await keysOf(platform, game.id);
  const play = (path: string) => fetch(`${platform.baseUrl}/play/${game.slug}/${path}`);
  assert.equal(await (await play('')).text(), 'warm');
  const params = { id: game.id, version: '1' };
  const readiness = async () => {
    const answer = await fetch(`${platform.baseUrl}/readyz`);
    const { failing } = (await answer.json()) as { failing: string[] };
    return [answer.status, failing];
  };
  assert.deepEqual(await readiness(), [200, []]);
  const start = performance.now();
  ceph.signal('SIGSTOP');
  try {
    assert.equal(await (await play('')).text(), 'warm');
    const answers = await Promise.all([
      play('cold'),
      fetch(`${platform.baseUrl}/projects/${game.id}/releases/1/build`, {
        headers: { authorization: `Bearer ${idToken}` },
      }),
    ]);
    for (const answer of answers) {
      assert.equal(answer.headers.get('retry-after'), '2');
      assert.equal(await readErrorCode(answer), 'unavailable');
    }
    assert.ok(performance.now() - start < 5_000, 'in time');
    assert.deepEqual(await readiness(), [503, ['store']]);
    await expectError(publishBuild(client, game.id, '2', { 'index.html': 'new' }), 'unavailable');
  } finally {
    ceph.signal('SIGCONT');
  }
  assert.match(
    platform.lines.join('\n'),
    /warning: the file store cannot read: it does not answer/,
  );
  assert.equal(await (await play('cold')).text(), 'cold');
  assert.equal((await client.open('downloadBuild', { params })).status, 200);
  await publishBuild(client, game.id, '3', { 'index.html': 'works again' });
  assert.equal(await (await play('')).text(), 'works again');
  await client.call('deleteRelease', { params: { id: game.id, version: '1' } });
  assert.notDeepEqual(await keysOf(platform, game.id), before);
});

test('a server whose object store is down or lacks a bucket does not start', { skip }, async () => {
  for (const [storage, message] of [
    [{ endpoint: 'http://127.0.0.1:1' }, /file store \(SVC_STORAGE_URL\).*no connection/],
    [{ bucket: 'no-such-bucket' }, /the bucket does not exist/],
  ] as const) {
    const start = performance.now();
    await assert.rejects(openPlatform({ settings: await newSettings(null, storage) }), message);
    assert.ok(performance.now() - start < 10_000);
  }
});

/** The programs of these tests have their own processes, so their settings are in the environment. */
async function startServer(
  dataDir: string,
  storage: StorageSettings,
  more: Record<string, string>,
) {
  const server = await startProcess(dataDir, { ...environmentOf(storage), ...more });
  const idToken = await signIn(server.issuer, 'svc-dev', 'Ada');
  const { baseUrl } = server;
  const client = createPlatformClient({ baseUrl, send: fetch, credential: () => idToken });
  await client.call('openSession', { body: { id_token: idToken, role: 'developer' } });
  return { server, client };
}

test('a server that is killed while it sends a build leaves nothing in the object store after the next start', {
  skip,
}, async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-storage-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const storage = await ceph.newStorage();
  const proxy = await startFlakyProxy({
    port: Number(new URL(ceph.endpoint).port),
    host: '127.0.0.1',
  });
  t.after(() => proxy[Symbol.asyncDispose]());
  const slow = { ...storage, endpoint: `http://127.0.0.1:${proxy.port}`, timeoutMs: 30_000 };
  const first = await startServer(dataDir, slow, {});
  const { game } = await first.client.call('createProject', { body: { title: 'Killed' } });
  const { client } = connectStore(storage, NO_LOG);
  t.after(() => client.destroy());
  const Bucket = storage.bucket;
  const parts = async () =>
    (await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads ?? [];
  const objects = async () =>
    (await client.send(new ListObjectsV2Command({ Bucket }))).Contents ?? [];
  // The answers to the parts are lost, so the upload stays in progress.
  proxy.behave({ kind: 'drop' }, 'partNumber=');
  const files = { 'index.html': 'x', 'large.bin': randomBytes(20 * MIB) };
  const publishing = publishBuild(first.client, game.id, '1', files).catch(() => null);
  await until(parts, (uploads) => uploads.length > 0, 'an upload in parts has begun', 30_000);
  await first.server.kill();
  await publishing;
  assert.notEqual((await parts()).length, 0);
  await setTimeout(1_100);
  const second = await startServer(dataDir, storage, { SVC_PUBLISH_LEASE_SECONDS: '1' });
  try {
    assert.deepEqual([await parts(), await objects()], [[], []]);
    await publishBuild(second.client, game.id, '1', files);
    const answer = await fetch(`${second.server.baseUrl}/play/${game.slug}/large.bin`);
    assert.equal((await answer.arrayBuffer()).byteLength, 20 * MIB);
  } finally {
    await second.server.kill();
  }
});

test('svc-platform check finds and restores what is lost in the object store', {
  skip,
}, async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-storage-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const storage = await ceph.newStorage();
  const { server, client } = await startServer(dataDir, storage, {});
  t.after(() => server.kill());
  const { game } = await client.call('createProject', { body: { title: 'Checked' } });
  await publishBuild(client, game.id, '1', { 'index.html': 'x', 'code.js': TEXT });
  using store = await openS3Store(storage, NO_LOG);
  const keys = async () =>
    (await Array.fromAsync(store.list(game.id))).map(({ key }) => key).sort();
  await store.remove((await keys()).filter((key) => key.endsWith('.br')));
  const check = (...args: string[]) =>
    spawnSync(process.execPath, [MAIN, 'check', '--data-dir', dataDir, '--json', ...args], {
      env: { PATH: process.env['PATH'] ?? '', ...environmentOf(storage) },
      encoding: 'utf8',
      timeout: 60_000,
    });
  const found = check();
  assert.equal(found.status, 1, found.stderr);
  assert.match(found.stdout, /"kind":"missing"/);
  assert.equal(check('--repair').status, 0);
  assert.ok((await keys()).some((key) => key.endsWith('.br')));
  assert.equal(check().status, 0);
});
