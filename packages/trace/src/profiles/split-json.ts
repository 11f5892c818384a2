// Splits a JSON file of any size into the elements of its large arrays, without parsing the whole: a state machine over bytes.

import { JSON_DEPTH } from '../format/limits.ts';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_ARRAY = 91;
const BACKSLASH = 92;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Receives the values of a file in order. The bytes are valid during the call and need not be JSON: the receiver parses them. */
export type JsonVisitor = {
  /** Whether the elements of the array at this key are received one by one. The key of an array without an object is ''. */
  isList(key: string): boolean;
  /** An element of such an array, nested at most JSON_DEPTH deep. */
  element(key: string, bytes: Uint8Array): void;
  /** The value of any other key. Values beyond the limits are skipped. */
  value(key: string, bytes: Uint8Array): void;
  /** An element that is longer than the limit or nested too deep. */
  skipped(key: string): void;
};

/** How a file ended: complete, in the middle, or followed by other text. */
export type JsonEnd = 'complete' | 'torn' | 'followed';

type State = 'start' | 'key' | 'colon' | 'value' | 'element' | 'end' | 'followed' | 'other';

/**
 * Call `push` with the bytes, then `finish`. Only the first level is read: an object with keys, or an array. Nested values are
 * delimited by counting brackets outside strings. Keeps one value in memory, at most `limitBytes`.
 */
export class JsonSplitter {
  readonly #visitor: JsonVisitor;
  readonly #limitBytes: number;
  #state: State = 'start';
  /** Whether the file is an object. Otherwise it is an array. */
  #isObject = false;
  #key = '';
  /** The open value: its first byte, its bytes from earlier chunks, and where it goes. */
  #isOpen = false;
  #first = 0;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #tooDeep = false;
  #kept: Uint8Array[] = [];
  #keptBytes = 0;

  constructor(visitor: JsonVisitor, limitBytes: number) {
    this.#visitor = visitor;
    this.#limitBytes = limitBytes;
  }

