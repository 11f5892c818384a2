// A full disk below the folder for temporary files.
import { tmpdir } from 'node:os';
import { EXIT, ExitError } from './exit-codes.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full',
  EDQUOT: 'your disk quota is used up',
};

/** Converts an error about a full disk to an ExitError (1, `disk_full`). `what` is what could not be done. Returns others unchanged. */
export function explainFullDisk(error: unknown, what: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = REASONS[code];
  if (reason === undefined) return error;
  const message = `Cannot ${what} in the folder for temporary files, ${tmpdir()}: ${reason}.`;
  return new ExitError(EXIT.unexpected, 'disk_full', message, {
    hint: 'Free space there, or set TMPDIR to a folder on another disk.',
    cause: error,
  });
}
