import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { BuildError } from '@svc/game-build/folder';
import { folderOf, LIMITS, unreadable } from '../../../test/folder-of.ts';
import { folderFile } from './chosen-folder.ts';
import { findSubtle, hashBytes, hashFile } from './hash.ts';
import { hashFolder } from './hash-folder.ts';
import { planFolder } from './plan-folder.ts';
import { FileChangedError, readBytes } from './read-file.ts';

const MIB = 1024 * 1024;
const never = new AbortController().signal;
const bytesOf = (count: number) => new Uint8Array(randomBytes(count));

test('files of all sizes have their SHA-256, with and without the browser’s own function', async () => {
  assert.ok(findSubtle() !== null);
  for (const size of [0, 1, 512 * 1024, 512 * 1024 + 1, 8 * MIB, 9 * MIB + 7]) {
    const content = bytesOf(size);
    const file = folderFile('a.bin', new File([content], 'a.bin'));
    for (const subtle of [findSubtle(), null]) {
      let read = 0;
      const found = await hashFile(file, subtle, (bytes) => (read += bytes.length), never);
      assert.equal(found, hash('sha256', content), `${size}`);
      assert.equal(read, size);
    }
  }
});

test('a large file is read in pieces, and the signal stops it', async () => {
  const content = bytesOf(9 * MIB);
  const file = folderFile('a.bin', new File([content], 'a.bin'));
  const pieces: number[] = [];
  const stop = new AbortController();
  const onBytes = (bytes: Uint8Array): void => {
    if (pieces.push(bytes.length) === 3) stop.abort(new Error('stopped'));
  };
  await assert.rejects(hashFile(file, findSubtle(), onBytes, stop.signal), /stopped/);
  assert.deepEqual(pieces, [512 * 1024, 512 * 1024, 512 * 1024]);
});

test('bytes in memory have the same hash with and without the browser’s own function', async () => {
  const bytes = bytesOf(1000);
  const expected = hash('sha256', bytes, 'buffer');
  assert.deepEqual(Buffer.from(await hashBytes(bytes, null)), expected);
  assert.deepEqual(Buffer.from(await hashBytes(bytes, findSubtle())), expected);
});

test('a file that was changed or has become shorter is reported by its path', async () => {
  const cut = { path: 'a "b".js', bytes: 5, file: new File(['abc'], 'a.js') };
  for (const file of [unreadable('a "b".js'), cut]) {
    await assert.rejects(readBytes(file), (error) => {
      assert.ok(error instanceof FileChangedError);
      assert.match(error.message, /^The file "a \\"b\\"\.js" was changed after .* again\.$/);
      return true;
    });
  }
});

test('hashFolder lists all files with their hashes in the order of the plan', async () => {
  const files = { 'index.html': 'abc', 'b/two.js': 'x', 'b/same.js': 'abc', 'empty.txt': '' };
  const plan = await planFolder(folderOf(files), LIMITS);
  const shares: number[] = [];
  const hashed = await hashFolder(plan, never, (share) => shares.push(share));
  assert.deepEqual(
    hashed.map(({ path, bytes, sha256 }) => [path, bytes, sha256]),
    [
      ['b/same.js', 3, hash('sha256', 'abc')],
      ['b/two.js', 1, hash('sha256', 'x')],
      ['empty.txt', 0, hash('sha256', '')],
      ['index.html', 3, hash('sha256', 'abc')],
    ],
  );
  assert.equal(shares.at(-1), 1);
  const none = await planFolder(folderOf({ 'index.html': '' }), LIMITS);
  await hashFolder(none, never, (share) => assert.equal(share, 0));
});

test('hashFolder rejects small files with secrets, and reports a changed file', async () => {
  const key = '-----BEGIN PRIVATE KEY-----';
  const files = { 'index.html': 'x', 'a.js': key, 'b.js': key, 'c.js': key + ' '.repeat(65_536) };
  const plan = await planFolder(folderOf(files), LIMITS);
  await assert.rejects(
    hashFolder(plan, never, () => {}),
    (error) => {
      assert.ok(error instanceof BuildError);
      assert.deepEqual(error.findings.map(({ entry }) => entry).sort(), ['a.js', 'b.js']);
      return true;
    },
  );
  const changed = [...folderOf({ 'index.html': 'x' }).files, unreadable('a.js')];
  const other = await planFolder({ name: 'game', files: changed }, LIMITS);
  await assert.rejects(
    hashFolder(other, never, () => {}),
    FileChangedError,
  );
  await assert.rejects(
    hashFolder(plan, AbortSignal.abort(new Error('stopped')), () => {}),
    /stopped/,
  );
});
