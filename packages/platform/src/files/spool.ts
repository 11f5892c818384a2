// Where uploads and unpacked files stand until they are kept: one folder a process, one folder a piece of work in it.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Spool folders of servers that run in this very process, which the process's id alone can't tell apart. */
const ours = new Set<string>();

export type SpoolFolder = AsyncDisposable & {
  readonly path: string;
  /** A name that nothing else in the folder has. */
  newFile(): string;
};

export type Spool = AsyncDisposable & {
  /** Names this process among all that ever used the data folder. */
  readonly owner: string;
  /** Opens a folder for one piece of work; disposing of it removes it. */
  openFolder(): Promise<SpoolFolder>;
};

/** Opens this process's spool, after removing those of processes that have ended. */
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

/** Whether the process that owns the spool may still run. Of another machine's nothing is known, so it may. */
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
