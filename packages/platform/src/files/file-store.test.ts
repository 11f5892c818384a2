import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import fsPromises, {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ApiError } from '@svc/serve';
import { asStorageFailure, createFolderStore, isMissingFile } from './file-store.ts';

async function storeFor(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-files-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  let count = 0;
  return {
    root: join(folder, 'root'),
    store: createFolderStore(join(folder, 'root')),
    /** A complete file. */
    async written(text: string): Promise<string> {
      const path = join(folder, String(++count));
      await writeFile(path, text);
      return path;
    },
  };
}

test('a batch stores files readable only by their owner, and removes the given files', async (t) => {
  const { root, store, written } = await storeFor(t);
  const batch = store.startBatch();
  const paths = [await written('one'), await written('two')];
  await batch.put('game/files/a', paths[0] ?? '');
  await batch.put('game/builds/b.zip', paths[1] ?? '');
  await batch.settle();
  assert.equal(await readFile(join(root, 'game/files/a'), 'utf8'), 'one');
  assert.equal(await readFile(join(root, 'game/builds/b.zip'), 'utf8'), 'two');
  for (const folder of ['', 'game', 'game/files', 'game/builds']) {
    assert.equal((await stat(join(root, folder))).mode & 0o777, 0o700, folder);
  }
  assert.deepEqual(await store.list('game/files'), ['game/files/a']);
  for (const path of paths) await assert.rejects(stat(path), { code: 'ENOENT' });
});

test('undoing a batch removes the files that it added, and no others', async (t) => {
  const { root, store, written } = await storeFor(t);
  const first = store.startBatch();
  await first.put('game/files/a', await written('first'));
  await first.settle();
  const second = store.startBatch();
  const given = await written('second');
  await second.put('game/files/a', given);
  await second.put('game/files/b', await written('second'));
  await second.settle();
  assert.equal(
    await readFile(join(root, 'game/files/a'), 'utf8'),
    'first',
    'the existing file stays',
  );
  assert.equal(existsSync(given), false, 'the name was the batch’s');
  await second.undo();
  assert.deepEqual(await readdir(join(root, 'game/files')), ['a']);
});

test('a batch that cannot store a file throws when it settles, and can be undone', async (t) => {
  const { root, store, written } = await storeFor(t);
  const batch = store.startBatch();
  await batch.put('game/files/a', await written('one'));
  await batch.put('game/files/b', join(root, 'nothing'));
  await assert.rejects(batch.settle(), isMissingFile);
  const late = batch.put('game/files/c', await written('three'));
  await assert.rejects(late, isMissingFile, 'a later one is reported too');
  await assert.rejects(batch.settle(), isMissingFile, 'it can’t be settled any more');
  await batch.undo();
  assert.deepEqual(await readdir(join(root, 'game/files')), []);
});

test('undoing a batch waits for its work in progress, so no file appears later', async (t) => {
  const { store, written } = await storeFor(t);
  const batch = store.startBatch();
  for (const name of ['a', 'b', 'c']) await batch.put(`game/files/${name}`, await written(name));
  await batch.undo();
  await batch.settle();
  assert.deepEqual(await store.list('game/files'), []);
});

/** Records the order of syncs, and which files had their names at each. */
async function recordSyncs(t: TestContext, target: string, work: () => Promise<void>) {
  const synced: [path: string, isThere: boolean][] = [];
  const { open } = fsPromises;
  t.mock.method(fsPromises, 'open', async (...call: Parameters<typeof open>) => {
    const handle = await open(...call);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      synced.push([String(call[0]), existsSync(target)]);
      await sync();
    };
    return handle;
  });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  }
  return synced;
}

test('a batch syncs a file before it gets its name, then every folder with a new name', async (t) => {
  const { root, store, written } = await storeFor(t);
  for (const [name, folders] of [
    ['a', [join(root, '..'), root, join(root, 'game'), join(root, 'game/files')]],
    ['b', [join(root, 'game/files')]],
  ] as const) {
    const path = await written(name);
    const synced = await recordSyncs(t, join(root, 'game/files', name), async () => {
      const batch = store.startBatch();
      await batch.put(`game/files/${name}`, path);
      await batch.settle();
    });
    assert.deepEqual(synced.shift(), [path, false]);
    assert.deepEqual(synced.sort(), folders.map((folder) => [folder, true]).sort(), name);
  }
});

test('listing or removing throws if the system does not allow it', async (t) => {
  const { root, store, written } = await storeFor(t);
  const batch = store.startBatch();
  await batch.put('game/files/a', await written('one'));
  await batch.settle();
  await assert.rejects(store.list('game/files/a'), { code: 'ENOTDIR' });
  await mkdir(join(root, 'game/files/folder'));
  await assert.rejects(store.remove('game/files/folder'));
  await store.remove('game/files/a');
  assert.deepEqual(await store.list('game/files'), ['game/files/folder']);
  await store.removeFolder('game');
  assert.deepEqual(await readdir(root), []);
});

test('a missing folder is an empty list, a missing file can be removed, and cannot be opened', async (t) => {
  const { store } = await storeFor(t);
  assert.deepEqual(await store.list('none/files'), []);
  await store.remove('none/files/a');
  await store.removeFolder('none');
  await assert.rejects(store.open('none/files/a'), isMissingFile);
  assert.equal(isMissingFile(new Error('other')), false);
});

test('an open file has its size and is read at any position', async (t) => {
  const { store, written } = await storeFor(t);
  const batch = store.startBatch();
  await batch.put('game/files/a', await written('0123456789'));
  await batch.settle();
  const file = await store.open('game/files/a');
  const buffer = Buffer.alloc(4);
  assert.deepEqual([file.bytes, await file.read(buffer, 8)], [10, 2]);
  assert.equal(buffer.toString('latin1', 0, 2), '89');
  assert.equal(await file.read(buffer, 3), 4);
  assert.equal(buffer.toString(), '3456');
  await file.close();
});

test('every error about a full disk is storage_full, even if closing failed too', () => {
  const withCode = (code: string) => Object.assign(new Error(code), { code });
  const full = [
    ...['ENOSPC', 'EDQUOT', 'EFBIG', '53100'].map(withCode),
    Object.assign(new Error('database or disk is full'), { errcode: 13 }),
  ];
  const other = withCode('EIO');
  for (const error of full) {
    const twice = new SuppressedError(other, new SuppressedError(other, error));
    for (const thrown of [error, twice]) {
      const failure = asStorageFailure(thrown);
      assert.ok(failure instanceof ApiError && failure.code === 'storage_full', error.message);
      assert.equal(failure.cause, error);
    }
  }
  const late = new SuppressedError(full[0], other);
  for (const error of [other, Object.assign(new Error(''), { errcode: 5 }), null, 'ENOSPC']) {
    assert.equal(asStorageFailure(error), error);
  }
  assert.equal(asStorageFailure(late), other, 'the first error is the reason');
});
