import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import {
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { logTo } from '@svc/observe/testing';
import { until } from '../../../../scripts/until.ts';
import { type BlockCache, openBlockCache } from './block-cache.ts';
import { cacheFiles, type DistantStore } from './cache-files.ts';
import type { FileStore } from './file-store.ts';
import { MissingFileError } from './storage-error.ts';

const MIB = 1024 * 1024;
const BLOCK_BYTES = 2 * MIB;
const HEADER_BYTES = 40;

/** A distant store in memory that records which parts are read. */
function createDistant() {
  const contents = new Map<string, Buffer>();
  const parts: string[] = [];
  const store = {
    async readPart(key: string, start: number, end: number) {
      parts.push(`${key} ${start}`);
      await new Promise(setImmediate);
      const bytes = contents.get(key);
      if (bytes === undefined) throw new MissingFileError(key);
      return { bytes: bytes.subarray(start, end), total: bytes.length };
    },
  } as unknown as DistantStore;
  return { store, contents, parts };
}

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-cache-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 9 }));
  return join(folder, 'cache');
}

async function readAll(files: Pick<FileStore, 'open'>, key: string): Promise<Buffer> {
  const file = await files.open(key);
  const bytes = Buffer.alloc(file.bytes);
  try {
    for (let done = 0; done < bytes.length; ) {
      const read = await file.read(bytes.subarray(done, done + 256 * 1024), done);
      assert.ok(read > 0);
      done += read;
    }
    return bytes;
  } finally {
    await file.close();
  }
}

async function openCache(folder: string, maxBytes = 100 * MIB) {
  const lines: string[] = [];
  const cache = await openBlockCache({ folder, maxBytes, log: logTo((line) => lines.push(line)) });
  return { cache, lines };
}

/** Waits until the cache has written this many blocks. */
function written(folder: string, count: number): Promise<string[]> {
  const complete = async () => (await readdir(folder)).filter((name) => !name.endsWith('.new'));
  return until(complete, (names) => names.length === count, 'the blocks are written', 30_000);
}

test('a file is read from the store once, then from the disk, also after a restart', async (t) => {
  const folder = await folderFor(t);
  const { store, contents, parts } = createDistant();
  contents.set('game/place/a', randomBytes(5 * MIB));
  contents.set('game/place/empty', Buffer.alloc(0));
  const files = cacheFiles(store, (await openCache(folder)).cache);
  for (const key of contents.keys()) {
    assert.ok((await readAll(files, key)).equals(contents.get(key) ?? Buffer.of(1)), key);
  }
  const blocks = [0, 1, 2].map((index) => `game/place/a ${index * BLOCK_BYTES}`);
  assert.deepEqual(parts.splice(0), [...blocks, 'game/place/empty 0']);
  const names = await written(folder, 4);
  assert.equal((await stat(folder)).mode & 0o777, 0o700);
  for (const name of names) assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600);
  await writeFile(join(folder, 'killed.new'), 'part');
  const again = cacheFiles(store, (await openCache(folder)).cache);
  for (const reader of [files, again]) {
    for (const [key, bytes] of contents) {
      assert.ok((await readAll(reader, key)).equals(bytes), key);
    }
  }
  assert.deepEqual(parts, [], 'nothing is read from the store');
  assert.equal((await readdir(folder)).includes('killed.new'), false);
});

test('a part of a file reads only the blocks that it touches', async (t) => {
  const { store, contents, parts } = createDistant();
  const bytes = randomBytes(7 * MIB);
  contents.set('game/place/a', bytes);
  const files = cacheFiles(store, (await openCache(await folderFor(t))).cache);
  const file = await files.open('game/place/a');
  assert.equal(file.bytes, bytes.length);
  const at = 2 * BLOCK_BYTES - 10;
  const buffer = Buffer.alloc(30);
  assert.equal(await file.read(buffer, at), 10, 'up to the end of the block');
  assert.equal(await file.read(buffer.subarray(10), at + 10), 20);
  assert.ok(buffer.equals(bytes.subarray(at, at + 30)));
  assert.equal(await file.read(buffer, bytes.length), 0);
  await file.close();
  assert.deepEqual(
    parts,
    [0, 1, 2].map((index) => `game/place/a ${index * BLOCK_BYTES}`),
  );
});

