// Opens the target of backups: a folder, or a prefix in a bucket. Its errors name the target.
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { codeOf, messageOf } from '@svc/contracts/caught';
import { NO_LOG } from '@svc/observe';
import { ApiError } from '@svc/serve';
import type { FileStore } from '../files/file-store.ts';
import { createFolderStore } from '../files/folder-store.ts';
import type { StorageSettings } from '../files/s3/connect-store.ts';
import { StoreFault } from '../files/s3/store-fault.ts';
import { MissingFileError } from '../files/storage-error.ts';

/** Where backups are. */
export type TargetPlace =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'bucket'; readonly settings: StorageSettings };

/** The open target. Disposing of it closes its connections. */
export type Target = FileStore & Disposable;

/** Opens the target. With `writes`, checks that files can be stored in a bucket. Throws an error for the operator. */
export async function openTarget(place: TargetPlace, writes: boolean): Promise<Target> {
  if (place.kind === 'folder') {
    const path = resolve(place.path);
    const found = await stat(path).catch(() => null);
    if (found?.isDirectory() !== true) {
      throw new Error(`The target "${path}" is not a folder. Create it, or mount its disk`);
    }
    return { ...nameTarget(createFolderStore(path)), [Symbol.dispose]() {} };
  }
  // Only here, because the client takes time and memory to load.
  const { connectS3Store } = await import('../files/s3/open-s3-store.ts');
  const { checkStore } = await import('../files/s3/check-store.ts');
  if (writes) await checkStore(place.settings, 'The target of the backup');
  const store = connectS3Store(place.settings, NO_LOG);
  return { ...nameTarget(store), [Symbol.dispose]: () => store[Symbol.dispose]() };
}

/** Returns the store with errors that name the target, which is not the file store of the platform. */
export function nameTarget(store: FileStore): FileStore {
  return {
    ...store,
    startBatch() {
      const batch = store.startBatch();
      return {
        put: (key, writtenFile) => named(batch.put(key, writtenFile)),
        settle: () => named(batch.settle()),
        stop: () => batch.stop(),
      };
    },
    create: (key, writtenFile) => named(store.create(key, writtenFile)),
    async open(key) {
      const file = await named(store.open(key));
      return { ...file, read: (buffer, position) => named(file.read(buffer, position)) };
    },
    async *list(folder) {
      try {
        yield* store.list(folder);
      } catch (error) {
        throw nameError(error);
      }
    },
    remove: (keys) => named(store.remove(keys)),
  };
}

function named<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    throw nameError(error);
  });
}

/** Returns the error for the operator. The code of a system error stays. */
function nameError(error: unknown): unknown {
  if (error instanceof MissingFileError) return error;
  const options = { cause: error };
  if (error instanceof ApiError) {
    if (error.code === 'storage_full') {
      return new Error('The target of the backup is full. Free space there', options);
    }
    const reason = error.cause instanceof StoreFault ? error.cause.message : error.message;
    return new Error(`The target of the backup cannot be used: ${reason}`, options);
  }
  const code = codeOf(error);
  if (code === '') return error;
  const message = `The target of the backup cannot be used: ${messageOf(error)}`;
  return Object.assign(new Error(message, options), { code });
}
