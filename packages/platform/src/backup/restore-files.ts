// Restores the files of a backup to the file store of the platform.
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { readChunks } from '@svc/delivery';
import { openIfThere, UnreadableFileError } from '../check/read-stored.ts';
import type { Batch, FileStore } from '../files/file-store.ts';
import { startLanes } from '../files/lanes.ts';
import { settleBatch } from '../files/settle-batch.ts';
import type { Spool, SpoolFolder } from '../files/spool.ts';
import { writeStream } from '../files/write-stream.ts';
import { BackupFault } from './backup-fault.ts';
import type { BackedUpFile } from './find-files.ts';
import type { ReadPart } from './parts.ts';
import type { Snapshot } from './snapshot.ts';

const FILES_AT_ONCE = 4;
/** The spool has at most the files of one group. */
const GROUP_FILES = 64;

type RestoredFiles = { stored: number; kept: number; faults: number };

type Options = { readonly signal: AbortSignal; readonly onFault: (line: string) => void };

/** Stores the files that the store lacks. Existing ones with the same content are kept, others are replaced. */
export async function restoreFiles(
  { files, spool }: { readonly files: FileStore; readonly spool: Spool },
  snapshot: Snapshot,
  readPart: ReadPart,
  { signal, onFault }: Options,
): Promise<RestoredFiles> {
  const sum: RestoredFiles = { stored: 0, kept: 0, faults: 0 };
  for (let start = 0; start < snapshot.files.length; start += GROUP_FILES) {
    await using folder = await spool.openFolder();
    const batch = files.startBatch();
    const replacements: Replacement[] = [];
    const lanes = startLanes(FILES_AT_ONCE);
    try {
      for (const file of snapshot.files.slice(start, start + GROUP_FILES)) {
        lanes.add(async () => {
          signal.throwIfAborted();
          try {
            const outcome = await restoreFile(
              { files, batch, replacements, folder, readPart },
              file,
            );
            sum[outcome]++;
          } catch (error) {
            if (!(error instanceof BackupFault)) throw error;
            sum.faults++;
            onFault(`${error.message}: the file "${file[0]}" cannot be restored`);
          }
        });
      }
      await lanes.finish();
      await settleBatch(batch, signal);
      // Only now: a removal also removes an empty folder, in which the batch may just store another file.
      await files.remove(replacements.map(({ key }) => key));
      for (const { key, path } of replacements) await batch.put(key, path);
      await settleBatch(batch, signal);
    } finally {
      await lanes.stop();
      await batch.stop();
    }
  }
  return sum;
}

/** The local copy of a file whose stored one has another content. */
type Replacement = { readonly key: string; readonly path: string };

type Place = {
  readonly files: FileStore;
  readonly batch: Batch;
  readonly replacements: Replacement[];
  readonly folder: SpoolFolder;
  readonly readPart: ReadPart;
};

async function restoreFile(
  { files, batch, replacements, folder, readPart }: Place,
  [key, hash, bytes]: BackedUpFile,
): Promise<'kept' | 'stored'> {
  const found = await hashOfStored(files, key);
  if (found === hash) return 'kept';
  const path = folder.newFile();
  const part = readPart({ folder: 'contents', hash, bytes });
  try {
    await writeStream(part, path, () => {});
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  if (found === null) await batch.put(key, path);
  else replacements.push({ key, path });
  return 'stored';
}

/** Returns the SHA-256 of a stored file. Null if there is none, and an empty text if it cannot be read. */
async function hashOfStored(files: FileStore, key: string): Promise<string | null> {
  try {
    const file = await openIfThere(files, key);
    if (file === null) return null;
    const hash = createHash('sha256');
    for await (const chunk of readChunks(file, 0, file.bytes)) hash.update(chunk);
    return hash.digest('hex');
  } catch (error) {
    if (error instanceof UnreadableFileError) return '';
    throw error;
  }
}
