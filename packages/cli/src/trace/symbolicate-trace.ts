// Writes a trace again, with the names of the source for its functions.
import type { Symbols } from '@svc/symbols';
import {
  FoldedConverter,
  type FunctionRecord,
  functionsIn,
  type OriginalFunction,
  openConverter,
  type PushReader,
  parseFunctionRecord,
  SniffingReader,
  symbolicateRecord,
  type TracedFunction,
  type TraceFormat,
  TraceLines,
} from '@svc/trace';
import type { Io } from '../process/io.ts';
import { formatByName, readTrace } from './read-trace.ts';
import type { Target } from './write-target.ts';

/**
 * Writes the trace to the target, and does not commit it. Returns whether the file, if it is a profile, ends in the middle. Throws
 * the errors of `readTrace` and of the target.
 */
export async function symbolicateTrace(
  file: string,
  symbols: Symbols,
  target: Target,
  io: Io,
): Promise<boolean> {
  const writer = new SymbolicatingWriter(symbols, target);
  const torn = await readTrace(file, io, readerOf(file, writer), () => writer.drain());
  await writer.drain();
  return torn;
}

/** Reads a trace of any format as `.vpt`. Returns whether a profile ended in the middle. */
function readerOf(file: string, writer: SymbolicatingWriter): PushReader<boolean> {
  const named = formatByName(file);
  return new SniffingReader((sniffed) => openReader(named ?? sniffed, writer));
}

function openReader(format: TraceFormat, { lines }: SymbolicatingWriter): PushReader<boolean> {
  const emit = (text: string): void => lines.push(Buffer.from(text));
  if (format === 'vpt') {
    return {
      push: (chunk) => lines.push(chunk),
      finish() {
        lines.finish();
        return false;
      },
    };
  }
  const converter = format === 'folded' ? new FoldedConverter(emit) : openConverter(format, emit);
  return {
    push: (chunk) => converter.push(chunk),
    finish() {
      const done = converter.finish();
      lines.finish();
      return 'torn' in done && done.torn;
    },
  };
}

/** Writes the lines of a trace to a target. `drain` waits until all lines so far are resolved and written. */
class SymbolicatingWriter {
  readonly lines: TraceLines = new TraceLines();
  readonly #symbols: Symbols;
  readonly #target: Target;

  constructor(symbols: Symbols, target: Target) {
    this.#symbols = symbols;
    this.#target = target;
  }

  async drain(): Promise<void> {
    for (const line of this.lines.take()) {
      const text = line.hasFunctions ? await this.#replace(parseFunctionRecord(line)) : null;
      this.#target.write(text === null ? line.bytes : Buffer.from(text));
      await this.#target.drain();
    }
  }

  async #replace(record: FunctionRecord): Promise<string | null> {
    const found = new Map<string, OriginalFunction>();
    for (const traced of functionsIn(record)) {
      // The functions of long tasks are those of the stacks again, with less of their URL.
      const original = await (record.type === 'stacks'
        ? this.#symbols.resolve(traced)
        : this.#symbols.find(traced));
      if (original !== undefined) found.set(keyOf(traced), original);
    }
    return found.size === 0
      ? null
      : symbolicateRecord(record, (traced) => found.get(keyOf(traced)));
  }
}

function keyOf({ own, url, line, column }: TracedFunction): string {
  return `${url}:${line}:${column} ${own}`;
}
