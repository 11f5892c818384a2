// A file store whose operations are counted and timed.
import { codeOf, type FileOperation, type Metrics, timed } from '../metrics/metrics.ts';
import type { FileStore, StoredFile } from './file-store.ts';
import { MissingFileError } from './storage-error.ts';

type Counted = Pick<Metrics, 'fileOperation' | 'fileErrors'>;

/** Runs an operation, and counts and times it. An error is not counted if the caller has given the operation up. */
export type Measure = <Result>(
  operation: FileOperation,
  work: () => Promise<Result>,
  isGivenUp?: () => boolean,
) => Promise<Result>;

export function createMeasure({ fileOperation, fileErrors }: Counted): Measure {
  return (operation, work, isGivenUp = () => false) =>
    timed(
      `store ${operation}`,
      (seconds) => fileOperation.observe({ operation }, seconds),
      async () => {
        try {
          return await work();
        } catch (error) {
          const code = error instanceof MissingFileError ? 'missing' : codeOf(error);
          if (!isGivenUp()) fileErrors.inc({ operation, code });
          throw error;
        }
      },
    );
}

/** Returns the store with its operations measured. */
export function measureFiles(store: FileStore, measure: Measure): FileStore {
  return {
    startBatch() {
      const batch = store.startBatch();
      let isStopped = false;
      return {
        put: (key, writtenFile) => batch.put(key, writtenFile),
        settle: () =>
          measure(
            'settle',
            () => batch.settle(),
            () => isStopped,
          ),
        stop() {
          isStopped = true;
          return batch.stop();
        },
      };
    },
    create: (key, writtenFile) => measure('create', () => store.create(key, writtenFile)),
    stage: (key, writtenFile) => measure('stage', () => store.stage(key, writtenFile)),
    open: (key) => measure('open', () => store.open(key)),
    list: (folder) => measureList(store.list(folder), measure),
    folders: () => measureList(store.folders(), measure),
    remove: (keys) => measure('remove', () => store.remove(keys)),
    removeFolder: (folder) => measure('remove', () => store.removeFolder(folder)),
    downloadUrl: (key, name) => store.downloadUrl(key, name),
    ...(store.ready === undefined ? {} : { ready: () => store.ready?.() ?? Promise.resolve() }),
  };
}

/** Measures each step of a list: a page of an object store, or names of a folder. */
async function* measureList<Item extends StoredFile | string>(
  items: AsyncIterable<Item>,
  measure: Measure,
): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await measure('list', () => iterator.next());
      if (done === true) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}
