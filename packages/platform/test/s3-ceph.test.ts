// What only the object store does, on a real one: downloads, damaged bodies, a server that hangs, is down or full.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { NO_LOG } from '@svc/observe';
import { logTo } from '@svc/observe/testing';
import { ApiError } from '@svc/serve';
import type { FileStore } from '../src/files/file-store.ts';
import type { StorageSettings } from '../src/files/s3/connect-store.ts';
import { openS3Store } from '../src/files/s3/open-s3-store.ts';
import { type Ceph, cephMissing, startCeph } from './start-ceph.ts';

const TIMEOUT_MS = 1_500;
const MIB = 1024 * 1024;

const missing = cephMissing();
const skip = missing ?? false;
let ceph: Ceph;
let folder = '';
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-s3-'));
  if (missing === null) ceph = await startCeph();
});
after(async () => {
  if (missing === null) await ceph[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function openStore(t: TestContext, settings: StorageSettings) {
  const lines: string[] = [];
  const store = await openS3Store(
    settings,
    logTo((line) => lines.push(line)),
  );
  t.after(() => store[Symbol.dispose]());
  return { store, lines };
}

let count = 0;
function written(bytes: string | Buffer): string {
  const path = join(folder, String(++count));
  writeFileSync(path, bytes);
  return path;
}

async function put(store: FileStore, key: string, bytes: string | Buffer): Promise<void> {
  const batch = store.startBatch();
  await batch.put(key, written(bytes));
  await batch.settle();
}

/** Returns the code of the error, or null, and asserts that it took at most the time limit. */
async function codeOf(work: Promise<unknown>): Promise<string | null> {
  const start = performance.now();
  const code = await work.then(
    () => null,
    (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
  );
  assert.ok(performance.now() - start < TIMEOUT_MS + 2_000, 'in time');
  return code;
}

test('a build can be downloaded from the store by its temporary address, also in ranges', {
  skip,
}, async (t) => {
  const settings = { ...(await ceph.newStorage()), redirects: true };
  const { store } = await openStore(t, settings);
  await put(store, 'game/a/build.zip', '0123456789');
  const url = (await store.downloadUrl('game/a/build.zip', 'game-v1.zip')) ?? '';
  const whole = await fetch(url);
  assert.equal(await whole.text(), '0123456789');
  assert.equal(whole.headers.get('content-disposition'), 'attachment; filename="game-v1.zip"');
  assert.equal(whole.headers.get('content-type'), 'application/zip');
  const part = await fetch(url, { headers: { range: 'bytes=2-4' } });
  assert.deepEqual([part.status, await part.text()], [206, '234']);
  const other = await fetch(url.replace('build.zip', 'other.zip'));
  assert.equal(other.status, 403, 'it is only for this file');
  await other.body?.cancel();
  const { store: streaming } = await openStore(t, { ...settings, redirects: false });
  assert.equal(await streaming.downloadUrl('game/a/build.zip', 'game-v1.zip'), null);
});

test('bytes that are changed on their way to the store are rejected', { skip }, async (t) => {
  const settings = await ceph.newStorage();
  const proxy = await startDamagingProxy(t, new URL(ceph.endpoint).port);
  const { store, lines } = await openStore(t, { ...settings, endpoint: proxy });
  await put(store, 'game/a/good', 'whole bytes');
  assert.equal(await codeOf(put(store, 'game/a/bad', 'DAMAGE ME')), 'unavailable');
  assert.match(lines.join('\n'), /files arrive damaged/);
  const large = Buffer.concat([Buffer.alloc(9 * MIB), Buffer.from('DAMAGE ME')]);
  assert.equal(await codeOf(put(store, 'game/a/large', large)), 'unavailable');
  assert.equal(await codeOf(store.create('game/a/new', written('DAMAGE ME'))), 'unavailable');
  const keys = (await Array.fromAsync(store.list('game'))).map(({ key }) => key);
  assert.deepEqual(keys, ['game/a/good']);
});

/** A proxy that changes a word in requests. */
async function startDamagingProxy(t: TestContext, port: string): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket.on('error', () => {}));
      socket.once('close', () => [client, upstream].forEach((one) => void one.destroy()));
    }
    upstream.pipe(client);
    client.on('data', (chunk) => {
      const text = chunk.toString('latin1').replace('DAMAGE', 'DAMAGF');
      upstream.write(Buffer.from(text, 'latin1'));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a bucket with a quota is storage_full when it is reached, and keeps no parts', {
  skip,
}, async (t) => {
  const settings = await ceph.newStorage();
  const { store } = await openStore(t, { ...settings, timeoutMs: TIMEOUT_MS });
  await put(store, 'game/a/first', 'x');
  const bucket = `--bucket=${settings.bucket}`;
  ceph.admin('quota', 'set', '--quota-scope=bucket', bucket, '--max-size=1M');
  ceph.admin('quota', 'enable', '--quota-scope=bucket', bucket);
  assert.equal(await codeOf(put(store, 'game/a/small', randomBytes(2 * MIB))), 'storage_full');
  assert.equal(await codeOf(put(store, 'game/a/large', randomBytes(20 * MIB))), 'storage_full');
  const keys = (await Array.fromAsync(store.list('game'))).map(({ key }) => key);
  assert.deepEqual(keys, ['game/a/first']);
});

test('a store that hangs or is down is unavailable in time, and works again afterwards', {
  skip,
}, async (t) => {
  const settings = { ...(await ceph.newStorage()), timeoutMs: TIMEOUT_MS };
  const { store, lines } = await openStore(t, settings);
  await put(store, 'game/a/file', randomBytes(4 * MIB));
  const file = await store.open('game/a/file');
  const expectUnavailable = async (position: number): Promise<void> => {
    assert.equal(await codeOf(store.open('game/a/file')), 'unavailable');
    assert.equal(await codeOf(file.read(Buffer.alloc(10), position)), 'unavailable');
    assert.equal(await codeOf(put(store, 'game/a/new', 'x')), 'unavailable');
    assert.equal(await codeOf(store.create('game/a/new', written('x'))), 'unavailable');
    assert.equal(await codeOf(store.remove(['game/a/none'])), 'unavailable');
    await assert.rejects(openS3Store(settings, NO_LOG), /Cannot start: the file store/);
  };
  ceph.signal('SIGSTOP');
  await expectUnavailable(3 * MIB).finally(() => ceph.signal('SIGCONT'));
  assert.match(lines.join('\n'), /does not answer in time/);
  assert.equal(await file.read(Buffer.alloc(10), 3 * MIB), 10);
  ceph.signal('SIGKILL');
  await expectUnavailable(2 * MIB).finally(() => ceph.restart());
  assert.match(lines.join('\n'), /no connection/);
  assert.equal(await file.read(Buffer.alloc(10), 2 * MIB), 10);
  await file.close();
});

test('wrong settings are rejected at the start with what to do', { skip }, async () => {
  const settings = await ceph.newStorage();
  const wrong: [change: Partial<StorageSettings>, message: RegExp][] = [
    [{ bucket: 'no-such-bucket' }, /the bucket does not exist/],
    [{ credentials: { accessKeyId: 'none', secretAccessKey: 'x' } }, /rejects the credentials/],
    [{ credentials: { accessKeyId: 'testkey', secretAccessKey: 'x' } }, /rejects the credentials/],
    [{ endpoint: 'http://nothing.invalid' }, /host cannot be resolved/],
    [{ endpoint: ceph.endpoint.replace('http:', 'https:') }, /no connection|certificate/],
  ];
  for (const [change, message] of wrong) {
    const opening = openS3Store({ ...settings, ...change }, NO_LOG);
    await assert.rejects(opening, (error: unknown) => {
      assert.match(String(error), message);
      return true;
    });
  }
});

test('the credentials can be in a shared file', { skip }, async (t) => {
  const { credentials, ...settings } = await ceph.newStorage();
  const file = written(
    `[games]\naws_access_key_id = ${credentials?.accessKeyId}\naws_secret_access_key = ${credentials?.secretAccessKey}\n`,
  );
  process.env['AWS_SHARED_CREDENTIALS_FILE'] = file;
  process.env['AWS_PROFILE'] = 'games';
  t.after(() => {
    delete process.env['AWS_SHARED_CREDENTIALS_FILE'];
    delete process.env['AWS_PROFILE'];
  });
  const { store } = await openStore(t, { ...settings, credentials: null });
  await put(store, 'game/a/file', 'x');
});
