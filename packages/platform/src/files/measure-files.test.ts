// What is counted of the operations of a file store.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { failure } from '../failure.ts';
import { createMetrics } from '../metrics/metrics.ts';
import type { FileStore } from './file-store.ts';
import { createFolderStore } from './folder-store.ts';
import { createMeasure, measureFiles } from './measure-files.ts';

async function openMeasured(t: TestContext, change: Partial<FileStore> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-measure-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const metrics = createMetrics();
  const stored = { ...createFolderStore(join(folder, 'files')), ...change };
  const files = measureFiles(stored, createMeasure(metrics));
  return {
    files,
    async written(): Promise<string> {
      const path = join(folder, 'written');
      await writeFile(path, 'content');
      return path;
    },
    /** The samples that are not 0, by their labels. */
    async read(name: string): Promise<Record<string, number>> {
      const text = await metrics.registry.getSingleMetricAsString(name);
      const samples = [...text.matchAll(/^\w+\{([^}]*)\} ([1-9]\d*)$/gm)];
      return Object.fromEntries(
        samples.flatMap(([, labels = '', value]) =>
          labels.includes('le=') ? [] : [[labels, Number(value)]],
        ),
      );
    },
  };
}

const OPERATIONS = 'svc_storage_operation_duration_seconds';
const ERRORS = 'svc_storage_errors_total';

test('operations are timed, and each page of a list is one', async (t) => {
  const { files, written, read } = await openMeasured(t);
  const batch = files.startBatch();
  await batch.put('game/a', await written());
  await batch.settle();
  const file = await files.open('game/a');
  await file.close();
  const keys: string[] = [];
  for await (const { key } of files.list('game')) keys.push(key);
  assert.deepEqual(keys, ['game/a']);
  await files.remove(['game/a']);
  assert.deepEqual(await read(OPERATIONS), {
    'operation="settle"': 1,
    'operation="open"': 1,
    'operation="list"': 2,
    'operation="remove"': 1,
  });
  assert.deepEqual(await read(ERRORS), {});
});

test('errors are counted by their code and passed on', async (t) => {
  const full = failure('storage_full', 'Full');
  const { files, read } = await openMeasured(t, {
    remove: () => Promise.reject(full),
    removeFolder: () => Promise.reject(new Error('EBUSY')),
  });
  await assert.rejects(files.open('game/none'), { name: 'MissingFileError' });
  await assert.rejects(files.remove(['game/a']), full);
  await assert.rejects(files.removeFolder('game'), /EBUSY/);
  assert.deepEqual(await read(ERRORS), {
    'operation="open",code="missing"': 1,
    'operation="remove",code="storage_full"': 1,
    'operation="remove",code="other"': 1,
  });
});

test('a batch that is stopped while it settles is no error of the store', async (t) => {
  const { promise, reject } = Promise.withResolvers<void>();
  const { files, read } = await openMeasured(t, {
    startBatch: () => ({
      put: async () => {},
      settle: () => promise,
      stop: async () => reject(new Error('stopped')),
    }),
  });
  const batch = files.startBatch();
  const settled = assert.rejects(batch.settle(), /stopped/);
  await batch.stop();
  await settled;
  assert.deepEqual(await read(ERRORS), {});
});
