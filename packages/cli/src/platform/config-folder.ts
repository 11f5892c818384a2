// Protects the saved login from other users: corrects file modes with a warning, and rejects files of another owner.

import { chmodSync, fchmodSync, fstatSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '@svc/contracts/caught';
import { safeLine } from '../output/text.ts';
import { EXIT, ExitError } from '../process/exit-codes.ts';

type Warn = (text: string) => void;

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/**
 * Creates the folder with mode 0700 if it is missing, and closes it to other users with a warning. Follows a link. Throws an
 * ExitError (3) with the command that corrects it if the folder belongs to another user or its mode cannot be changed.
 */
export function secureFolder(folder: string, warn: Warn): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  closeFolder(folder, warn);
}

/** Like {@link secureFolder}, but does not create the folder. Throws Node's error if it is missing. */
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
      : ' Other users could have replaced the login in it. Run svc whoami to check that it is yours.';
  warn(
    `"${safeLine(folder)}" was open to other users (mode ${mode.toString(8)}). Its mode is now 700.${danger}`,
  );
}

/**
 * Closes an open file with a token to other users, with a warning. Throws an ExitError (3) if it is not a regular file, belongs
 * to another user, or its mode cannot be changed.
 */
export function closeFile(file: number, path: string, warn: Warn): void {
  const stats = fstatSync(file);
  if (!stats.isFile()) {
    throw new ExitError(
      EXIT.unauthenticated,
      'credentials_unreadable',
      `Cannot read "${path}": it is not a file.`,
      {
        hint: 'Remove it, then run svc login.',
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
    `Other users could read "${safeLine(path)}" (mode ${mode.toString(8)}). Its mode is now 600. Replace the token: run svc login, then svc token revoke for the old one.`,
  );
}

/** The owner of a file can read and replace it with any mode. */
function refuseForeignOwner({ uid }: Stats, path: string): void {
  const own = process.geteuid?.();
  if (own === undefined || uid === own) return;
  const folder = path.endsWith('credentials') ? dirname(path) : path;
  throw new ExitError(
    EXIT.unauthenticated,
    'credentials_unsafe',
    `Cannot use "${path}": it belongs to another user (uid ${uid}; yours is ${own}), who could read and replace your login.`,
    {
      hint: `${own === 0 ? WITHOUT_SUDO : `To make it yours, run ${chown(folder)}.`} Or set SVC_TOKEN and SVC_API.`,
    },
  );
}

/** For root, a chown would take the login away from its user. */
const WITHOUT_SUDO = 'Run svc without sudo, as the user who logged in.';

function chown(folder: string): string {
  return `sudo chown -R "$(id -u)" ${quote(folder)}`;
}

/** Changes the mode. `change` returns the new state, because some file systems ignore the change. */
function close(path: string, mode: string, change: () => Stats): void {
  try {
    const left = change().mode & 0o777;
    if ((left & OTHERS) !== 0) throw new Error(`it is still ${left.toString(8)}`);
  } catch (error) {
    const reason = messageOf(error);
    throw new ExitError(
      EXIT.unauthenticated,
      'credentials_unsafe',
      `Cannot use "${path}": other users can read it, and its mode cannot be changed (${reason}).`,
      { hint: `Run chmod ${mode} ${quote(path)}, or set SVC_TOKEN and SVC_API.`, cause: error },
    );
  }
}

/** Quotes a path for a shell, if needed. */
function quote(path: string): string {
  return /^[\w/.@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
