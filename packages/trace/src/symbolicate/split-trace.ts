// Splits a trace into its lines and checks it, so that some records can be replaced while all other bytes stay.
import { LINE_BYTES } from '../format/limits.ts';
import type { TraceRecord } from '../format/records.ts';
import { type VptEnding, VptReader } from '../vpt/read-vpt.ts';
import { LineSplitter } from '../vpt/split-lines.ts';
import type { FunctionRecord } from './symbolicate-record.ts';

/** One line of a checked trace. */
export type TraceLine = {
  /** With its LF, if it has one. */
  readonly bytes: Uint8Array;
  /** Whether the line is a record that names functions. */
  readonly hasFunctions: boolean;
};

const LF = 10;

/**
 * Call `push` with the bytes in order, then `finish`. Both throw TraceError at the first error. `take` returns the lines since
 * its last call, in order. After `finish` it returns the last line too, torn or not, without NUL bytes at the end of the file.
 */
export class TraceLines {
  readonly #reader = new VptReader({
    record: (record, line) => this.#note(record, line),
    // Such records have no functions.
    scanned: () => true,
  });
  readonly #splitter = new LineSplitter(LINE_BYTES, (bytes, from, to, line) => {
    const copy = new Uint8Array(to - from + 1);
    copy.set(bytes.subarray(from, to));
    copy[to - from] = LF;
    this.#add(copy, line);
  });
  /** The numbers of lines that were read but not split yet. */
  readonly #withFunctions = new Set<number>();
  #lines: TraceLine[] = [];

  push(chunk: Uint8Array): void {
    this.#reader.push(chunk);
    this.#splitter.push(chunk);
  }

  finish(): VptEnding {
    const ending = this.#reader.finish();
    const { bytes, line } = this.#splitter.rest();
    if (bytes.length > 0) this.#add(bytes.slice(), line);
    return ending;
  }

  take(): readonly TraceLine[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  #note(record: TraceRecord, line: number): void {
    if (record.type === 'stacks' ? record.names.length > 0 : record.type === 'longtask') {
      this.#withFunctions.add(line);
    }
  }

  #add(bytes: Uint8Array, line: number): void {
    this.#lines.push({ bytes, hasFunctions: this.#withFunctions.delete(line) });
  }
}

/** The record of a line with functions. */
export function parseFunctionRecord({ bytes }: TraceLine): FunctionRecord {
  const record: FunctionRecord = JSON.parse(new TextDecoder().decode(bytes));
  return record;
}
