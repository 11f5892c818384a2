// Removals of files that take long or fail: the answers to deletions, the start, and the end of the server.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { failure } from '../src/failure.ts';
import type { FileStore } from '../src/files/file-store.ts';
import { expectError } from './expect-error.ts';
import { openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { openUpload, sendParts } from './publish-parts.ts';
import { storedKeys } from './read-state.ts';

/** Deletions are final at once. */
const limits = { deleted_game_days: 0 };

/** A store that removes nothing until the gate is opened. */
function createGate(t: TestContext) {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  t.after(() => open());
  const wrap = (files: FileStore): FileStore => ({
    ...files,
    remove: (keys) => gate.then(() => files.remove(keys)),
    removeFolder: (folder) => gate.then(() => files.removeFolder(folder)),
  });
  return { open, wrap };
}

test('a deletion whose files are not removed in time is answered as done, and the end of the server waits for the rest', async (t) => {
  const { open, wrap } = createGate(t);
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-removal-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const platform = await openPlatform({ dataDir, limits, changeFiles: wrap });
  const { client } = await platform.person('Ada');
  const games = ['Whole', 'Release', 'Parts'].map((title) =>
    client.call('createProject', { body: { title } }).then(({ game }) => game.id),
  );
  const [whole = '', release = '', parts = ''] = await Promise.all(games);
  await publishBuild(client, whole, '1', { 'index.html': 'whole' });
  for (const version of ['1', '2']) {
    await publishBuild(client, release, version, { 'index.html': version });
  }
  const files = { 'index.html': 'parts' };
  const upload = await openUpload(client, parts, files);
  await sendParts(client, parts, upload, files);
  const started = performance.now();
  const params = { id: release, version: '1' };
  const answers = await Promise.all([
    client.open('deleteProject', { params: { id: whole } }),
    client.open('deleteRelease', { params }),
    client.open('dropUpload', { params: { id: parts, upload: upload.id } }),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [204, 204, 204],
  );
  assert.ok(performance.now() - started < 20_000, 'far below the limit of a request');
  await expectError(client.open('deleteRelease', { params }), 'not_found');
  const count = async (id: string) => (await storedKeys(platform, id)).length;
  assert.deepEqual([await count(whole), await count(release), await count(parts)], [2, 4, 1]);
  const end = platform[Symbol.asyncDispose]();
  open();
  await end;
  assert.deepEqual([await count(whole), await count(release), await count(parts)], [0, 2, 0]);
});

test('a server starts although a removal fails', async (t) => {
  const refuse = async (): Promise<never> => {
    throw failure('unavailable', 'The file store cannot be reached now. Try again later');
  };
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-removal-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const changeFiles = (files: FileStore): FileStore => ({ ...files, removeFolder: refuse });
  const first = await openPlatform({ dataDir, limits, changeFiles });
  const { settings } = first;
  const { client } = await first.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Stuck' } });
  await publishBuild(client, game.id, '1', { 'index.html': 'stuck' });
  await client.call('deleteProject', { params: { id: game.id } });
  await first[Symbol.asyncDispose]();
  await using second = await openPlatform({ dataDir, settings, changeFiles });
  const lines = second.lines.filter((line) => line.includes('cannot be removed'));
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', new RegExp(`^warning: the files of project ${game.id} `));
  assert.equal((await storedKeys(second, game.id)).length, 2);
});
