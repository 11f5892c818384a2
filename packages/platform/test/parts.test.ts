// Uploads in parts: what is sent, how they end, and that a release is the same as that of a ZIP.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { PLATFORM_LIMITS, type PublishAnswer } from '@svc/contracts/platform';
import { checkBuild } from '@svc/game-build';
import { openDatabase } from '../src/database/open-database.ts';
import type { Db } from '../src/database/schema.ts';
import { openFiles } from '../src/start/open-files.ts';
import { expectError } from './expect-error.ts';
import type { Files } from './make-zip.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import {
  contentsOf,
  digestOf,
  listFiles,
  openUpload,
  partOf,
  publishParts,
  sendPart,
  sendParts,
  sha256,
} from './publish-parts.ts';
import { spooledFiles, storedKeys } from './read-state.ts';
import { runUpkeep } from './run-upkeep.ts';

const PART = 4_096;

let platform: OpenPlatform;
let ada: Person;
let db: Db;
before(async () => {
  platform = await openPlatform({ limits: { ...PLATFORM_LIMITS, upload_part_bytes: PART } });
  ada = await platform.person('Ada');
  ({ db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl));
});
after(async () => {
  await db.destroy();
  await platform[Symbol.asyncDispose]();
});

async function newGame(title: string) {
  return (await ada.client.call('createProject', { body: { title } })).game;
}

const SCRIPT = 'export function start() { return 1 }\n'.repeat(300);
const FILES: Files = {
  'index.html': '<!doctype html><script src="main.js"></script><img src="missing.png">',
  'main.js': SCRIPT,
  'copy.js': SCRIPT,
  'empty.txt': '',
  'art/hero.bin': randomBytes(30_000),
  'data.json.gz': gzipSync('{"a": 1}'),
};

/** An answer without ids and times, and without the size of the ZIP. */
function comparable({ game, release, diff, findings, url }: PublishAnswer) {
  const { version, live, expanded_bytes, file_count, digest, isolation, notes } = release;
  return {
    ...{ version, live, expanded_bytes, file_count, digest, isolation, notes, diff, findings },
    ...{ status: game.status, url: url.replace(game.slug, 'SLUG') },
  };
}

test('a release in parts is the same as that of a ZIP, also when it is replaced', async () => {
  const [parts, zip] = [await newGame('Parts'), await newGame('Zip')];
  const next = { ...FILES, 'main.js': `${SCRIPT}// 2`, 'missing.png': 'no picture' };
  for (const [version, files] of [
    ['1', FILES],
    ['2', next],
    ['3', FILES],
  ] as const) {
    const answer = await publishParts(ada.client, parts.id, version, files);
    const expected = await publishBuild(ada.client, zip.id, version, files);
    assert.deepEqual(comparable(answer), comparable(expected), version);
    for (const [path, data] of Object.entries(files)) {
      const played = await fetch(`${platform.baseUrl}/play/${parts.slug}/${path}`, {
        headers: { 'accept-encoding': 'identity' },
      });
      const expected = await fetch(`${platform.baseUrl}/play/${zip.slug}/${path}`, {
        headers: { 'accept-encoding': 'identity' },
      });
      assert.equal(played.status, 200, path);
      for (const name of ['content-type', 'content-encoding', 'etag', 'cache-control']) {
        assert.equal(played.headers.get(name), expected.headers.get(name), `${path} ${name}`);
      }
      const bytes = Buffer.from(await played.arrayBuffer());
      if (!path.endsWith('.gz')) assert.ok(bytes.equals(Buffer.from(data)), path);
    }
  }
});

test('only contents that the project lacks are sent, each once', async () => {
  const game = await newGame('Delta');
  const other = await newGame('Other');
  const first = await openUpload(ada.client, game.id, FILES);
  const contents = new Set(Object.values(FILES).map(sha256));
  assert.deepEqual(new Set(first.missing), contents);
  assert.equal(first.missing.length, contents.size);
  assert.equal(first.part_count, Math.ceil(first.bytes / PART));
  await publishParts(ada.client, game.id, '1', FILES);
  const changed = { ...FILES, 'main.js': `${SCRIPT}// 2`, 'again.js': SCRIPT };
  const second = await openUpload(ada.client, game.id, changed);
  assert.deepEqual(second.missing, [sha256(changed['main.js'] ?? '')]);
  // What another project has stored is not known.
  assert.equal((await openUpload(ada.client, other.id, FILES)).missing.length, contents.size);
});

