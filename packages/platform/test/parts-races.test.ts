// Uploads in parts at several servers on one PostgreSQL: parts, publishes and ends of an upload that meet each other.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PLATFORM_LIMITS, type PlatformClient, type Upload } from '@svc/contracts/platform';
import { until } from '../../../scripts/until.ts';
import { openDatabase } from '../src/database/open-database.ts';
import type { Db } from '../src/database/schema.ts';
import type { FileStore } from '../src/files/file-store.ts';
import { usedFiles } from '../src/storage/collect-unused.ts';
import { expectError } from './expect-error.ts';
import type { Files } from './make-zip.ts';
import { freshName, type OpenPlatform, openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import {
  contentsOf,
  openUpload,
  partOf,
  publishParts,
  sendPart,
  sendParts,
  sha256,
} from './publish-parts.ts';
import { spooledFiles, storedKeys } from './read-state.ts';
import { runUpkeep } from './run-upkeep.ts';
import { type Postgres, postgresMissing, startPostgres } from './start-postgres.ts';

const missing = postgresMissing();
const skip = missing ?? false;
const PART = 4_096;
const HOUR_MS = 3_600_000;

/** The calls of the file store that can be held: a part is stored, a file is opened, all files of a publish are stored. */
type Call = 'stage' | 'open' | 'settle';

/** Holds the next call for a key that contains this. */
type Hold = { readonly reached: Promise<void>; release(): void };

/** A file store whose calls can be held. */
function holdable() {
  let next: ((call: Call, key: string) => Promise<void> | null) | null = null;
  const pass = (call: Call, key: string): Promise<void> | null => next?.(call, key) ?? null;
  const wrap = (files: FileStore): FileStore => ({
    ...files,
    startBatch() {
      const batch = files.startBatch();
      return {
        ...batch,
        async settle() {
          await pass('settle', '');
          await batch.settle();
        },
      };
    },
    async stage(key, file) {
      await pass('stage', key);
      return files.stage(key, file);
    },
    async open(key) {
      await pass('open', key);
      return files.open(key);
    },
  });
  return {
    wrap,
    hold(call: Call, part: string): Hold {
      const reached = Promise.withResolvers<void>();
      const gate = Promise.withResolvers<void>();
      next = (called, key) => {
        if (called !== call || !key.includes(part)) return null;
        next = null;
        reached.resolve();
        return gate.promise;
      };
      return { reached: reached.promise, release: () => gate.resolve() };
    },
  };
}

const { wrap, hold } = holdable();
/** The calls of the first can be held. */
let servers: readonly [OpenPlatform, OpenPlatform, OpenPlatform];
/** The same developer at each server. */
let clients: readonly [PlatformClient, PlatformClient, PlatformClient];
/** May also delete. */
let owner: PlatformClient;
let db: Db;
let postgres: Postgres;
before(async () => {
  if (missing !== null) return;
  postgres = startPostgres();
  process.env['SVC_TEST_POSTGRES'] = postgres.url;
  const limits = { ...PLATFORM_LIMITS, upload_part_bytes: PART };
  const first = await openPlatform({ limits, changeFiles: wrap });
  const { dataDir, settings } = first;
  const more = () => openPlatform({ limits, dataDir, settings });
  servers = [first, await more(), await more()];
  owner = (await first.person(freshName('Ada'))).client;
  const { secret } = await owner.call('createToken', { body: { name: 'all' } });
  const [a, b, c] = servers;
  clients = [a.clientWith(secret), b.clientWith(secret), c.clientWith(secret)];
  ({ db } = await openDatabase(dataDir, settings.databaseUrl));
});
after(async () => {
  if (missing !== null) return;
  await db.destroy();
  for (const server of servers.toReversed()) await server[Symbol.asyncDispose]();
  postgres[Symbol.dispose]();
});

async function newGame() {
  return (await owner.call('createProject', { body: { title: freshName('Races') } })).game;
}

/** Files of a version: the last has five parts. */
function filesOf(version: string): Files {
  return {
    'index.html': `<title>${version}</title>`,
    'same.js': 'export const same = 1;\n'.repeat(50),
    'art.bin': Buffer.from(`${version} art `.repeat(4_000)).subarray(0, 5 * PART),
  };
}

async function play(server: OpenPlatform, slug: string, path: string): Promise<string> {
  return (await fetch(`${server.baseUrl}/play/${slug}/${path}`)).text();
}

async function expectPlayed(slug: string, files: Files): Promise<void> {
  for (const server of servers) {
    await until(
      () => play(server, slug, 'index.html'),
      (text) => text === files['index.html'],
      'the new release is played',
      20_000,
    );
    for (const [path, data] of Object.entries(files)) {
      assert.equal(await play(server, slug, path), String(data), path);
    }
  }
}

async function versionsOf(id: string): Promise<string[]> {
  const { releases } = await owner.call('releases', { params: { id } });
  return releases.map(({ version }) => version).sort();
}

/** After the upkeep, exactly the files of releases and the parts of open uploads are stored. */
async function expectTidy(gameId: string, parts = 0): Promise<void> {
  const [first] = servers;
  await runUpkeep(first);
  const { keys } = await usedFiles({ db }, gameId);
  const stored = await storedKeys(first, gameId);
  const others = stored.filter((key) => !keys.has(key));
  assert.equal(stored.length - others.length, keys.size, 'all files of releases are stored');
  assert.equal(others.length, parts, others.join(' '));
  const open = await db
    .selectFrom('attempts')
    .select('id')
    .where('game_id', '=', gameId)
    .where('state', 'in', ['open', 'abandoned'])
    .execute();
  assert.deepEqual(open, []);
  for (const server of servers) assert.deepEqual(await spooledFiles(server), []);
}

function publishAt(client: PlatformClient, id: string, upload: Upload, version: string) {
  const params = { id, upload: upload.id };
  return client.call('publishUpload', { params, body: { version } });
}

/** What a client would do after an error: opens the upload again, sends what is missing, and publishes. */
async function expectWorksAgain(
  game: { readonly id: string; readonly slug: string },
  version: string,
): Promise<void> {
  const files = filesOf(version);
  await publishParts(clients[1], game.id, version, files);
  await expectPlayed(game.slug, files);
  await expectTidy(game.id);
}

/** Makes an upload so old that the upkeep ends it. */
async function expire({ id }: Upload): Promise<void> {
  await db
    .updateTable('uploads')
    .set((eb) => ({ touched_at: eb('touched_at', '-', 25 * HOUR_MS) }))
    .where('id', '=', id)
    .execute();
  await runUpkeep(servers[0]);
}

test('an upload is opened, sent and published at different servers', { skip }, async () => {
  const game = await newGame();
  const files = filesOf('1');
  const upload = await openUpload(clients[0], game.id, files);
  assert.ok(upload.part_count >= 5);
  const contents = contentsOf(upload, files);
  const parts = Array.from({ length: upload.part_count }, (_, part) => part);
  await Promise.all(
    parts.map((part) => {
      const client = clients[part % 3] ?? clients[0];
      return sendPart(client, game.id, upload, part, partOf(upload, contents, part));
    }),
  );
  const continued = await openUpload(clients[1], game.id, files);
  assert.deepEqual([continued.id, continued.received], [upload.id, parts]);
  await publishAt(clients[2], game.id, upload, '1');
  await expectPlayed(game.slug, files);
  await expectTidy(game.id);
});

test('one part that is sent to all servers at once is stored once', { skip }, async () => {
  const game = await newGame();
  const files = filesOf('1');
  const upload = await openUpload(clients[0], game.id, files);
  const contents = contentsOf(upload, files);
  for (let part = 0; part < upload.part_count; part++) {
    const sends = [...clients, ...clients].map((client) =>
      sendPart(client, game.id, upload, part, partOf(upload, contents, part)),
    );
    await Promise.all(sends);
  }
  await expectTidy(game.id, upload.part_count);
  await publishAt(clients[1], game.id, upload, '1');
  await expectPlayed(game.slug, files);
});

test('two publishes of one upload at once make one release, and nothing is lost', {
  skip,
}, async () => {
  const game = await newGame();
  for (let round = 1; round <= 8; round++) {
    const version = `v${round}`;
    const files = filesOf(version);
    const upload = await openUpload(clients[0], game.id, files, version);
    await sendParts(clients[1], game.id, upload, files);
    // In even rounds, the versions differ.
    const names = round % 2 === 0 ? [version, `${version}-b`, `${version}-c`] : [version];
    const outcomes = await Promise.allSettled(
      clients.map((client, index) =>
        publishAt(client, game.id, upload, names[index % names.length] ?? version),
      ),
    );
    const published = outcomes.filter(({ status }) => status === 'fulfilled');
    assert.equal(published.length, 1, `round ${round}`);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      const codes = ['version_exists', 'not_found', 'publish_in_progress'];
      assert.ok(codes.includes(outcome.reason.code), String(outcome.reason));
    }
    assert.equal((await versionsOf(game.id)).length, round);
    await expectPlayed(game.slug, files);
    await expectTidy(game.id);
  }
});

