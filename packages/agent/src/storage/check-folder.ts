// Whether a folder is one that recordings may be kept in: this user's own, which nobody else can write to.
import { statSync } from 'node:fs';

const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o055;

/** A folder that is there, but that no recording may be put into. Has the code `EPERM`, as a refusal of the system has. */
export class UnsafeFolder extends Error {
  override readonly name = 'UnsafeFolder';
  readonly code = 'EPERM';
}

/** Throws UnsafeFolder with a sentence that names the folder and the way out. A link is judged by the folder that it leads to. */
export function refuseUnsafe(folder: string): void {
  const user = process.geteuid?.();
  if (user === undefined) return;
  const { uid, mode } = statSync(folder);
  if (uid !== user) {
    throw new UnsafeFolder(
      `The folder ${folder} belongs to another user (uid ${uid}); choose a folder of your own with --data-dir`,
    );
  }
  if ((mode & OTHERS_WRITE) !== 0) {
    throw new UnsafeFolder(
      `Other users can write to the folder ${folder} (mode ${octal(mode)}); run chmod go-w ${quoted(folder)}, or choose another one with --data-dir`,
    );
  }
}

/** A sentence where other users can look into the folder; null where they can't. Recordings in it are private all the same. */
export function readableByOthers(folder: string): string | null {
  if (process.geteuid === undefined) return null;
  const { mode } = statSync(folder);
  if ((mode & OTHERS_READ) === 0) return null;
  return `Other users can look into the data folder ${folder} (mode ${octal(mode)}), though not into the recordings; run chmod 700 ${quoted(folder)} to close it`;
}

function octal(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}

/** As a shell takes it. */
function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
