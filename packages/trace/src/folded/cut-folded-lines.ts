// Splits the chunks of a folded file into lines, without copying lines that are whole in a chunk. Overlong lines are not kept.
import { FOLDED_LINE_BYTES } from '../format/limits.ts';

const LF = 10;

export type FoldedLineVisitor = {
  /** A line without its LF, valid during the call. */
  line(bytes: Uint8Array, start: number, end: number): void;
  /** Called instead of `line` for a line longer than FOLDED_LINE_BYTES. */
  overlongLine(): void;
};

/** Keeps at most one line in memory. The chunk may be overwritten when `push` has returned. */
export class FoldedLines {
  readonly #visitor: FoldedLineVisitor;
  #carry: Uint8Array[] = [];
  #carryBytes = 0;

  constructor(visitor: FoldedLineVisitor) {
    this.#visitor = visitor;
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    if (this.#carryBytes > 0) {
      const end = chunk.indexOf(LF);
      this.#holdBack(chunk.slice(0, end < 0 ? chunk.length : end));
      if (end < 0) return;
      this.#giveCarry();
      from = end + 1;
    }
    for (let end = chunk.indexOf(LF, from); end >= 0; end = chunk.indexOf(LF, from)) {
      if (end - from > FOLDED_LINE_BYTES) this.#visitor.overlongLine();
      else this.#visitor.line(chunk, from, end);
      from = end + 1;
    }
    if (from < chunk.length) this.#holdBack(chunk.slice(from));
  }

  finish(): void {
    if (this.#carryBytes > 0) this.#giveCarry();
  }

  #holdBack(part: Uint8Array): void {
    this.#carryBytes += part.length;
    if (this.#carryBytes > FOLDED_LINE_BYTES) this.#carry = [];
    else this.#carry.push(part);
  }

  #giveCarry(): void {
    const length = this.#carryBytes;
    const parts = this.#carry;
    this.#carry = [];
    this.#carryBytes = 0;
    if (length > FOLDED_LINE_BYTES) this.#visitor.overlongLine();
    else this.#visitor.line(joinBytes(parts, length), 0, length);
  }
}

/** Concatenates arrays. A single array is returned without a copy. */
export function joinBytes(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