/** What ends an upload, and the code of a publish that runs meanwhile. */
const ENDS: readonly [how: string, end: (id: string, upload: Upload) => Promise<unknown>][] = [
  [
    'given up at another server',
    (id, upload) => clients[1].open('dropUpload', { params: { id, upload: upload.id } }),
  ],
  ['expired', (_, upload) => expire(upload)],
  [
    'replaced by newer ones',
    async (id) => {
      for (let number = 0; number < PLATFORM_LIMITS.uploads_per_project; number++) {
        await openUpload(clients[1], id, { 'index.html': `newer ${number}` });
      }
      await runUpkeep(servers[0]);
    },
  ],
  ['deleted with its project', (id) => owner.open('deleteProject', { params: { id } })],
];

for (const [how, end] of ENDS) {
  test(`a publish whose upload is ${how} is not_found, wherever it is, and leaves nothing`, {
    skip,
  }, async () => {
    // Before a part is read, and when all files of the release are stored.
    for (const [call, key] of [
      ['open', 'part-0'],
      ['open', 'part-4'],
      ['settle', ''],
    ] as const) {
      const game = await newGame();
      await publishBuild(clients[0], game.id, 'old', { 'index.html': 'old' });
      const files = filesOf('new');
      const upload = await openUpload(clients[0], game.id, files);
      await sendParts(clients[0], game.id, upload, files);
      const held = hold(call, key);
      const publish = publishAt(clients[0], game.id, upload, 'new');
      publish.catch(() => {});
      await held.reached;
      await end(game.id, upload);
      held.release();
      await expectError(publish, 'not_found');
      if (how === 'deleted with its project') {
        await expectTidy(game.id);
        continue;
      }
      assert.deepEqual(await versionsOf(game.id), ['old']);
      assert.equal(await play(servers[2], game.slug, ''), 'old');
      await expectTidy(game.id);
      await expectWorksAgain(game, 'new');
    }
  });
}

