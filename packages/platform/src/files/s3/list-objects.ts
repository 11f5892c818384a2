// Lists and removes objects.
import {
  AbortMultipartUploadCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
} from '@aws-sdk/client-s3';
import type { StoredFile } from '../file-store.ts';
import type { StoreConnection } from './connect-store.ts';

/** The most keys that one request can remove. */
const KEYS_PER_REQUEST = 1000;
/** A store may need this long in addition for each object that it removes. */
const REMOVAL_MS = 20;

/** Lists the objects below the folder at any depth. */
export async function* listObjects(
  store: StoreConnection,
  folder: string,
): AsyncGenerator<StoredFile> {
  for await (const page of listPages(store, { Prefix: `${store.prefix}${folder}/` })) {
    for (const { Key, Size, LastModified } of page.Contents ?? []) {
      if (Key === undefined) continue;
      const key = Key.slice(store.prefix.length);
      yield { key, bytes: Size ?? 0, modifiedAt: LastModified?.getTime() ?? 0 };
    }
  }
}

/** Lists the names of the folders at the top. */
export async function* listFolders(store: StoreConnection): AsyncGenerator<string> {
  for await (const page of listPages(store, { Prefix: store.prefix, Delimiter: '/' })) {
    for (const { Prefix } of page.CommonPrefixes ?? []) {
      if (Prefix !== undefined) yield Prefix.slice(store.prefix.length, -1);
    }
  }
}

/** Throws if the bucket cannot be reached now. */
export async function reachBucket({
  client,
  bucket,
  prefix,
  call,
}: StoreConnection): Promise<void> {
  const query = { Bucket: bucket, Prefix: prefix, MaxKeys: 1 };
  await call({ action: 'list' }, (options) =>
    client.send(new ListObjectsV2Command(query), options),
  );
}

async function* listPages(
  { client, bucket, call }: StoreConnection,
  query: { readonly Prefix: string; readonly Delimiter?: string },
): AsyncGenerator<ListObjectsV2CommandOutput> {
  let token: string | undefined;
  do {
    const place = token === undefined ? {} : { ContinuationToken: token };
    const page = await call({ action: 'list' }, (options) =>
      client.send(new ListObjectsV2Command({ Bucket: bucket, ...query, ...place }), options),
    );
    yield page;
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
  } while (token !== undefined);
}

/** Removes objects. Missing ones are ignored. */
export async function removeObjects(
  { patientClient, bucket, prefix, call }: StoreConnection,
  keys: readonly string[],
): Promise<void> {
  for (let start = 0; start < keys.length; start += KEYS_PER_REQUEST) {
    const group = keys.slice(start, start + KEYS_PER_REQUEST);
    const Delete = { Objects: group.map((key) => ({ Key: prefix + key })), Quiet: true };
    const extraMs = group.length * REMOVAL_MS;
    await call({ action: 'remove', extraMs }, async (options) => {
      const { Errors: errors = [] } = await patientClient.send(
        new DeleteObjectsCommand({ Bucket: bucket, Delete }),
        options,
      );
      const refused = errors.find(({ Code }) => Code !== 'NoSuchKey');
      if (refused !== undefined) {
        throw Object.assign(new Error('An object was not removed'), { code: refused.Code });
      }
    });
  }
}

/** Removes all objects below the folder, and the parts of uploads that were not completed. */
export async function removeFolder(store: StoreConnection, folder: string): Promise<void> {
  let keys: string[] = [];
  for await (const { key } of listObjects(store, folder)) {
    keys.push(key);
    if (keys.length < KEYS_PER_REQUEST) continue;
    await removeObjects(store, keys);
    keys = [];
  }
  await removeObjects(store, keys);
  await abortUploads(store, `${store.prefix}${folder}/`);
}

async function abortUploads(
  { client, bucket, call }: StoreConnection,
  Prefix: string,
): Promise<void> {
  const query = { Bucket: bucket, Prefix };
  for (;;) {
    const { Uploads: uploads = [], IsTruncated: hasMore } = await call(
      { action: 'list' },
      (options) => client.send(new ListMultipartUploadsCommand(query), options),
    );
    for (const { Key, UploadId } of uploads) {
      const upload = { Bucket: bucket, Key, UploadId };
      await call({ action: 'remove' }, (options) =>
        client.send(new AbortMultipartUploadCommand(upload), options),
      );
    }
    // Those of the next page are now on the first one.
    if (hasMore !== true || uploads.length === 0) return;
  }
}
