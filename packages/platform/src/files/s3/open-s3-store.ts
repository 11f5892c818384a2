// The file store in a bucket of an S3-compatible object store.
import { readFile, unlink } from 'node:fs/promises';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Log } from '@svc/observe';
import type { DistantStore } from '../cache-files.ts';
import type { Batch } from '../file-store.ts';
import { startLanes } from '../lanes.ts';
import { createTurns, type Turns } from '../turns.ts';
import { checkStore, FILE_STORE } from './check-store.ts';
import { connectStore, type StorageSettings, type StoreConnection } from './connect-store.ts';
import { createObject } from './create-object.ts';
import {
  listFolders,
  listObjects,
  reachBucket,
  removeFolder,
  removeObjects,
} from './list-objects.ts';
import { openObject } from './open-object.ts';
import { readRange } from './read-range.ts';
import { uploadFile } from './upload-file.ts';

/** Requests that store files at the same time, of all batches. */
const UPLOADS_AT_ONCE = 16;
/** A download can begin during this time after its address was created. */
const DOWNLOAD_SECONDS = 900;

/** Disposing of it closes its connections. */
export type S3Store = DistantStore & Disposable;

/**
 * Opens a store in a bucket. Throws an error for the operator if the store cannot do all that the server needs. `log`
 * receives lines for the operator.
 */
export async function openS3Store(settings: StorageSettings, log: Log): Promise<S3Store> {
  await checkStore(settings, FILE_STORE);
  return connectS3Store(settings, log);
}

/** As `openS3Store`, without the check. Sends nothing yet. */
export function connectS3Store(settings: StorageSettings, log: Log): S3Store {
  const store = connectStore(settings, log);
  const turns = createTurns(UPLOADS_AT_ONCE);
  return {
    startBatch: () => startBatch(store, turns),
    create: async (key, writtenFile) => createObject(store, key, await readFile(writtenFile)),
    stage: async (key, writtenFile) => createObject(store, key, await readFile(writtenFile)),
    open: (key) => openObject(store, key),
    readPart: (key, start, end) =>
      readRange(store, { key, start, end }, new AbortController().signal),
    list: (folder) => listObjects(store, folder),
    folders: () => listFolders(store),
    remove: (keys) => removeObjects(store, keys),
    removeFolder: (folder) => removeFolder(store, folder),
    downloadUrl: async (key, name) => (settings.redirects ? signDownload(store, key, name) : null),
    ready: () => reachBucket(store),
    [Symbol.dispose]: () => store[Symbol.dispose](),
  };
}

function startBatch(store: StoreConnection, turns: Turns): Batch {
  const lanes = startLanes(UPLOADS_AT_ONCE);
  // Ends uploads in parts, which may take minutes.
  const ending = new AbortController();
  return {
    async put(key, writtenFile) {
      lanes.add(async () => {
        try {
          await uploadFile(store, turns, { key, path: writtenFile }, ending.signal);
          await unlink(writtenFile);
        } catch (error) {
          ending.abort(error);
          throw error;
        }
      });
    },
    // An object is durable when the store has acknowledged it.
    settle: () => lanes.finish(),
    async stop() {
      const stopped = lanes.stop();
      ending.abort();
      await stopped;
    },
  };
}

function signDownload({ client, bucket, prefix }: StoreConnection, key: string, name: string) {
  const download = new GetObjectCommand({
    Bucket: bucket,
    Key: prefix + key,
    ResponseContentDisposition: `attachment; filename="${name}"`,
    ResponseContentType: 'application/zip',
    ResponseCacheControl: 'no-store',
  });
  return getSignedUrl(client, download, { expiresIn: DOWNLOAD_SECONDS });
}
