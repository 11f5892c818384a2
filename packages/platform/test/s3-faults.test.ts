// The object store when the server behind it fails: the error, the time it takes, and that nothing stays open.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, globSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { NO_LOG } from '@svc/observe';
import { logTo } from '@svc/observe/testing';
import { ApiError } from '@svc/serve';
import { until } from '../../../scripts/until.ts';
import type { FileStore } from '../src/files/file-store.ts';
import type { StorageSettings } from '../src/files/s3/connect-store.ts';
import { openS3Store } from '../src/files/s3/open-s3-store.ts';
import { settleBatch } from '../src/files/settle-batch.ts';
import { MissingFileError } from '../src/files/storage-error.ts';
import { type FakeRequest, type FakeS3, type Fault, refuse, send, startFakeS3 } from './fake-s3.ts';

const TIMEOUT_MS = 600;
/** A busy machine may be this late. */
const LATE_MS = 2_000;
const MIB = 1024 * 1024;

type Rig = {
  readonly fake: FakeS3;
  readonly store: FileStore;
  readonly settings: StorageSettings;
  readonly lines: string[];
  /** A local file. */
  written(bytes: string | Buffer): Promise<string>;
  /** Stores a file. Resolves when it is stored. */
  put(key: string, bytes: string | Buffer): Promise<string>;
};

