// Parses the count at the end of a folded line exactly: integers, decimals and exponents, read backwards.
import { COUNT_DIGITS } from '../format/limits.ts';
import { type Exact, powerOfTen, times, toSmallest } from '../stacks/exact-column.ts';

const SPACE = 32;
const TAB = 9;
const FAST_DIGITS = 15;
const COUNT = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/** The value of a count is `value / 10^decimals`. `start` is the end of the text before it, without one separating blank. */
export type Count = { value: Exact; decimals: number; start: number };

/** The reason why a line has no valid count. */
export type CountFault =
  | 'no count at the end'
  | 'no stack before the count'
  | 'a count of too many digits';

/**
 * Reads the count that ends at `end` into `into` and returns null, or returns the fault. One blank separates the count from the
 * stack, so a frame may end in blanks. A stack must not consist of blanks only.
 */
export function parseCount(
  bytes: Uint8Array,
  start: number,
  end: number,
  into: Count,
): CountFault | null {
  const fault = parseNumber(bytes, start, end, into);
  if (fault !== null) return fault;
  for (let at = start; at < into.start; at++) if (!isBlank(bytes[at])) return null;
  return 'no stack before the count';
}

function parseNumber(
  bytes: Uint8Array,
  start: number,
  end: number,
  into: Count,
): CountFault | null {
  let at = end - 1;
  let value = 0;
  for (let unit = 1; at >= start && end - at <= FAST_DIGITS; at--, unit *= 10) {
    const digit = (bytes[at] ?? 0) - 48;
    if (digit < 0 || digit > 9) break;
    value += digit * unit;
  }
  if (at < end - 1 && isBlank(bytes[at]) && at > start) {
    into.value = value;
    into.decimals = 0;
    into.start = at;
    return null;
  }
  return parseSlowly(bytes, start, end, into);
}

function parseSlowly(
  bytes: Uint8Array,
  start: number,
  end: number,
  into: Count,
): CountFault | null {
  let at = end - 1;
  const nearest = Math.max(start, end - 4 * COUNT_DIGITS);
  while (at >= nearest && !isBlank(bytes[at]) && isCountByte(bytes[at] ?? 0)) at--;
  const bounded = at < nearest || isBlank(bytes[at]);
  if (!bounded || at === end - 1) return 'no count at the end';
  if (at < nearest && nearest > start) return 'a count of too many digits';
  const match = COUNT.exec(String.fromCharCode(...bytes.subarray(at + 1, end)));
  if (match === null) return 'no count at the end';
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return 'no count at the end';
  if (at <= start) return 'no stack before the count';
  const count = toCount(sign, whole, fraction, Number(exponent));
  if (count === null) return 'a count of too many digits';
  into.value = count.value;
  into.decimals = count.decimals;
  into.start = at;
  return null;
}

function toCount(
  sign: string,
  whole: string,
  fraction: string,
  exponent: number,
): { value: Exact; decimals: number } | null {
  const kept = exponent === 0 ? fraction.replace(/0+$/, '') : fraction;
  const digits = (whole + kept).replace(/^0+(?=\d)/, '');
  let decimals = kept.length - exponent;
  if (digits.length > COUNT_DIGITS || Math.abs(decimals) > COUNT_DIGITS) return null;
  let value = toSmallest(BigInt(digits === '' ? '0' : digits));
  if (decimals < 0) {
    if (digits.length - decimals > COUNT_DIGITS) return null;
    value = times(value, powerOfTen(-decimals));
    decimals = 0;
  }
  return { value: sign === '-' && value !== 0 ? times(value, -1) : value, decimals };
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

/** Whether a byte may be part of a count: digit, sign, point or exponent letter. */
function isCountByte(byte: number): boolean {
  return (
    (byte >= 48 && byte <= 57) || byte === 45 || byte === 46 || byte === 43 || (byte | 32) === 101
  );
}
