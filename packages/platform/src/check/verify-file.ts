// Verifies the bytes of a stored file.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import { readChunks } from '@svc/delivery';
import { BuildError, extractEntries, readArchive } from '@svc/game-build';
import { failure } from '../failure.ts';
import type { FileStore, OpenFile } from '../files/file-store.ts';
import type { Spool } from '../files/spool.ts';
import { asStorageFailure } from '../files/storage-error.ts';
import type { ExpectedFile, Proof } from './expected-files.ts';
import { openIfThere, UnreadableFileError } from './read-stored.ts';

/** A ZIP was accepted when it was published, maybe with other limits than today's. */
const NO_LIMITS = {
  zip_bytes: Number.MAX_SAFE_INTEGER,
  expanded_bytes: Number.MAX_SAFE_INTEGER,
  file_bytes: Number.MAX_SAFE_INTEGER,
  files: 1_000_000,
  path_bytes: 65_535,
  path_levels: 65_535,
};

type Stores = { readonly files: FileStore; readonly spool: Spool };

/** What is wrong with a file. `damaged`: its size or its content is wrong, or it cannot be read. `reason` says why it cannot. */
export type Fault = {
  readonly kind: 'missing' | 'damaged';
  readonly reason: string | null;
};

/** Verifies the size of a file and, unless `sizesOnly`, its bytes. Returns null if it is as expected. */
export async function verifyFile(
  stores: Stores,
  expected: ExpectedFile,
  sizesOnly: boolean,
): Promise<Fault | null> {
  try {
    return await verify(stores, expected, sizesOnly);
  } catch (error) {
    if (error instanceof UnreadableFileError) return { kind: 'damaged', reason: error.message };
    throw asSpoolFailure(error);
  }
}

async function verify(
  stores: Stores,
  { key, bytes, proof }: ExpectedFile,
  sizesOnly: boolean,
): Promise<Fault | null> {
  const file = await openIfThere(stores.files, key);
  if (file === null) return { kind: 'missing', reason: null };
  try {
    const isExpected = bytes === null || file.bytes === bytes;
    const isUnhashed = proof.kind === 'media' && proof.hash === null;
    const isSizeOnly = sizesOnly || isUnhashed;
    const isWhole = isExpected && (isSizeOnly || (await verifyBytes(stores, file, proof)));
    return isWhole ? null : { kind: 'damaged', reason: null };
  } finally {
    await file.close();
  }
}

/** Converts a full disk of the spool to `storage_full`. Returns all other errors unchanged. The store converts its own. */
export function asSpoolFailure(error: unknown): unknown {
  if (asStorageFailure(error) === error) return error;
  const message =
    'Cannot unpack a stored ZIP: the disk for temporary files is full. Free space, or name another folder with SVC_SPOOL_DIR';
  return failure('storage_full', message, { cause: error });
}

/** Verifies the bytes of an open file. */
async function verifyBytes({ spool }: Stores, file: OpenFile, proof: Proof): Promise<boolean> {
  if (proof.kind === 'content') {
    const { content, coding } = proof;
    return (await hashOf(file, coding)) === content.hash;
  }
  if (proof.kind === 'media') return (await hashOf(file, null)) === proof.hash;
  await using folder = await spool.openFolder();
  const path = folder.newFile();
  await copyToDisk(file, path);
  return (await digestOf(path)) === proof.digest;
}

/** Copies an open file to a new local file. */
export async function copyToDisk(file: OpenFile, path: string): Promise<void> {
  await using target = await open(path, 'wx', 0o600);
  for await (const chunk of readChunks(file, 0, file.bytes)) await target.writeFile(chunk);
}

/** Returns the digest of the build in a ZIP; null if it is not a valid build. */
export async function digestOf(path: string): Promise<string | null> {
  try {
    await using archive = await readArchive(path, NO_LIMITS);
    return (await extractEntries(archive, null)).digest;
  } catch (error) {
    if (error instanceof BuildError) return null;
    throw error;
  }
}

/** Opens a ZIP of the store for extraction. Throws a `BuildError` if it is damaged. */
export function readStoredArchive(path: string): ReturnType<typeof readArchive> {
  return readArchive(path, NO_LIMITS);
}

/** Returns the SHA-256 of what the file contains, or null if it cannot be decoded. */
async function hashOf(file: OpenFile, coding: 'gzip' | 'br' | null): Promise<string | null> {
  const hash = createHash('sha256');
  const source = Readable.from(readChunks(file, 0, file.bytes), { objectMode: false });
  if (coding === null) {
    await pipeline(source, hash);
    return hash.digest('hex');
  }
  const decoder = coding === 'br' ? zlib.createBrotliDecompress() : zlib.createGunzip();
  try {
    await pipeline(source, decoder, hash);
  } catch (error) {
    if (
      error instanceof Error &&
      'code' in error &&
      /^(?:Z_|ERR__?ERROR_)/.test(String(error.code))
    )
      return null;
    throw error;
  }
  return hash.digest('hex');
}