test('an upload goes on where it was cut, from another client, and after a restart of the server', async () => {
  await using first = await openPlatform({
    limits: { ...PLATFORM_LIMITS, upload_part_bytes: PART },
  });
  const bob = await first.person('Bob');
  const { game } = await bob.client.call('createProject', { body: { title: 'Cut' } });
  const upload = await openUpload(bob.client, game.id, FILES);
  const contents = contentsOf(upload, FILES);
  for (const part of [0, 3]) {
    await sendPart(bob.client, game.id, upload, part, partOf(upload, contents, part));
  }
  await first.running.close();
  await using second = await openPlatform({
    dataDir: first.dataDir,
    settings: first.settings,
    // A part keeps the size with which the upload began.
    limits: { ...PLATFORM_LIMITS, upload_part_bytes: 1_000 },
  });
  const again = await second.person('Bob');
  const continued = await openUpload(again.client, game.id, FILES);
  assert.deepEqual([continued.id, continued.received], [upload.id, [0, 3]]);
  assert.equal(continued.part_bytes, PART);
  await sendParts(again.client, game.id, continued, FILES);
  const params = { id: game.id, upload: upload.id };
  const looked = await again.client.call('upload', { params });
  assert.equal(looked.upload.received.length, upload.part_count);
  await again.client.call('publishUpload', { params, body: { version: '1' } });
  assert.deepEqual(await spooledFiles(second), []);
});

test('a part is plain or compressed, and is rejected with another digest, size or encoding', async () => {
  const game = await newGame('Codings');
  const upload = await openUpload(ada.client, game.id, FILES);
  const bytes = partOf(upload, contentsOf(upload, FILES), 0);
  const send = (body: Buffer, headers: Record<string, string> = {}, part = 0) =>
    sendPart(ada.client, game.id, upload, part, body, headers);
  const damaged = Buffer.from(bytes);
  damaged[7] = (damaged[7] ?? 0) ^ 1;
  await expectError(send(damaged, { 'content-digest': digestOf(bytes) }), 'digest_mismatch');
  await expectError(send(bytes, { 'content-digest': 'sha-256=abc' }), 'invalid_input');
  await expectError(send(bytes.subarray(1)), 'invalid_input');
  await expectError(send(Buffer.concat([bytes, bytes])), 'invalid_input');
  await expectError(send(bytes, { 'content-encoding': 'gzip' }), 'invalid_input');
  await expectError(send(bytes, { 'content-encoding': 'compress' }), 'unsupported_media_type');
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  await expectError(send(bomb, { 'content-encoding': 'gzip' }), 'invalid_input');
  await expectError(send(Buffer.alloc(200_000)), 'payload_too_large');
  await expectError(send(bytes, {}, upload.part_count), 'not_found');
  await expectError(send(bytes, {}, -1), 'not_found');
  assert.deepEqual((await openUpload(ada.client, game.id, FILES)).received, []);
  await send(gzipSync(bytes), { 'content-encoding': 'gzip' });
  const next = partOf(upload, contentsOf(upload, FILES), 1);
  await send(zstdCompressSync(next), { 'content-encoding': 'zstd' }, 1);
  await send(bytes);
  assert.deepEqual((await openUpload(ada.client, game.id, FILES)).received, [0, 1]);
  await sendParts(ada.client, game.id, await openUpload(ada.client, game.id, FILES), FILES);
  const params = { id: game.id, upload: upload.id };
  await ada.client.call('publishUpload', { params, body: { version: '1' } });
  const played = await fetch(`${platform.baseUrl}/play/${game.slug}/main.js`);
  assert.equal(await played.text(), SCRIPT);
});

