// Checks whether recordings may be kept in a folder. It must belong to this user, and no other user
// may be able to write to it.
import { statSync } from 'node:fs';

const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o055;

/**
 * An existing folder that is not safe for recordings. Has the code `EPERM`, like an error of the
 * system.
 */
export class UnsafeFolderError extends Error {
  override readonly name = 'UnsafeFolderError';
  readonly code = 'EPERM';
}

/**
 * Throws UnsafeFolderError, with a message that names the folder and the remedy. For a symbolic
 * link, the folder it leads to is checked.
 */
export function refuseUnsafe(folder: string): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  const { uid, mode } = statSync(folder);
  if (uid !== user) {
    throw new UnsafeFolderError(
      `The folder ${folder} belongs to another user (uid ${uid}); choose a folder of your own with --data-dir`,
    );
  }
  if ((mode & OTHERS_WRITE) !== 0) {
    throw new UnsafeFolderError(
      `Other users can write to the folder ${folder} (mode ${octal(mode)}); run chmod go-w ${quoted(folder)}, or choose another one with --data-dir`,
    );
  }
}

/**
 * A sentence for the user if other users can read the folder, or null. The recordings in it are
 * private in any case.
 */
export function readableByOthers(folder: string): string | null {
  if (process.geteuid === undefined) return null;
  const { mode } = statSync(folder);
  if ((mode & OTHERS_READ) === 0) return null;
  return `Other users can read the data folder ${folder} (mode ${octal(mode)}), but not the recordings; run chmod 700 ${quoted(folder)} to make it private`;
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}

/** Quotes a path for a shell. */
function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
