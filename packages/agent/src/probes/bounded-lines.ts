// Splits bytes into lines, and holds at most one line of limited length.
import { StringDecoder } from 'node:string_decoder';

/** Longer lines are cut. No frame and no path needs more. */
export const LINE_CHARACTERS = 8192;

/** Calls back with each line, without its LF. Invalid UTF-8 becomes U+FFFD. */
export class BoundedLines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #line: (text: string) => void;
  #rest = '';

  constructor(line: (text: string) => void) {
    this.#line = line;
  }

  push(bytes: Buffer): void {
    const text = this.#decoder.write(bytes);
    let from = 0;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
      this.#keep(text, from, at);
      this.#report();
      from = at + 1;
    }
    this.#keep(text, from, text.length);
  }

  /** Reports the last line if it has no LF. */
  finish(): void {
    if (this.#rest !== '') this.#report();
  }

  #keep(text: string, from: number, to: number): void {
    const room = LINE_CHARACTERS - this.#rest.length;
    if (room > 0) this.#rest += text.slice(from, Math.min(to, from + room));
  }

  #report(): void {
    const line = this.#rest;
    this.#rest = '';
    this.#line(line);
  }
}
