// The input scripts of a recording: the one that is played, and the one that is written.
import { resolve } from 'node:path';
import type { InputScript, Recorded } from '@svc/recorder';
import type { Documents } from '../../documents.ts';
import { formatCount, safeText } from '../../output/text.ts';
import { usageError } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';
import { readInputScript } from '../../start-test/read-input-script.ts';
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
  return input === undefined ? null : await readInputScript(input, io);
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