test('a dry run whose upload ends meanwhile is not_found', { skip }, async () => {
  const game = await newGame();
  const files = filesOf('new');
  const upload = await openUpload(clients[0], game.id, files);
  await sendParts(clients[0], game.id, upload, files);
  const params = { id: game.id, upload: upload.id };
  const held = hold('open', 'part-4');
  const dryRun = clients[0].open('publishUpload', {
    params,
    query: { dry_run: 'true' },
    body: { version: 'new' },
  });
  dryRun.catch(() => {});
  await held.reached;
  await clients[1].open('dropUpload', { params });
  held.release();
  await expectError(dryRun, 'not_found');
  await expectTidy(game.id);
});

test('a part that arrives while its upload ends is not_found and leaves nothing, even if the upkeep does not look again', {
  skip,
}, async () => {
  for (const [, end] of ENDS) {
    const game = await newGame();
    const files = filesOf('late');
    const upload = await openUpload(clients[0], game.id, files);
    const contents = contentsOf(upload, files);
    const held = hold('stage', 'part-2');
    const late = sendPart(clients[0], game.id, upload, 2, partOf(upload, contents, 2));
    late.catch(() => {});
    await held.reached;
    await end(game.id, upload);
    await runUpkeep(servers[1]);
    held.release();
    await expectError(late, 'not_found');
    assert.deepEqual(
      (await storedKeys(servers[0], game.id)).filter((key) => key.includes(upload.id)),
      [],
    );
    const again = sendPart(clients[1], game.id, upload, 2, partOf(upload, contents, 2));
    await expectError(again, 'not_found');
  }
});

test('an upload that is opened at all servers at once is one upload', { skip }, async () => {
  const game = await newGame();
  for (let round = 0; round < 8; round++) {
    const version = `v${round}`;
    const files = filesOf(version);
    const uploads = await Promise.all(
      [...clients, ...clients].map((client) => openUpload(client, game.id, files, version)),
    );
    const ids = new Set(uploads.map(({ id }) => id));
    assert.equal(ids.size, 1);
    // Each client sends all parts, as if it were alone.
    await Promise.all(
      uploads.map((upload, index) =>
        sendParts(clients[index % 3] ?? clients[0], game.id, upload, files),
      ),
    );
    const [upload] = uploads;
    assert.ok(upload !== undefined);
    await publishAt(clients[2], game.id, upload, version);
    await expectPlayed(game.slug, files);
    await expectTidy(game.id);
  }
});

