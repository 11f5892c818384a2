// The requests to an object store: what they contain, how many there are, and answers that a store may give at the start.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { NO_LOG } from '@svc/observe';
import type { StorageSettings } from '../src/files/s3/connect-store.ts';
import { openS3Store } from '../src/files/s3/open-s3-store.ts';
import { type Fault, refuse, send, startFakeS3 } from './fake-s3.ts';

const MIB = 1024 * 1024;
const PREFIX = 'prefix/';

async function openRig(t: TestContext, { timeoutMs = 20_000, redirects = false } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-s3-'));
  const fake = await startFakeS3();
  const settings: StorageSettings = {
    ...{ bucket: 'games', prefix: PREFIX, endpoint: fake.endpoint, region: 'us-east-1' },
    ...{ timeoutMs, redirects },
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
  };
  const store = await openS3Store(settings, NO_LOG);
  t.after(async () => {
    store[Symbol.dispose]();
    await fake[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  let count = 0;
  const written = async (bytes: string | Buffer): Promise<string> => {
    const path = join(folder, String(++count));
    await writeFile(path, bytes);
    return path;
  };
  fake.requests.length = 0;
  return {
    ...{ fake, settings, store, written },
    async put(key: string, bytes: string | Buffer): Promise<void> {
      const batch = store.startBatch();
      await batch.put(key, await written(bytes));
      await batch.settle();
    },
  };
}

test('a file is sent with its SHA-256 in the signature, no other checksum, and without waiting for 100 Continue', async (t) => {
  const { fake, store, put, written } = await openRig(t);
  const sent: [headers: IncomingHttpHeaders, body: Buffer][] = [];
  fake.fault = ({ method, headers, body }) => {
    if (method === 'PUT') sent.push([headers, body]);
    return false;
  };
  await put('game/a/file', randomBytes(3 * MIB));
  await put('game/a/large', randomBytes(9 * MIB));
  await store.create('game/a/new', await written(randomBytes(3 * MIB)));
  assert.equal(sent.length, 4);
  for (const [headers, body] of sent) {
    const hash = createHash('sha256').update(body).digest('hex');
    assert.equal(headers['x-amz-content-sha256'], hash);
    assert.match(String(headers.authorization), /SignedHeaders=[^,]*x-amz-content-sha256/);
    assert.equal(headers.expect, undefined);
    const others = Object.keys(headers).filter((name) => /checksum|trailer/.test(name));
    assert.deepEqual(others, []);
  }
});

test('a file that is read in order is fetched once, in large ranges', async (t) => {
  const { fake, store, put } = await openRig(t);
  const content = randomBytes(6 * MIB);
  await put('game/a/file', content);
  const ranges: string[] = [];
  fake.fault = ({ headers }) => {
    ranges.push(headers.range ?? '');
    return false;
  };
  const file = await store.open('game/a/file');
  const buffer = Buffer.alloc(MIB / 4);
  for (let at = 0; at < content.length; at += buffer.length) {
    assert.equal(await file.read(buffer, at), buffer.length);
    assert.ok(buffer.equals(content.subarray(at, at + buffer.length)));
  }
  await file.close();
  const limits = [0, MIB, 3 * MIB, 5 * MIB, 6 * MIB];
  assert.deepEqual(
    ranges.slice(1),
    limits.slice(1, -1).map((start, index) => `bytes=${start}-${(limits[index + 2] ?? 0) - 1}`),
  );
});

test('a request that fails is sent three times', async (t) => {
  const { fake, store, put } = await openRig(t);
  await put('game/a/file', 'content');
  for (const failures of [2, 3]) {
    let requests = 0;
    fake.fault = (_, response) => ++requests <= failures && refuse(response, 500, 'InternalError');
    const opened = store.open('game/a/file');
    if (failures === 2) assert.equal((await opened).bytes, 7);
    else await assert.rejects(opened, { code: 'unavailable' });
    assert.equal(requests, 3);
  }
});

test('the parts of all uploads below a folder are aborted, also if the list has several pages', async (t) => {
  const { fake, store } = await openRig(t);
  for (const id of ['one', 'two', 'three']) {
    fake.uploads.set(id, { key: `${PREFIX}game/a/${id}`, parts: new Map() });
  }
  fake.fault = ({ method, query }, response) => {
    const [first, ...more] = fake.uploads;
    if (method !== 'GET' || !query.has('uploads') || first === undefined) return false;
    const [id, { key }] = first;
    const upload = `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`;
    const rest = `<IsTruncated>${more.length > 0}</IsTruncated>`;
    const list = `<ListMultipartUploadsResult>${rest}${upload}</ListMultipartUploadsResult>`;
    return send(response, 200, list);
  };
  await store.removeFolder('game/a');
  assert.equal(fake.uploads.size, 0);
});

test('a large file whose upload is unknown at its completion is stored only if the object has its size', async (t) => {
  const { fake, put } = await openRig(t);
  const content = Buffer.alloc(9 * MIB);
  for (const [bytes, isStored] of [
    [9 * MIB - 1, false],
    [9 * MIB, true],
  ] as const) {
    fake.fault = ({ method, key, query }, response) => {
      if (method !== 'POST' || !query.has('uploadId')) return false;
      fake.objects.set(key, { body: content.subarray(0, bytes), writer: '' });
      return refuse(response, 404, 'NoSuchUpload');
    };
    const stored = put('game/a/large', content);
    if (isStored) await stored;
    else await assert.rejects(stored, { code: 'unavailable' });
  }
});

test('an address for a download is valid for fifteen minutes, and its answer is not cached', async (t) => {
  const { store } = await openRig(t, { redirects: true });
  const url = new URL((await store.downloadUrl('game/a/build.zip', 'game-v1.zip')) ?? '');
  assert.equal(url.pathname, `/games/${PREFIX}game/a/build.zip`);
  assert.equal(url.searchParams.get('X-Amz-Expires'), '900');
  assert.equal(url.searchParams.get('response-cache-control'), 'no-store');
  assert.equal(url.searchParams.get('response-content-type'), 'application/zip');
});

/** Stores that accept all requests and do something else. */
const WRONG: readonly [name: string, fault: Fault, message: RegExp][] = [
  [
    'other bytes',
    ({ method, headers }, response) =>
      method === 'GET' &&
      headers.range === 'bytes=2-4' &&
      send(response, 206, '324', { 'content-range': 'bytes 2-4/10' }),
    /read a part of a file: it sends other bytes/,
  ],
  [
    'a file that does not exist',
    ({ method, key }, response) =>
      method === 'GET' &&
      key.endsWith('/none') &&
      send(response, 206, 'x', { 'content-range': 'bytes 0-0/10' }),
    /report that a file is missing: it sends a file that does not exist/,
  ],
  [
    'an incomplete list',
    ({ query }, response) => query.has('list-type') && send(response, 200, '<ListBucketResult/>'),
    /list files: its list is not complete/,
  ],
  [
    'a list with removed files',
    ({ query }, response) => query.has('delete') && send(response, 200, '<DeleteResult/>'),
    /remove files: the files are still in its list/,
  ],
];

for (const [name, fault, message] of WRONG) {
  test(`a store that sends ${name} is rejected at the start`, async (t) => {
    const { fake, settings } = await openRig(t);
    fake.fault = fault;
    await assert.rejects(openS3Store(settings, NO_LOG), message);
  });
}
