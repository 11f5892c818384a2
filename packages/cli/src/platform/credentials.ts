// The saved login: one plaintext file that only its owner can read. Not an OS keyring; help and docs say so.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { Failure } from '../exit-codes.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A token and the one platform it may be sent to. */
export type Credentials = { readonly api: string; readonly token: string };

/** `$XDG_CONFIG_HOME/svc/credentials`, or `~/.config/svc/credentials` where that is unset, empty or relative. */
export function credentialsPath(env: Environment): string {
  const configured = env['XDG_CONFIG_HOME'] ?? '';
  const home = env['HOME'] ?? '';
  const folder = isAbsolute(configured)
    ? configured
    : join(home === '' ? homedir() : home, '.config');
  return join(folder, 'svc', 'credentials');
}

/**
 * The saved login, or null where there is none. A file that others can read is closed to them, with a warning.
 * Throws where the file can't be read or holds something else.
 */
export function readCredentials(
  env: Environment,
  warn: (text: string) => void,
): Credentials | null {
  const path = credentialsPath(env);
  const text = readOwnFile(path, warn);
  if (text === null) return null;
  const value = parseJson(text);
  if (isCredentials(value)) return { api: value.api, token: value.token };
  throw new Failure(3, 'credentials_unreadable', `Cannot use "${path}": it holds no saved login.`, {
    hint: 'svc logout removes it, svc login writes a new one.',
  });
}

function readOwnFile(path: string, warn: (text: string) => void): string | null {
  try {
    const file = openSync(path, 'r');
    try {
      repairMode(file, path, warn);
      return readFileSync(file, 'utf8');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return null;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(3, 'credentials_unreadable', `Cannot read "${path}": ${reason}.`, {
      hint: 'Set SVC_TOKEN and SVC_API instead, or mend the file.',
      cause: error,
    });
  }
}

/** Others could have read the token: it is closed to them now, but may be known. */
function repairMode(file: number, path: string, warn: (text: string) => void): void {
  if (process.platform === 'win32') return;
  const mode = fstatSync(file).mode & 0o777;
  if ((mode & 0o077) === 0) return;
  chmodSync(path, 0o600);
  warn(
    `"${path}" could be read by others (mode ${mode.toString(8)}). It is 600 now, but make a new token and revoke this one: svc login, then svc token revoke.`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isCredentials(value: unknown): value is Credentials {
  return (
    typeof value === 'object' &&
    value !== null &&
    'api' in value &&
    typeof value.api === 'string' &&
    'token' in value &&
    typeof value.token === 'string'
  );
}

/** Saves the login in one step: written aside with mode 0600 in a 0700 folder, synced, renamed. Returns the path. */
export function saveCredentials(env: Environment, credentials: Credentials): string {
  const path = credentialsPath(env);
  const folder = dirname(path);
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (process.platform !== 'win32' && (statSync(folder).mode & 0o077) !== 0) {
      chmodSync(folder, 0o700);
    }
    const file = openSync(aside, 'wx', 0o600);
    try {
      writeFileSync(file, `${JSON.stringify(credentials, null, 2)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(aside, path);
    return path;
  } catch (error) {
    rmSync(aside, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(1, 'credentials_not_saved', `Cannot save "${path}": ${reason}.`, {
      hint: 'Without a place to save it, set SVC_TOKEN and SVC_API instead.',
      cause: error,
    });
  }
}

/** Deletes the saved login; false where there was none. */
export function deleteCredentials(env: Environment): boolean {
  const path = credentialsPath(env);
  try {
    rmSync(path);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return false;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(1, 'credentials_not_deleted', `Cannot delete "${path}": ${reason}.`, {
      cause: error,
    });
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
