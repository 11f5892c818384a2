// The parts of backups in the target: contents of files and dumps of tables, each stored once under its hash.
import { createHash } from 'node:crypto';
import { readChunks } from '@svc/delivery';
import type { FileStore } from '../files/file-store.ts';
import { MissingFileError } from '../files/storage-error.ts';
import { BackupFault } from './backup-fault.ts';
import type { Unseal } from './sealing.ts';
import type { Snapshot } from './snapshot.ts';

/** The folders of the two kinds of parts. */
export const PART_FOLDERS = ['contents', 'tables'] as const;

/** A part: its kind, the SHA-256 of its bytes before they are encrypted, and their number. */
export type Part = {
  readonly folder: (typeof PART_FOLDERS)[number];
  readonly hash: string;
  readonly bytes: number;
};

/** Returns the key of a part in the target. `recipients` is the name of the seal, or null. */
export function keyOfPart(
  { folder, hash }: Omit<Part, 'bytes'>,
  recipients: string | null,
): string {
  const ending = recipients === null ? '' : `.${recipients}.age`;
  return `${folder}/${hash.slice(0, 2)}/${hash}${ending}`;
}

/** A part, or the remainder of one that a killed command has copied from another disk. */
const PART_KEY =
  /^[a-z]+\/([0-9a-f]{2})\/\1[0-9a-f]{62}(?:\.[0-9a-f]{16}\.age)?(?:\.[0-9a-f-]{36}\.copy)?$/;

/** Returns whether a backup may have stored the file. The target may have files of others. */
export function isPartKey(key: string): boolean {
  return PART_KEY.test(key);
}

/** Returns the parts that a snapshot needs by their keys in the target. */
export function partsOf({ tables, files, recipients }: Snapshot): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>();
  const add = (part: Part): void => void parts.set(keyOfPart(part, recipients), part);
  for (const { hash, bytes } of tables) add({ folder: 'tables', hash, bytes });
  for (const [, hash, bytes] of files) add({ folder: 'contents', hash, bytes });
  return parts;
}

/** Reads a part. Throws a {@link BackupFault} that names it if it is missing or damaged, for the latter at its end. */
export type ReadPart = (part: Part) => AsyncIterable<Buffer>;

/** Creates the reader of the parts of a snapshot. Throws if they are encrypted and there is no identity. */
export function createPartReader(
  target: FileStore,
  { id, recipients }: Pick<Snapshot, 'id' | 'recipients'>,
  unseal: Unseal | null,
): ReadPart {
  if (recipients !== null && unseal === null) {
    throw new Error(
      `The backup "${id}" is encrypted. Name the file of an identity with --identity`,
    );
  }
  const open = recipients === null || unseal === null ? (stored: Stored) => stored : unseal;
  return async function* readPart(part) {
    const key = keyOfPart(part, recipients);
    const hash = createHash('sha256');
    let bytes = 0;
    try {
      for await (const chunk of open(readStored(target, key))) {
        bytes += chunk.length;
        if (bytes > part.bytes) throw new BackupFault('it is too long');
        hash.update(chunk);
        yield chunk;
      }
    } catch (error) {
      if (error instanceof BackupFault) throw damaged(key, error);
      throw error;
    }
    if (hash.digest('hex') !== part.hash) throw damaged(key);
  };
}

type Stored = AsyncIterable<Buffer>;

async function* readStored(target: FileStore, key: string): AsyncGenerator<Buffer> {
  try {
    const file = await target.open(key);
    yield* readChunks(file, 0, file.bytes);
  } catch (error) {
    if (error instanceof MissingFileError) throw new BackupFault('it is missing', { cause: error });
    throw error;
  }
}

function damaged(key: string, cause?: BackupFault): BackupFault {
  const what = cause?.cause instanceof MissingFileError ? 'missing' : 'damaged';
  return new BackupFault(`The part "${key}" of the backup is ${what}`, { cause });
}
