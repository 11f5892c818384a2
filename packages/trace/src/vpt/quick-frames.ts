// Fast path for `frames` lines as our writers format them. It reads the bytes directly and leaves all other lines to the parser.
import { LATEST_T_MS } from '../format/limits.ts';
import type { FramesRecord, Header, Source } from '../format/records.ts';
import { isTime, NumberReader } from './scan-number.ts';

const COMMA = 44;
const CLOSE_ARRAY = 93;
const CLOSE_OBJECT = 125;

const START = bytesOf('{"type":"frames","t":');
const SOURCE = bytesOf('"source":"');
const NULL = bytesOf('null');

type Column = {
  readonly key: 'duration_ms' | 'draws' | 'triangles' | 'gpu_ms' | 'main_ms';
  readonly bytes: Uint8Array;
  readonly whole: boolean;
  readonly nullable: boolean;
};

const COLUMNS: readonly Column[] = [
  column('duration_ms', { whole: false, nullable: false }),
  column('draws', { whole: true, nullable: true }),
  column('triangles', { whole: true, nullable: true }),
  column('gpu_ms', { whole: false, nullable: true }),
  column('main_ms', { whole: false, nullable: true }),
];

/**
 * Reads `frames` lines that consist of `type`, `t`, optionally `source`, and columns of one length, in any order after `t` and
 * without spaces. The record equals the one that JSON.parse and the checks return. Returns null for any other line, valid or
 * not.
 */
export class QuickFrames {
  readonly #sources: readonly { readonly name: Source; readonly bytes: Uint8Array }[];
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  readonly #reader = new NumberReader();

  constructor(header: Header) {
    this.#sources = header.sources.map((name) => ({ name, bytes: bytesOf(`${name}"`) }));
  }

  read(bytes: Uint8Array): FramesRecord | null {
    this.#bytes = bytes;
    this.#at = 0;
    if (!this.#takes(START)) return null;
    const t = this.#number(false);
    if (!(t >= 0 && t <= LATEST_T_MS) || !isTime(t)) return null;
    const record: Record<string, unknown> = { type: 'frames', t };
    while (bytes[this.#at] === COMMA) {
      this.#at++;
      if (!this.#field(record)) return null;
    }
    const ended = bytes[this.#at] === CLOSE_OBJECT && this.#at === bytes.length - 1;
    return ended && this.#isSound(record) ? record : null;
  }

  #isSound(record: Record<string, unknown>): record is FramesRecord {
    const lengths = COLUMNS.flatMap(({ key }) => {
      const values = record[key];
      return Array.isArray(values) ? [values.length] : [];
    });
    return (
      record['duration_ms'] !== undefined &&
      lengths.every((length) => length === lengths[0]) &&
      (record['source'] !== undefined || this.#sources.length === 1)
    );
  }

  #field(record: Record<string, unknown>): boolean {
    if (this.#takes(SOURCE)) {
      const source = this.#sources.find(({ bytes }) => this.#takes(bytes));
      if (source === undefined || record['source'] !== undefined) return false;
      record['source'] = source.name;
      return true;
    }
    const found = COLUMNS.find(({ bytes }) => this.#takes(bytes));
    if (found === undefined || record[found.key] !== undefined) return false;
    const values = this.#values(found);
    if (values !== null) record[found.key] = values;
    return values !== null;
  }

  /** The values of a column, read up to and including its closing bracket. */
  #values({ whole, nullable }: Column): (number | null)[] | null {
    const values: (number | null)[] = [];
    if (this.#bytes[this.#at] === CLOSE_ARRAY) {
      this.#at++;
      return values;
    }
    for (;;) {
      const value = this.#number(whole);
      if (value >= 0) values.push(value);
      else if (nullable && this.#takes(NULL)) values.push(null);
      else return null;
      const next = this.#bytes[this.#at++];
      if (next === CLOSE_ARRAY) return values;
      if (next !== COMMA) return null;
    }
  }

  /** Reads the number at the current position. Returns −1 without moving if there is none or it is out of range. */
  #number(whole: boolean): number {
    const end = this.#reader.read(this.#bytes, this.#at);
    if (end < 0 || !this.#reader.fits(whole ? 'count' : 'amount')) return -1;
    this.#at = end;
    return this.#reader.value;
  }

  /** Moves past `wanted` if it is at the current position. */
  #takes(wanted: Uint8Array): boolean {
    const bytes = this.#bytes;
    const start = this.#at;
    for (let i = 0; i < wanted.length; i++) if (bytes[start + i] !== wanted[i]) return false;
    this.#at = start + wanted.length;
    return true;
  }
}

function column(key: Column['key'], kind: Pick<Column, 'whole' | 'nullable'>): Column {
  return { key, bytes: bytesOf(`"${key}":[`), ...kind };
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
