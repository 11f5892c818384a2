// Sends one form of a file: a small one from memory, a large one from the disk at the client's speed.
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import zlib from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { isUnchanged, type Part, readRange } from './conditions.ts';
import { type OpenFile, readChunks } from './read-chunks.ts';
import type { Exchange } from './refusals.ts';

/** One form of a file with its headers: a file of a game, or an image of a store page. */
export type Sendable = {
  readonly etag: string;
  /** Size of the body in bytes. */
  readonly bytes: number;
  /** The key of the stored file. */
  readonly key: string;
  /** The encoding to remove while sending; null to send the stored bytes. */
  readonly decode: 'gzip' | 'br' | null;
  /** All headers as names and values. The second element is the request id, which the sender sets. */
  readonly headers: string[];
  /** As `headers`, without those that describe a body. */
  readonly bareHeaders: string[];
};

/** The form that the client prefers, and the unencoded form, of which ranges are sent. */
type Forms = { readonly chosen: Sendable; readonly plain: Sendable };

/** Opens files by their key. */
export type FileSource = { open(key: string): Promise<OpenFile> };

/**
 * Answers a GET or HEAD with the chosen form, or with a part of the plain one. Returns the bytes of the body if the answer was sent
 * at once, else a promise that resolves to them when it has been sent.
 */
type SendRepresentation = (
  exchange: Exchange,
  source: FileSource,
  forms: Forms,
) => number | Promise<number>;

/** Largest file in bytes that is cached in memory. */
export const MEMORY_ENTRY_BYTES = 1024 * 1024;

/** Contents by their key, as they are sent. */
type ContentCache = LRUCache<string, Buffer>;

/** A client that receives nothing for this long is disconnected. */
const STALLED_MS = 60_000;

/**
 * Creates a sender with a cache of `cacheBytes`. `refuseRange` answers a request for a range outside of the file. `onLookup` is
 * called with whether a content was in the cache.
 */
export function createSender(
  cacheBytes: number,
  refuseRange: (exchange: Exchange, bytes: number) => true,
  onLookup: (isHit: boolean) => void = () => {},
): SendRepresentation {
  const cache: ContentCache = new LRUCache({
    maxSize: cacheBytes,
    // The library rejects a size of zero, and a file may be empty.
    sizeCalculation: ({ length }) => Math.max(1, length),
  });
  return (exchange, source, { chosen, plain }) => {
    const { request, response, requestId } = exchange;
    const part = wantedPart(request, plain);
    const form = part.kind === 'whole' ? chosen : plain;
    // RFC 9110, 13.2.2: If-None-Match is evaluated before Range.
    if (isUnchanged(request.headers['if-none-match'], form.etag)) {
      form.bareHeaders[1] = requestId;
      response.writeHead(304, form.bareHeaders).end();
      return 0;
    }
    if (part.kind === 'outside') {
      refuseRange(exchange, plain.bytes);
      return 0;
    }
    const head = part.kind === 'part' ? partHeaders(form, part) : form.headers;
    head[1] = requestId;
    const status = part.kind === 'part' ? 206 : 200;
    if (request.method === 'HEAD') {
      response.writeHead(status, head).end();
      return 0;
    }
    const slice = part.kind === 'part' ? part : { start: 0, length: form.bytes };
    const known = cache.get(cacheKey(form));
    onLookup(known !== undefined);
    if (known !== undefined) {
      response.writeHead(status, head).end(cut(known, slice));
      return slice.length;
    }
    return sendFromSource(source, cache, response, { form, head: [...head], status, slice });
  };
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

async function sendFromSource(
  source: FileSource,
  cache: ContentCache,
  response: ServerResponse,
  { form, head, status, slice }: Sending,
): Promise<number> {
  if (form.bytes <= MEMORY_ENTRY_BYTES) {
    const bytes = await readWhole(source, form);
    cache.set(cacheKey(form), bytes);
    response.writeHead(status, head).end(cut(bytes, slice));
    return slice.length;
  }
  const file = await source.open(form.key);
  const { decode } = form;
  const chunks =
    decode === null
      ? readChunks(file, slice.start, slice.length)
      : skipTo(decoded(readChunks(file, 0, file.bytes), decode), slice);
  response.writeHead(status, head);
  return await pump(chunks, response);
}

/** Returns all bytes of a form as they are sent. Throws as `FileSource.open` if the file is missing. */
async function readWhole(source: FileSource, { key, decode, bytes }: Sendable): Promise<Buffer> {
  const file = await source.open(key);
  const kept = readChunks(file, 0, file.bytes);
  return collect(decode === null ? kept : decoded(kept, decode), bytes);
}

/** Returns the bytes that were handed to the connection. A client that disconnects has received fewer. */
async function pump(chunks: AsyncIterable<Buffer>, response: ServerResponse): Promise<number> {
  response.setTimeout(STALLED_MS, () => response.destroy());
  let bytes = 0;
  for await (const chunk of chunks) {
    if (response.destroyed) return bytes;
    bytes += chunk.length;
    if (!response.write(chunk)) await drained(response);
  }
  response.end();
  return bytes;
}

/** Waits until the client can receive more or has disconnected, then removes its listeners. */
async function drained(response: ServerResponse): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    waiting.abort();
  }
}

/** Decodes a stream. */
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
    // Empty before the slice.
    yield chunk.subarray(from, to);
    if (position >= end) return;
  }
}

async function collect(chunks: AsyncIterable<Buffer>, bytes: number): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  const whole = all.length === 1 && all[0] !== undefined ? all[0] : Buffer.concat(all);
  if (whole.length !== bytes)
    throw new Error('Cannot send a file: its size differs from the stored size');
  return whole;
}

function cacheKey(form: Sendable): string {
  return form.decode === null ? form.key : `${form.key} decoded`;
}

function cut(bytes: Buffer, { start, length }: Slice): Buffer {
  return length === bytes.length ? bytes : bytes.subarray(start, start + length);
}
