import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { globSync, readlinkSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { logTo } from '@svc/observe/testing';
import {
  type Block,
  type BlockCache,
  HEADER_BYTES,
  openBlockCache,
  USED_EVERY_MS,
} from './block-cache.ts';
import { BLOCK_BYTES, cacheFiles, type DistantStore } from './cache-files.ts';
import type { OpenFile } from './file-store.ts';
import { MissingFileError } from './storage-error.ts';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-blocks-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'cache');
}

const openCache = (folder: string, maxBytes = 1024 * 1024): Promise<BlockCache> =>
  openBlockCache({ folder, maxBytes, log: logTo((line) => assert.fail(line)) });

const blockOf = (text: string) => async (): Promise<Block> => ({
  bytes: Buffer.from(text),
  total: 1000,
});
const notLoaded = (): Promise<Block> => assert.fail('it is cached');

/** Reads the whole block with this name. */
async function readBlock(
  cache: BlockCache,
  name: string,
  load: () => Promise<Block>,
): Promise<string> {
  const block = await cache.open(name, load);
  const bytes = Buffer.alloc(block.bytes);
  assert.deepEqual([await block.read(bytes, 0), block.total], [bytes.length, 1000]);
  await block.close();
  return bytes.toString();
}

/** The files below the folder that this process has open. */
function openFilesIn(folder: string): string[] {
  return globSync('/proc/self/fd/*').flatMap((path) => {
    try {
      const target = readlinkSync(path);
      return target.startsWith(folder) ? [target] : [];
    } catch {
      return [];
    }
  });
}

test('a block that was read before the end of the cache is on the disk afterwards', async (t) => {
  const folder = await folderFor(t);
  {
    await using cache = await openCache(folder);
    assert.equal(await readBlock(cache, A, blockOf('content')), 'content');
  }
  assert.deepEqual(await readdir(folder), [A]);
  await using again = await openCache(folder);
  assert.equal(await readBlock(again, A, notLoaded), 'content');
});

test('a block that fills the whole cache is kept', async (t) => {
  const folder = await folderFor(t);
  const maxBytes = HEADER_BYTES + 7;
  {
    await using cache = await openCache(folder, maxBytes);
    await readBlock(cache, A, blockOf('content'));
  }
  await using again = await openCache(folder, maxBytes);
  assert.equal(await readBlock(again, A, notLoaded), 'content');
});

test('only files that the cache can have written are removed at the start', async (t) => {
  const folder = await folderFor(t);
  await mkdir(join(folder, 'other'), { recursive: true });
  const others = ['notes.txt', `${A}.bak`, A.slice(1), A.toUpperCase()];
  for (const name of [...others, A, 'killed.new']) await writeFile(join(folder, name), 'short');
  await using _cache = await openCache(folder);
  assert.deepEqual((await readdir(folder)).sort(), ['other', ...others].sort());
});

test('the time of use is written to a block once in an hour', async (t) => {
  const folder = await folderFor(t);
  const path = join(folder, A);
  {
    await using cache = await openCache(folder);
    await readBlock(cache, A, blockOf('content'));
  }
  const setAge = async (ms: number): Promise<number> => {
    const at = new Date(Math.floor((Date.now() - ms) / 1000) * 1000);
    await utimes(path, at, at);
    return at.getTime();
  };
  const long = USED_EVERY_MS + 60_000;
  await setAge(long);
  await using cache = await openCache(folder);
  await readBlock(cache, A, notLoaded);
  const used = (await stat(path)).mtimeMs;
  assert.ok(Date.now() - used < 60_000, 'its last use was long ago');
  const later = await setAge(long);
  await readBlock(cache, A, notLoaded);
  assert.equal((await stat(path)).mtimeMs, later, 'it has just been used');
  const recent = await setAge(USED_EVERY_MS - 60_000);
  await using again = await openCache(folder);
  await readBlock(again, A, notLoaded);
  assert.equal((await stat(path)).mtimeMs, recent, 'its last use was less than an hour ago');
});

test('a block that the disk cannot read, or that is damaged, is loaded, and no file stays open', async (t) => {
  const folder = await folderFor(t);
  {
    await using cache = await openCache(folder);
    for (const name of [A, B]) await readBlock(cache, name, blockOf('first'));
  }
  const damaged = await readFile(join(folder, B));
  damaged.write('FIRST', HEADER_BYTES);
  await writeFile(join(folder, B), damaged);
  const lines: string[] = [];
  const log = logTo((line) => lines.push(line));
  {
    await using cache = await openBlockCache({ folder, maxBytes: 1024, log });
    // A folder can be opened and not read.
    await rm(join(folder, A));
    await mkdir(join(folder, A));
    for (const name of [A, B])
      assert.equal(await readBlock(cache, name, blockOf('other')), 'other');
  }
  assert.deepEqual(openFilesIn(folder), []);
});

test('a file has one block open at a time, and can be read after one of its blocks could not be', async (t) => {
  const folder = await folderFor(t);
  const content = randomBytes(2 * BLOCK_BYTES + 1000);
  let isMissing = false;
  const distant = {
    async readPart(key: string, start: number, end: number) {
      if (isMissing) throw new MissingFileError(key);
      return { bytes: content.subarray(start, end), total: content.length };
    },
  } as unknown as DistantStore;
  const buffer = Buffer.alloc(10);
  const expectRead = async (file: OpenFile, position: number): Promise<void> => {
    assert.equal(await file.read(buffer, position), 10);
    assert.ok(buffer.equals(content.subarray(position, position + 10)));
  };
  const positions = [0, BLOCK_BYTES, 2 * BLOCK_BYTES];
  {
    await using cache = await openCache(folder, 5 * BLOCK_BYTES);
    const file = await cacheFiles(distant, cache).open('a');
    for (const position of positions) await expectRead(file, position);
    await file.close();
  }
  const cache = await openCache(folder, 5 * BLOCK_BYTES);
  const file = await cacheFiles(distant, cache).open('a');
  for (const position of positions) {
    await expectRead(file, position);
    assert.equal(openFilesIn(folder).length, 1);
  }
  for (const name of await readdir(folder)) await rm(join(folder, name));
  isMissing = true;
  await assert.rejects(file.read(buffer, 0), MissingFileError);
  isMissing = false;
  await expectRead(file, 2 * BLOCK_BYTES);
  await file.close();
  await file.close();
  await cache[Symbol.asyncDispose]();
  assert.deepEqual(openFilesIn(folder), []);
});
