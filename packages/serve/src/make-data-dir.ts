import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf, messageOf } from '@svc/contracts/caught';

/**
 * Creates a server's data folder and its missing parents, readable only by their owner. An existing
 * folder is not changed. Each folder is created separately, because Node's recursive mkdir never
 * returns on a file system without folders, such as /proc. Throws an error with a message for the
 * user.
 */
export function makeDataDir(dataDir: string): void {
  const missing: string[] = [];
  for (let folder = resolve(dataDir); !existsSync(folder); folder = dirname(folder)) {
    missing.unshift(folder);
  }
  try {
    for (const folder of missing) makeOne(folder);
    if (statSync(dataDir).isDirectory()) return;
  } catch (error) {
    throw new Error(`Cannot create the folder ${dataDir}: ${reason(error)}`, { cause: error });
  }
  const cause = Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
  throw new Error(`Cannot create the folder ${dataDir}: a file with this name exists`, { cause });
}

/** Another process may create the same folder at the same time. */
function makeOne(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOENT: 'no folder can be created there',
  ENOTDIR: 'a part of the path is a file',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENAMETOOLONG: 'its name is too long',
};

function reason(error: unknown): string {
  return REASONS[codeOf(error)] ?? messageOf(error);
}
