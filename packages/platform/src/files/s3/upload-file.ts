// Stores local files as objects: small ones with one request, large ones in parts.
import { type FileHandle, open } from 'node:fs/promises';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  NoSuchUpload,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import type { Turns } from '../turns.ts';
import type { StoreConnection } from './connect-store.ts';

/** Size of a part, and of the largest file that is sent with one request. Each upload in progress has one in memory. */
const PART_BYTES = 8 * 1024 * 1024;
/** An upload may be this slow in addition to the time limit of each request. */
const LEAST_BYTES_PER_MS = 1024;
/** Joining the parts of a large file takes some stores many seconds. */
const COMPLETE_MS = 60_000;

/** A local file with the key that it gets. */
type Upload = {
  readonly key: string;
  readonly file: FileHandle;
  readonly bytes: number;
  readonly ending: AbortSignal;
};

/** Stores a local file. Its requests run in `turns`. The signal ends an upload in parts. */
export async function uploadFile(
  store: StoreConnection,
  turns: Turns,
  { key, path }: { readonly key: string; readonly path: string },
  ending: AbortSignal,
): Promise<void> {
  await using file = await open(path, 'r');
  const { size } = await file.stat();
  const upload = { key, file, bytes: size, ending };
  if (size > PART_BYTES) await uploadInParts(store, turns, upload);
  else await turns.run(null, async () => putObject(store, key, await readBytes(file, 0, size)));
}

/** Stores an object with one request. */
export async function putObject(
  { client, bucket, prefix, call }: StoreConnection,
  key: string,
  body: Buffer,
): Promise<void> {
  const input = { Bucket: bucket, Key: prefix + key, Body: body };
  await call({ action: 'write', extraMs: sendingMs(body.length) }, (options) =>
    client.send(new PutObjectCommand(input), options),
  );
}

/** The parts of a large file that the store has received until they are completed or aborted. */
type Parts = { readonly Bucket: string; readonly Key: string; readonly UploadId: string };

async function uploadInParts(store: StoreConnection, turns: Turns, upload: Upload): Promise<void> {
  const object = { Bucket: store.bucket, Key: store.prefix + upload.key };
  const { UploadId } = await store.call({ action: 'write' }, (options) =>
    store.client.send(new CreateMultipartUploadCommand(object), options),
  );
  const parts = { ...object, UploadId: UploadId ?? '' };
  try {
    const sent = await sendParts(store, turns, upload, parts);
    await complete(store, parts, sent, upload);
  } catch (error) {
    // If this fails too, the parts are removed together with the folder.
    await store
      .call({ action: 'write' }, (options) =>
        store.client.send(new AbortMultipartUploadCommand(parts), options),
      )
      .catch(() => {});
    throw error;
  }
}

async function sendParts(
  store: StoreConnection,
  turns: Turns,
  { file, bytes, ending }: Upload,
  parts: Parts,
): Promise<CompletedPart[]> {
  const failing = new AbortController();
  const signal = AbortSignal.any([failing.signal, ending]);
  const send = async (number: number): Promise<CompletedPart> => {
    const start = (number - 1) * PART_BYTES;
    const body = await readBytes(file, start, Math.min(PART_BYTES, bytes - start));
    const input = { ...parts, PartNumber: number, Body: body };
    const call = { action: 'write', extraMs: sendingMs(body.length), signal } as const;
    const { ETag } = await store.call(call, (options) =>
      store.client.send(new UploadPartCommand(input), options),
    );
    return { PartNumber: number, ...(ETag !== undefined && { ETag }) };
  };
  const count = Math.ceil(bytes / PART_BYTES);
  const sending = Array.from({ length: count }, (_, index) =>
    turns
      .run(signal, () => send(index + 1))
      .catch((error: unknown) => {
        failing.abort(error);
        throw error;
      }),
  );
  // None may still read the file or send to the store when this function returns.
  await Promise.allSettled(sending);
  signal.throwIfAborted();
  return Promise.all(sending);
}

async function complete(
  { call, client, patientClient }: StoreConnection,
  parts: Parts,
  sent: CompletedPart[],
  { bytes, ending }: Upload,
): Promise<void> {
  const input = { ...parts, MultipartUpload: { Parts: sent } };
  await call({ action: 'write', extraMs: COMPLETE_MS, signal: ending }, async (options) => {
    try {
      await patientClient.send(new CompleteMultipartUploadCommand(input), options);
    } catch (error) {
      if (!(error instanceof NoSuchUpload)) throw error;
      // The answer to an earlier try was lost.
      const { Bucket, Key } = parts;
      const stored = await client.send(new HeadObjectCommand({ Bucket, Key }), options);
      if (stored.ContentLength !== bytes) throw error;
    }
  });
}

function sendingMs(bytes: number): number {
  return Math.ceil(bytes / LEAST_BYTES_PER_MS);
}

async function readBytes(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let held = 0;
  while (held < length) {
    const { bytesRead } = await file.read(bytes, held, length - held, start + held);
    if (bytesRead === 0) throw new Error('Cannot store a file: it became shorter');
    held += bytesRead;
  }
  return bytes;
}
