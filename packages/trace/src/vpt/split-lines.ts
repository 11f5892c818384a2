// Splits a stream of byte chunks into lines at LF. It keeps at most one line in memory.
import { TraceError } from '../format/errors.ts';

const LF = 10;

/** Receives a line without its LF: `bytes[from..to)`. `bytes` is valid until the next call; `line` counts from 1. */
export type LineVisitor = (bytes: Uint8Array, from: number, to: number, line: number) => void;

/** The bytes after the last LF. */
export type Rest = {
  /** Up to the first NUL byte. */
  readonly bytes: Uint8Array;
  readonly line: number;
  /** The number of bytes from the first NUL byte on. */
  readonly afterNul: number;
};

/**
 * Throws `line_too_long` as soon as a line is longer than `lineBytes`. Of a line with a NUL byte the visitor receives only the
 * part up to and including that byte; the bytes after it are counted but not kept.
 */
export class LineSplitter {
  #carry: Uint8Array = new Uint8Array(0);
  #carried = 0;
  #afterNul = 0;
  #line = 1;
  readonly #lineBytes: number;
  readonly #visit: LineVisitor;

  constructor(lineBytes: number, visit: LineVisitor) {
    this.#lineBytes = lineBytes;
    this.#visit = visit;
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    while (from < chunk.length) {
      const end = chunk.indexOf(LF, from);
      if (end < 0) break;
      if (this.#carried === 0 && this.#afterNul === 0) this.#visitWhole(chunk, from, end);
      else {
        this.#carryOver(chunk.subarray(from, end));
        this.#visitCarried();
      }
      this.#line++;
      from = end + 1;
    }
    if (from < chunk.length) this.#carryOver(chunk.subarray(from));
  }

  rest(): Rest {
    return {
      bytes: this.#carry.subarray(0, this.#carried),
      line: this.#line,
      afterNul: this.#afterNul,
    };
  }

  #visitWhole(chunk: Uint8Array, from: number, end: number): void {
    const most = from + this.#lineBytes;
    if (end > most) {
      const nul = chunk.subarray(from, most + 1).indexOf(0);
      if (nul < 0) this.#rejectLonger(end - from);
      else this.#visit(chunk, from, from + nul + 1, this.#line);
    } else this.#visit(chunk, from, end, this.#line);
  }

  #visitCarried(): void {
    if (this.#afterNul > 0) this.#keep(Uint8Array.of(0));
    const length = this.#carried;
    this.#carried = 0;
    this.#afterNul = 0;
    this.#visit(this.#carry, 0, length, this.#line);
  }

  #carryOver(part: Uint8Array): void {
    const nul = this.#afterNul > 0 ? 0 : part.indexOf(0);
    const before = nul < 0 ? part : part.subarray(0, nul);
    this.#rejectLonger(this.#carried + before.length);
    this.#keep(before);
    this.#afterNul += part.length - before.length;
  }

  #keep(part: Uint8Array): void {
    const length = this.#carried + part.length;
    if (length > this.#carry.length) {
      const grown = new Uint8Array(Math.min(this.#lineBytes + 1, Math.max(4096, length * 2)));
      grown.set(this.#carry.subarray(0, this.#carried));
      this.#carry = grown;
    }
    this.#carry.set(part, this.#carried);
    this.#carried = length;
  }

  #rejectLonger(length: number): void {
    if (length <= this.#lineBytes) return;
    throw new TraceError(
      'line_too_long',
      `Cannot read line ${this.#line}: it is longer than ${this.#lineBytes} bytes`,
      this.#line,
      this.#lineBytes + 1,
    );
  }
}
