// Where the files of projects are kept: an object store's abilities, on a folder. Keys begin with the project's id.
import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { failure } from '../failure.ts';

const POSTGRES_DISK_FULL = '53100';
const SQLITE_FULL = 13;
/** Disks take several syncs at once; each waits in a thread of the pool (bin/svc-platform.mjs sets its size). */
const SYNCS_AT_ONCE = 6;

/** A kept file, open for reading at any place. */
export type OpenFile = {
  readonly bytes: number;
  /** Reads into the buffer from `position`; how many bytes were there. */
  read(buffer: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
};

/** Files that are put together: durable once settled, taken back where that is not to be. */
export type Batch = {
  /**
   * Takes a file that is written whole: syncs it and keeps it under the key, beside what the caller does next. The given
   * name is the batch's from now on. What is there already stays. Throws what an earlier one failed with.
   */
  put(key: string, writtenFile: string): Promise<void>;
  /** When this is done, all that was put survives a power cut. Throws where one could not be kept. */
  settle(): Promise<void>;
  /** Removes what this batch brought, after what is under way. */
  undo(): Promise<void>;
};

export type FileStore = {
  startBatch(): Batch;
  /** Opens a file. Throws what `isMissingFile` tells where there is none. */
  open(key: string): Promise<OpenFile>;
  /** Keys that begin with the folder's name; none where there is no such folder. */
  list(folder: string): Promise<string[]>;
  remove(key: string): Promise<void>;
  removeFolder(folder: string): Promise<void>;
};

/** Key of a content of a project, or of its variant for delivery. */
export function contentKey(gameId: string, hash: string, variant: '' | 'gzip' | 'br' = ''): string {
  return `${gameId}/files/${hash}${variant === '' ? '' : `.${variant}`}`;
}

/** Key of the ZIP of a release, as it was uploaded. */
export function buildKey(gameId: string, releaseId: string): string {
  return `${gameId}/builds/${releaseId}.zip`;
}

/** Key of an image, of one of its variants, or of a trailer. */
export function mediaKey(gameId: string, file: string): string {
  return `${gameId}/media/${file}`;
}

/** A store in a folder. Files arrive by link, so that a name always stands for a whole file, and folders are synced. */
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
  const brought = new Set<string>();
  const folders = new Set<string>();
  const lanes = startLanes(SYNCS_AT_ONCE);
  const keep = async (target: string, file: string): Promise<void> => {
    await syncFile(file);
    try {
      await link(file, target);
      brought.add(target);
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
      for (const name of brought) await unlink(name).catch(ignoreMissing(undefined));
      brought.clear();
    },
  };
}

type Lanes = {
  /** Lets the step run in its turn. Throws where an earlier one has failed; nothing more runs then. */
  add(step: () => Promise<void>): void;
  /** Waits for all steps. Throws what the first failed one threw. */
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
  // The names of new folders stand in their parents.
  for (let made = folder; made.length >= first.length; made = dirname(made))
    folders.add(dirname(made));
}

/** Makes a written file survive a power cut. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } catch (error) {
    throw asStorageFailure(error);
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
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

/** Whether a file could not be opened because there is none under the key, or none any more. */
export function isMissingFile(error: unknown): boolean {
  return isErrno(error, 'ENOENT');
}

/** The error as one of the contract where the disk is full, else as it is. */
export function asStorageFailure(thrown: unknown): unknown {
  // Where closing failed too, what came first tells why.
  const error = thrown instanceof SuppressedError ? firstFailure(thrown) : thrown;
  const isFull =
    ['ENOSPC', 'EDQUOT', 'EFBIG', POSTGRES_DISK_FULL].some((code) => isErrno(error, code)) ||
    isSqliteFull(error);
  return isFull
    ? failure('storage_full', 'Cannot keep the files: the server has no room left', {
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
