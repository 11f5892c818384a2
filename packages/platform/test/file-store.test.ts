// What every file store does: a folder, and a bucket of a real object store.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { logTo } from '@svc/observe/testing';
import type { FileStore } from '../src/files/file-store.ts';
import { createFolderStore } from '../src/files/folder-store.ts';
import { openS3Store } from '../src/files/s3/open-s3-store.ts';
import { MissingFileError } from '../src/files/storage-error.ts';
import { type Ceph, cephMissing, startCeph } from './start-ceph.ts';

const MIB = 1024 * 1024;
const PIECE_BYTES = MIB / 4;

const missing = cephMissing();
let ceph: Ceph;
before(async () => {
  if (missing === null) ceph = await startCeph();
});
after(async () => {
  if (missing === null) await ceph[Symbol.asyncDispose]();
});

const STORES: readonly [
  name: string,
  skip: string | false,
  open: (t: TestContext, folder: string) => Promise<FileStore>,
][] = [
  ['folder', false, async (_, folder) => createFolderStore(join(folder, 'root'))],
  [
    'S3',
    missing ?? false,
    async (t) => {
      const store = await openS3Store(
        await ceph.newStorage(),
        logTo((line) => t.diagnostic(line)),
      );
      t.after(() => store[Symbol.dispose]());
      return store;
    },
  ],
];

type Rig = {
  readonly store: FileStore;
  /** Returns the path of a new local file. */
  written(bytes: string | Buffer): Promise<string>;
  /** Stores files by their keys. */
  put(files: Readonly<Record<string, string | Buffer>>): Promise<void>;
  /** The keys below a folder, sorted. */
  keys(below: string): Promise<string[]>;
};

function testEach(name: string, run: (rig: Rig) => Promise<void>): void {
  for (const [kind, skip, open] of STORES) {
    test(`${kind}: ${name}`, { skip }, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'svc-store-'));
      t.after(() => rm(folder, { recursive: true, force: true }));
      await run(rigOf(await open(t, folder), folder));
    });
  }
}

function rigOf(store: FileStore, folder: string): Rig {
  let count = 0;
  const written: Rig['written'] = async (bytes) => {
    const path = join(folder, String(++count));
    await writeFile(path, bytes);
    return path;
  };
  return {
    store,
    written,
    async put(files) {
      const batch = store.startBatch();
      for (const [key, bytes] of Object.entries(files)) await batch.put(key, await written(bytes));
      await batch.settle();
    },
    keys: async (below) =>
      (await Array.fromAsync(store.list(below))).map((file) => file.key).sort(),
  };
}

async function readAll(store: FileStore, key: string): Promise<Buffer> {
  const file = await store.open(key);
  const bytes = Buffer.alloc(file.bytes);
  let held = 0;
  while (held < bytes.length) {
    held += await file.read(bytes.subarray(held, held + PIECE_BYTES), held);
  }
  await file.close();
  return bytes;
}

testEach('a batch stores files and removes the given ones', async ({ store, written, keys }) => {
  const batch = store.startBatch();
  const paths = [await written('one'), await written('two')];
  await batch.put('game/a/x', paths[0] ?? '');
  await batch.put('game/b/y.zip', paths[1] ?? '');
  await batch.settle();
  assert.equal(String(await readAll(store, 'game/a/x')), 'one');
  assert.equal(String(await readAll(store, 'game/b/y.zip')), 'two');
  assert.deepEqual(await keys('game'), ['game/a/x', 'game/b/y.zip']);
  for (const path of paths) await assert.rejects(stat(path), { code: 'ENOENT' });
});

testEach(
  'a batch that cannot store a file throws when it settles, and stores no more',
  async (rig) => {
    const { store, written, keys } = rig;
    const batch = store.startBatch();
    await batch.put('game/a/x', await written('one'));
    await batch.put('game/a/y', '/nothing');
    await assert.rejects(batch.settle(), { code: 'ENOENT' });
    await assert.rejects(batch.put('game/a/z', await written('three')), { code: 'ENOENT' });
    await assert.rejects(batch.settle(), { code: 'ENOENT' }, 'it can’t be settled any more');
    await batch.stop();
    assert.deepEqual(await keys('game'), ['game/a/x']);
  },
);

testEach(
  'stopping a batch waits for its work in progress, so no file appears later',
  async (rig) => {
    const { store, written, keys } = rig;
    const batch = store.startBatch();
    for (const name of ['x', 'y', 'z']) await batch.put(`game/a/${name}`, await written(name));
    await batch.stop();
    const stored = await keys('game');
    await assert.rejects(batch.settle(), /stopped/);
    await assert.rejects(batch.put('game/a/late', await written('late')), /stopped/);
    await setTimeout(50);
    assert.deepEqual(await keys('game'), stored);
  },
);

testEach('a new file is created with its bytes; an existing one is kept', async (rig) => {
  const { store, written, keys } = rig;
  const path = await written('first');
  assert.equal(await store.create('game/a/x', path), true);
  assert.equal(await store.create('game/a/x', await written('second')), false);
  assert.equal(await readFile(path, 'utf8'), 'first', 'the given file remains');
  assert.equal(String(await readAll(store, 'game/a/x')), 'first');
  assert.deepEqual(await keys('game'), ['game/a/x']);
});

