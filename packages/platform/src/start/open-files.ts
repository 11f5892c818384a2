// Opens the file store: a bucket if the settings name one, else a folder in the data folder.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Log, NO_LOG } from '@svc/observe';
import { openBlockCache } from '../files/block-cache.ts';
import { cacheFiles, type DistantStore } from '../files/cache-files.ts';
import type { FileStore } from '../files/file-store.ts';
import { createFolderStore } from '../files/folder-store.ts';
import { createMeasure, measureFiles } from '../files/measure-files.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';
import type { Settings } from './settings.ts';

const MIB = 1024 * 1024;

/** The file store. `distant` is the same store if it is not on this machine, else null. */
export type OpenFiles = Disposable & {
  readonly files: FileStore;
  readonly distant: DistantStore | null;
};

/** Opens the file store. Throws an error for the operator if the bucket cannot be used. */
export async function openFiles(
  dataDir: string,
  { storage }: Settings,
  metrics: Metrics = createMetrics(),
  log: Log = NO_LOG,
): Promise<OpenFiles> {
  const measure = createMeasure(metrics);
  if (storage === null) {
    const folder = join(dataDir, 'projects');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const files = measureFiles(createFolderStore(folder), measure);
    return { files, distant: null, [Symbol.dispose]: () => {} };
  }
  // Only here, because the client takes time and memory to load.
  const { openS3Store } = await import('../files/s3/open-s3-store.ts');
  const store = await openS3Store(storage, log);
  const files = measureFiles(store, measure);
  const distant: DistantStore = {
    ...files,
    readPart: (key, start, end) => measure('read', () => store.readPart(key, start, end)),
  };
  return { files, distant, [Symbol.dispose]: () => store[Symbol.dispose]() };
}

/** The files as players get them. Disposing of it waits for the cache. */
export type ServedFiles = AsyncDisposable & { readonly served: Pick<FileStore, 'open'> };

/** Opens the files as players get them: through a cache on the local disk, unless the store is local. */
export async function openServed(
  { files, distant }: OpenFiles,
  {
    dataDir,
    settings,
    metrics,
    log,
  }: { dataDir: string; settings: Settings; metrics: Metrics; log: Log },
): Promise<ServedFiles> {
  if (distant === null || settings.cacheMib === 0) {
    return { served: files, [Symbol.asyncDispose]: async () => {} };
  }
  const folder = resolve(settings.cacheDir ?? join(dataDir, 'cache'));
  const cache = await openBlockCache({
    ...{ folder, maxBytes: settings.cacheMib * MIB, log },
    onLookup: (isHit) => metrics.countLookup('disk', isHit),
  });
  return {
    served: cacheFiles(distant, cache),
    [Symbol.asyncDispose]: () => cache[Symbol.asyncDispose](),
  };
}
