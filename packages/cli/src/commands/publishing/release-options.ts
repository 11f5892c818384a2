// The options of a release: its version, and its notes as text or as a file.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '@svc/contracts/caught';
import {
  findTextFault,
  PLATFORM_LIMITS,
  PREVIEW_NAME_PATTERN,
  VERSION_PATTERN,
} from '@svc/contracts/platform';
import { InvalidValueError } from '../../command-line/define-command.ts';
import { EXIT, ExitError, usageError } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';

export type NotesOptions = {
  readonly notes?: string;
  readonly notesFile?: string;
};

/** Parses a version. Checked here, so that nothing is packed or uploaded for a version that the platform rejects. */
export function parseVersion(text: string): string {
  if (new RegExp(VERSION_PATTERN).test(text)) return text;
  throw new InvalidValueError(
    'A version consists of the characters A-Z a-z 0-9 . + _ and -, for example 1.2.0.',
  );
}

/** Parses the name of a link. */
export function parsePreviewName(text: string): string {
  const { preview_name_characters: most } = PLATFORM_LIMITS;
  if (text.length > most) throw new InvalidValueError(`A name has at most ${most} characters.`);
  if (new RegExp(PREVIEW_NAME_PATTERN).test(text)) return text;
  throw new InvalidValueError(
    'A name begins with a letter or a digit and consists of the characters A-Z a-z 0-9 . _ / + and -, for example pr-12.',
  );
}

/** Reads the notes. Returns null if there are none. Throws an ExitError: 2 for both options, 7 for an unreadable file or notes that the platform rejects. */
export function readNotes({ notes, notesFile }: NotesOptions, io: Io): string | null {
  if (notes !== undefined && notesFile !== undefined) {
    throw usageError('--notes and --notes-file cannot be combined. Choose one.');
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
    const message = messageOf(error);
    const reason = missing ? `the file ${notesFile} does not exist` : message;
    throw new ExitError(EXIT.invalid, 'notes_unreadable', `Cannot read the notes: ${reason}.`, {
      cause: error,
    });
  }
}
