// Reads a JSON number from bytes, with the same result as JSON.parse.
import { LATEST_T_MS } from '../format/limits.ts';
import { roundMs } from './format-record.ts';

const MINUS = 45;
const PLUS = 43;
const POINT = 46;
const ZERO = 48;
const UPPER_E = 69;
const LOWER_E = 101;

/** Integers with up to this number of digits, and powers of ten up to this exponent, are exact doubles. */
const MOST_DIGITS = 15;
const POWERS = Array.from({ length: MOST_DIGITS + 1 }, (_, digits) => 10 ** digits);

export class NumberReader {
  value = 0;

  /** Reads the number at `start` into `value`. Returns the index after it, or −1 if there is no number. */
  read(bytes: Uint8Array, start: number): number {
    let at = start;
    let value = 0;
    let digit = (bytes[at] ?? 0) - ZERO;
    while (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      digit = (bytes[++at] ?? 0) - ZERO;
    }
    const whole = at - start;
    if (whole === 0 || (whole > 1 && bytes[start] === ZERO)) return this.#readLong(bytes, start);
    let digits = whole;
    if (bytes[at] === POINT) {
      const point = at;
      digit = (bytes[++at] ?? 0) - ZERO;
      while (digit >= 0 && digit <= 9) {
        value = value * 10 + digit;
        digit = (bytes[++at] ?? 0) - ZERO;
      }
      const decimals = at - point - 1;
      if (decimals === 0) return -1;
      digits += decimals;
      // Both operands are exact, so the quotient is the double nearest to the written number.
      value /= POWERS[decimals] ?? 1;
    }
    if (digits > MOST_DIGITS || isExponent(bytes[at])) return this.#readLong(bytes, start);
    this.value = value;
    return at;
  }

  /** Whether the value is in the range that the format allows for this kind of field. */
  fits(kind: 'time' | 'amount' | 'count' | 'number'): boolean {
    const { value } = this;
    if (kind === 'number') return Number.isFinite(value);
    if (kind === 'count') return value >= 0 && Number.isSafeInteger(value);
    return value >= 0 && value <= LATEST_T_MS;
  }

  /** Reads a number with many digits, a sign or an exponent as text; these are rare. */
  #readLong(bytes: Uint8Array, start: number): number {
    let text = '';
    for (let at = start; isOfNumber(bytes[at]); at++) text += String.fromCharCode(bytes[at] ?? 0);
    if (!NUMBER.test(text)) return -1;
    this.value = Number(text);
    return start + text.length;
  }
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function isExponent(byte: number | undefined): boolean {
  return byte === LOWER_E || byte === UPPER_E;
}

function isOfNumber(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const isDigit = byte >= ZERO && byte <= ZERO + 9;
  return isDigit || byte === MINUS || byte === PLUS || byte === POINT || isExponent(byte);
}

/** Whether a number of milliseconds has no more decimals than the format allows. */
export function isTime(ms: number): boolean {
  return roundMs(ms) === ms;
}
