// Checks that a trace can be written, before a browser is started for it, and explains why it could not be written to its end.
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { EXIT, ExitError } from '../process/exit-codes.ts';

/** `option` names the file. Throws an ExitError (1) if the folder of the file does not exist or cannot be written, or if the path is a folder or a device. */
export function checkOutput(path: string, shown: string, option = '-o FILE'): void {
  const reason = faultOf(path);
  if (reason === null) return;
  throw new ExitError(EXIT.unexpected, 'unwritable_file', `Cannot write "${shown}": ${reason}.`, {
    hint: `Name another file with ${option}.`,
  });
}

function faultOf(path: string): string | null {
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    if (there?.isDirectory() === true) return 'it is a folder';
    // The complete trace would take the place of the device.
    if (there?.isFile() === false) return 'it is not a file';
    const folder = statSync(dirname(path), { throwIfNoEntry: false });
    if (folder === undefined) return 'its folder does not exist';
    if (!folder.isDirectory()) return 'a part of its path is a file';
    accessSync(dirname(path), constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return reasonOf(error) ?? 'you are not allowed to write there';
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'you are not allowed to write there',
  EDQUOT: 'your disk quota is used up',
  EISDIR: 'a folder has the name that it needs',
  ELOOP: 'its path is a loop of links',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'its folder does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is a file',
  EPERM: 'you are not allowed to write there',
  EROFS: 'the disk is read-only',
};

function reasonOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? REASONS[String(error.code)] : undefined;
}

/** The error for a trace that could not even be created, as an ExitError (1). Other errors are returned unchanged. */
export function explainUncreated(error: unknown, shown: string): unknown {
  const reason = reasonOf(error);
  if (reason === undefined) return error;
  return new ExitError(EXIT.unexpected, 'unwritable_file', `Cannot write "${shown}": ${reason}.`, {
    hint: 'Name another file with -o FILE.',
    cause: error,
  });
}

/** The error for a full disk, as an ExitError (1). Other errors are returned unchanged. */
export function explainUnwritten(error: unknown, shown: string): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  const reason = code === 'ENOSPC' ? 'the disk is full' : 'your disk quota is used up';
  return new ExitError(
    EXIT.unexpected,
    'disk_full',
    `Cannot write "${shown}" to its end: ${reason}.`,
    {
      hint: 'The trace has everything up to then. Free space, or name a file on another disk with -o FILE.',
      cause: error,
    },
  );
}