testEach('of several writers that create a file, one succeeds', async ({ store, written }) => {
  const texts = Array.from({ length: 8 }, (_, index) => `writer ${index}`);
  for (let round = 0; round < 5; round++) {
    const paths = await Promise.all(texts.map(written));
    const key = `game/a/${round}`;
    const results = await Promise.all(paths.map((path) => store.create(key, path)));
    assert.equal(results.filter((isStored) => isStored).length, 1);
    assert.equal(String(await readAll(store, key)), texts[results.indexOf(true)]);
  }
});

testEach('a list has all files at any depth with size and time', async ({ store, put, keys }) => {
  await put(
    Object.fromEntries(
      ['one/a/x', 'one/a/y', 'one/b/x', 'one-more/a/x', 'two/a/x'].map((key) => [key, key]),
    ),
  );
  assert.deepEqual(await keys('one'), ['one/a/x', 'one/a/y', 'one/b/x']);
  assert.deepEqual(await keys('one/a'), ['one/a/x', 'one/a/y']);
  const [file] = await Array.fromAsync(store.list('two'));
  assert.deepEqual([file?.key, file?.bytes], ['two/a/x', 7]);
  assert.ok(Math.abs((file?.modifiedAt ?? 0) - Date.now()) < 3_600_000);
  assert.deepEqual((await Array.fromAsync(store.folders())).sort(), ['one', 'one-more', 'two']);
  await store.remove(['one/a/x', 'one/a/y', 'one/none/x']);
  assert.deepEqual(await keys('one'), ['one/b/x']);
  await store.removeFolder('one');
  assert.deepEqual(await keys('one'), []);
  assert.deepEqual((await Array.fromAsync(store.folders())).sort(), ['one-more', 'two']);
});

testEach('more files than a page holds are listed and removed', async ({ store, put, keys }) => {
  const all = Array.from(
    { length: 1_203 },
    (_, index) => `game/a/${String(index).padStart(4, '0')}`,
  );
  await put(Object.fromEntries(all.map((key) => [key, 'x'])));
  assert.deepEqual(await keys('game'), all);
  await store.remove(all.slice(0, 1_101));
  assert.deepEqual(await keys('game'), all.slice(1_101));
  await put(Object.fromEntries(all.slice(0, 1_101).map((key) => [key, 'x'])));
  await store.removeFolder('game');
  assert.deepEqual(await keys('game'), []);
});

testEach(
  'a missing folder is an empty list, a missing file can be removed, and cannot be opened',
  async (rig) => {
    const { store, keys } = rig;
    assert.deepEqual(await keys('none/a'), []);
    assert.deepEqual(await Array.fromAsync(store.folders()), []);
    await store.remove([]);
    await store.remove(['none/a/x']);
    await store.removeFolder('none');
    await assert.rejects(store.open('none/a/x'), MissingFileError);
  },
);

testEach('an open file has its size and is read at any position', async ({ store, put }) => {
  await put({ 'game/a/x': '0123456789', 'game/a/empty': '' });
  const file = await store.open('game/a/x');
  const buffer = Buffer.alloc(4);
  assert.deepEqual([file.bytes, await file.read(buffer, 8)], [10, 2]);
  assert.equal(buffer.toString('latin1', 0, 2), '89');
  assert.equal(await file.read(buffer, 3), 4);
  assert.equal(buffer.toString(), '3456');
  assert.equal(await file.read(buffer, 10), 0);
  await file.close();
  assert.equal((await readAll(store, 'game/a/empty')).length, 0);
});

testEach(
  'a large file is stored and read unchanged, forwards, backwards and by several readers',
  async (rig) => {
    const { store, put } = rig;
    const content = randomBytes(20 * MIB + 12_345);
    await put({ 'game/a/large': content });
    assert.ok((await readAll(store, 'game/a/large')).equals(content));
    const file = await store.open('game/a/large');
    assert.equal(file.bytes, content.length);
    const readPiece = async (position: number): Promise<void> => {
      const piece = Buffer.alloc(PIECE_BYTES);
      let held = 0;
      while (held < PIECE_BYTES) held += await file.read(piece.subarray(held), position + held);
      assert.ok(piece.equals(content.subarray(position, position + PIECE_BYTES)), `${position}`);
    };
    for (const at of [19, 12, 11.9, 3, 0.9, 0]) await readPiece(Math.round(at * MIB));
    await Promise.all([0, 5, 18, 5.1, 9].map((at) => readPiece(Math.round(at * MIB))));
    await file.close();
  },
);

for (const bytes of [MIB - 1, MIB, MIB + 1, 3 * MIB, 8 * MIB, 8 * MIB + 1, 16 * MIB]) {
  testEach(`a file of ${bytes} bytes is stored and read unchanged`, async ({ store, put }) => {
    const content = randomBytes(bytes);
    await put({ 'game/a/file': content });
    assert.ok((await readAll(store, 'game/a/file')).equals(content));
  });
}
