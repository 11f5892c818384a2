// What storage leaves behind when a step fails, and what is on disk before the next step.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import files, { type FileHandle, open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readVpt } from '@svc/trace';
import { type RecordingOptions, startRecording } from '../src/capture/recording.ts';
import { copyBytes } from '../src/storage/place-recording.ts';
import { openUnlinked, reserveRoom } from '../src/storage/recording-file.ts';
import { assertNothingOpen, temporaryFolder } from './harness.ts';

const NAME = '20260203T040506Z-game-7.vpt';

function folderOf(t: TestContext): string {
  const folder = temporaryFolder();
  t.after(() => folder[Symbol.dispose]());
  return folder.path;
}

function optionsIn(dataDir: string): RecordingOptions {
  return {
    place: { dataDir },
    target: { pid: 7, name: 'game', started_at: '2026-01-01T00:00:00.000Z' },
    startedAt: new Date('2026-02-03T04:05:06.789Z'),
    version: '1',
    capBytes: 64 * 1024,
  };
}

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** The prototype of all open files of `node:fs/promises`. */
async function handlePrototype(): Promise<FileHandle> {
  await using handle = await open('/dev/null');
  return Object.getPrototypeOf(handle);
}

test('openUnlinked: the file has no name, and no other user could have opened it', async (t) => {
  const folder = folderOf(t);
  const before = process.umask(0);
  t.after(() => process.umask(before));
  await using handle = await openUnlinked(folder, 'import');
  const { mode, nlink } = await handle.stat();
  assert.deepEqual([mode & 0o777, nlink], [0o600, 0]);
  assert.deepEqual(readdirSync(folder), []);
});

test('reserveRoom: the room is on disk; if that fails, nothing stays open', async (t) => {
  const folder = folderOf(t);
  const prototype = await handlePrototype();
  const { mock } = t.mock.method(prototype, 'sync', () => Promise.reject(failure('ENOSPC')));
  await assert.rejects(reserveRoom(folder), { code: 'ENOSPC' });
  assert.equal(mock.callCount(), 1);
  mock.restore();
  await assertNothingOpen(folder);
});

test('a recording is on disk before it has its final name, and so is its name', async (t) => {
  const folder = folderOf(t);
  const recording = await startRecording(optionsIn(folder));
  t.after(() => recording.release());
  const traces = join(folder, 'traces');
  const prototype = await handlePrototype();
  const { sync } = prototype;
  const synced: string[] = [];
  t.mock.method(prototype, 'sync', async function (this: FileHandle) {
    const kind = (await this.stat()).isDirectory() ? 'folder' : 'file';
    synced.push(`${kind} with ${readdirSync(traces)}`);
    await sync.call(this);
  });
  await recording.finish('off', 9);
  assert.deepEqual(synced, [`file with ${NAME}.partial`, `folder with ${NAME}`]);
});

test('a recording that is written again is on disk, and so is its name', async (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'from'), 'whole lines, and more');
  await using from = await open(join(folder, 'from'));
  const prototype = await handlePrototype();
  const { sync } = prototype;
  const synced: string[] = [];
  t.mock.method(prototype, 'sync', async function (this: FileHandle) {
    synced.push((await this.stat()).isDirectory() ? 'folder' : 'file');
    await sync.call(this);
  });
  await copyBytes(from, 11, join(folder, 'to'));
  assert.equal(readFileSync(join(folder, 'to'), 'utf8'), 'whole lines');
  assert.deepEqual(synced, ['file', 'folder']);
});

test('copyBytes leaves no file if the copy fails', async (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'from'), 'whole lines');
  await using from = await open(join(folder, 'from'));
  const prototype = await handlePrototype();
  const { mock } = t.mock.method(prototype, 'sync', () => Promise.reject(failure('EIO')));
  await assert.rejects(copyBytes(from, 11, join(folder, 'to')), { code: 'EIO' });
  mock.restore();
  assert.deepEqual(readdirSync(folder), ['from']);
});

test("a recording that can't be renamed keeps its partial name, and is complete there", async (t) => {
  const folder = folderOf(t);
  const recording = await startRecording(optionsIn(folder));
  t.after(() => recording.release());
  const { mock } = t.mock.method(files, 'rename', () => Promise.reject(failure('EACCES')));
  syncBuiltinESMExports();
  const { path, truncated } = await recording.finish('off', 9);
  mock.restore();
  syncBuiltinESMExports();
  assert.deepEqual([basename(path), truncated], [`${NAME}.partial`, false]);
  assert.equal(readVpt(readFileSync(path)).end?.reason, 'off');
  assert.deepEqual(readdirSync(join(folder, 'traces')), [`${NAME}.partial`]);
});

test('a recording that fails to start leaves no file, and nothing open', async (t) => {
  const folder = folderOf(t);
  const options = optionsIn(folder);
  await assert.rejects(startRecording({ ...options, startedAt: new Date(Number.NaN) }), RangeError);
  await assertNothingOpen(folder);
  const prototype = await handlePrototype();
  const { write } = prototype;
  let writes = 0;
  const { mock } = t.mock.method(prototype, 'write', function (this: FileHandle, bytes: Buffer) {
    writes++;
    return writes === 1 ? Reflect.apply(write, this, [bytes]) : Promise.reject(failure('ENOSPC'));
  });
  await assert.rejects(startRecording(options), { code: 'ENOSPC' });
  mock.restore();
  assert.equal(writes, 2, 'the room was reserved, but the header did not fit');
  assert.deepEqual(readdirSync(join(folder, 'traces')), []);
  await assertNothingOpen(folder);
});
