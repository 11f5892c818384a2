// Inflates one entry and compares its size and CRC-32 with the declared ones. Stops at the first byte too many.
import { promisify } from 'node:util';
import { crc32, createInflateRaw, inflateRaw, inflateRawSync } from 'node:zlib';
import { type ByteSource, ShortReadError } from '../byte-source.ts';
import { BuildError, type EntryFault, entryFinding } from '../findings.ts';
import type { Entry } from '../judge/judge-archive.ts';
import type { LaneBuffers } from './lane-buffers.ts';
import { CHUNK_BYTES, WHOLE_BYTES } from './read-source.ts';
import { SecondEnd } from './second-end.ts';

/** Below this size, a task on the thread pool costs more than the work. */
const SYNC_BYTES = 16 * 1024;

/**
 * Inflates and verifies an entry, and passes its bytes to `onChunk` in order. A chunk is valid until `onChunk` returns, the last
 * one until the buffers are used again. Throws a `BuildError`, or the error of `onChunk`.
 */
export async function inflateEntry(
  source: ByteSource,
  entry: Entry,
  buffers: LaneBuffers,
  onChunk: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  const second = entry.open_ended ? new SecondEnd() : null;
  if (Math.max(entry.bytes, entry.compressed_bytes) <= WHOLE_BYTES) {
    const bytes = await inflateWhole(source, entry, buffers);
    if (second?.isIn(bytes) === true) throw secondEnd(entry);
    verify(entry, bytes.length, crc32(bytes));
    if (bytes.length > 0) await onChunk(bytes);
    return;
  }
  let length = 0;
  let crc = 0;
  for await (const chunk of streamEntry(source, entry, buffers)) {
    length += chunk.length;
    if (length > entry.bytes) throw tooLong(entry);
    if (second?.isIn(chunk) === true) throw secondEnd(entry);
    crc = crc32(chunk, crc);
    await onChunk(chunk);
  }
  verify(entry, length, crc);
}

async function inflateWhole(
  source: ByteSource,
  entry: Entry,
  buffers: LaneBuffers,
): Promise<Buffer> {
  const piece = { at: 0, length: entry.compressed_bytes, buffer: buffers.input };
  const compressed = await read(source, entry, piece);
  if (entry.method === 'stored') return compressed;
  const options = {
    maxOutputLength: Math.max(entry.bytes, 1),
    // One byte more than needed: zlib would inflate once more, into another buffer, after filling this one.
    chunkSize: Math.max(entry.bytes + 1, 64),
    info: true,
  };
  try {
    const result = parseInfo(
      Math.max(entry.bytes, compressed.length) <= SYNC_BYTES
        ? inflateRawSync(compressed, options)
        : await inflateRawAsync(compressed, options),
    );
    if (result.consumed !== compressed.length) throw trailing(entry);
    buffers.lend(result.bytes);
    return result.bytes;
  } catch (error) {
    throw inflateError(entry, error);
  }
}

const inflateRawAsync: (bytes: Buffer, options: object) => Promise<unknown> = promisify(inflateRaw);

/** With `info`, zlib also returns its engine, which has the number of consumed bytes. The types do not include it. */
function parseInfo(result: unknown): { bytes: Buffer; consumed: number } {
  if (
    typeof result === 'object' &&
    result !== null &&
    'buffer' in result &&
    Buffer.isBuffer(result.buffer) &&
    'engine' in result &&
    typeof result.engine === 'object' &&
    result.engine !== null &&
    'bytesWritten' in result.engine &&
    typeof result.engine.bytesWritten === 'number'
  ) {
    return { bytes: result.buffer, consumed: result.engine.bytesWritten };
  }
  throw new TypeError('zlib did not return its engine');
}

