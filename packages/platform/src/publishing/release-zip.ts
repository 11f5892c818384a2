// Makes the ZIP of a release whose ZIP is not stored, from its contents. A content with a gzip variant is taken from that: it has
// the same Deflate data and CRC-32 as an entry of a ZIP (RFC 1952, 2.3).
import { crc32 } from 'node:zlib';
import { readChunks } from '@svc/delivery';
import { writeZip, type ZippedData, type ZippedFile } from '@svc/game-build';
import type { ManifestFile } from '../database/manifest.ts';
import type { FileStore } from '../files/file-store.ts';
import { contentKey } from '../files/keys.ts';

/** The header that zlib writes, without a name. */
const GZIP_HEAD_BYTES = 10;
/** CRC-32 and size. */
const GZIP_TAIL_BYTES = 8;

/** Returns the entry of a file. */
export function zippedFile({
  path,
  bytes,
  gzip_bytes,
}: Pick<ManifestFile, 'path' | 'bytes' | 'gzip_bytes'>): ZippedFile {
  if (gzip_bytes === null) return { path, bytes, method: 0, dataBytes: bytes };
  const dataBytes = gzip_bytes - GZIP_HEAD_BYTES - GZIP_TAIL_BYTES;
  return { path, bytes, method: 8, dataBytes };
}

/** Yields the ZIP with the files of a release. */
export function zipRelease(
  store: FileStore,
  gameId: string,
  files: readonly ManifestFile[],
): AsyncGenerator<Uint8Array> {
  return writeZip(zippedFiles(store, gameId, files));
}

/** Yields the entries of the files of a release. Their contents are read when they are written. */
export async function* zippedFiles(
  store: FileStore,
  gameId: string,
  files: readonly ManifestFile[],
): AsyncGenerator<ZippedData> {
  for (const file of files) {
    const entry = zippedFile(file);
    const isDeflated = entry.method === 8;
    const key = contentKey(gameId, file, isDeflated ? 'gzip' : '');
    const start = isDeflated ? GZIP_HEAD_BYTES : 0;
    yield {
      ...entry,
      crc32: isDeflated ? await crcOfGzip(store, key) : await crcOfFile(store, key),
      data: readRange(store, key, start, entry.dataBytes),
    };
  }
}

async function* readRange(
  store: FileStore,
  key: string,
  start: number,
  bytes: number,
): AsyncGenerator<Buffer> {
  yield* readChunks(await store.open(key), start, bytes);
}

async function crcOfGzip(store: FileStore, key: string): Promise<number> {
  const file = await store.open(key);
  const start = file.bytes - GZIP_TAIL_BYTES;
  const tail: Buffer[] = [];
  for await (const chunk of readChunks(file, start, GZIP_TAIL_BYTES)) tail.push(chunk);
  return Buffer.concat(tail).readUInt32LE(0);
}

/** Reads the whole file, because its CRC-32 comes before it in the ZIP. */
async function crcOfFile(store: FileStore, key: string): Promise<number> {
  const file = await store.open(key);
  let crc = 0;
  for await (const chunk of readChunks(file, 0, file.bytes)) crc = crc32(chunk, crc);
  return crc;
}
