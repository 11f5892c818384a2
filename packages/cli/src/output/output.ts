// The one output layer: the result goes to stdout, as text or as JSON; everything else goes to stderr.
import { styleText } from 'node:util';
import type { ExitError } from '../process/exit-codes.ts';
import type { Io, Sink } from '../process/io.ts';
import { safeText } from './text.ts';

/** How a piece of text is marked for the eye; nothing is told by colour alone. */
export type Tone = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';

export type Output = {
  /** True when stdout carries JSON for a program. */
  readonly json: boolean;
  /** The result: `document` as one JSON document, or the lines of `text` for a person. */
  result(document: object, text: (paint: Paint) => string | readonly string[]): void;
  /** One JSON line of a stream of events; nothing in the text face. */
  event(document: object): void;
  /** One line for a person on stdout; nothing in the JSON face. */
  line(text: string): void;
  /** A remark on stderr, in both faces. Control characters are made harmless, here and in a warning. */
  note(text: string): void;
  /** A warning on stderr, in both faces. */
  warn(text: string): void;
  /** The end of a command that failed: a sentence on stderr, and in the JSON face the error document on stdout. */
  fail(failure: ExitError): void;
  /** Marks text for stdout, where that is a terminal that wants it. */
  readonly paint: Paint;
};

export type Paint = (tone: Tone, text: string) => string;

/** The output of one run. `streaming` commands write JSON lines, and keep stdout to those when they fail. */
export function createOutput(io: Io, face: { json: boolean; streaming?: boolean }): Output {
  const paint = painter(io.stdout);
  const paintError = painter(io.stderr);
  return {
    json: face.json,
    paint,
    result(document, text) {
      if (face.json) write(io.stdout, `${JSON.stringify(document, null, 2)}\n`);
      else write(io.stdout, `${[text(paint)].flat().join('\n')}\n`);
    },
    event(document) {
      if (face.json) write(io.stdout, `${JSON.stringify(document)}\n`);
    },
    line(text) {
      if (!face.json) write(io.stdout, `${text}\n`);
    },
    note(text) {
      write(io.stderr, `${safeText(text)}\n`);
    },
    warn(text) {
      write(io.stderr, `${paintError('yellow', 'warning:')} ${safeText(text)}\n`);
    },
    fail(failure) {
      if (face.json && face.streaming !== true) {
        write(
          io.stdout,
          `${JSON.stringify({ ...failure.extras.result, error: errorDocument(failure) }, null, 2)}\n`,
        );
      }
      write(io.stderr, formatError(failure, paintError));
    },
  };
}

/** Marks text for this stream: plain where it is no terminal, or NO_COLOR or a dumb terminal says so. */
export function painter(stream: Sink): Paint {
  return (tone, text) => styleText(tone, text, { stream, validateStream: true });
}

function write(sink: Sink, text: string): void {
  if (!sink.destroyed && sink.writable) sink.write(text);
}

/** The `error` member of the JSON face. Absent fields are left out. */
export function errorDocument(failure: ExitError): Record<string, unknown> {
  const { hint, line, column, details, retry_after_s } = failure.extras;
  return {
    code: failure.code,
    message: failure.message,
    exit_code: failure.exitCode,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
    ...(retry_after_s === undefined ? {} : { retry_after_s }),
  };
}

/** Failures of which each detail is a sentence that names its field itself. */
const NAMING_CODES = ['invalid_input', 'project_file_invalid', 'slug_taken', 'version_exists'];

function formatError(failure: ExitError, paint: Paint): string {
  const { hint, details = [] } = failure.extras;
  const lines = [`${paint('red', 'svc:')} ${safeText(failure.message)}`];
  const isSentence = NAMING_CODES.includes(failure.code);
  for (const detail of details) {
    if (isSentence && detail.message === failure.message && detail.hint === undefined) continue;
    const where = detail.entry ?? (isSentence ? undefined : detail.path);
    const place = where === undefined ? '' : `${safeText(where).replaceAll('\n', '\\n')}: `;
    lines.push(`  ${place}${safeText(detail.message)}`);
    if (detail.hint !== undefined) lines.push(`    ${paint('dim', safeText(detail.hint))}`);
  }
  if (hint !== undefined) lines.push(safeText(hint));
  return `${lines.join('\n')}\n`;
}