test('many readers at the same time read a block from the store once', async (t) => {
  const { store, contents, parts } = createDistant();
  contents.set('game/place/a', randomBytes(3 * MIB));
  const files = cacheFiles(store, (await openCache(await folderFor(t))).cache);
  await Promise.all(Array.from({ length: 20 }, () => readAll(files, 'game/place/a')));
  assert.equal(parts.length, 2);
});

test('a failed read is not cached, and a missing file is an error each time', async (t) => {
  const { store, contents, parts } = createDistant();
  const folder = await folderFor(t);
  const files = cacheFiles(store, (await openCache(folder)).cache);
  for (let round = 0; round < 2; round++) {
    await assert.rejects(files.open('game/place/a'), MissingFileError);
  }
  contents.set('game/place/a', Buffer.from('now'));
  assert.equal(String(await readAll(files, 'game/place/a')), 'now');
  assert.equal(parts.length, 3);
});

test('a damaged or truncated block from before a restart is read from the store again', async (t) => {
  const folder = await folderFor(t);
  const { store, contents, parts } = createDistant();
  for (const key of ['a', 'b', 'c']) contents.set(key, randomBytes(1000));
  const files = cacheFiles(store, (await openCache(folder)).cache);
  for (const key of contents.keys()) await readAll(files, key);
  const [first = '', second = '', third = ''] = await written(folder, 3);
  const bytes = await readFile(join(folder, first));
  bytes[HEADER_BYTES + 500] = (bytes[HEADER_BYTES + 500] ?? 0) ^ 1;
  await writeFile(join(folder, first), bytes);
  await truncate(join(folder, second), 500);
  await truncate(join(folder, third), 0);
  parts.length = 0;
  const again = cacheFiles(store, (await openCache(folder)).cache);
  for (const [key, content] of contents) assert.ok((await readAll(again, key)).equals(content));
  assert.equal(parts.length, 3);
  await until(
    async () =>
      (
        await Promise.all(
          [first, second, third].map((name) => stat(join(folder, name)).catch(() => null)),
        )
      ).map((found) => found?.size),
    (sizes) => sizes.every((size) => size === HEADER_BYTES + 1000),
    'they are written again',
    30_000,
  );
});

test('a block that another process has removed is read from the store again', async (t) => {
  const folder = await folderFor(t);
  const { store, contents, parts } = createDistant();
  contents.set('a', Buffer.from('content'));
  const files = cacheFiles(store, (await openCache(folder)).cache);
  await readAll(files, 'a');
  const [name = ''] = await written(folder, 1);
  await rm(join(folder, name));
  assert.equal(String(await readAll(files, 'a')), 'content');
  assert.equal(parts.length, 2);
});

