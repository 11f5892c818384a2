// Temporary files of uploads and unpacking, on a local disk. Each process has a folder, and each piece of work a folder in it.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile } from './file-lock.ts';

/** The file in the folder of a process. Its lock shows that the process is alive. */
const LOCK = 'lock';
const PREFIX = 'svc-spool-';
/** The root may contain files of other programs, which must stay. */
const OWN_NAME = /^svc-spool-[0-9a-f-]{36}$/;
/** The names of older versions: machine, process id, and a random part. */
const OLD_NAME = /^[^~]+~\d+~[0-9a-f]{12}$/;

export type SpoolFolder = AsyncDisposable & {
  readonly path: string;
  /** Returns the path of a new file. */
  newFile(): string;
};

export type Spool = AsyncDisposable & {
  /** Returns the free space of its disk in bytes. */
  freeBytes(): Promise<number>;
  /** Creates a folder for one piece of work. Disposing of it removes it. */
  openFolder(): Promise<SpoolFolder>;
};

/** Opens a spool for this process below the folder, and removes the spools of processes that have ended. */
export function openSpool(root: string): Spool {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  removeEnded(root);
  const { folder, lock } = createFolder(root);
  let folders = 0;
  return {
    async freeBytes() {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
    async openFolder() {
      const path = join(folder, String(++folders));
      await mkdir(path, { mode: 0o700 });
      let files = 0;
      return {
        path,
        newFile: () => join(path, String(++files)),
        [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
      };
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
      lock[Symbol.dispose]();
    },
  };
}

function createFolder(root: string): { folder: string; lock: Disposable } {
  for (;;) {
    const folder = join(root, PREFIX + randomUUID());
    mkdirSync(folder, { mode: 0o700 });
    const lock = tryLock(folder);
    // Another process may have removed the folder before it was locked.
    if (lock !== null && existsSync(join(folder, LOCK))) return { folder, lock };
    lock?.[Symbol.dispose]();
  }
}

function removeEnded(root: string): void {
  const names = readdirSync(root).filter((name) => OWN_NAME.test(name) || OLD_NAME.test(name));
  for (const name of names) {
    const lock = tryLock(join(root, name));
    if (lock === null) continue;
    rmSync(join(root, name), { recursive: true, force: true });
    lock[Symbol.dispose]();
  }
}

/** Locks the folder. Returns null if its process is alive, or if the folder was removed meanwhile. */
function tryLock(folder: string): Disposable | null {
  try {
    return lockFile(join(folder, LOCK));
  } catch (error) {
    if (!existsSync(folder)) return null;
    throw error;
  }
}