/** Publishes `old`, replaces it, and opens an upload that shares a file with it. */
async function openShared() {
  const game = await newGame();
  const shared = { 'a.js': 'export const a = 1;\n'.repeat(500), 'b.js': 'b();\n'.repeat(500) };
  await publishBuild(clients[0], game.id, 'old', { 'index.html': 'old', ...shared });
  await publishBuild(clients[0], game.id, 'live', { 'index.html': 'live' });
  const files: Files = { ...filesOf('new'), ...shared };
  const upload = await openUpload(clients[0], game.id, files);
  for (const data of Object.values(shared)) assert.ok(!upload.missing.includes(sha256(data)));
  await sendParts(clients[0], game.id, upload, files);
  const deleteOld = () => owner.open('deleteRelease', { params: { id: game.id, version: 'old' } });
  const finish = async (): Promise<void> => {
    assert.deepEqual(await versionsOf(game.id), ['live']);
    const again = await openUpload(clients[1], game.id, files);
    assert.notEqual(again.id, upload.id);
    for (const data of Object.values(files)) assert.ok(again.missing.includes(sha256(data)));
    await sendParts(clients[1], game.id, again, files);
    await publishAt(clients[2], game.id, again, 'new');
    await expectPlayed(game.slug, files);
    await expectTidy(game.id);
  };
  return { game, upload, deleteOld, finish };
}

test('a publish that lacks a content of a release that was deleted is upload_incomplete, and opening asks for it', {
  skip,
}, async () => {
  const { game, upload, deleteOld, finish } = await openShared();
  await deleteOld();
  for (const client of clients) {
    await expectError(publishAt(client, game.id, upload, 'new'), 'upload_incomplete');
    const dryRun = client.open('publishUpload', {
      params: { id: game.id, upload: upload.id },
      query: { dry_run: 'true' },
      body: { version: 'new' },
    });
    await expectError(dryRun, 'upload_incomplete');
  }
  await finish();
});

test('a content that is deleted during the publish, before it is read, is upload_incomplete', {
  skip,
}, async () => {
  for (const key of ['a.js', 'b.js']) {
    const { game, upload, deleteOld, finish } = await openShared();
    const hash = sha256(
      key === 'a.js' ? 'export const a = 1;\n'.repeat(500) : 'b();\n'.repeat(500),
    );
    const held = hold('open', hash);
    const publish = publishAt(clients[0], game.id, upload, 'new');
    publish.catch(() => {});
    await held.reached;
    await deleteOld();
    held.release();
    await expectError(publish, 'upload_incomplete');
    await finish();
  }
});

test('a content that is deleted during the publish, after it was read, is change_interrupted, and then upload_incomplete', {
  skip,
}, async () => {
  const { game, upload, deleteOld, finish } = await openShared();
  const held = hold('settle', '');
  const publish = publishAt(clients[0], game.id, upload, 'new');
  publish.catch(() => {});
  await held.reached;
  await deleteOld();
  held.release();
  const error = await expectError(publish, 'change_interrupted');
  assert.equal(error.retryAfterSeconds, 1);
  await expectError(publishAt(clients[1], game.id, upload, 'new'), 'upload_incomplete');
  await finish();
});

test('a download of a release in parts that is deleted meanwhile is not_found, or breaks off after its beginning', {
  skip,
}, async () => {
  const game = await newGame();
  for (const [name, isBegun] of [
    ['art.bin', false],
    ['same.js', true],
  ] as const) {
    const files = filesOf(`${name} old`);
    await publishParts(clients[0], game.id, `${name} old`.replace(' ', '-'), files);
    await publishParts(clients[0], game.id, `${name}-live`, { 'index.html': `${name} live` });
    const params = { id: game.id, version: `${name}-old` };
    const held = hold('open', sha256(files[name] ?? ''));
    const download = owner.open('downloadBuild', { params });
    download.catch(() => {});
    await held.reached;
    await owner.open('deleteRelease', { params });
    held.release();
    if (isBegun) await assert.rejects((await download).arrayBuffer());
    else await expectError(download, 'not_found');
  }
  await expectTidy(game.id);
});
