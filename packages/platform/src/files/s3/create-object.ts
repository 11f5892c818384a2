// Stores an object only if its key is free. Of several writers, one succeeds.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { StoreConnection } from './connect-store.ts';
import { hasStatus } from './store-fault.ts';

const PRECONDITION_FAILED = 412;
const CONFLICT = 409;
/** The store reports a conflict while another writer of the same key is in progress. */
const CONFLICT_WAIT_MS = 100;

/** Stores an object of at most some MiB, unless the key exists. Returns whether it was stored. */
export async function createObject(
  store: StoreConnection,
  key: string,
  body: Buffer,
): Promise<boolean> {
  const writer = randomUUID();
  const object = { Bucket: store.bucket, Key: store.prefix + key };
  const put = new PutObjectCommand({
    ...object,
    Body: body,
    IfNoneMatch: '*',
    Metadata: { writer },
  });
  return store.call({ action: 'write' }, async (options) => {
    for (;;) {
      try {
        await store.client.send(put, options);
        return true;
      } catch (error) {
        if (hasStatus(error, PRECONDITION_FAILED)) {
          // It is our own object if the answer to an earlier try was lost.
          const stored = await store.client.send(new HeadObjectCommand(object), options);
          return stored.Metadata?.['writer'] === writer;
        }
        if (!hasStatus(error, CONFLICT)) throw error;
      }
      await setTimeout(CONFLICT_WAIT_MS, undefined, { signal: options.abortSignal });
    }
  });
}