  /** Whether a first level was found: the file is an object or an array. */
  get hasStarted(): boolean {
    return this.#state !== 'start' && this.#state !== 'other';
  }

  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#isOpen) {
        at = this.#readValue(chunk, at);
        continue;
      }
      const byte = chunk[at] ?? 0;
      if (isSpace(byte)) at++;
      else if (this.#opensValue(byte)) this.#openValue(byte);
      else {
        this.#step(byte);
        at++;
      }
    }
  }

  finish(): JsonEnd {
    if (this.#state === 'end') return 'complete';
    return this.#state === 'followed' ? 'followed' : 'torn';
  }

  /** Whether the byte begins a key, a value or an element in the present state. */
  #opensValue(byte: number): boolean {
    if (this.#state === 'key') return byte === QUOTE;
    if (this.#state === 'value') return !(byte === OPEN_ARRAY && this.#visitor.isList(this.#key));
    return this.#state === 'element' && byte !== COMMA && byte !== CLOSE_ARRAY;
  }

  #openValue(byte: number): void {
    this.#isOpen = true;
    this.#first = byte;
    this.#depth = 0;
    this.#inString = false;
    this.#isEscaped = false;
    this.#tooDeep = false;
  }

  /** A byte between values. */
  #step(byte: number): void {
    switch (this.#state) {
      case 'start':
        this.#begin(byte);
        break;
      case 'key':
        if (byte === CLOSE_OBJECT) this.#state = 'end';
        break;
      case 'colon':
        if (byte === COLON) this.#state = 'value';
        break;
      case 'value':
        this.#state = 'element';
        break;
      case 'element':
        if (byte === CLOSE_ARRAY) this.#state = this.#isObject ? 'key' : 'end';
        break;
      case 'end':
        this.#state = 'followed';
        break;
    }
  }

  #begin(byte: number): void {
    // The bytes of a UTF-8 mark are above 127.
    if (byte > 127) return;
    this.#isObject = byte === OPEN_OBJECT;
    if (this.#isObject) this.#state = 'key';
    else if (byte === OPEN_ARRAY && this.#visitor.isList('')) this.#state = 'element';
    else this.#state = 'other';
  }

  /** Reads on in the open value. Returns the index after it, or the end of the chunk. */
  #readValue(chunk: Uint8Array, from: number): number {
    const end = this.#endOfValue(chunk, from);
    const isWhole = end >= 0;
    const to = isWhole ? end : chunk.length;
    this.#keptBytes += to - from;
    const fits = this.#keptBytes <= this.#limitBytes;
    if (!fits) this.#kept = [];
    if (!isWhole) {
      if (fits) this.#kept.push(chunk.slice(from, to));
      return to;
    }
    const part = chunk.subarray(from, to);
    const bytes = this.#kept.length === 0 ? part : joined([...this.#kept, part], this.#keptBytes);
    this.#kept = [];
    this.#keptBytes = 0;
    this.#isOpen = false;
    this.#deliver(bytes, fits && !this.#tooDeep);
    return to;
  }

  #deliver(bytes: Uint8Array, fits: boolean): void {
    if (this.#state === 'key') {
      this.#key = fits ? keyOf(bytes) : '';
      this.#state = 'colon';
    } else if (this.#state === 'value') {
      this.#state = 'key';
      if (fits) this.#visitor.value(this.#key, bytes);
    } else if (fits) this.#visitor.element(this.#key, bytes);
    else this.#visitor.skipped(this.#key);
  }

  /** The index after the open value, or −1 if it goes on after the chunk. */
  #endOfValue(chunk: Uint8Array, from: number): number {
    const first = this.#first;
    if (first === OPEN_OBJECT || first === OPEN_ARRAY) return this.#endOfNested(chunk, from);
    // The first byte always belongs to the value, so that every byte is read once.
    if (first !== QUOTE) return endOfWord(chunk, this.#keptBytes === 0 ? from + 1 : from);
    let at = from;
    if (!this.#inString) {
      this.#inString = true;
      at++;
    }
    return this.#endOfString(chunk, at);
  }

  /** The hot loop of the whole reader: strings are skipped here, without a call for each. */
  #endOfNested(chunk: Uint8Array, from: number): number {
    const { length } = chunk;
    let depth = this.#depth;
    let at = this.#inString ? this.#endOfString(chunk, from) : from;
    if (at < 0) return -1;
    while (at < length) {
      const byte = chunk[at++] ?? 0;
      if (byte === QUOTE) {
        let inside = chunk[at] ?? QUOTE;
        while (at < length && inside !== QUOTE && inside !== BACKSLASH)
          inside = chunk[++at] ?? QUOTE;
        if (at < length && inside === QUOTE) at++;
        else {
          this.#inString = true;
          at = this.#endOfString(chunk, at);
          if (at < 0) break;
        }
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (++depth > JSON_DEPTH) this.#tooDeep = true;
      } else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && --depth === 0) return at;
    }
    this.#depth = depth;
    return -1;
  }

  /** The index after the quote that ends the open string, or −1. */
  #endOfString(chunk: Uint8Array, from: number): number {
    let isEscaped = this.#isEscaped;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at];
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) {
        this.#isEscaped = false;
        this.#inString = false;
        return at + 1;
      }
    }
    this.#isEscaped = isEscaped;
    return -1;
  }
}

/** The index of the byte that ends a number or word, or −1. */
function endOfWord(chunk: Uint8Array, from: number): number {
  for (let at = from; at < chunk.length; at++) {
    const byte = chunk[at] ?? 0;
    if (byte === COMMA || byte === CLOSE_ARRAY || byte === CLOSE_OBJECT || isSpace(byte)) return at;
  }
  return -1;
}

function isSpace(byte: number): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9;
}

const decoder = new TextDecoder();

function keyOf(bytes: Uint8Array): string {
  return decoder.decode(bytes.subarray(1, -1));
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
