// What a file is called in the trace: relative to where the program works or stands, never an absolute path.
import { basename, isAbsolute, normalize, relative, sep } from 'node:path';
import { cleanName } from '@svc/trace';

/** Where the program works and where its executable stands; null where that is not known. */
export type Places = {
  readonly workingFolder: string | null;
  readonly programFolder: string | null;
};

/** What the kernel writes behind the path of a file that has no name any more. */
const DELETED = / \(deleted\)$/;

/** Where the kernel and programs keep what is in memory alone. */
const MADE_UP = /^\/(?:(?:proc|sys|dev)\/|memfd:|SYSV[\da-f]{8}|\[aio\]|anon_hugepage)/;

/**
 * A name for the trace: the path below the working folder, else below the executable's, else its last part. The root of
 * all files is no such folder: what is below it is the absolute path. A relative path is one the program gave.
 */
export function nameFile(path: string, { workingFolder, programFolder }: Places): string {
  const plain = normalize(path.replace(DELETED, ''));
  if (!isAbsolute(plain)) return cleanName(isBelow(plain) ? plain : basename(plain));
  for (const folder of [workingFolder, programFolder]) {
    if (folder === null || folder === sep) continue;
    const name = relative(folder, plain);
    if (isBelow(name)) return cleanName(name);
  }
  return cleanName(basename(plain));
}

function isBelow(name: string): boolean {
  return name !== '' && name !== '..' && !name.startsWith(`..${sep}`);
}

/** Whether a path leads to something that stands on no disk: a pseudo file, shared memory, a device. */
export function isMadeUp(path: string): boolean {
  return MADE_UP.test(path);
}
