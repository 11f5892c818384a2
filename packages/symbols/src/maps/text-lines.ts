// A text with the offsets of its lines, as JavaScript and source maps count them.

export class TextLines {
  readonly text: string;
  /** The offset of each line, and the end of the text. Built at the first use. */
  #starts: Uint32Array | null = null;

  constructor(text: string) {
    this.text = text;
  }

  /** The offset of a position, both counted from 0. −1 if the text has no such position. */
  offset(line: number, column: number): number {
    const starts = this.#lineStarts();
    const start = starts[line];
    const next = starts[line + 1];
    if (start === undefined || next === undefined || line < 0 || column < 0) return -1;
    return start + column <= next ? start + column : -1;
  }

  #lineStarts(): Uint32Array {
    if (this.#starts !== null) return this.#starts;
    const starts = [0];
    for (const { index, 0: ending } of this.text.matchAll(/\r\n?|\n/g)) {
      starts.push(index + ending.length);
    }
    this.#starts = Uint32Array.from([...starts, this.text.length]);
    return this.#starts;
  }
}