async function* streamEntry(
  source: ByteSource,
  entry: Entry,
  buffers: LaneBuffers,
): AsyncGenerator<Buffer> {
  if (entry.method === 'stored') return yield* readChunks(source, entry, buffers);
  const inflate = createInflateRaw({ chunkSize: CHUNK_BYTES });
  const feeding = feed(inflate, readChunks(source, entry, buffers));
  try {
    yield* inflate;
    if (inflate.bytesWritten !== entry.compressed_bytes) throw trailing(entry);
  } catch (error) {
    throw inflateError(entry, error);
  } finally {
    inflate.destroy();
    await feeding;
  }
}

/** Writes all chunks, one at a time, until the stream ends or is destroyed. An error while reading destroys the stream. */
async function feed(
  inflate: ReturnType<typeof createInflateRaw>,
  chunks: AsyncIterable<Buffer>,
): Promise<void> {
  try {
    for await (const chunk of chunks) {
      if (inflate.destroyed || inflate.readableEnded) return;
      await new Promise<void>((resolve) => {
        inflate.once('close', resolve);
        inflate.write(chunk, () => {
          inflate.removeListener('close', resolve);
          resolve();
        });
      });
    }
    inflate.end();
  } catch (error) {
    inflate.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Yields chunks in one shared buffer. Each is valid until the next one is requested. */
async function* readChunks(
  source: ByteSource,
  entry: Entry,
  buffers: LaneBuffers,
): AsyncGenerator<Buffer> {
  for (let at = 0; at < entry.compressed_bytes; at += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, entry.compressed_bytes - at);
    yield await read(source, entry, { at, length, buffer: buffers.input });
  }
}

/** `at` is relative to the data of the entry. */
type Piece = {
  readonly at: number;
  readonly length: number;
  readonly buffer: LaneBuffers['input'];
};

async function read(source: ByteSource, entry: Entry, piece: Piece): Promise<Buffer> {
  try {
    return await source.read(entry.data_offset + piece.at, piece.length, piece.buffer);
  } catch (error) {
    if (!(error instanceof ShortReadError)) throw error;
    throw fault(entry, { code: 'zip_malformed', rule: 'bounds', what: 'is cut off.' });
  }
}

function verify(entry: Entry, length: number, crc: number): void {
  if (length > entry.bytes) throw tooLong(entry);
  if (length < entry.bytes) {
    const what = `has ${length} bytes; ${entry.bytes} are declared.`;
    throw fault(entry, { code: 'zip_size_mismatch', rule: 'size_short', what });
  }
  if (crc === entry.crc32) return;
  const what = `has the CRC-32 ${hex(crc)}; ${hex(entry.crc32)} is declared.`;
  const hint = 'The ZIP is damaged. Create or upload it again.';
  throw fault(entry, { code: 'zip_crc_mismatch', rule: 'crc', what, hint });
}

function hex(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

function inflateError(entry: Entry, error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLong(entry);
  if (code === 'Z_BUF_ERROR') {
    const what = 'has compressed data without an end.';
    return fault(entry, { code: 'zip_malformed', rule: 'deflate_unfinished', what });
  }
  if (code === 'Z_DATA_ERROR' || code === 'Z_NEED_DICT') {
    const what = 'has compressed data that is not valid Deflate.';
    return fault(entry, { code: 'zip_malformed', rule: 'deflate_invalid', what });
  }
  return error;
}

function tooLong(entry: Entry): BuildError {
  const what = `has more than the declared ${entry.bytes} bytes.`;
  return fault(entry, { code: 'zip_size_mismatch', rule: 'size_long', what });
}

function secondEnd(entry: Entry): BuildError {
  const what = 'contains bytes that some readers take for its end.';
  const hint = 'Create the ZIP again with a common tool, or publish the folder.';
  return fault(entry, { code: 'zip_ambiguous', rule: 'second_end', what, hint });
}

function trailing(entry: Entry): BuildError {
  const what = 'has bytes after the end of its compressed data.';
  return fault(entry, { code: 'zip_size_mismatch', rule: 'deflate_trailing', what });
}

function fault(entry: Entry, about: EntryFault): BuildError {
  return new BuildError([entryFinding(entry.name, about)]);
}
