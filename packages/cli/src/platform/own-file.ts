// Files with tokens: only their owner can read them, and they are replaced atomically.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '@svc/contracts/caught';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import { closeFile, closeFolder, secureFolder } from './config-folder.ts';

/**
 * Returns the text of the file; null if there is none. A file or folder that other users can read is closed, with a warning.
 * Throws an ExitError (3) if the file cannot be read or belongs to another user.
 */
export function readOwnFile(path: string, warn: (text: string) => void): string | null {
  try {
    closeFolder(dirname(path), warn);
    // If the path is a named pipe, this does not wait for a writer.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      closeFile(file, path, warn);
      return readFileSync(file, 'utf8');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR')) return null;
    if (error instanceof ExitError) throw error;
    const reason = messageOf(error);
    throw new ExitError(
      EXIT.unauthenticated,
      'credentials_unreadable',
      `Cannot read "${path}": ${reason}.`,
      {
        hint: 'Correct the file, or set SVC_TOKEN and SVC_API instead.',
        cause: error,
      },
    );
  }
}

/**
 * Writes a temporary file with mode 0600 in a folder with mode 0700, then renames it. Throws Node's error, or an ExitError (3)
 * for a folder of another user.
 */
export function writeOwnFile(path: string, text: string, warn: (text: string) => void): void {
  const aside = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    secureFolder(dirname(path), warn);
    const file = openSync(aside, 'wx', 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

/** Returns the value of the JSON; null if it is not valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Whether it is Node's error with this code. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
