// The input scripts of a recording: the one that is played, and the one that is written.
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { InputScript, Recorded } from '@svc/recorder';
import type { Documents } from '../../documents.ts';
import { formatCount, safeText } from '../../output/text.ts';
import { EXIT, ExitError, usageError } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';
import { checkOutput } from '../../trace/check-output.ts';

export type InputOptions = {
  readonly input?: string;
  readonly recordInput?: string;
  readonly headless?: boolean;
};

/** Reads the script to play, and checks that the other one can be written. Throws an ExitError (1 or 2). */
export async function readInput(
  { input, recordInput, headless }: InputOptions,
  output: string,
  io: Io,
): Promise<InputScript | null> {
  if (recordInput !== undefined) {
    if (headless === true && input === undefined) {
      throw usageError(
        'Without a window nobody can play, so there is nothing for --record-input.',
        'Leave out --headless.',
      );
    }
    const path = resolve(io.cwd, recordInput);
    if (path === resolve(io.cwd, output)) {
      throw usageError(`--record-input and the trace have the same path: "${recordInput}".`);
    }
    checkOutput(path, recordInput, '--record-input FILE');
  }
  return input === undefined ? null : await readScript(input, io);
}

async function readScript(shown: string, io: Io): Promise<InputScript> {
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

export type InputDocument = Pick<Documents['record'], 'input' | 'recorded_input'>;

/** The scripts in the document of the command. */
export function inputDocument(
  { input, recordInput }: InputOptions,
  script: InputScript | null,
  { played, recorded }: Recorded['input'],
): InputDocument {
  return {
    input:
      input === undefined || script === null || played === null
        ? null
        : { path: input, steps: script.steps.length, played },
    recorded_input:
      recordInput === undefined || recorded === null
        ? null
        : { path: recordInput, steps: recorded },
  };
}

/** The scripts as text. */
export function inputText({ input, recorded_input }: InputDocument): string[] {
  const lines: string[] = [];
  if (input !== null && input.played < input.steps) {
    lines.push(
      `The recording ended after ${formatCount(input.played)} of ${formatCount(input.steps)} steps of ${safeText(input.path)}.`,
    );
  }
  if (recorded_input !== null) {
    const { path, steps } = recorded_input;
    const count = steps === 1 ? '1 step' : `${formatCount(steps)} steps`;
    lines.push(`Wrote ${count} of yours to ${safeText(path)}. Play them again with --input.`);
  }
  return lines;
}
