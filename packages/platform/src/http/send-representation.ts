// Sends one form of a file: from memory where it is small, else from its descriptor no faster than the client takes it.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import zlib from 'node:zlib';
import type { FileStore } from '../files/file-store.ts';
import { isUnchanged, type Part, readRange } from './conditions.ts';
import { createMemoryCache, type MemoryCache } from './memory-cache.ts';
import { readChunks } from './send-file.ts';

/** What goes out, whether it is a file of a game or an image of a store page. */
export type Sendable = {
  readonly etag: string;
  readonly bytes: number;
  readonly key: string;
  readonly decode: 'gzip' | 'br' | null;
  readonly headers: string[];
  readonly bareHeaders: string[];
};

/** Where files are opened by their key. */
export type FileSource = Pick<FileStore, 'open'>;

/** Up to here a form is kept in memory. */
export const MEMORY_ENTRY_BYTES = 1024 * 1024;

/** Contents by where they are kept. */
export type ContentCache = MemoryCache<string, Buffer>;

/** A cache of up to so many bytes. */
export function createContentCache(totalBytes: number): ContentCache {
  return createMemoryCache(totalBytes, (bytes: Buffer) => bytes.length);
}

/** A client that takes nothing for so long is dropped. */
const STALLED_MS = 60_000;

/**
 * Answers a GET or HEAD with the chosen form, or a part of the plain one. True where that was done at once; else a
 * promise of its end. Nothing is sent and `outside` is called where the range lies outside of the file.
 */
export function sendRepresentation(
  store: FileSource,
  cache: ContentCache,
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  chosen: Sendable,
  plain: Sendable,
  outside: (bytes: number) => void,
): true | Promise<void> {
  const { headers } = request;
  const part = wantedPart(request, plain);
  const form = part.kind === 'whole' ? chosen : plain;
  // RFC 9110, 13.2.2: whether it changed comes before what part of it.
  if (isUnchanged(headers['if-none-match'], form.etag)) {
    form.bareHeaders[1] = requestId;
    response.writeHead(304, form.bareHeaders).end();
    return true;
  }
  if (part.kind === 'outside') {
    outside(plain.bytes);
    return true;
  }
  const head = part.kind === 'part' ? partHeaders(form, part) : form.headers;
  head[1] = requestId;
  const status = part.kind === 'part' ? 206 : 200;
  if (request.method === 'HEAD') {
    response.writeHead(status, head).end();
    return true;
  }
  const slice = part.kind === 'part' ? part : { start: 0, length: form.bytes };
  const known = cache.get(cacheKey(form));
  if (known !== undefined) {
    response.writeHead(status, head).end(cut(known, slice));
    return true;
  }
  return sendFromStore(store, cache, response, { form, head: [...head], status, slice });
}

type Slice = { readonly start: number; readonly length: number };
type Sending = {
  readonly form: Sendable;
  readonly head: string[];
  readonly status: number;
  readonly slice: Slice;
};

function wantedPart(request: IncomingMessage, plain: Sendable): Part {
  const { headers } = request;
  if (request.method !== 'GET' || headers.range === undefined) return { kind: 'whole' };
  const ifRange = headers['if-range']?.toString();
  return readRange(headers.range, ifRange, plain.etag, plain.bytes);
}

function partHeaders(form: Sendable, { start, length }: Slice): string[] {
  const head = form.headers.slice(0, -1);
  head.push(String(length), 'Content-Range', `bytes ${start}-${start + length - 1}/${form.bytes}`);
  return head;
}

async function sendFromStore(
  store: FileSource,
  cache: ContentCache,
  response: ServerResponse,
  { form, head, status, slice }: Sending,
): Promise<void> {
  if (form.bytes <= MEMORY_ENTRY_BYTES) {
    const bytes = await readWhole(store, form);
    cache.set(cacheKey(form), bytes);
    response.writeHead(status, head).end(cut(bytes, slice));
    return;
  }
  const file = await store.open(form.key);
  const { decode } = form;
  const chunks =
    decode === null
      ? readChunks(file, slice.start, slice.length)
      : skipTo(decoded(readChunks(file, 0, file.bytes), decode), slice);
  response.writeHead(status, head);
  await pump(chunks, response);
}

/** All bytes of a form, as they go out. Throws as `FileStore.open` where they are gone. */
async function readWhole(store: FileSource, { key, decode, bytes }: Sendable): Promise<Buffer> {
  const file = await store.open(key);
  const kept = readChunks(file, 0, file.bytes);
  return collect(decode === null ? kept : decoded(kept, decode), bytes);
}

async function pump(chunks: AsyncIterable<Buffer>, response: ServerResponse): Promise<void> {
  response.setTimeout(STALLED_MS, () => response.destroy());
  for await (const chunk of chunks) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await drained(response);
  }
  response.end();
}

/** Waits until there is room again, or nobody any more, and leaves no listener behind. */
async function drained(response: ServerResponse): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    waiting.abort();
  }
}

/** Undoes an encoding on the way. */
function decoded(chunks: AsyncIterable<Buffer>, encoding: 'gzip' | 'br'): AsyncIterable<Buffer> {
  const decoder = encoding === 'gzip' ? zlib.createGunzip() : zlib.createBrotliDecompress();
  const source = Readable.from(chunks, { objectMode: false });
  source.on('error', (error) => decoder.destroy(error));
  decoder.on('close', () => source.destroy());
  return source.pipe(decoder);
}

async function* skipTo(chunks: AsyncIterable<Buffer>, slice: Slice): AsyncGenerator<Buffer> {
  let position = 0;
  const end = slice.start + slice.length;
  for await (const chunk of chunks) {
    const from = Math.max(0, slice.start - position);
    const to = Math.min(chunk.length, end - position);
    position += chunk.length;
    if (to > from) yield chunk.subarray(from, to);
    if (position >= end) return;
  }
}

async function collect(chunks: AsyncIterable<Buffer>, bytes: number): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  const whole = all.length === 1 && all[0] !== undefined ? all[0] : Buffer.concat(all);
  if (whole.length !== bytes)
    throw new Error('Cannot send a file: it has not the size it was kept with');
  return whole;
}

function cacheKey(form: Sendable): string {
  return form.decode === null ? form.key : `${form.key} decoded`;
}

function cut(bytes: Buffer, { start, length }: Slice): Buffer {
  return length === bytes.length ? bytes : bytes.subarray(start, start + length);
}
