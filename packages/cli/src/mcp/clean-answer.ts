// Makes what is in an answer safe to read: strings of a trace come from any program that wrote it.
import { safeLine } from '../output/text.ts';
import { STRING_LENGTH } from './limits.ts';

/** Zero-width characters, tags and variation selectors, which hide text from a person. */
const INVISIBLE =
  /[\u00ad\u061c\u200b-\u200f\u2028\u2029\u2060-\u2064\ufeff]|[\u{e0000}-\u{e01ef}]/gu;

/** One line without control and invisible characters, at most STRING_LENGTH characters. A text that is cut ends in `…`. */
export function cleanText(text: string): string {
  const cut = text.slice(0, STRING_LENGTH + 1);
  const clean = safeLine(cut.toWellFormed().replace(INVISIBLE, ''));
  return cut.length === text.length && clean.length <= STRING_LENGTH
    ? clean
    : `${clean.slice(0, STRING_LENGTH - 1).toWellFormed()}…`;
}

/** The value with clean strings, and with numbers of at most three decimals. */
export function cleanAnswer<Value>(value: Value): Value {
  return cleanValue(value) as Value;
}

function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value === 'number') return roundNumber(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleanValue(inner)]));
}

/** Shares and costs are small, so they keep three digits after their first one that is not 0. */
function roundNumber(value: number): number {
  if (!Number.isFinite(value)) return 0;
  return Math.abs(value) >= 1 ? Math.round(value * 1000) / 1000 : Number(value.toPrecision(3));
}
