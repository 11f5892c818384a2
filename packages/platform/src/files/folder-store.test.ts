import assert from 'node:assert/strict';
import { existsSync, globSync, readlinkSync } from 'node:fs';
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
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ApiError } from '@svc/serve';
import { createFolderStore } from './folder-store.ts';
import { asStorageFailure } from './storage-error.ts';

async function storeFor(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-files-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  let count = 0;
  const store = createFolderStore(join(folder, 'root'));
  return {
    root: join(folder, 'root'),
    store,
    /** The keys below a folder, sorted. */
    keys: async (below: string): Promise<string[]> =>
      (await Array.fromAsync(store.list(below))).map((file) => file.key).sort(),
    /** A complete file. */
    async written(text: string): Promise<string> {
      const path = join(folder, String(++count));
      await writeFile(path, text);
      return path;
    },
  };
}

test('a batch stores files readable only by their owner, and removes the given files', async (t) => {
  const { root, store, written, keys } = await storeFor(t);
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
  assert.deepEqual(await keys('game/files'), ['game/files/a']);
  for (const path of paths) await assert.rejects(stat(path), { code: 'ENOENT' });
});

test('a file on another disk is copied', async (t) => {
  const { store, written, keys } = await storeFor(t);
  const linked = t.mock.method(fsPromises, 'link', async (from: string, to: string) => {
    if (!from.endsWith('.copy')) throw Object.assign(new Error('EXDEV'), { code: 'EXDEV' });
    linked.mock.restore();
    await fsPromises.link(from, to);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  assert.equal(await store.create('game/place/a', await written('far')), true);
  assert.deepEqual(await keys('game'), ['game/place/a'], 'no copy is left');
});

test('a file on another disk that is stored twice at once keeps its first content', async (t) => {
  const { root, store, written } = await storeFor(t);
  onOtherDisk(t);
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  // The first has its name, and its copy is not removed yet.
  const { rm: remove } = fsPromises;
  const second = t.mock.method(fsPromises, 'rm', async (path: string) => {
    second.mock.restore();
    syncBuiltinESMExports();
    assert.equal(await store.stage('game/place/a', await written('second')), false);
    await remove(path);
  });
  syncBuiltinESMExports();
  assert.equal(await store.stage('game/place/a', await written('first')), true);
  assert.equal(await readFile(join(root, 'game/place/a'), 'utf8'), 'first');
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

/** Makes the store's folder another disk for the files that are given to it. */
function onOtherDisk(t: TestContext): void {
  const { link } = fsPromises;
  t.mock.method(fsPromises, 'link', async (from: string, to: string) => {
    if (!from.endsWith('.copy')) throw Object.assign(new Error('EXDEV'), { code: 'EXDEV' });
    await link(from, to);
  });
  syncBuiltinESMExports();
}

for (const isFar of [false, true]) {
  const where = isFar ? 'on another disk' : 'on the same disk';
  test(`a file ${where} is synced before its name is created, then the folders; an existing one is kept`, async (t) => {
    const { root, store, written, keys } = await storeFor(t);
    const target = join(root, 'game/place/a');
    const path = await written('first');
    const synced = await recordSyncs(t, target, async () => {
      if (isFar) onOtherDisk(t);
      assert.equal(await store.create('game/place/a', path), true);
      assert.equal(await store.create('game/place/a', await written('second')), false);
    });
    const named = synced.findIndex(([, isThere]) => isThere);
    const files = synced.slice(0, named).map(([file]) => file.replace(/[0-9a-f-]{36}/, 'id'));
    assert.deepEqual(files, isFar ? [path, `${target}.id.copy`] : [path]);
    const folders = new Set(synced.slice(named).map(([folder]) => folder));
    for (const folder of [join(root, '..'), root, join(root, 'game'), dirname(target)]) {
      assert.ok(folders.has(folder), folder);
    }
    assert.equal(await readFile(target, 'utf8'), 'first');
    assert.deepEqual(await keys('game'), ['game/place/a']);
  });
}

test('a full disk that is reported by a sync is storage_full, and no file stays open', async (t) => {
  const { root, store, written } = await storeFor(t);
  const path = await written('x');
  const { open } = fsPromises;
  t.mock.method(fsPromises, 'open', async (...call: Parameters<typeof open>) => {
    const handle = await open(...call);
    handle.sync = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }));
    return handle;
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const isFull = (error: unknown) => error instanceof ApiError && error.code === 'storage_full';
  await assert.rejects(store.create('game/place/a', path), isFull);
  const files = globSync('/proc/self/fd/*').map(linkOf);
  assert.deepEqual(
    files.filter((file) => file.startsWith(join(root, '..'))),
    [],
  );
});

/** The file of an open descriptor. Empty if it was closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

test('a list has all files at any depth with their sizes, and the folders of projects are listed', async (t) => {
  const { root, store, written, keys } = await storeFor(t);
  const batch = store.startBatch();
  for (const key of ['one/a/x', 'one/a/y', 'one/b/x', 'two/a/x']) {
    await batch.put(key, await written(key));
  }
  await batch.settle();
  assert.deepEqual(await keys('one'), ['one/a/x', 'one/a/y', 'one/b/x']);
  const [file] = await Array.fromAsync(store.list('two'));
  assert.deepEqual([file?.key, file?.bytes], ['two/a/x', 7]);
  assert.ok(Math.abs((file?.modifiedAt ?? 0) - Date.now()) < 3_600_000);
  assert.deepEqual((await Array.fromAsync(store.folders())).sort(), ['one', 'two']);
  await store.remove(['one/a/x', 'one/a/y', 'one/none/x']);
  assert.deepEqual(await keys('one'), ['one/b/x']);
  assert.deepEqual(await readdir(join(root, 'one')), ['b'], 'an empty folder is removed');
  await store.removeFolder('one');
  assert.deepEqual(await readdir(root), ['two']);
  assert.equal(await store.downloadUrl('two/a/x', 'x.zip'), null, 'a folder has no addresses');
});

test('listing or removing throws if the system does not allow it', async (t) => {
  const { root, store, written, keys } = await storeFor(t);
  const batch = store.startBatch();
  await batch.put('game/files/a', await written('one'));
  await batch.settle();
  await assert.rejects(keys('game/files/a'), { code: 'ENOTDIR' });
  await mkdir(join(root, 'game/files/folder'));
  await assert.rejects(store.remove(['game/files/folder']));
});

test('a file that is removed while its folder is listed is not in the list', async (t) => {
  const { store, written } = await storeFor(t);
  for (const key of ['game/place/a', 'game/b']) await store.create(key, await written('x'));
  const listed: string[] = [];
  for await (const { key } of store.list('game')) {
    listed.push(key);
    // The names of both folders have been read.
    await store.remove(['game/b']);
  }
  assert.deepEqual(listed, ['game/place/a']);
});

test('a file that the system cannot open is not a missing one, and a file at the top is no folder', async (t) => {
  const { root, store, written } = await storeFor(t);
  await store.create('game/a', await written('x'));
  await assert.rejects(store.open('game/a/b'), { code: 'ENOTDIR' });
  await writeFile(join(root, 'notes.txt'), 'x');
  assert.deepEqual(await Array.fromAsync(store.folders()), ['game']);
});

test('every error about a full disk is storage_full, even if closing failed too', () => {
  const withCode = (code: string) => Object.assign(new Error(code), { code });
  const full = ['ENOSPC', 'EDQUOT', 'EFBIG'].map(withCode);
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
  for (const error of [other, null, 'ENOSPC']) assert.equal(asStorageFailure(error), error);
  assert.equal(asStorageFailure(late), other, 'the first error is the reason');
});
