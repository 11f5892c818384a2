// Cuts a stream of byte chunks into lines at LF, whatever the chunks' borders, holding at most one line.
import { TraceError } from '../errors.ts';

const LF = 10;

/** A line without its LF. `bytes` is valid until the next call; `line` counts from 1. */
export type LineVisitor = (bytes: Uint8Array, line: number) => void;

/** Throws `line_too_long` as soon as a line passes `lineBytes`, before more of it is held. */
export class LineSplitter {
  #carry: Uint8Array = new Uint8Array(0);
  #held = 0;
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
      if (this.#held === 0) {
        this.#refuseLonger(end - from);
        this.#visit(chunk.subarray(from, end), this.#line);
      } else {
        this.#hold(chunk.subarray(from, end));
        const held = this.#held;
        this.#held = 0;
        this.#visit(this.#carry.subarray(0, held), this.#line);
      }
      this.#line++;
      from = end + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
  }

  /** What stands after the last LF, perhaps nothing, and its line number. */
  rest(): { bytes: Uint8Array; line: number } {
    return { bytes: this.#carry.subarray(0, this.#held), line: this.#line };
  }

  #hold(part: Uint8Array): void {
    const length = this.#held + part.length;
    this.#refuseLonger(length);
    if (length > this.#carry.length) {
      const grown = new Uint8Array(Math.min(this.#lineBytes, Math.max(4096, length * 2)));
      grown.set(this.#carry.subarray(0, this.#held));
      this.#carry = grown;
    }
    this.#carry.set(part, this.#held);
    this.#held = length;
  }

  #refuseLonger(length: number): void {
    if (length <= this.#lineBytes) return;
    throw new TraceError(
      'line_too_long',
      `Cannot read line ${this.#line}: it is longer than ${this.#lineBytes} bytes`,
      this.#line,
      this.#lineBytes + 1,
    );
  }
}
