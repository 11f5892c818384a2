// Reads a script of what a player does, for `svc record --input` and `svc check --run --input`.
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { InputScript } from '@svc/recorder';
import { EXIT, ExitError } from '../process/exit-codes.ts';
import type { Io } from '../process/io.ts';

/** Throws an ExitError (1), with `file:line: reason` for a step that is not valid. */
export async function readInputScript(shown: string, io: Io): Promise<InputScript> {
  const { InputScriptError, parseInputScript, SCRIPT_BYTES } = await import('@svc/recorder');
  const path = resolve(io.cwd, shown);
  try {
    const file = await stat(path);
    if (!file.isFile()) throw unreadable(shown, 'it is not a file');
    if (file.size > SCRIPT_BYTES) throw unreadable(shown, 'it is larger than 64 MiB');
    const script = parseInputScript(await readFile(path, 'utf8'));
    if (script.steps.length === 0) throw unreadable(shown, 'it has no step');
    return script;
  } catch (error) {
    if (error instanceof InputScriptError) {
      const text = `${shown}:${error.line}: ${error.message}`;
      throw new ExitError(EXIT.unexpected, 'input_invalid', text, {
        ...{ line: error.line, cause: error },
        hint: 'The steps are described in the documentation of svc record.',
      });
    }
    if (error instanceof ExitError || !(error instanceof Error)) throw error;
    throw unreadable(shown, reasonOf(error));
  }
}

function unreadable(shown: string, reason: string): ExitError {
  return new ExitError(
    EXIT.unexpected,
    'input_unreadable',
    `Cannot play the input script "${shown}": ${reason}.`,
    { hint: 'Write one with svc record --record-input FILE.' },
  );
}

function reasonOf(error: Error): string {
  const code = 'code' in error ? error.code : '';
  if (code === 'ENOENT') return 'the file does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'you are not allowed to read it';
  return error.message;
}
