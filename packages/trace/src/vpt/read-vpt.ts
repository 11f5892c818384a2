// Reads `.vpt` from byte chunks of any size: bytes → lines → JSON → checked records, one at a time.

import { findInvalidUtf8, utf8Length } from '../bytes/utf8.ts';
import { TraceError, type TraceErrorCode } from '../format/errors.ts';
import { LINE_BYTES } from '../format/limits.ts';
import type { EndRecord, Header, TraceRecord } from '../format/records.ts';
import { FieldError } from './field-checks.ts';
import { findJsonFault, locateValue } from './json-fault.ts';
import { findShapeFault } from './json-shape.ts';
import { parseHeader, RecordParser } from './parse-record.ts';
import { QuickFrames } from './quick-frames.ts';
import { RecordScanner } from './scan-record.ts';
import { LineSplitter } from './split-lines.ts';

/** Receives the records of a reader in file order. `line` counts from 1; the header is line 1. */
export type TraceSink = {
  header?(header: Header): void;
  record?(record: TraceRecord, line: number): void;
  /**
   * Receives a record that was checked as bytes, before it is parsed into an object. Returns true if the sink needs no object;
   * then `record` is not called. Not every record takes this path, so `record` must accept the same records.
   */
  scanned?(record: RecordScanner): boolean;
};

/** The result of reading all bytes. */
export type VptEnding = {
  readonly header: Header;
  /** The number of lines after the header. */
  readonly records: number;
  /** The clean end, or null if the trace is partial. A partial trace is valid. */
  readonly end: EndRecord | null;
  /**
   * Bytes after the last LF that are ignored: a last line that did not parse, and everything from the first NUL byte on.
   */
  readonly torn_bytes: number;
  /** All bytes, including torn ones. */
  readonly bytes: number;
};

/**
 * Call `push` with the bytes in order, then `finish`. Both throw TraceError at the first error; the reader cannot be used after
 * that. It keeps at most one line in memory.
 */
export class VptReader {
  readonly #sink: TraceSink;
  readonly #splitter = new LineSplitter(LINE_BYTES, (bytes, from, to, line) =>
    this.#readLine(bytes, from, to, line),
  );
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #parser: RecordParser | null = null;
  #scanner: RecordScanner | null = null;
  #frames: QuickFrames | null = null;
  #header: Header | null = null;
  #end: EndRecord | null = null;
  #records = 0;
  #bytes = 0;

  constructor(sink: TraceSink) {
    this.#sink = sink;
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#splitter.push(chunk);
  }

  finish(): VptEnding {
    const { bytes, line, afterNul } = this.#splitter.rest();
    if (line === 1) rejectCutHeader(bytes);
    const torn = bytes.length > 0 && this.#isTorn(bytes, line);
    if (bytes.length > 0 && !torn) this.#readLine(bytes, 0, bytes.length, line);
    if (this.#header === null) {
      const what = afterNul > 0 ? 'begins with a NUL byte' : 'is empty';
      throw new TraceError('not_a_trace', `Cannot read a trace: the file ${what}`, 1, 1);
    }
    return {
      header: this.#header,
      records: this.#records,
      end: this.#end,
      torn_bytes: (torn ? bytes.length : 0) + afterNul,
      bytes: this.#bytes,
    };
  }

  #readLine(all: Uint8Array, from: number, to: number, line: number): void {
    if (this.#end !== null) {
      throw new TraceError(
        'after_end',
        `Cannot read line ${line}: it follows the "end" record`,
        line,
        1,
      );
    }
    if (this.#scanner?.read(all, from, to) === true) {
      this.#takeScanned(this.#scanner, all, from, to, line);
      return;
    }
    const bytes = all.subarray(from, to);
    const frames = this.#frames?.read(bytes) ?? null;
    if (frames !== null) {
      this.#take(frames, line);
      return;
    }
    const text = this.#decode(bytes, line);
    const value = parseJson(text, line);
    try {
      if (this.#parser === null) this.#start(parseHeader(value));
      else this.#take(this.#parser.parse(value), line);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      throw placed(error, text, line);
    }
  }

  #start(header: Header): void {
    this.#header = header;
    this.#parser = new RecordParser(header);
    this.#scanner = new RecordScanner(header);
    this.#frames = new QuickFrames(header);
    this.#sink.header?.(header);
  }

  #takeScanned(
    scanner: RecordScanner,
    bytes: Uint8Array,
    from: number,
    to: number,
    line: number,
  ): void {
    this.#records++;
    const sink = this.#sink;
    if (sink.record === undefined || sink.scanned?.(scanner) === true) return;
    const record: TraceRecord = JSON.parse(this.#decoder.decode(bytes.subarray(from, to)));
    sink.record(record, line);
  }

  #take(record: TraceRecord, line: number): void {
    this.#records++;
    if (record.type === 'end') this.#end = record;
    this.#sink.record?.(record, line);
  }

  /** Whether the last line is cut off: valid UTF-8 so far, but not complete JSON. The first line is never torn. */
  #isTorn(bytes: Uint8Array, line: number): boolean {
    if (line === 1 || this.#end !== null) return false;
    if (findInvalidUtf8(bytes, 'allow') >= 0) return false;
    if (findInvalidUtf8(bytes, 'reject') >= 0) return true;
    try {
      JSON.parse(this.#decoder.decode(bytes));
      return false;
    } catch {
      return true;
    }
  }

  #decode(bytes: Uint8Array, line: number): string {
    if (line === 1) rejectMark(bytes);
    const nul = bytes.indexOf(0);
    if (nul >= 0)
      throw new TraceError(
        'nul',
        `Cannot read line ${line}: it contains a NUL byte`,
        line,
        nul + 1,
      );
    try {
      return this.#decoder.decode(bytes);
    } catch {
      const column = findInvalidUtf8(bytes, 'reject') + 1;
      throw new TraceError(
        'invalid_utf8',
        `Cannot read line ${line}: it is not valid UTF-8`,
        line,
        column,
      );
    }
  }
}

