// Fast path for records as our writers format them: checks the bytes directly. All other lines are left to the parser.

import { findInvalidUtf8 } from '../bytes/utf8.ts';
import { NAME_BYTES } from '../format/limits.ts';
import {
  type AnyRow,
  type FieldKind,
  RECORD_ROWS,
  type ScannedType,
} from '../format/record-rows.ts';
import { ASSET_KINDS, ASSET_PHASES, type Header, type Source } from '../format/records.ts';
import { isTime, NumberReader } from './scan-number.ts';

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const CLOSE_OBJECT = 125;

/** The kind of a field's value. `id` is a count or a text, `choice` is one of `among`. */
type Kind =
  | 'time'
  | 'amount'
  | 'count'
  | 'number'
  | 'text'
  | 'id'
  | 'flag'
  | 'counts'
  | 'source'
  | 'choice';

type Field = {
  /** Its index in the arrays of scanned values. */
  readonly slot: number;
  readonly bytes: Uint8Array;
  readonly kind: Kind;
  readonly among: readonly Uint8Array[];
};

type Shape = {
  readonly type: ScannedType;
  readonly start: Uint8Array;
  readonly fields: readonly Field[];
  /** One bit for each required slot. */
  readonly required: number;
};

/** Slots of the fields that sinks read. The other fields of a type use the slots that are free in it. */
export const SLOT = {
  t: 0,
  source: 1,
  id: 2,
  name: 3,
  kind: 4,
  phase: 5,
  bytes: 6,
  encoded_bytes: 7,
  transfer_bytes: 8,
  cached: 9,
  opaque: 10,
  gpu_bytes: 11,
  duration_ms: 12,
  main_thread_ms: 13,
  dims: 14,
  format: 15,
  count: 16,
  read_bytes: 17,
  mapped: 18,
} as const;
const SLOTS = 19;

/** Slots that fields without a slot in SLOT must not use, because sinks read them in records of every type. */
const RESERVED: ReadonlySet<number> = new Set([SLOT.t, SLOT.source, SLOT.name, SLOT.duration_ms]);
const SLOT_OF: Readonly<Record<string, number>> = SLOT;

/** How the fields of each kind are scanned. A line with a field of a kind that is not listed is left to the parser. */
const SCAN_KINDS: Partial<Record<FieldKind, Kind>> = {
  amount: 'amount',
  count: 'count',
  number: 'number',
  name: 'text',
  flag: 'flag',
  id: 'id',
  kind: 'choice',
  phase: 'choice',
  counts: 'counts',
};

const SHAPES: readonly Shape[] = Object.entries<AnyRow>(RECORD_ROWS).flatMap(([type, row]) =>
  isScanned(type) ? [shape(type, row.fields)] : [],
);

function isScanned(type: string): type is ScannedType {
  const rows: Readonly<Record<string, AnyRow>> = RECORD_ROWS;
  return rows[type]?.scanned === true;
}

/**
 * Scans one record at a time in the bytes of its line. It accepts lines that begin with `type`, have no spaces around values,
 * no `\u` escapes (assets: no escapes at all), and only the keys of the type, without duplicates. An accepted line has passed
 * all checks of the format, and `JSON.parse` returns its record. The values are valid until the next line is scanned.
 */
export class RecordScanner {
  type: ScannedType = 'mark';
  source: Source;
  /** The bytes that contain the line. */
  bytes: Uint8Array = new Uint8Array(0);
  /** By slot: the number, 1 for true, 0 for false, the index of a choice, or the first of `dims`. Valid only if `has(slot)`. */
  readonly numbers = new Float64Array(SLOTS);
  /** By slot: start and end of a text in `bytes`. */
  readonly starts = new Int32Array(SLOTS);
  readonly ends = new Int32Array(SLOTS);
  /** The second of `dims`, or 0. */
  secondDim = 0;
  /** The number of `dims`. */
  dimCount = 0;
  /** Whether `id` is a string. */
  idIsText = false;
  #seen = 0;
  #shape: Shape | undefined = SHAPES[0];
  readonly #sources: readonly Source[];
  readonly #sourceBytes: readonly Uint8Array[];
  readonly #number = new NumberReader();
  #at = 0;