async function openRig(t: TestContext, timeoutMs = TIMEOUT_MS): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-s3-'));
  const fake = await startFakeS3();
  const lines: string[] = [];
  const settings: StorageSettings = {
    bucket: 'private-bucket',
    prefix: 'private-prefix/',
    endpoint: fake.endpoint,
    region: 'us-east-1',
    timeoutMs,
    redirects: false,
    credentials: { accessKeyId: 'private-key', secretAccessKey: 'private-secret' },
  };
  const store = await openS3Store(
    settings,
    logTo((line) => lines.push(line)),
  );
  t.after(async () => {
    store[Symbol.dispose]();
    await until(
      () => fake.open,
      (open) => open === 0,
      'all connections are closed',
      10_000,
    );
    const open = globSync('/proc/self/fd/*').map((path) => readLink(path));
    assert.deepEqual(
      open.filter((path) => path.startsWith(folder)),
      [],
      'no file stays open',
    );
    await fake[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
    assert.doesNotMatch(lines.join('\n'), /private/);
  });
  let count = 0;
  const written: Rig['written'] = async (bytes) => {
    const path = join(folder, String(++count));
    await writeFile(path, bytes);
    return path;
  };
  const put: Rig['put'] = async (key, bytes) => {
    const path = await written(bytes);
    const batch = store.startBatch();
    await batch.put(key, path);
    await batch.settle();
    return path;
  };
  fake.requests.length = 0;
  return { fake, store, settings, lines, written, put };
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** Asserts that the work fails with the code within the time limit, and that the operator is informed of the reason. */
async function expectFailure(
  { lines, settings }: Rig,
  work: Promise<unknown>,
  code: 'unavailable' | 'storage_full',
  reason: RegExp,
): Promise<void> {
  const start = performance.now();
  await assert.rejects(work, (error: unknown) => {
    assert.ok(error instanceof ApiError, String(error));
    assert.equal(error.code, code);
    assert.doesNotMatch(error.message, /private/);
    return true;
  });
  assert.ok(performance.now() - start < settings.timeoutMs + LATE_MS, 'it fails in time');
  assert.match(lines.join('\n'), reason);
}

async function readAll(store: FileStore, key: string): Promise<Buffer> {
  const file = await store.open(key);
  try {
    const bytes = Buffer.alloc(file.bytes);
    let held = 0;
    while (held < bytes.length) held += await file.read(bytes.subarray(held, held + MIB / 4), held);
    return bytes;
  } finally {
    await file.close();
  }
}

/** Each operation of the store. */
function operations({ store, put, written }: Rig): [name: string, () => Promise<unknown>][] {
  return [
    ['open', () => store.open('game/a/file')],
    ['put', () => put('game/a/new', 'x')],
    ['put in parts', () => put('game/a/large', Buffer.alloc(9 * MIB))],
    ['create', async () => store.create('game/a/new', await written('x'))],
    ['list', () => store.list('game')[Symbol.asyncIterator]().next()],
    ['folders', () => store.folders()[Symbol.asyncIterator]().next()],
    ['ready', async () => store.ready?.()],
    ['remove', () => store.remove(['game/a/file'])],
    ['removeFolder', () => store.removeFolder('game/a')],
  ];
}

/** Answers that a server may give to any request, and what the operator reads. */
const ANSWERS: readonly [name: string, fault: Fault, reason: RegExp][] = [
  ['throttles', (_, response) => refuse(response, 503, 'SlowDown'), /too many requests/],
  [
    'fails',
    (_, response) => refuse(response, 500, 'InternalError'),
    /it has failed \(status 500\)/,
  ],
  ['hangs', () => true, /does not answer in time/],
  ['cuts the connection', (_, response) => cut(response), /no connection, or it breaks off/],
  [
    'denies access',
    (_, response) => refuse(response, 403, 'AccessDenied'),
    /denies access. Allow s3:/,
  ],
  [
    'rejects the signature',
    (_, response) => refuse(response, 403, 'SignatureDoesNotMatch'),
    /rejects the cred/,
  ],
  [
    'does not know the bucket',
    (_, response) => refuse(response, 404, 'NoSuchBucket'),
    /does not exist/,
  ],
  [
    'is in another region',
    (_, response) => refuse(response, 301, 'PermanentRedirect'),
    /another region/,
  ],
  [
    'redirects',
    (_, response) => send(response, 307, '', { location: 'http://127.0.0.1:1/' }),
    /another region/,
  ],
];

function cut(response: ServerResponse): true {
  response.socket?.destroy();
  return true;
}

for (const [name, fault, reason] of ANSWERS) {
  test(`a store that ${name} is unavailable for each operation`, async (t) => {
    // Longer than the pauses between the tries, except for the store that never answers.
    const rig = await openRig(t, name === 'hangs' ? TIMEOUT_MS : 3_000);
    for (const [operation, run] of operations(rig)) {
      await t.test(operation, async () => {
        rig.fake.fault = fault;
        await expectFailure(rig, run(), 'unavailable', reason);
        rig.fake.fault = null;
      });
    }
  });
}

test('a store that is full or whose quota is reached is storage_full, and keeps no parts', async (t) => {
  const rig = await openRig(t);
  const answers = [
    [403, 'QuotaExceeded'],
    [507, 'InsufficientStorage'],
    [507, 'XMinioStorageFull'],
  ] as const;
  for (const [status, code] of answers) {
    rig.fake.fault = ({ method, headers }, response) =>
      method === 'PUT' && Number(headers['content-length']) > 0 && refuse(response, status, code);
    await expectFailure(rig, rig.put('game/a/small', 'x'), 'storage_full', /is full/);
    const large = Buffer.alloc(20 * MIB);
    await expectFailure(rig, rig.put('game/a/large', large), 'storage_full', /is full/);
    assert.equal(rig.fake.uploads.size, 0, 'the upload is aborted');
  }
});

test('a request that was throttled, failed or lost is repeated', async (t) => {
  const rig = await openRig(t, 5_000);
  const { fake, store, put } = rig;
  await put('game/a/file', 'content');
  const faults: Fault[] = [
    (_, response) => refuse(response, 503, 'SlowDown'),
    (_, response) => refuse(response, 500, 'InternalError'),
    (_, response) => cut(response),
  ];
  for (const fault of faults) {
    fake.fault = once(fault);
    assert.equal(String(await readAll(store, 'game/a/file')), 'content');
    fake.fault = once(fault);
    await put('game/a/other', 'other');
    assert.equal(String(fake.objects.get('private-prefix/game/a/other')?.body), 'other');
  }
  assert.deepEqual(rig.lines, [], 'the operator is not bothered');
});

/** The fault for the first request only. */
function once(fault: Fault): Fault {
  let isFirst = true;
  return (request, response) => {
    if (!isFirst) return false;
    isFirst = false;
    return fault(request, response);
  };
}

/** Sends a part of what the store would, then cuts the connection. */
function truncated(rig: Rig, bytes: number): Fault {
  return ({ method, key, headers }, response) => {
    const body = rig.fake.objects.get(key)?.body;
    if (method !== 'GET' || body === undefined) return false;
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    const part = body.subarray(Number(from), Number(to) + 1);
    response.writeHead(206, {
      'content-length': part.length,
      'content-range': `bytes ${from}-${Number(from) + part.length - 1}/${body.length}`,
    });
    response.write(part.subarray(0, bytes), () => response.socket?.destroy());
    return true;
  };
}

test('a body that ends early is read again, and is never a short file', async (t) => {
  const rig = await openRig(t);
  const content = randomBytes(300_000);
  await rig.put('game/a/file', content);
  for (const bytes of [0, 1, 299_999]) {
    rig.fake.fault = once(truncated(rig, bytes));
    assert.deepEqual(await readAll(rig.store, 'game/a/file'), content);
    rig.fake.fault = truncated(rig, bytes);
    await expectFailure(rig, readAll(rig.store, 'game/a/file'), 'unavailable', /breaks off/);
  }
});

test('a body that ends early in the middle of a large file is a failure of that read', async (t) => {
  const rig = await openRig(t);
  const content = randomBytes(5 * MIB);
  await rig.put('game/a/file', content);
  const file = await rig.store.open('game/a/file');
  const buffer = Buffer.alloc(MIB / 4);
  assert.equal(await file.read(buffer, 0), buffer.length);
  rig.fake.fault = truncated(rig, 100);
  await expectFailure(rig, file.read(buffer, 3 * MIB), 'unavailable', /breaks off/);
  rig.fake.fault = null;
  assert.equal(await file.read(buffer, 4 * MIB), buffer.length, 'a later read works again');
  assert.ok(buffer.equals(content.subarray(4 * MIB, 4 * MIB + buffer.length)));
  await file.close();
});

test('an answer with another range, or with more bytes than it states, is a failure', async (t) => {
  const rig = await openRig(t);
  await rig.put('game/a/file', 'content');
  const answers: Fault[] = [
    (_, response) => send(response, 206, 'con', { 'content-range': 'bytes 1-3/7' }),
    (_, response) => send(response, 206, 'con', { 'content-range': 'bytes 0-2/7' }),
    (_, response) => send(response, 206, 'cont', { 'content-range': 'bytes 0-2/3' }),
    (_, response) => send(response, 206, 'content', { 'content-range': 'nonsense' }),
    (_, response) => send(response, 200, Buffer.alloc(2 * MIB)),
    ({ method }, response) => method === 'GET' && refuse(response, 416, 'InvalidRange'),
  ];
  for (const answer of answers) {
    rig.fake.fault = answer;
    await expectFailure(rig, readAll(rig.store, 'game/a/file'), 'unavailable', /not as expected/);
  }
});

test('a body that arrives too slowly is a failure', async (t) => {
  const rig = await openRig(t);
  await rig.put('game/a/file', 'content');
  const timers = new Set<NodeJS.Timeout>();
  t.after(() => timers.forEach(clearInterval));
  rig.fake.fault = (_, response) => {
    response.writeHead(206, { 'content-length': 1000, 'content-range': 'bytes 0-999/1000' });
    timers.add(setInterval(() => response.write('x'), 50));
    return true;
  };
  await expectFailure(rig, rig.store.open('game/a/file'), 'unavailable', /does not answer in time/);
});

test('a list that is not XML, or not complete, is a failure', async (t) => {
  const rig = await openRig(t);
  const list = () => rig.store.list('game')[Symbol.asyncIterator]().next();
  for (const body of ['<ListBucketResult><Contents>', 'not found', '{"keys":[]}']) {
    rig.fake.fault = (_, response) => send(response, 200, body);
    await expectFailure(rig, list(), 'unavailable', /cannot list: its answer is not as expected/);
  }
});

test('a missing file is a MissingFileError, and a missing bucket is not', async (t) => {
  const rig = await openRig(t);
  await assert.rejects(rig.store.open('game/a/none'), MissingFileError);
  await rig.put('game/a/file', Buffer.alloc(4 * MIB));
  const file = await rig.store.open('game/a/file');
  rig.fake.objects.clear();
  await assert.rejects(file.read(Buffer.alloc(10), 3 * MIB), MissingFileError);
  await file.close();
  assert.deepEqual(rig.lines, []);
});

test('a file is created once, even if the answer to the request that stored it is lost', async (t) => {
  const { fake, store, written } = await openRig(t, 5_000);
  const create = async (key: string, text: string) => store.create(key, await written(text));
  fake.fault = once((request, response) => {
    fake.objects.set(request.key, {
      body: request.body,
      writer: String(request.headers['x-amz-meta-writer']),
    });
    return cut(response);
  });
  assert.equal(await create('game/a/one', 'ours'), true);
  assert.equal(await create('game/a/one', 'ours'), false, 'another writer of the same content');
  fake.fault = once((_, response) => refuse(response, 409, 'ConditionalRequestConflict'));
  assert.equal(await create('game/a/two', 'ours'), true, 'a conflict is resolved');
  assert.equal(await create('game/a/two', 'late'), false);
  assert.equal(String(fake.objects.get('private-prefix/game/a/two')?.body), 'ours');
});

test('a large file is complete even if the answer to its completion is lost', async (t) => {
  const { fake, put } = await openRig(t, 5_000);
  const content = randomBytes(17 * MIB);
  fake.fault = ({ method, key, query }, response) => {
    if (method !== 'POST' || !query.has('uploadId') || fake.objects.has(key)) return false;
    fake.objects.set(key, { body: content, writer: '' });
    fake.uploads.clear();
    return cut(response);
  };
  await put('game/a/large', content);
  assert.ok(!fake.requests.some((request) => request.startsWith('DELETE')), 'it is not aborted');
});

test('a store may take longer to join the parts of a large file than to answer another request', async (t) => {
  const { fake, put } = await openRig(t);
  let completions = 0;
  fake.fault = ({ method, query }, response) => {
    if (method !== 'POST' || !query.has('uploadId')) return false;
    completions++;
    setTimeout(() => send(response, 200, '<CompleteMultipartUploadResult/>'), 4 * TIMEOUT_MS);
    return true;
  };
  await put('game/a/large', Buffer.alloc(9 * MIB));
  assert.equal(completions, 1);
  assert.ok(!fake.requests.some((request) => request.startsWith('DELETE')), 'it is not aborted');
});

test('a failed part aborts the upload, the batch keeps the local file and starts nothing more', async (t) => {
  const rig = await openRig(t);
  const { fake, store, written } = rig;
  fake.fault = ({ query }, response) =>
    query.get('partNumber') === '2' && refuse(response, 403, 'AccessDenied');
  const batch = store.startBatch();
  const large = await written(Buffer.alloc(40 * MIB));
  await batch.put('game/a/large', large);
  await expectFailure(rig, batch.settle(), 'unavailable', /cannot write: it denies access/);
  await assert.rejects(batch.put('game/a/later', await written('x')), ApiError);
  assert.ok(existsSync(large));
  assert.deepEqual([fake.uploads.size, fake.objects.size], [0, 0]);
});

test('a large upload ends when the batch is stopped, or when another file has failed', async (t) => {
  const rig = await openRig(t, 30_000);
  const { fake, store, written } = rig;
  for (const how of ['stopped', 'failed']) {
    let parts = 0;
    fake.fault = ({ method, query }, response) => {
      if (query.has('partNumber')) return ++parts > 0;
      return method === 'PUT' && refuse(response, 403, 'AccessDenied');
    };
    const batch = store.startBatch();
    await batch.put('game/a/large', await written(Buffer.alloc(80 * MIB)));
    await until(
      () => parts,
      (count) => count === 10,
      'its parts are in progress',
      20_000,
    );
    const start = performance.now();
    if (how === 'failed') {
      await batch.put('game/a/small', await written('x'));
      await assert.rejects(batch.settle(), { code: 'unavailable' });
    } else await batch.stop();
    assert.ok(performance.now() - start < LATE_MS, how);
    assert.deepEqual([parts, fake.uploads.size], [10, 0], how);
  }
});

test('a batch whose files are no longer wanted ends without storing the rest', async (t) => {
  const { fake, store, written } = await openRig(t);
  let puts = 0;
  fake.fault = ({ method }) => method === 'PUT' && ++puts > 0;
  const batch = store.startBatch();
  for (let index = 0; index < 100; index++) await batch.put(`game/a/${index}`, await written('x'));
  const leaving = new AbortController();
  const settled = settleBatch(batch, leaving.signal);
  await until(
    () => puts,
    (count) => count === 16,
    'the first files are on their way',
  );
  const reason = new Error('the client has left');
  const start = performance.now();
  leaving.abort(reason);
  await assert.rejects(settled, reason);
  assert.ok(performance.now() - start < TIMEOUT_MS + LATE_MS);
  assert.equal(puts, 16);
  await assert.rejects(settleBatch(store.startBatch(), leaving.signal), reason);
});

test('parts that could not be aborted are removed with the folder', async (t) => {
  const rig = await openRig(t);
  const { fake, store, put } = rig;
  fake.fault = ({ query }, response) =>
    query.has('uploadId') && refuse(response, 500, 'InternalError');
  await expectFailure(rig, put('game/a/large', Buffer.alloc(9 * MIB)), 'unavailable', /has failed/);
  assert.equal(fake.uploads.size, 1);
  fake.fault = null;
  await store.removeFolder('game/other');
  assert.equal(fake.uploads.size, 1, 'those of another folder stay');
  await store.removeFolder('game/a');
  assert.equal(fake.uploads.size, 0);
});

test('an object that the store does not remove is a failure', async (t) => {
  const rig = await openRig(t);
  rig.fake.fault = (_, response) =>
    send(
      response,
      200,
      '<DeleteResult><Error><Key>k</Key><Code>AccessDenied</Code></Error></DeleteResult>',
    );
  await expectFailure(
    rig,
    rig.store.remove(['game/a/x']),
    'unavailable',
    /cannot remove: it denies/,
  );
  rig.fake.fault = (_, response) =>
    send(
      response,
      200,
      '<DeleteResult><Error><Key>k</Key><Code>NoSuchKey</Code></Error></DeleteResult>',
    );
  await rig.store.remove(['game/a/x']);
});

test('closing a file ends the requests that read ahead', async (t) => {
  const { fake, store, put, lines } = await openRig(t, 60_000);
  await put('game/a/large', Buffer.alloc(8 * MIB));
  const file = await store.open('game/a/large');
  fake.requests.length = 0;
  fake.fault = () => true;
  await file.read(Buffer.alloc(10), MIB - 10);
  await until(
    () => fake.requests.length,
    (count) => count === 1,
    'it reads ahead',
    10_000,
  );
  const busy = fake.open;
  await file.close();
  await until(
    () => fake.open,
    (open) => open < busy,
    'the connection is closed',
    10_000,
  );
  assert.deepEqual(lines, []);
});

test('a stopped batch waits for its work in progress and starts nothing more', async (t) => {
  const { fake, store, written } = await openRig(t, 10_000);
  const held: (() => void)[] = [];
  fake.fault = (_, response) => held.push(() => refuse(response, 403, 'AccessDenied')) > 0;
  const batch = store.startBatch();
  for (let index = 0; index < 40; index++) await batch.put(`game/a/${index}`, await written('x'));
  await until(
    () => held.length,
    (count) => count === 16,
    'sixteen are in progress',
    10_000,
  );
  let isStopped = false;
  const stopping = batch.stop().then(() => {
    isStopped = true;
  });
  await new Promise(setImmediate);
  assert.equal(isStopped, false);
  for (const release of held) release();
  await stopping;
  assert.equal(fake.requests.length, 16);
});

test('one reason is logged once in ten seconds', async (t) => {
  const rig = await openRig(t);
  rig.fake.fault = (_, response) => refuse(response, 403, 'AccessDenied');
  const tries = Array.from({ length: 20 }, () => rig.store.open('game/a/file'));
  for (const result of await Promise.allSettled(tries)) assert.equal(result.status, 'rejected');
  assert.equal(rig.lines.length, 1);
});

/** What a store may lack, and what the operator reads at the start. */
const LACKS: readonly [name: string, fault: Fault, message: RegExp][] = [
  [
    'writing',
    deny(({ method }) => method === 'PUT'),
    /store a file: it denies access. Allow s3:PutObject/,
  ],
  [
    'conditional writes',
    ({ headers, method }) => {
      if (method === 'PUT') delete headers['if-none-match'];
      return false;
    },
    /only if its name is free: it ignores If-None-Match/,
  ],
  [
    'reading',
    deny(({ method, query }) => method === 'GET' && !query.has('list-type')),
    /read a part of a file: it denies access. Allow s3:GetObject/,
  ],
  [
    'ranges',
    ({ headers }) => {
      delete headers.range;
      return false;
    },
    /read a part of a file: its answer is not as expected/,
  ],
  [
    'listing',
    deny(({ query }) => query.has('list-type')),
    /list files: it denies access. Allow s3:ListBucket/,
  ],
  [
    'reporting missing files',
    deny(({ key }) => key.endsWith('/none')),
    /report that a file is missing: it denies access/,
  ],
  [
    'parts',
    (request, response) =>
      request.query.has('uploads') &&
      request.method === 'POST' &&
      refuse(response, 501, 'NotImplemented'),
    /in parts: it does not support/,
  ],
  [
    'removing',
    deny(({ query }) => query.has('delete')),
    /remove files: it denies access. Allow s3:DeleteObject/,
  ],
  [
    'listing parts',
    deny(({ query, method }) => method === 'GET' && query.has('uploads')),
    /remove files: it denies access. .*s3:ListBucketMultipartUploads/,
  ],
];

function deny(isDenied: (request: FakeRequest) => boolean): Fault {
  return (request, response) => isDenied(request) && refuse(response, 403, 'AccessDenied');
}

for (const [name, fault, message] of LACKS) {
  test(`a store without ${name} is rejected at the start`, async (t) => {
    const { fake, settings, lines } = await openRig(t);
    fake.fault = fault;
    await assert.rejects(
      openS3Store(
        settings,
        logTo((line) => lines.push(line)),
      ),
      (error: unknown) => {
        assert.match(String(error), /Cannot start: the file store \(SVC_STORAGE_URL\)/);
        assert.match(String(error), message);
        assert.doesNotMatch(String(error), /private/);
        return true;
      },
    );
    if (name !== 'removing' && name !== 'listing') assert.equal(fake.objects.size, 0);
    assert.deepEqual(lines, []);
  });
}

test('a store that is down or hangs at the start is an error in time', async (t) => {
  const { fake, settings } = await openRig(t);
  const start = performance.now();
  const log = NO_LOG;
  const refused = { ...settings, endpoint: 'http://127.0.0.1:1' };
  await assert.rejects(openS3Store(refused, log), /store a file: no connection/);
  fake.fault = () => true;
  await assert.rejects(openS3Store(settings, log), /store a file: it does not answer in time/);
  assert.ok(performance.now() - start < 2 * (TIMEOUT_MS + LATE_MS));
});

test('the start leaves nothing in the store', async (t) => {
  const { fake, settings } = await openRig(t);
  using _store = await openS3Store(settings, NO_LOG);
  assert.deepEqual([fake.objects.size, fake.uploads.size], [0, 0]);
});
