// Uploads in parts while the object store behind the server fails: the answers, and that a repetition works.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PLATFORM_LIMITS, type PlatformErrorCode } from '@svc/contracts/platform';
import { openDatabase } from '../src/database/open-database.ts';
import { readSettings } from '../src/index.ts';
import { usedFiles } from '../src/storage/collect-unused.ts';
import { expectError } from './expect-error.ts';
import { type FakeRequest, type Fault, refuse, startFakeS3 } from './fake-s3.ts';
import { chooseDatabase, openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { contentsOf, openUpload, partOf, sendPart, sendParts } from './publish-parts.ts';
import { spooledFiles, storedKeys } from './read-state.ts';
import { runUpkeep } from './run-upkeep.ts';

const PART = 4_096;
const TIMEOUT_MS = 1_500;
const OLD = { 'index.html': 'old', 'same.js': 'same();\n'.repeat(500) };
const FILES = {
  'index.html': 'new',
  'same.js': OLD['same.js'],
  'more.html': '<script src="same.js"></script>',
  'art.bin': randomBytes(3 * PART),
};

async function openRig(t: TestContext) {
  const fake = await startFakeS3();
  const databaseUrl = await chooseDatabase();
  const storage = {
    ...{ bucket: 'bucket', prefix: 'prefix/', endpoint: fake.endpoint, region: 'us-east-1' },
    ...{ timeoutMs: TIMEOUT_MS, redirects: false },
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
  };
  const settings = { ...readSettings({}), databaseUrl, storage };
  const limits = { ...PLATFORM_LIMITS, upload_part_bytes: PART };
  const platform = await openPlatform({ settings, limits });
  const { db } = await openDatabase(platform.dataDir, databaseUrl);
  t.after(async () => {
    fake.fault = null;
    await db.destroy();
    await platform[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });
  const { client } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Faults' } });
  await publishBuild(client, game.id, 'old', OLD);
  const play = async (path: string) =>
    (await fetch(`${platform.baseUrl}/play/${game.slug}/${path}`)).text();
  return {
    ...{ fake, platform, client, id: game.id, play },
    async expectTidy(): Promise<void> {
      await runUpkeep(platform);
      const { keys } = await usedFiles({ db }, game.id);
      assert.deepEqual(await storedKeys(platform, game.id), [...keys].sort());
      assert.deepEqual(await spooledFiles(platform), []);
    },
  };
}

/** How the store fails, and the code of the answer. */
const FAULTS: readonly [name: string, fault: Fault, code: PlatformErrorCode][] = [
  ['fails', (_, response) => refuse(response, 500, 'InternalError'), 'unavailable'],
  ['throttles', (_, response) => refuse(response, 503, 'SlowDown'), 'unavailable'],
  ['denies access', (_, response) => refuse(response, 403, 'AccessDenied'), 'unavailable'],
  ['is full', (_, response) => refuse(response, 507, 'InsufficientStorage'), 'storage_full'],
  ['does not answer', () => true, 'unavailable'],
  [
    'cuts connections',
    (_, response) => {
      response.socket?.destroy();
      return true;
    },
    'unavailable',
  ],
];

/** Which requests fail. */
const PARTS = { method: 'PUT', key: /\/part-1$/ };
const LISTS = { method: 'GET', key: /^$/ };
const READS = { method: 'GET', key: /\/part-1$/ };
const CONTENTS = { method: 'PUT', key: /\/[0-9a-f]{64}$/ };

function only({ method, key }: typeof PARTS, fault: Fault): Fault {
  return (request, response) =>
    request.method === method && key.test(request.key) && fault(request, response);
}

for (const [name, fault, code] of FAULTS) {
  test(`while the object store ${name}, each step of an upload is ${code}, and can be repeated`, async (t) => {
    const { fake, platform, client, id, play, expectTidy } = await openRig(t);
    const failing = async (which: typeof PARTS, work: () => Promise<unknown>): Promise<void> => {
      fake.fault = only(which, fault);
      const error = await expectError(work(), code);
      if (code === 'unavailable') assert.equal(error.retryAfterSeconds, 2);
      fake.fault = null;
      assert.deepEqual(await spooledFiles(platform), []);
    };
    await failing(LISTS, () => openUpload(client, id, FILES));
    const upload = await openUpload(client, id, FILES);
    await failing(PARTS, () => sendParts(client, id, upload, FILES));
    const continued = await openUpload(client, id, FILES);
    assert.deepEqual([continued.id, continued.received], [upload.id, [0]]);
    await sendParts(client, id, continued, FILES);
    const params = { id, upload: upload.id };
    const publish = () => client.call('publishUpload', { params, body: { version: 'new' } });
    for (const which of [LISTS, READS, CONTENTS]) {
      await failing(which, publish);
      assert.equal(await play('index.html'), 'old');
    }
    await publish();
    assert.equal(await play('index.html'), 'new');
    assert.equal(await play('same.js'), FILES['same.js']);
    await expectTidy();
  });
}

test('an upload is given up although the object store does not remove its parts, and the upkeep removes them', async (t) => {
  const { fake, client, id, expectTidy } = await openRig(t);
  const upload = await openUpload(client, id, FILES);
  await sendParts(client, id, upload, FILES);
  fake.fault = (_, response) => refuse(response, 500, 'InternalError');
  const params = { id, upload: upload.id };
  await client.open('dropUpload', { params });
  await expectError(client.call('upload', { params }), 'not_found');
  fake.fault = null;
  await expectTidy();
});

/** Lets the first matching request pass to a fault, and all later ones to the store. */
function first(isMeant: (request: FakeRequest) => boolean, fault: Fault): Fault {
  let isDone = false;
  return (request, response) => {
    if (isDone || !isMeant(request)) return false;
    isDone = true;
    return fault(request, response);
  };
}

test('a part is stored once although the answer of the object store is lost, late or cut', async (t) => {
  const { fake, client, id, play, expectTidy } = await openRig(t);
  const upload = await openUpload(client, id, FILES);
  const contents = contentsOf(upload, FILES);
  const send = (part: number) => sendPart(client, id, upload, part, partOf(upload, contents, part));
  const isPart = ({ method, key }: FakeRequest): boolean =>
    method === 'PUT' && key.includes('/part-');
  fake.fault = first(isPart, ({ key, headers, body }, response) => {
    fake.objects.set(key, { body, writer: String(headers['x-amz-meta-writer']) });
    response.socket?.destroy();
    return true;
  });
  await send(0);
  fake.fault = (_, response) => {
    // The store is slow, but in time.
    const { end } = response;
    response.end = (...args: unknown[]) => {
      void sleep(TIMEOUT_MS / 10).then(() => Reflect.apply(end, response, args));
      return response;
    };
    return false;
  };
  for (let part = 1; part < upload.part_count; part++) await send(part);
  for (let part = 0; part < upload.part_count; part++) await send(part);
  fake.fault = first(
    ({ method, key }) => method === 'GET' && key.endsWith('/part-1'),
    (_, response) => {
      response.socket?.destroy();
      return true;
    },
  );
  const params = { id, upload: upload.id };
  await client.call('publishUpload', { params, body: { version: 'new' } });
  assert.equal(await play('more.html'), FILES['more.html']);
  await expectTidy();
});