  constructor(header: Header) {
    this.#sources = header.sources;
    this.#sourceBytes = header.sources.map((name) => bytesOf(`${name}"`));
    this.source = header.sources[0] ?? 'import';
  }

  has(slot: number): boolean {
    return (this.#seen & (1 << slot)) !== 0;
  }

  /** The number in a slot, or NaN if the record does not have the field. */
  numberOf(slot: number): number {
    return this.has(slot) ? (this.numbers[slot] ?? Number.NaN) : Number.NaN;
  }

  /** The text in a slot of an asset, or undefined if the record does not have the field. */
  textOf(slot: number): string | undefined {
    if (!this.has(slot)) return undefined;
    return decoder.decode(this.bytes.subarray(this.starts[slot], this.ends[slot]));
  }

  /** The end of the record in ms: `t` plus its duration. */
  get end(): number {
    const t = this.numbers[SLOT.t] ?? 0;
    return this.has(SLOT.duration_ms) ? t + (this.numbers[SLOT.duration_ms] ?? 0) : t;
  }

  /** Scans the line `bytes[from..to)`. Returns false if the parser must read it; it may be valid or not. */
  read(bytes: Uint8Array, from: number, to: number): boolean {
    this.bytes = bytes;
    this.#at = from;
    const found = this.#start();
    if (found === undefined) return false;
    this.#shape = found;
    this.type = found.type;
    this.#seen = 0;
    const { fields } = found;
    let next = 0;
    while (this.#at < to && bytes[this.#at] === COMMA) {
      this.#at++;
      next = this.#field(fields, next, to);
      if (next < 0) return false;
    }
    return bytes[this.#at] === CLOSE_OBJECT && this.#at === to - 1 && this.#isWhole(found);
  }

  #isWhole({ required }: Shape): boolean {
    if ((this.#seen & required) !== required) return false;
    if (this.has(SLOT.source)) return true;
    this.source = this.#sources[0] ?? 'import';
    return this.#sources.length === 1;
  }

  #start(): Shape | undefined {
    const latest = this.#shape;
    if (latest !== undefined && this.#takes(latest.start)) return latest;
    for (const one of SHAPES) if (this.#takes(one.start)) return one;
    return undefined;
  }

  /** Scans one key and its value. Returns the index of the field that probably comes next, or −1. Writers use a fixed order. */
  #field(fields: readonly Field[], expected: number, to: number): number {
    for (let i = 0; i < fields.length; i++) {
      const place = expected + i < fields.length ? expected + i : expected + i - fields.length;
      const field = fields[place];
      if (field === undefined || !this.#takes(field.bytes)) continue;
      if (this.has(field.slot) || !this.#value(field, to)) return -1;
      this.#seen |= 1 << field.slot;
      return place + 1;
    }
    return -1;
  }

  #value(field: Field, to: number): boolean {
    const { slot, kind } = field;
    switch (kind) {
      case 'text':
        return this.#text(slot, to);
      case 'id':
        this.idIsText = this.bytes[this.#at] === QUOTE;
        return this.idIsText ? this.#text(slot, to) : this.#numeral(slot, 'count');
      case 'choice':
        return this.#choice(slot, field.among);
      case 'source':
        if (!this.#choice(slot, this.#sourceBytes)) return false;
        this.source = this.#sources[this.numbers[slot] ?? 0] ?? 'import';
        return true;
      case 'flag':
        return this.#flag(slot);
      case 'counts':
        return this.#counts(slot);
      default:
        return this.#numeral(slot, kind);
    }
  }

  #numeral(slot: number, kind: 'time' | 'amount' | 'count' | 'number'): boolean {
    const at = this.#number.read(this.bytes, this.#at);
    const { value } = this.#number;
    if (at < 0 || !this.#number.fits(kind)) return false;
    this.#at = at;
    this.numbers[slot] = value;
    return kind !== 'time' || isTime(value);
  }

  #text(slot: number, to: number): boolean {
    const { bytes } = this;
    if (bytes[this.#at] !== QUOTE) return false;
    const start = this.#at + 1;
    let at = start;
    let all = 0;
    for (; at < to; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH && this.type !== 'asset' && isShortEscape(bytes[at + 1])) at++;
      else if (byte < 32 || byte === BACKSLASH) return false;
      all |= byte;
    }
    if (at >= to || at - start > NAME_BYTES) return false;
    if (all >= 0x80 && findInvalidUtf8(bytes.subarray(start, at), 'reject') >= 0) return false;
    this.starts[slot] = start;
    this.ends[slot] = at;
    this.#at = at + 1;
    return true;
  }

  #choice(slot: number, among: readonly Uint8Array[]): boolean {
    if (this.bytes[this.#at] !== QUOTE) return false;
    this.#at++;
    for (let i = 0; i < among.length; i++) {
      const word = among[i];
      if (word === undefined || !this.#takes(word)) continue;
      this.numbers[slot] = i;
      return true;
    }
    return false;
  }

  #flag(slot: number): boolean {
    const yes = this.#takes(TRUE);
    this.numbers[slot] = yes ? 1 : 0;
    return yes || this.#takes(FALSE);
  }

  #counts(slot: number): boolean {
    const { bytes } = this;
    if (bytes[this.#at] !== OPEN_ARRAY) return false;
    this.#at++;
    this.dimCount = 0;
    this.numbers[slot] = 0;
    this.secondDim = 0;
    if (bytes[this.#at] === CLOSE_ARRAY) {
      this.#at++;
      return true;
    }
    for (;;) {
      const at = this.#number.read(bytes, this.#at);
      if (at < 0 || !this.#number.fits('count')) return false;
      if (this.dimCount === 0) this.numbers[slot] = this.#number.value;
      else if (this.dimCount === 1) this.secondDim = this.#number.value;
      this.dimCount++;
      this.#at = at + 1;
      if (bytes[at] === CLOSE_ARRAY) return true;
      if (bytes[at] !== COMMA) return false;
    }
  }

  /** Moves past `wanted` if it is at the current position. */
  #takes(wanted: Uint8Array): boolean {
    const { bytes } = this;
    const start = this.#at;
    for (let i = 0; i < wanted.length; i++) if (bytes[start + i] !== wanted[i]) return false;
    this.#at = start + wanted.length;
    return true;
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The characters that may follow a backslash, except `u`. */
const SHORT_ESCAPES: ReadonlySet<number | undefined> = new Set(bytesOf('"\\/bfnrt'));

function isShortEscape(byte: number | undefined): boolean {
  return SHORT_ESCAPES.has(byte);
}

const TRUE = bytesOf('true');
const FALSE = bytesOf('false');

function shape(type: ScannedType, row: AnyRow['fields']): Shape {
  const fields: Field[] = [];
  let required = 0;
  let free = 0;
  const add = (key: string, kind: Kind): void => {
    const name = key.replace('?', '');
    while (SLOT_OF[name] === undefined && RESERVED.has(free)) free++;
    const slot = SLOT_OF[name] ?? free++;
    if (!key.endsWith('?')) required |= 1 << slot;
    fields.push({
      slot,
      kind,
      bytes: bytesOf(`"${name}":`),
      among: kind === 'choice' ? wordsOf(slot) : [],
    });
  };
  add('t', 'time');
  for (const [key, kind] of Object.entries(row)) {
    const scanned = SCAN_KINDS[kind];
    if (scanned !== undefined) add(key, scanned);
  }
  add('source?', 'source');
  return { type, start: bytesOf(`{"type":"${type}"`), fields, required };
}

function wordsOf(slot: number): Uint8Array[] {
  return (slot === SLOT.kind ? ASSET_KINDS : ASSET_PHASES).map((word) => bytesOf(`${word}"`));
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
