// The file store in a local folder.
import { randomUUID } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import {
  access,
  copyFile,
  type FileHandle,
  link,
  mkdir,
  open,
  opendir,
  readdir,
  rm,
  rmdir,
  stat,
  unlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Batch, FileStore, OpenFile, StoredFile } from './file-store.ts';
import { startLanes } from './lanes.ts';
import { asStorageFailure, isErrno, MissingFileError } from './storage-error.ts';
import { syncFile, syncFolder } from './sync-path.ts';

/** Disks handle several syncs at once. Each occupies a thread of the pool (bin/svc-platform.mjs sets its size). */
const SYNCS_AT_ONCE = 6;
const FILES_AT_ONCE = 64;

/** Creates a store in a folder. It links complete files to their names, so that a name never means a partial file. */
export function createFolderStore(root: string): FileStore {
  const pathOf = (key: string): string => join(root, key);
  return {
    startBatch: () => startBatch(pathOf),
    async create(key, writtenFile) {
      const target = pathOf(key);
      const folders = new Set<string>();
      await makeFolder(dirname(target), folders);
      await syncFile(writtenFile);
      const stored = await linkNew(writtenFile, target);
      await Promise.all([dirname(target), ...folders].map(syncFolder));
      return stored;
    },
    async stage(key, writtenFile) {
      const target = pathOf(key);
      await makeFolder(dirname(target), new Set());
      return linkNew(writtenFile, target);
    },
    open: (key) => openFile(key, pathOf(key)),
    list: (folder) => listFiles(root, folder),
    folders: () => listFolders(root),
    async remove(keys) {
      for (const group of inGroups(keys, FILES_AT_ONCE)) {
        await Promise.all(group.map((key) => unlink(pathOf(key)).catch(ignoreMissing)));
      }
      const emptied = new Set(keys.map((key) => dirname(pathOf(key))));
      // Not an error if a folder still contains files.
      for (const folder of emptied) await rmdir(folder).catch(() => {});
    },
    removeFolder: (folder) => rm(pathOf(folder), { recursive: true, force: true }),
    downloadUrl: async () => null,
    ready: () => access(root, constants.R_OK | constants.W_OK),
  };
}

function startBatch(pathOf: (key: string) => string): Batch {
  const folders = new Set<string>();
  const lanes = startLanes(SYNCS_AT_ONCE);
  const keep = async (target: string, file: string): Promise<void> => {
    await syncFile(file);
    await linkNew(file, target);
    folders.add(dirname(target));
    await unlink(file);
  };
  return {
    async put(key, writtenFile) {
      const target = pathOf(key);
      await makeFolder(dirname(target), folders);
      lanes.add(() => keep(target, writtenFile));
    },
    async settle() {
      await lanes.finish();
      await Promise.all([...folders].map(syncFolder));
      folders.clear();
    },
    stop: () => lanes.stop(),
  };
}

/** Gives the file a second name in the store. Returns false if that name exists. */
async function linkNew(file: string, target: string): Promise<boolean> {
  try {
    await link(file, target);
    return true;
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    if (isErrno(error, 'EXDEV')) return copyNew(file, target);
    throw asStorageFailure(error);
  }
}

/** As `linkNew`, for a file on another disk. */
async function copyNew(file: string, target: string): Promise<boolean> {
  // Another process may copy to the same name now. It must not change a copy that is already linked.
  const copy = `${target}.${randomUUID()}.copy`;
  try {
    await copyFile(file, copy);
    await syncFile(copy);
    await link(copy, target);
    return true;
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw asStorageFailure(error);
  } finally {
    await rm(copy, { force: true });
  }
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

async function openFile(key: string, path: string): Promise<OpenFile> {
  const handle: FileHandle = await open(path, 'r').catch((error: unknown) => {
    throw isErrno(error, 'ENOENT') ? new MissingFileError(key, { cause: error }) : error;
  });
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

async function* listFiles(root: string, folder: string): AsyncGenerator<StoredFile> {
  const entries = await readFolder(join(root, folder));
  for (const entry of entries.filter((one) => one.isDirectory())) {
    yield* listFiles(root, `${folder}/${entry.name}`);
  }
  const keys = entries.filter((one) => one.isFile()).map((one) => `${folder}/${one.name}`);
  for (const group of inGroups(keys, FILES_AT_ONCE)) {
    for (const file of await Promise.all(group.map((key) => statFile(root, key)))) {
      if (file !== null) yield file;
    }
  }
}

async function* listFolders(root: string): AsyncGenerator<string> {
  const folder = await opendir(root).catch(ignoreMissing);
  if (folder === undefined) return;
  for await (const entry of folder) if (entry.isDirectory()) yield entry.name;
}

/** Returns the file, or null if it was removed meanwhile. */
async function statFile(root: string, key: string): Promise<StoredFile | null> {
  const found = await stat(join(root, key)).catch(ignoreMissing);
  return found === undefined ? null : { key, bytes: found.size, modifiedAt: found.mtimeMs };
}

async function readFolder(path: string): Promise<Dirent[]> {
  return (await readdir(path, { withFileTypes: true }).catch(ignoreMissing)) ?? [];
}

function* inGroups<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

function ignoreMissing(error: unknown): undefined {
  if (!isErrno(error, 'ENOENT')) throw error;
}
