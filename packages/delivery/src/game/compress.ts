// The compressed forms of a file: which files have them, and how they are made.
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import type { BuildFile } from '@svc/game-build';

export type Coding = 'gzip' | 'br';

const FILE_MODE = 0o600;
/** Compressing smaller files saves no network packet. */
const COMPRESS_FROM_BYTES = 512;
/** A compressed form is used if it has at most this share of the original size. */
const WORTH = 0.9;
/** Quality 5 compresses 30–40 MB/s on one core. Quality 11 takes about 60 times as long. */
const BROTLI_QUALITY = 5;
const GZIP_LEVEL = 6;

/** Returns whether compressed forms of a file are made. A form that saves too little is still not used. */
export function isCompressed({
  compressible,
  bytes,
}: Pick<BuildFile, 'compressible' | 'bytes'>): boolean {
  return compressible && bytes >= COMPRESS_FROM_BYTES;
}

/** Returns the largest size of a compressed form that is used for a file of `bytes`. */
export function largestUseful(bytes: number): number {
  return Math.floor(bytes * WORTH);
}

/** Compresses bytes in memory. Returns null if that saves too little. */
export async function compressBytes(bytes: Buffer, coding: Coding): Promise<Buffer | null> {
  const compressed =
    coding === 'gzip'
      ? await gzip(bytes, { level: GZIP_LEVEL })
      : await brotli(bytes, brotliOptions(bytes.length));
  return compressed.length > largestUseful(bytes.length) ? null : compressed;
}

/** Compresses the file `source` into the file `target`. Returns the size of the target in bytes; null if it saves too little. */
export async function compressFile(
  source: string,
  target: string,
  coding: Coding,
): Promise<number | null> {
  const output = createWriteStream(target, { mode: FILE_MODE });
  await pipeline(createReadStream(source), compressor(coding), output);
  const [before, after] = await Promise.all([stat(source), stat(target)]);
  return after.size > largestUseful(before.size) ? null : after.size;
}

const gzip = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gzip);
const brotli = promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);

/** Returns a stream that compresses. */
export function compressor(coding: Coding): Transform {
  return coding === 'gzip'
    ? zlib.createGzip({ level: GZIP_LEVEL })
    : zlib.createBrotliCompress(brotliOptions(0));
}

function brotliOptions(bytes: number): zlib.BrotliOptions {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants;
  return { params: { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes } };
}