/** Rejects a first line that ends inside a character. The JSON parser rejects one that ends elsewhere. */
function rejectCutHeader(bytes: Uint8Array): void {
  const at = findInvalidUtf8(bytes, 'reject');
  if (at < 0 || findInvalidUtf8(bytes, 'allow') >= 0) return;
  throw new TraceError('not_a_trace', 'Cannot read line 1: the header ends too early', 1, at + 1);
}

function rejectMark(bytes: Uint8Array): void {
  const [first, second, third] = bytes;
  const utf8 = first === 0xef && second === 0xbb && third === 0xbf;
  const utf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (!utf8 && !utf16) return;
  const message = `Cannot read a trace: it begins with a ${utf8 ? 'UTF-8' : 'UTF-16'} byte-order mark; save it as UTF-8 without one`;
  throw new TraceError('byte_order_mark', message, 1, 1);
}

function parseJson(text: string, line: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const at = findJsonFault(text);
    if (line === 1)
      throw errorAt(
        { text, at, line },
        'not_a_trace',
        'it is not a JSON object; a .vpt file begins with {"vpt":1,…',
      );
    throw errorAt(
      { text, at, line },
      'invalid_json',
      at >= text.length ? 'the JSON object ends too early' : 'it is not valid JSON',
    );
  }
  const fault = findShapeFault(text, value);
  if (fault === null) return value;
  const message = fault.code === 'too_deep' ? 'it is nested too deep' : 'it has a duplicate key';
  throw errorAt({ text, at: fault.at, line }, fault.code, message);
}

function placed(fault: FieldError, text: string, line: number): TraceError {
  const where = fault.path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`));
  const subject = where.length === 0 ? 'it' : `"${where.join('').slice(1)}"`;
  const at = locateValue(text, fault.path);
  return errorAt({ text, at, line }, fault.code, `${subject} ${fault.message}`);
}

/** An error at the character `at` of the text of a line. */
function errorAt(
  { text, at, line }: { readonly text: string; readonly at: number; readonly line: number },
  code: TraceErrorCode,
  message: string,
): TraceError {
  const column = utf8Length(text.slice(0, at)) + 1;
  return new TraceError(code, `Cannot read line ${line}: ${message}`, line, column);
}

/** Reads a whole trace in memory, for small files and tests. Throws TraceError. */
export function readVpt(input: string | Uint8Array): VptEnding & { lines: TraceRecord[] } {
  const lines: TraceRecord[] = [];
  const reader = new VptReader({ record: (record) => lines.push(record) });
  reader.push(typeof input === 'string' ? new TextEncoder().encode(input) : input);
  return { ...reader.finish(), lines };
}