test('an unsafe list is rejected before anything is sent, with the codes of a ZIP', async () => {
  const game = await newGame('Unsafe');
  const cases: [Files, Parameters<typeof expectError>[1]][] = [
    [{ 'page.html': '' }, 'zip_missing_index'],
    [{ 'index.html': '', '../x': '' }, 'zip_path_invalid'],
    [{ 'index.html': '', 'INDEX.html': '' }, 'zip_path_collision'],
  ];
  for (const [files, code] of cases)
    await expectError(openUpload(ada.client, game.id, files), code);
  const body = { files: listFiles(FILES).map((file) => ({ ...file, sha256: sha256('x') })) };
  const params = { id: game.id };
  await expectError(ada.client.call('openUpload', { params, body }), 'zip_size_mismatch');
  await publishBuild(ada.client, game.id, '1', FILES);
  await expectError(openUpload(ada.client, game.id, FILES, '1'), 'version_exists');
  await expectError(openUpload(ada.client, game.id, FILES, 'a b'), 'invalid_input');
  const [first] = listFiles(FILES);
  assert.ok(first !== undefined);
  for (const wrong of [
    { ...first, sha256: 'abc' },
    { ...first, bytes: -1 },
    { ...first, more: 1 },
  ]) {
    await expectError(
      ada.client.call('openUpload', { params, body: { files: [wrong] } }),
      'invalid_input',
    );
  }
});

test('an upload is not published without all parts, with another content, or twice', async () => {
  const game = await newGame('Whole');
  const publish = (id: string, version = '1') =>
    ada.client.call('publishUpload', { params: { id: game.id, upload: id }, body: { version } });
  const upload = await openUpload(ada.client, game.id, FILES);
  const contents = contentsOf(upload, FILES);
  const error = await expectError(publish(upload.id), 'upload_incomplete');
  assert.equal(error.details.length, upload.part_count);
  for (let part = 0; part < upload.part_count; part++) {
    const bytes = Buffer.from(partOf(upload, contents, part));
    if (part === 1) bytes[3] = (bytes[3] ?? 0) ^ 1;
    await sendPart(ada.client, game.id, upload, part, bytes);
  }
  const mismatch = await expectError(publish(upload.id), 'zip_crc_mismatch');
  assert.equal(mismatch.details[0]?.rule, 'sha256');
  const { releases } = await ada.client.call('releases', { params: { id: game.id } });
  assert.deepEqual(releases, []);
  // The damaged part must not be continued.
  await expectError(publish(upload.id), 'not_found');
  const again = await openUpload(ada.client, game.id, FILES);
  assert.deepEqual(again.received, []);
  await sendParts(ada.client, game.id, again, FILES);
  await publish(again.id);
  await expectError(publish(again.id), 'version_exists');
  await expectError(publish(again.id, '2'), 'not_found');
});

test('a dry run in parts returns the verdict, stores no release, and keeps the parts', async () => {
  const game = await newGame('Dry');
  await publishBuild(ada.client, game.id, '1', { 'index.html': 'old' });
  const upload = await openUpload(ada.client, game.id, FILES);
  await sendParts(ada.client, game.id, upload, FILES);
  const params = { id: game.id, upload: upload.id };
  const answer = await ada.client.open('publishUpload', {
    params,
    query: { dry_run: 'true' },
    body: { version: '2' },
  });
  assert.equal(answer.status, 200);
  const verdict = (await answer.json()) as { release: { digest: string }; diff: object };
  const published = await ada.client.call('publishUpload', { params, body: { version: '2' } });
  assert.equal(verdict.release.digest, published.release.digest);
  assert.deepEqual(verdict.diff, published.diff);
});

