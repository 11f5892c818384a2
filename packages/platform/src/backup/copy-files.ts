// Copies files of the platform to the target of a backup. Each is verified on the way.
import { createHash } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { readChunks } from '@svc/delivery';
import type { ExpectedFile } from '../check/expected-files.ts';
import { openIfThere, UnreadableFileError } from '../check/read-stored.ts';
import { verifyFile } from '../check/verify-file.ts';
import type { Batch, FileStore } from '../files/file-store.ts';
import { createFolderStore } from '../files/folder-store.ts';
import { startLanes } from '../files/lanes.ts';
import { settleBatch } from '../files/settle-batch.ts';
import type { SpoolFolder } from '../files/spool.ts';
import { writeStream } from '../files/write-stream.ts';
import type { Platform } from '../platform.ts';
import { hashed } from './dump-tables.ts';
import { type BackedUpFile, type Earlier, hasPart } from './find-files.ts';
import { keyOfPart } from './parts.ts';
import type { Seal } from './sealing.ts';

const FILES_AT_ONCE = 4;
/** The spool has at most the files of one group, whose size ends with the file that exceeds this. */
const GROUP_FILES = 64;
const GROUP_BYTES = 256 * 1024 * 1024;

type CopyContext = Pick<Platform, 'files' | 'spool'>;

type CopyOptions = {
  readonly earlier: Earlier;
  readonly seal: Seal | null;
  readonly signal: AbortSignal;
  readonly onLost: (fault: 'missing' | 'damaged', key: string) => void;
};

/** The files that are in the target now, and the keys of those that are missing or damaged. */
type Copy = {
  readonly files: BackedUpFile[];
  readonly lost: string[];
  copied: number;
  copiedBytes: number;
};

/** Copies the files whose contents the target lacks. They are durable when it returns. */
export async function copyFiles(
  context: CopyContext,
  target: FileStore,
  wanted: readonly ExpectedFile[],
  options: CopyOptions,
): Promise<Copy> {
  const copy: Copy = { files: [], lost: [], copied: 0, copiedBytes: 0 };
  const begun = new Set<string>();
  for (const group of inGroups(wanted)) {
    await using folder = await context.spool.openFolder();
    const batch = target.startBatch();
    const lanes = startLanes(FILES_AT_ONCE);
    try {
      for (const file of group) {
        lanes.add(async () => {
          options.signal.throwIfAborted();
          await copyFile({ context, target, batch, folder, begun, copy, options }, file);
        });
      }
      await lanes.finish();
      await settleBatch(batch, options.signal);
    } finally {
      await lanes.stop();
      await batch.stop();
    }
  }
  return copy;
}

function* inGroups(files: readonly ExpectedFile[]): Generator<ExpectedFile[]> {
  let group: ExpectedFile[] = [];
  let bytes = 0;
  for (const file of files) {
    group.push(file);
    bytes += file.bytes ?? 0;
    if (group.length < GROUP_FILES && bytes < GROUP_BYTES) continue;
    yield group;
    group = [];
    bytes = 0;
  }
  if (group.length > 0) yield group;
}

type Work = {
  readonly context: CopyContext;
  readonly target: FileStore;
  readonly batch: Batch;
  readonly folder: SpoolFolder;
  /** The keys of the parts that this backup stores. */
  readonly begun: Set<string>;
  readonly copy: Copy;
  readonly options: CopyOptions;
};

async function copyFile(work: Work, expected: ExpectedFile): Promise<void> {
  const { target, batch, folder, begun, copy } = work;
  const { earlier, seal, onLost } = work.options;
  const path = folder.newFile();
  const read = await readVerified(work, expected, path);
  if (typeof read === 'string') {
    copy.lost.push(expected.key);
    onLost(read, expected.key);
    return;
  }
  copy.files.push(read);
  const [, hash, bytes] = read;
  const key = keyOfPart({ folder: 'contents', hash }, seal?.name ?? null);
  if (begun.has(key) || hasPart(read, earlier)) {
    await unlink(path);
    return;
  }
  begun.add(key);
  copy.copied++;
  copy.copiedBytes += bytes;
  // One that was cut short is replaced.
  if (earlier.parts.has(key)) await target.remove([key]);
  if (seal === null) {
    await batch.put(key, path);
    return;
  }
  const sealed = folder.newFile();
  await seal.encrypt(path, sealed);
  await unlink(path);
  await batch.put(key, sealed);
}

/** Copies a file to a local path. Returns what is wrong with it, if it is not as it was stored. */
async function readVerified(
  { context: { files, spool }, folder }: Work,
  expected: ExpectedFile,
  path: string,
): Promise<BackedUpFile | 'missing' | 'damaged'> {
  try {
    const file = await openIfThere(files, expected.key);
    if (file === null) return 'missing';
    const hash = createHash('sha256');
    await writeStream(hashed(readChunks(file, 0, file.bytes), hash), path, () => {});
    const copies = createFolderStore(folder.path);
    const local = { files: { ...copies, open: () => copies.open(nameOf(folder, path)) }, spool };
    const fault = await verifyFile(local, expected, false);
    return fault === null ? [expected.key, hash.digest('hex'), file.bytes] : fault.kind;
  } catch (error) {
    if (error instanceof UnreadableFileError) return 'damaged';
    throw error;
  }
}

function nameOf(folder: SpoolFolder, path: string): string {
  return path.slice(folder.path.length + 1);
}
