// The file store of projects: the operations of an object store, on a folder. Keys begin with the project's id.
import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { failure } from '../failure.ts';

const POSTGRES_DISK_FULL = '53100';
const SQLITE_FULL = 13;
/** Disks handle several syncs at once. Each occupies a thread of the pool (bin/svc-platform.mjs sets its size). */
const SYNCS_AT_ONCE = 6;

/** A stored file, open for reading at any position. */
export type OpenFile = {
  readonly bytes: number;
  /** Reads from `position` into the buffer. Returns the number of bytes read. */
  read(buffer: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
};

/** Files that are stored together: durable after `settle`, removed by `undo`. */
export type Batch = {
  /**
   * Syncs a completely written file and stores it under the key, in the background. The batch removes the given file. A
   * file that already has the key is kept. Throws the error of an earlier file.
   */
  put(key: string, writtenFile: string): Promise<void>;
  /** Resolves when all files are stored durably, even if the power fails. Throws if one could not be stored. */
  settle(): Promise<void>;
  /** Waits for work in progress, then removes the files that this batch added. */
  undo(): Promise<void>;
};

export type FileStore = {
  startBatch(): Batch;
  /** Opens a file. Throws an error for which `isMissingFile` is true if there is none. */
  open(key: string): Promise<OpenFile>;
  /** Returns the keys in the folder; an empty list if there is no such folder. */
  list(folder: string): Promise<string[]>;
  remove(key: string): Promise<void>;
  removeFolder(folder: string): Promise<void>;
};

/** Returns the key of a content of a project, or of its compressed variant. */
export function contentKey(gameId: string, hash: string, variant: '' | 'gzip' | 'br' = ''): string {
  return `${gameId}/files/${hash}${variant === '' ? '' : `.${variant}`}`;
}

/** Returns the key of the uploaded ZIP of a release. */
export function buildKey(gameId: string, releaseId: string): string {
  return `${gameId}/builds/${releaseId}.zip`;
}

/** Returns the key of an image, of one of its variants, or of a trailer. */
export function mediaKey(gameId: string, file: string): string {
  return `${gameId}/media/${file}`;
}

/** Creates a store in a folder. It links complete files to their names, so that a name never means a partial file. */
export function createFolderStore(root: string): FileStore {
  const place = (key: string): string => join(root, key);
  return {
    startBatch: () => startBatch(place),
    open: (key) => openFile(place(key)),
    async list(folder) {
      const names = await readdir(place(folder)).catch(ignoreMissing<string[]>([]));
      return names.map((name) => `${folder}/${name}`);
    },
    remove: (key) => unlink(place(key)).catch(ignoreMissing(undefined)),
    removeFolder: (folder) => rm(place(folder), { recursive: true, force: true }),
  };
}

function startBatch(place: (key: string) => string): Batch {
  const added = new Set<string>();
  const folders = new Set<string>();
  const lanes = startLanes(SYNCS_AT_ONCE);
  const keep = async (target: string, file: string): Promise<void> => {
    await syncFile(file);
    try {
      await link(file, target);
      added.add(target);
      folders.add(dirname(target));
    } catch (error) {
      if (!isErrno(error, 'EEXIST')) throw asStorageFailure(error);
    }
    await unlink(file);
  };
  return {
    async put(key, writtenFile) {
      const target = place(key);
      await makeFolder(dirname(target), folders);
      lanes.add(() => keep(target, writtenFile));
    },
    async settle() {
      await lanes.finish();
      await Promise.all([...folders].map(syncFolder));
      folders.clear();
    },
    async undo() {
      await lanes.finish().catch(() => {});
      for (const name of added) await unlink(name).catch(ignoreMissing(undefined));
      added.clear();
    },
  };
}

type Lanes = {
  /** Queues the step. Throws if an earlier step has failed; then no more steps run. */
  add(step: () => Promise<void>): void;
  /** Waits for all steps. Throws the error of the first step that failed. */
  finish(): Promise<void>;
};

function startLanes(count: number): Lanes {
  const lanes = Array.from({ length: count }, () => Promise.resolve());
  let failed: { readonly error: unknown } | null = null;
  let next = 0;
  const throwFailure = (): void => {
    if (failed !== null) throw failed.error;
  };
  return {
    add(step) {
      throwFailure();
      const lane = next++ % count;
      lanes[lane] = (lanes[lane] ?? Promise.resolve())
        .then(() => (failed === null ? step() : undefined))
        .catch((error: unknown) => {
          failed ??= { error };
        });
    },
    async finish() {
      await Promise.all(lanes);
      throwFailure();
    },
  };
}

async function makeFolder(folder: string, folders: Set<string>): Promise<void> {
  if (folders.has(folder)) return;
  const first = await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw asStorageFailure(error);
  });
  if (first === undefined) return;
  // The parents contain the names of new folders, so they are synced too.
  for (let made = folder; made.length >= first.length; made = dirname(made))
    folders.add(dirname(made));
}

/** Syncs a written file to the disk. */
export async function syncFile(path: string): Promise<void> {
  await syncPath(path, 'r+');
}

async function syncFolder(folder: string): Promise<void> {
  await syncPath(folder, constants.O_RDONLY);
}

async function syncPath(path: string, flags: 'r+' | number): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } catch (error) {
    throw asStorageFailure(error);
  } finally {
    await handle.close();
  }
}

async function openFile(path: string): Promise<OpenFile> {
  const handle: FileHandle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    return {
      bytes: size,
      read: async (buffer, position) =>
        (await handle.read(buffer, 0, buffer.byteLength, position)).bytesRead,
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Returns whether a file could not be opened because it does not exist. */
export function isMissingFile(error: unknown): boolean {
  return isErrno(error, 'ENOENT');
}

/** Converts errors about a full disk to `storage_full`. Returns all other errors unchanged. */
export function asStorageFailure(thrown: unknown): unknown {
  // If closing failed too, the first error is the cause.
  const error = thrown instanceof SuppressedError ? firstFailure(thrown) : thrown;
  const isFull =
    ['ENOSPC', 'EDQUOT', 'EFBIG', POSTGRES_DISK_FULL].some((code) => isErrno(error, code)) ||
    isSqliteFull(error);
  return isFull
    ? failure('storage_full', 'Cannot store the files: the server has no disk space left', {
        cause: error,
      })
    : error;
}

function firstFailure(error: SuppressedError): unknown {
  return error.suppressed instanceof SuppressedError
    ? firstFailure(error.suppressed)
    : error.suppressed;
}

function isSqliteFull(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'errcode' in error &&
    error.errcode === SQLITE_FULL
  );
}

function isErrno(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

function ignoreMissing<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (isErrno(error, 'ENOENT')) return value;
    throw error;
  };
}
