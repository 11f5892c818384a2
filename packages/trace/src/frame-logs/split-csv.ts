// Splits CSV (RFC 4180) into rows of cells as it streams. Reads UTF-8, and UTF-16 with a byte-order mark.
import { TextToUtf8 } from '../bytes/decode-text.ts';

/** Longest row in UTF-16 units. Unreal Engine writes rows of some thousand columns. Longer rows are skipped. */
export const ROW_LENGTH = 1_048_576;

/**
 * Call `push` with the bytes, then `finish`. Each line is a row, so that a double quote without its counterpart spoils only its own
 * row. A cell in double quotes may contain commas, and two double quotes in it are one. Blank lines are left out. Invalid UTF-8 is
 * read as U+FFFD.
 */
export class CsvSplitter {
  /** The rows that were too long and left out. */
  skipped = 0;
  readonly #row: (cells: string[]) => void;
  readonly #decoder = new TextDecoder('utf-8');
  readonly #utf8 = new TextToUtf8((bytes) => {
    this.#take(this.#decoder.decode(bytes, { stream: true }));
  });
  #rest = '';
  #isTooLong = false;

  constructor(row: (cells: string[]) => void) {
    this.#row = row;
  }

  push(chunk: Uint8Array): void {
    this.#utf8.push(chunk);
  }

  /** Returns whether the last row has its line end. */
  finish(): boolean {
    this.#utf8.finish();
    this.#take(this.#decoder.decode());
    const isComplete = this.#rest === '' && !this.#isTooLong;
    if (!isComplete) this.#take('\n');
    return isComplete;
  }

  #take(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.#extend(text.slice(start, end));
      this.#endRow();
      start = end + 1;
    }
    this.#extend(text.slice(start));
  }

  #extend(text: string): void {
    if (!this.#isTooLong) this.#rest += text;
    if (this.#rest.length <= ROW_LENGTH) return;
    this.#isTooLong = true;
    this.#rest = '';
  }

  #endRow(): void {
    const line = this.#rest.endsWith('\r') ? this.#rest.slice(0, -1) : this.#rest;
    if (this.#isTooLong) this.skipped++;
    else if (line.trim() !== '') this.#row(cellsOf(line));
    this.#rest = '';
    this.#isTooLong = false;
  }
}

function cellsOf(line: string): string[] {
  if (!line.includes('"')) return line.split(',').map((cell) => cell.trim());
  const cells: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let i = 0; i <= line.length; i++) {
    const character = line[i];
    if (character === '"') isQuoted = !isQuoted;
    if (character !== undefined && (character !== ',' || isQuoted)) continue;
    cells.push(unquoted(line.slice(start, i).trim()));
    start = i + 1;
  }
  return cells;
}

function unquoted(cell: string): string {
  const isQuoted = cell.length >= 2 && cell.startsWith('"') && cell.endsWith('"');
  return isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}
