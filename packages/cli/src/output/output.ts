// Everything a command prints: the result goes to stdout as text or JSON, all other output to stderr.
import { styleText } from 'node:util';
import type { ErrorDocument } from '../documents.ts';
import type { ExitError } from '../process/exit-codes.ts';
import type { Io, Sink } from '../process/io.ts';
import { safeText } from './text.ts';

/** A style for a piece of text. Colour never carries information of its own. */
export type Tone = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';

/** What a command prints. `Document` is the type of its JSON document; without one it writes no JSON. */
export type Output<Document extends object = never> = {
  /** True with `--json`. */
  readonly json: boolean;
  /** Writes the result: `document` as JSON with `--json`, else the lines that `text` returns. */
  readonly result: (document: Document, text: (paint: Paint) => string | readonly string[]) => void;
  /** Writes an event as one JSON line. Does nothing without `--json`. */
  readonly event: (document: Document) => void;
  /** Writes a line to stdout. Does nothing with `--json`. */
  line(text: string): void;
  /** Writes a remark to stderr, with and without `--json`. Control characters are escaped, here and in warnings. */
  note(text: string): void;
  /** Writes a warning to stderr, with and without `--json`. */
  warn(text: string): void;
  /** Reports the error that ended the command: as text on stderr, and with `--json` also as a document on stdout. */
  fail(failure: ExitError): void;
  /** Styles text for stdout. Returns it unchanged if stdout is not a terminal with colours. */
  readonly paint: Paint;
};

export type Paint = (tone: Tone, text: string) => string;

/** The output of one run. A `streaming` command writes JSON lines; its errors go to stderr only. */
export function createOutput(io: Io, mode: { json: boolean; streaming?: boolean }): Output<object> {
  const paint = painter(io.stdout);
  const paintError = painter(io.stderr);
  return {
    json: mode.json,
    paint,
    result(document, text) {
      if (mode.json) write(io.stdout, `${JSON.stringify(document, null, 2)}\n`);
      else write(io.stdout, `${[text(paint)].flat().join('\n')}\n`);
    },
    event(document) {
      if (mode.json) write(io.stdout, `${JSON.stringify(document)}\n`);
    },
    line(text) {
      if (!mode.json) write(io.stdout, `${text}\n`);
    },
    note(text) {
      write(io.stderr, `${safeText(text)}\n`);
    },
    warn(text) {
      write(io.stderr, `${paintError('yellow', 'warning:')} ${safeText(text)}\n`);
    },
    fail(failure) {
      if (mode.json && mode.streaming !== true) {
        write(
          io.stdout,
          `${JSON.stringify({ ...failure.extras.result, error: errorDocument(failure) }, null, 2)}\n`,
        );
      }
      write(io.stderr, formatError(failure, paintError));
    },
  };
}

/** Styles text for this stream. Text stays plain without a terminal, on a dumb one and with NO_COLOR. */
function painter(stream: Sink): Paint {
  return (tone, text) => styleText(tone, text, { stream, validateStream: true });
}

function write(sink: Sink, text: string): void {
  if (!sink.destroyed && sink.writable) sink.write(text);
}

/** The `error` field of the JSON document. Fields without a value are left out. */
function errorDocument(failure: ExitError): ErrorDocument['error'] {
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

/** Error codes whose details are whole sentences that name the field. */
const SENTENCE_CODES = ['invalid_input', 'project_file_invalid', 'slug_taken', 'version_exists'];

function formatError(failure: ExitError, paint: Paint): string {
  const { hint, details = [] } = failure.extras;
  const lines = [`${paint('red', 'svc:')} ${safeText(failure.message)}`];
  const isSentence = SENTENCE_CODES.includes(failure.code);
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
