import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { ManifestFile } from '../database/manifest.ts';
import { CACHED_MANIFEST_FILES, createManifestCache } from './manifest-cache.ts';

/** A file of a manifest. Only its path and its place matter here. */
function fileAt(path: string, place: string): ManifestFile {
  const sizes = { bytes: 1, inner_bytes: 1, gzip_bytes: null, br_bytes: null };
  return { path, place, hash: '', type: '', encoding: null, hashed_name: 0, ...sizes };
}

/** Reads manifests of `count` files whose place is the id, and records the ids. */
function reader(count: number) {
  const ids: string[] = [];
  const read = async (id: string): Promise<ManifestFile[]> => {
    ids.push(id);
    await setImmediate();
    return Array.from({ length: count }, (_, index) => fileAt(`${index}`, id));
  };
  return { ids, find: createManifestCache(read) };
}

test('requests for many manifests at once are all answered, also if not all of them fit in the cache', async () => {
  const count = 5_000;
  const { ids, find } = reader(count);
  const asked = Array.from({ length: (3 * CACHED_MANIFEST_FILES) / count }, (_, id) => `m${id}`);
  const found = await Promise.all(asked.map((id) => find(id, '7')));
  assert.deepEqual(
    found.map((file) => file?.place),
    asked,
  );
  assert.equal(ids.length, asked.length);
  await find('m0', '7');
  assert.equal(ids.length, asked.length + 1, 'the oldest was dropped');
  await find(asked.at(-1) ?? '', '7');
  assert.equal(ids.length, asked.length + 1, 'the newest is in the cache');
});

test('requests for a manifest at the same time read it once, and a missing file differs from a missing manifest', async () => {
  const { ids, find } = reader(2);
  const found = await Promise.all([find('a', '0'), find('a', '1'), find('a', '2')]);
  assert.deepEqual(
    found.map((file) => file?.path),
    ['0', '1', undefined],
  );
  assert.equal(await find('a', 'other'), undefined);
  assert.deepEqual(ids, ['a']);
  assert.equal(await reader(0).find('a', '0'), null);
});

test('a manifest that could not be read is read again', async () => {
  let tries = 0;
  const find = createManifestCache(async (id) => {
    if (++tries === 1) throw new Error('down');
    return [fileAt('0', id)];
  });
  await assert.rejects(find('a', '0'), /down/);
  assert.equal((await find('a', '0'))?.place, 'a');
});
