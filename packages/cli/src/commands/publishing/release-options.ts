// What a command line says of a release: its version, and its notes as text or as a file.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { findTextFault, VERSION_PATTERN } from '@svc/contracts/platform';
import { InvalidValueError } from '../../command-line/define-command.ts';
import { EXIT, ExitError, usageError } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';

export type NotesOptions = {
  readonly notes?: string;
  readonly notesFile?: string;
};

/** What a release is called: checked here so that nothing is packed or uploaded for a name that no platform takes. */
export function parseVersion(text: string): string {
  if (new RegExp(VERSION_PATTERN).test(text)) return text;
  throw new InvalidValueError('A version is made of A-Z a-z 0-9 . + _ and -, such as 1.2.0.');
}

/** The notes, or null where there are none. Throws ExitError: 2 for both ways at once, 7 for a file that can't be read and for notes that the platform refuses. */
export function readNotes({ notes, notesFile }: NotesOptions, io: Io): string | null {
  if (notes !== undefined && notesFile !== undefined) {
    throw usageError('--notes and --notes-file are two ways to say one thing: choose one.');
  }
  const text = notesFile === undefined ? (notes ?? null) : readNotesFile(notesFile, io);
  const fault = findTextFault(text ?? '', 'prose');
  if (fault === null) return text;
  throw new ExitError(
    EXIT.invalid,
    'invalid_input',
    `Cannot publish the notes: the text ${fault}.`,
  );
}

function readNotesFile(notesFile: string, io: Io): string {
  try {
    return readFileSync(resolve(io.cwd, notesFile), 'utf8');
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const told = error instanceof Error ? error.message : String(error);
    const reason = missing ? `there is no file ${notesFile}` : told;
    throw new ExitError(EXIT.invalid, 'notes_unreadable', `Cannot read the notes: ${reason}.`, {
      cause: error,
    });
  }
}
