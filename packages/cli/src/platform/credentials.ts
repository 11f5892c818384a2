// The saved login: one plain-text file that only its owner can read. It is not in a keyring; help and docs say so.

import { accessSync, constants, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { messageOf } from '@svc/contracts/caught';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import { secureFolder } from './config-folder.ts';
import { isCode, parseJson, readOwnFile, writeOwnFile } from './own-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A token, and the only platform that it may be sent to. */
export type Credentials = { readonly api: string; readonly token: string };

/** `$XDG_CONFIG_HOME/svc/credentials`, or `~/.config/svc/credentials` if the variable is unset, empty or relative. */
export function credentialsPath(env: Environment): string {
  const configured = env['XDG_CONFIG_HOME'] ?? '';
  const home = env['HOME'] ?? '';
  const folder = isAbsolute(configured)
    ? configured
    : join(home === '' ? homedir() : home, '.config');
  return join(folder, 'svc', 'credentials');
}

/**
 * Reads the saved login. Returns null if there is none. A file or folder that other users can read is closed, with a warning.
 * Throws an ExitError (3) if the file cannot be read, belongs to another user or has other content.
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
  throw new ExitError(
    EXIT.unauthenticated,
    'credentials_unreadable',
    `Cannot use "${path}": it is not a saved login.`,
    {
      hint: 'Run svc logout to remove it, then svc login to write a new one.',
    },
  );
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

/**
 * Saves the login atomically: writes a temporary file with mode 0600 in a folder with mode 0700, then renames it. Returns the
 * path. A folder that other users can read is closed, with a warning; a folder of another user is rejected.
 */
export function saveCredentials(
  env: Environment,
  credentials: Credentials,
  warn: (text: string) => void,
): string {
  const path = credentialsPath(env);
  try {
    writeOwnFile(path, `${JSON.stringify(credentials, null, 2)}\n`, warn);
    return path;
  } catch (error) {
    throw notSaved(error, path);
  }
}

/**
 * Checks that a login can be saved, before a token is created for it. Throws as {@link saveCredentials} does: if the folder
 * belongs to another user, or cannot be created or written to.
 */
export function prepareToSave(env: Environment, warn: (text: string) => void): void {
  const path = credentialsPath(env);
  try {
    secureFolder(dirname(path), warn);
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw notSaved(error, path);
  }
}

function notSaved(error: unknown, path: string): ExitError {
  if (error instanceof ExitError) return error;
  const reason = messageOf(error);
  return new ExitError(
    EXIT.unexpected,
    'credentials_not_saved',
    `Cannot save "${path}": ${reason}.`,
    {
      hint: 'Correct this, or set SVC_TOKEN and SVC_API instead.',
      cause: error,
    },
  );
}

/** Deletes the saved login. Returns false if there was none. */
export function deleteCredentials(env: Environment): boolean {
  const path = credentialsPath(env);
  try {
    rmSync(path);
    return true;
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return false;
    const reason = messageOf(error);
    throw new ExitError(
      EXIT.unexpected,
      'credentials_not_deleted',
      `Cannot delete "${path}": ${reason}.`,
      {
        cause: error,
      },
    );
  }
}
