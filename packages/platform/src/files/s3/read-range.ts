// Reads a range of an object completely. A body that ends early is an error.
import { Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand, NoSuchKey } from '@aws-sdk/client-s3';
import { MissingFileError } from '../storage-error.ts';
import type { StoreConnection } from './connect-store.ts';
import { hasStatus, isBrokenConnection } from './store-fault.ts';

/** A range of an object, from `start` up to `end`, exclusive. */
export type Range = { readonly key: string; readonly start: number; readonly end: number };

/** The bytes of a range, fewer at the end of the object, and the size of the object. */
export type Part = { readonly bytes: Buffer; readonly total: number };

/** The client repeats requests without an answer, but not those whose answer broke off. */
const TRIES = 2;
const RANGE_NOT_SATISFIABLE = 416;

/** Reads a range that begins inside of the object, or at its start. Throws a `MissingFileError` if there is no object. */
export function readRange(
  store: StoreConnection,
  range: Range,
  signal: AbortSignal,
): Promise<Part> {
  return store.call({ action: 'read', signal }, async ({ abortSignal }) => {
    for (let tries = 1; ; tries++) {
      try {
        return await requestRange(store, range, abortSignal);
      } catch (error) {
        if (range.start === 0 && hasStatus(error, RANGE_NOT_SATISFIABLE)) {
          return await confirmEmpty(store, range.key, abortSignal);
        }
        if (tries === TRIES || abortSignal.aborted || !isBrokenConnection(error)) throw error;
      }
    }
  });
}

async function requestRange(
  { client, bucket, prefix }: StoreConnection,
  { key, start, end }: Range,
  abortSignal: AbortSignal,
): Promise<Part> {
  const input = { Bucket: bucket, Key: prefix + key, Range: `bytes=${start}-${end - 1}` };
  const answer = await client
    .send(new GetObjectCommand(input), { abortSignal })
    .catch((error: unknown) => {
      throw error instanceof NoSuchKey ? new MissingFileError(key, { cause: error }) : error;
    });
  const { Body: body, ContentRange: given, ContentLength: length } = answer;
  if (!(body instanceof Readable)) throw new Error('The answer has no body');
  // A store may send the whole object if the range covers it.
  const [from, to, total] = given === undefined ? [0, length, length] : readContentRange(given);
  if (from !== start || to === undefined || total === undefined || to !== Math.min(end, total)) {
    body.destroy();
    throw new Error('The answer has another range');
  }
  return { bytes: await collect(body, to - from), total };
}

function readContentRange(text: string): [from?: number, to?: number, total?: number] {
  const [, from, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(text) ?? [];
  return from === undefined ? [] : [Number(from), Number(last) + 1, Number(total)];
}

/** Reads a body of exactly `length` bytes. */
async function collect(body: Readable, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let held = 0;
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk) || held + chunk.length > length)
      throw new Error('The body is too long');
    held += chunk.copy(bytes, held);
  }
  if (held !== length) {
    throw Object.assign(new Error('The body has ended early'), { code: 'ECONNRESET' });
  }
  return bytes;
}

/** An empty object has no range. */
async function confirmEmpty(
  { client, bucket, prefix }: StoreConnection,
  key: string,
  abortSignal: AbortSignal,
): Promise<Part> {
  const input = { Bucket: bucket, Key: prefix + key };
  const { ContentLength: total } = await client.send(new HeadObjectCommand(input), { abortSignal });
  if (total !== 0) throw new Error('The store rejects a range of an object that is not empty');
  return { bytes: Buffer.alloc(0), total };
}
