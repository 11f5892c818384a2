// Temporary files of uploads and unpacking. Each process has a folder, and each piece of work a folder in it.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Spool folders of the servers in this process. They all have the same process id. */
const ours = new Set<string>();

export type SpoolFolder = AsyncDisposable & {
  readonly path: string;
  /** Returns the path of a new file. */
  newFile(): string;
};

export type Spool = AsyncDisposable & {
  /** Identifies this spool among all that ever used the data folder. */
  readonly owner: string;
  /** Creates a folder for one piece of work. Disposing of it removes it. */
  openFolder(): Promise<SpoolFolder>;
};

/** Opens a spool for this process and removes those of processes that have ended. */
export function openSpool(dataDir: string): Spool {
  const root = join(dataDir, 'spool');
  mkdirSync(root, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(root)) {
    if (!isOwnerAlive(name)) rmSync(join(root, name), { recursive: true, force: true });
  }
  const owner = `${hostname().replaceAll('~', '-')}~${process.pid}~${randomBytes(6).toString('hex')}`;
  const folder = join(root, owner);
  mkdirSync(folder, { mode: 0o700 });
  ours.add(owner);
  return spoolIn(folder, owner);
}

function spoolIn(folder: string, owner: string): Spool {
  let folders = 0;
  return {
    owner,
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
      ours.delete(owner);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns whether the owner's process may still be running. For a process of another machine it returns true. */
export function isOwnerAlive(owner: string): boolean {
  const [host, pid] = owner.split('~');
  if (ours.has(owner)) return true;
  if (host !== hostname().replaceAll('~', '-')) return pid !== undefined;
  if (Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EPERM';
  }
}
