// Checks at the start that the object store can do all that the server needs.
import { randomUUID } from 'node:crypto';
import { CreateMultipartUploadCommand } from '@aws-sdk/client-s3';
import { NO_LOG } from '@svc/observe';
import { MissingFileError } from '../storage-error.ts';
import { connectStore, type StorageSettings, type StoreConnection } from './connect-store.ts';
import { createObject } from './create-object.ts';
import { listObjects, removeFolder } from './list-objects.ts';
import { readRange } from './read-range.ts';
import { StoreFault } from './store-fault.ts';
import { putObject } from './upload-file.ts';

const BODY = Buffer.from('0123456789');
/** The folder of the objects that a check stores. No project has such an id. */
const FOLDER = 'svc-check';

/** What a server needs of a store, and the reason if the work returns false. */
type Need = {
  readonly what: string;
  readonly work: () => Promise<boolean>;
  readonly reason: string;
};

/** The start of the errors about the store of the platform's files. */
export const FILE_STORE = 'Cannot start: the file store (SVC_STORAGE_URL)';

/**
 * Stores, creates, reads, lists and removes objects under a random name. Throws an error that names what the store cannot
 * do, and what the operator can do. `subject` is the start of the error, and names the store.
 */
export async function checkStore(settings: StorageSettings, subject: string): Promise<void> {
  const store = connectStore(settings, NO_LOG);
  const folder = `${FOLDER}/${randomUUID()}`;
  let isEmpty = true;
  try {
    for (const { what, work, reason } of needsOf(store, folder)) {
      const isMet = await work().catch((error: unknown) => {
        throw refusal(subject, what, reasonOf(error));
      });
      if (!isMet) throw refusal(subject, what, reason);
      isEmpty = false;
    }
    isEmpty = true;
  } finally {
    if (!isEmpty) await removeFolder(store, folder).catch(() => {});
    store[Symbol.dispose]();
  }
}

function needsOf(store: StoreConnection, folder: string): readonly Need[] {
  const key = `${folder}/a`;
  const other = `${folder}/b`;
  const { signal } = new AbortController();
  const upload = { Bucket: store.bucket, Key: `${store.prefix}${folder}/parts` };
  const count = async (): Promise<number> => {
    let files = 0;
    for await (const _ of listObjects(store, folder)) files++;
    return files;
  };
  return [
    {
      what: 'store a file',
      work: () => putObject(store, key, BODY).then(() => true),
      reason: '',
    },
    {
      what: 'store a file only if its name is free',
      work: async () =>
        (await createObject(store, other, BODY)) && !(await createObject(store, key, BODY)),
      reason: 'it ignores If-None-Match. Use a store that supports conditional writes',
    },
    {
      what: 'read a part of a file',
      work: async () => {
        const { bytes, total } = await readRange(store, { key, start: 2, end: 5 }, signal);
        return total === BODY.length && bytes.equals(BODY.subarray(2, 5));
      },
      reason: 'it sends other bytes. Check the proxies on the way to the store',
    },
    {
      what: 'report that a file is missing',
      work: () =>
        readRange(store, { key: `${folder}/none`, start: 0, end: 1 }, signal).then(
          () => false,
          (error: unknown) => {
            if (error instanceof MissingFileError) return true;
            throw error;
          },
        ),
      reason: 'it sends a file that does not exist',
    },
    {
      what: 'list files',
      work: async () => (await count()) === 2,
      reason: 'its list is not complete. Use a store whose lists are consistent',
    },
    {
      what: 'store a file in parts',
      work: () =>
        store
          .call({ action: 'write' }, (options) =>
            store.client.send(new CreateMultipartUploadCommand(upload), options),
          )
          .then(() => true),
      reason: '',
    },
    {
      what: 'remove files',
      work: async () => {
        await removeFolder(store, folder);
        return (await count()) === 0;
      },
      reason: 'the files are still in its list',
    },
  ];
}

function refusal(subject: string, what: string, reason: string): Error {
  return new Error(`${subject} cannot be used to ${what}: ${reason}`);
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : null;
  if (cause instanceof StoreFault) return cause.message;
  return error instanceof Error ? error.message : String(error);
}
