// Derives the name of a file in the trace. It is relative to the folder of the program and never an
// absolute path.
import { basename, isAbsolute, normalize, relative, sep } from 'node:path';
import { cleanName } from '@svc/trace';

/** The program's working folder and the folder of its executable. Null if unknown. */
export type Places = {
  readonly workingFolder: string | null;
  readonly programFolder: string | null;
};

/** The kernel appends this to the path of a deleted file. */
const DELETED = / \(deleted\)$/;

/** Paths of the kernel's file systems and of objects that exist only in memory. */
const MADE_UP = /^\/(?:(?:proc|sys|dev)\/|memfd:|SYSV[\da-f]{8}|\[aio\]|anon_hugepage)/;

/**
 * The path relative to the working folder, else relative to the executable's folder, else the file
 * name alone. The root folder is skipped, because a path relative to it is the absolute path. A
 * relative `path` is a name that the program passed.
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

/** Whether a path is not on disk: a pseudo file, shared memory or a device. */
export function isMadeUp(path: string): boolean {
  return MADE_UP.test(path);
}
