// Whether others can read or replace the saved login: modes are corrected with a warning, a foreign owner is refused.
import { chmodSync, fchmodSync, fstatSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { safeLine } from '../output/text.ts';
import { EXIT, ExitError } from '../process/exit-codes.ts';

type Warn = (text: string) => void;

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/**
 * Makes the folder where it is missing (mode 0700) and closes it to others, with a warning. A link is followed.
 * Throws an ExitError (3) with the command that corrects it where it belongs to another user, or can't be closed.
 */
export function secureFolder(folder: string, warn: Warn): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  closeFolder(folder, warn);
}

/** As {@link secureFolder}, where the folder exists already. Throws Node's error where it does not. */
export function closeFolder(folder: string, warn: Warn): void {
  const stats = statSync(folder);
  if (process.platform === 'win32') return;
  refuseForeignOwner(stats, folder);
  const mode = stats.mode & 0o777;
  if ((mode & OTHERS) === 0) return;
  close(folder, '700', () => {
    chmodSync(folder, 0o700);
    return statSync(folder);
  });
  const danger =
    (mode & OTHERS_WRITE) === 0
      ? ''
      : ' Others could have replaced what is in it: check with svc whoami that the login is yours.';
  warn(
    `"${safeLine(folder)}" was open to others (mode ${mode.toString(8)}). Its mode is 700 now.${danger}`,
  );
}

/**
 * Judges an open file that holds a token: closed to others with a warning.
 * Throws an ExitError (3) where it is no file, belongs to another user, or can't be closed.
 */
export function closeFile(file: number, path: string, warn: Warn): void {
  const stats = fstatSync(file);
  if (!stats.isFile()) {
    throw new ExitError(
      EXIT.unauthenticated,
      'credentials_unreadable',
      `Cannot read "${path}": it is not a file.`,
      {
        hint: 'Remove it, then log in again: svc login.',
      },
    );
  }
  if (process.platform === 'win32') return;
  refuseForeignOwner(stats, path);
  const mode = stats.mode & 0o777;
  if ((mode & OTHERS) === 0) return;
  close(path, '600', () => {
    fchmodSync(file, 0o600);
    return fstatSync(file);
  });
  warn(
    `"${safeLine(path)}" could be read by others (mode ${mode.toString(8)}). It is 600 now, but make a new token and revoke this one: svc login, then svc token revoke.`,
  );
}

/** The owner can read and replace everything, whatever the mode says. */
function refuseForeignOwner({ uid }: Stats, path: string): void {
  const own = process.geteuid?.();
  if (own === undefined || uid === own) return;
  const folder = path.endsWith('credentials') ? dirname(path) : path;
  throw new ExitError(
    EXIT.unauthenticated,
    'credentials_unsafe',
    `Cannot use "${path}": it belongs to another user (uid ${uid}, you are ${own}), who could read and replace your login.`,
    {
      hint: `${own === 0 ? WITHOUT_SUDO : `${chown(folder)} makes it yours.`} Or set SVC_TOKEN and SVC_API.`,
    },
  );
}

/** Root would take the login away from the user whose it is. */
const WITHOUT_SUDO = 'Run svc without sudo, as the user who logged in.';

function chown(folder: string): string {
  return `sudo chown -R "$(id -u)" ${quote(folder)}`;
}

/** Changes the mode. `change` returns what holds afterwards: some file systems ignore the change. */
function close(path: string, mode: string, change: () => Stats): void {
  try {
    const left = change().mode & 0o777;
    if ((left & OTHERS) !== 0) throw new Error(`it is still ${left.toString(8)}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ExitError(
      EXIT.unauthenticated,
      'credentials_unsafe',
      `Cannot use "${path}": others can read it, and its mode cannot be changed (${reason}).`,
      { hint: `Run chmod ${mode} ${quote(path)}, or set SVC_TOKEN and SVC_API.`, cause: error },
    );
  }
}

/** A path as one word of a shell line. */
function quote(path: string): string {
  return /^[\w/.@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
