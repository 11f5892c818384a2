// The folders of a server: for its files, for temporary files, and for the cache in front of an object store.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { NO_LOG } from '@svc/observe';
import type { DistantStore } from '../files/cache-files.ts';
import { createMetrics } from '../metrics/metrics.ts';
import { openFiles, openServed } from './open-files.ts';
import { openStores } from './open-stores.ts';
import { readSettings } from './settings.ts';

const log = NO_LOG;

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-stores-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test('only the owner of the data folder can list the folder of the projects', async (t) => {
  const dataDir = await newFolder(t);
  using _ = await openFiles(dataDir, readSettings({}));
  assert.equal((await stat(join(dataDir, 'projects'))).mode & 0o777, 0o700);
});

test('temporary files are in SVC_SPOOL_DIR, or else in the data folder', async (t) => {
  for (const apart of [true, false]) {
    const dataDir = await newFolder(t);
    const spoolDir = apart ? await newFolder(t) : null;
    const settings = { ...readSettings({}), spoolDir };
    await using stores = await openStores({ dataDir, settings, log });
    await using folder = await stores.spool.openFolder();
    const root = spoolDir ?? join(dataDir, 'spool');
    assert.equal((await readdir(root)).length, 1);
    assert.ok(folder.path.startsWith(join(root, '/')), folder.path);
    assert.equal(existsSync(join(dataDir, 'spool')), !apart);
  }
});

test('files of an object store are read through a cache in SVC_CACHE_DIR or in the data folder, local files and those of a cache of 0 MiB directly', async (t) => {
  const distant = { open: () => assert.fail('opened') } as unknown as DistantStore;
  const rows: [distant: DistantStore | null, cacheMib: number, apart: boolean, cached: boolean][] =
    [
      [distant, 1, false, true],
      [distant, 1, true, true],
      [distant, 0, true, false],
      [null, 1, true, false],
    ];
  for (const [store, cacheMib, apart, cached] of rows) {
    const dataDir = await newFolder(t);
    const cacheDir = apart ? join(await newFolder(t), 'own') : null;
    const settings = { ...readSettings({}), cacheMib, cacheDir };
    const files = { files: distant, distant: store, [Symbol.dispose]: () => {} };
    await using opened = await openServed(files, {
      ...{ dataDir, settings, log },
      metrics: createMetrics(),
    });
    assert.equal(opened.served === distant, !cached);
    assert.equal(existsSync(cacheDir ?? join(dataDir, 'cache')), cached);
    assert.equal(existsSync(join(dataDir, 'cache')), cached && !apart);
  }
});

test('with SVC_MIGRATE=off, a database without the current schema is not opened', async (t) => {
  const dataDir = await newFolder(t);
  const settings = readSettings({ SVC_MIGRATE: 'off' });
  await assert.rejects(openStores({ dataDir, settings, log }), /svc-platform migrate/);
  await (await openStores({ dataDir, settings: readSettings({}), log }))[Symbol.asyncDispose]();
  await (await openStores({ dataDir, settings, log }))[Symbol.asyncDispose]();
});