test('the cache stays within its size, and keeps what was used last, also after a restart', async (t) => {
  const folder = await folderFor(t);
  const { store, contents, parts } = createDistant();
  const bytes = 1000 + HEADER_BYTES;
  for (const key of ['a', 'b', 'c', 'd']) contents.set(key, randomBytes(1000));
  const open = async () => cacheFiles(store, (await openCache(folder, 3 * bytes)).cache);
  const files = await open();
  for (const [index, key] of ['a', 'b', 'c'].entries()) {
    await readAll(files, key);
    await written(folder, index + 1);
  }
  /** The paths of the cached files by their keys. */
  const cached = async (): Promise<Map<string, string>> => {
    const paths = new Map<string, string>();
    for (const name of (await readdir(folder)).filter((one) => !one.endsWith('.new'))) {
      const content = (await readFile(join(folder, name))).subarray(HEADER_BYTES);
      const [key = ''] = [...contents].find(([, one]) => one.equals(content)) ?? [];
      paths.set(key, join(folder, name));
    }
    return paths;
  };
  /** Waits until the one is cached and the other is removed, which happens in the background. */
  const replaced = async (added: string, removed: string): Promise<void> => {
    await until(
      () => cached().catch(() => new Map<string, string>()),
      (paths) => paths.has(added) && !paths.has(removed),
      `${added} replaces ${removed}`,
      30_000,
    );
  };
  await readAll(files, 'a');
  await readAll(files, 'd');
  await replaced('d', 'b');
  parts.length = 0;
  for (const key of ['a', 'c', 'd']) await readAll(files, key);
  assert.deepEqual(parts, [], 'those that were used last are cached');
  // Used at different times, long ago.
  const names = await cached();
  for (const [index, key] of ['d', 'a', 'c'].entries()) {
    await utimes(names.get(key) ?? '', 1000 + index, 1000 + index);
  }
  const again = await open();
  await readAll(again, 'b');
  await replaced('b', 'd');
  parts.length = 0;
  for (const key of ['a', 'c', 'b']) await readAll(again, key);
  assert.deepEqual(parts, []);
  await readAll(again, 'd');
  assert.deepEqual(parts, ['d 0']);
});

test('a file that is larger than the cache, or a full disk, is read from the store', async (t) => {
  const folder = await folderFor(t);
  const { store, contents, parts } = createDistant();
  contents.set('a', randomBytes(1000));
  const small = cacheFiles(store, (await openCache(folder, 500)).cache);
  for (let round = 0; round < 2; round++) assert.equal((await readAll(small, 'a')).length, 1000);
  assert.deepEqual([parts.length, await readdir(folder)], [2, []]);
  const { cache, lines } = await openCache(folder);
  const files = cacheFiles(store, cache);
  await rm(folder, { recursive: true });
  for (let round = 0; round < 3; round++) {
    assert.equal((await readAll(files, 'a')).length, 1000);
    await until(
      () => lines.length,
      (count) => count > 0,
      'it is logged',
      30_000,
    );
  }
  assert.equal(lines.length, 1, 'the operator is warned once');
  assert.match(lines[0] ?? '', /^warning: a file cannot be cached/);
});

test('a content that the store has damaged is an error, and is not cached', async (t) => {
  const folder = await folderFor(t);
  const { store, contents, parts } = createDistant();
  const good = Buffer.from('good content');
  const key = `game/place/${createHash('sha256').update(good).digest('hex')}`;
  contents.set(key, Buffer.from('evil content'));
  const files = cacheFiles(store, (await openCache(folder)).cache);
  await assert.rejects(files.open(key), /is damaged\. Run svc-platform check --repair$/);
  contents.set(key, good);
  assert.equal(String(await readAll(files, key)), 'good content');
  assert.equal(parts.length, 2);
});

test('an open block can be read after its removal', async (t) => {
  const { store, contents } = createDistant();
  const cache: BlockCache = (await openCache(await folderFor(t), 1500)).cache;
  const files = cacheFiles(store, cache);
  for (const key of ['a', 'b']) contents.set(key, randomBytes(1000));
  await readAll(files, 'a');
  const file = await files.open('a');
  await readAll(files, 'b');
  const buffer = Buffer.alloc(1000);
  assert.equal(await file.read(buffer, 0), 1000);
  assert.ok(buffer.equals(contents.get('a') ?? Buffer.of()));
  await file.close();
});

test('a content of several blocks is read, and only a content of one block is checked by its hash', async (t) => {
  const { store, contents } = createDistant();
  const bytes = randomBytes(2 * BLOCK_BYTES);
  const key = `game/place/${createHash('sha256').update(bytes).digest('hex')}`;
  contents.set(key, bytes);
  const files = cacheFiles(store, (await openCache(await folderFor(t))).cache);
  assert.ok((await readAll(files, key)).equals(bytes));
  const file = await files.open(key);
  assert.equal(await file.read(Buffer.alloc(10), bytes.length), 0, 'at the end of the last block');
  await file.close();
});