test('the ZIP of a release in parts is made of its contents, with the size that its record has', async () => {
  const game = await newGame('Download');
  const { release } = await publishParts(ada.client, game.id, '1', FILES);
  const params = { id: game.id, version: '1' };
  const answer = await ada.client.open('downloadBuild', { params });
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.equal(answer.headers.get('content-type'), 'application/zip');
  assert.deepEqual(
    [bytes.length, answer.headers.get('content-length')],
    [release.zip_bytes, String(release.zip_bytes)],
  );
  const path = join(platform.dataDir, 'downloaded.zip');
  await writeFile(path, bytes);
  const verdict = await checkBuild(path);
  assert.ok(verdict.accepted);
  assert.equal(verdict.build.digest, release.digest);
  assert.ok(bytes.length < SCRIPT.length + 35_000, 'the scripts are compressed');
  const { url } = answer;
  const head = await fetch(url, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${ada.idToken}` },
  });
  assert.equal(head.headers.get('content-length'), String(release.zip_bytes));
});

test('uploads count towards the space of the project, and no longer when they have ended', async () => {
  await using small = await openPlatform({
    limits: { ...PLATFORM_LIMITS, project_bytes: 100_000 },
  });
  const bob = await small.person('Bob');
  const { game } = await bob.client.call('createProject', { body: { title: 'Full' } });
  const art = (bytes: number): Files => ({ 'index.html': '', 'art.bin': randomBytes(bytes) });
  const upload = await openUpload(bob.client, game.id, art(60_000));
  await expectError(openUpload(bob.client, game.id, art(60_000)), 'quota_exceeded');
  await expectError(publishBuild(bob.client, game.id, '1', art(30_000)), 'quota_exceeded');
  await bob.client.open('dropUpload', { params: { id: game.id, upload: upload.id } });
  await publishParts(bob.client, game.id, '1', art(60_000));
  await expectError(openUpload(bob.client, game.id, art(60_000)), 'quota_exceeded');
  await publishParts(bob.client, game.id, '2', art(20_000));
});

test('a part that was lost or cut short in the store is missing, and can be sent again', async () => {
  const game = await newGame('Lost');
  const upload = await openUpload(ada.client, game.id, FILES);
  await sendParts(ada.client, game.id, upload, FILES);
  using opened = await openFiles(platform.dataDir, platform.settings);
  const short = join(platform.dataDir, 'short');
  await writeFile(short, 'short');
  const keys = [1, 2].map((part) => `${game.id}/${upload.id}/part-${part}`);
  await opened.files.remove(keys);
  assert.ok(await opened.files.create(keys[1] ?? '', short));
  const params = { id: game.id, upload: upload.id };
  const publish = () => ada.client.call('publishUpload', { params, body: { version: '1' } });
  const error = await expectError(publish(), 'upload_incomplete');
  assert.deepEqual(
    error.details.map(({ path }) => path),
    ['1', '2'],
  );
  const again = await openUpload(ada.client, game.id, FILES);
  assert.equal(again.id, upload.id);
  await sendParts(ada.client, game.id, again, FILES);
  await publish();
});

test('an upload that has ended leaves no part, whatever ended it', async () => {
  const game = await newGame('Ends');
  const begin = async (number: number) => {
    const files = { 'index.html': '', 'art.bin': randomBytes(10_000 + number) };
    const upload = await openUpload(ada.client, game.id, files);
    await sendParts(ada.client, game.id, upload, files);
    return { upload, files };
  };
  const keys = async () => (await storedKeys(platform, game.id)).length;
  const expired = await begin(0);
  await db
    .updateTable('uploads')
    .set((eb) => ({ touched_at: eb('touched_at', '-', 25 * 3_600_000) }))
    .where('id', '=', expired.upload.id)
    .execute();
  await runUpkeep(platform);
  assert.equal(await keys(), 0);
  const params = { id: game.id, upload: expired.upload.id };
  await expectError(ada.client.call('upload', { params }), 'not_found');
  // A project has four at most. The one that was idle longest ends.
  const begun = [];
  for (let number = 1; number <= 5; number++) begun.push(await begin(number));
  const open = await db.selectFrom('uploads').select('id').where('game_id', '=', game.id).execute();
  assert.deepEqual(
    open.map(({ id }) => id).sort(),
    begun
      .slice(1)
      .map(({ upload }) => upload.id)
      .sort(),
  );
  await runUpkeep(platform);
  assert.equal(await keys(), 4 * 3);
  const last = begun[4];
  assert.ok(last !== undefined);
  await ada.client.call('publishUpload', {
    params: { id: game.id, upload: last.upload.id },
    body: { version: '1' },
  });
  await runUpkeep(platform);
  assert.equal(await keys(), 3 * 3 + 2);
  await ada.client.open('deleteProject', { params: { id: game.id } });
  await runUpkeep(platform);
  // The published files stay while the project can be restored.
  assert.equal(await keys(), 2);
  await ada.client.call('removeDeletedGame', { params: { id: game.id } });
  assert.equal(await keys(), 0);
  const rows = await db
    .selectFrom('attempts')
    .select('state')
    .where('game_id', '=', game.id)
    .where('state', '=', 'receiving')
    .execute();
  assert.deepEqual(rows, []);
});
