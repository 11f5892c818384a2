// Finds what JSON.parse accepts and the format rejects: deep nesting and duplicate keys. The text must be valid JSON.
import { JSON_DEPTH } from '../format/limits.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const COLON = 58;

/** `at` is an index into the text. */
export type ShapeFault = { readonly code: 'duplicate_key' | 'too_deep'; readonly at: number };

/** The first position that is nested too deep or repeats a key of its object, or null. `value` is the parsed text. */
export function findShapeFault(text: string, value: unknown): ShapeFault | null {
  return passesQuickCheck(text, value) ? null : scanShape(text);
}

/**
 * Quick check that accepts most valid lines without a scan of each character. It accepts a text whose objects are nested only
 * in objects, which has too few brackets to be deep, and which has one `":` for each key of the parsed objects. It gives up if
 * a quote is followed by white space, because a colon could follow. A brace or a quote inside a string, or an object in an
 * array, makes the counts differ and so also leads to the full scan.
 */
function passesQuickCheck(text: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const seen = { objects: 0, keys: 0 };
  countKeys(value, seen, JSON_DEPTH);
  const braces = countUpTo(text, '{', JSON_DEPTH);
  if (braces !== seen.objects) return false;
  if (text.includes('" ') || text.includes('"\t') || text.includes('"\r')) return false;
  return (
    braces + countUpTo(text, '[', JSON_DEPTH) < JSON_DEPTH &&
    countUpTo(text, '":', Number.POSITIVE_INFINITY) === seen.keys
  );
}

/** Counts the keys of an object and of the objects nested in it, but not of objects in arrays. */
function countKeys(value: object, seen: { objects: number; keys: number }, depth: number): void {
  if (Array.isArray(value) || depth === 0) return;
  seen.objects++;
  for (const part of Object.values(value) as unknown[]) {
    seen.keys++;
    if (typeof part === 'object' && part !== null) countKeys(part, seen, depth - 1);
  }
}

function countUpTo(text: string, part: string, most: number): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0 && count < most; at = text.indexOf(part, at + 1))
    count++;
  return count;
}

function scanShape(text: string): ShapeFault | null {
  const open: (Set<string> | null)[] = [];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) {
      const end = endOfString(text, i);
      const keys = open.at(-1);
      if (keys && text.charCodeAt(skipSpace(text, end)) === COLON) {
        const key = keyOf(text.slice(i, end));
        if (keys.has(key)) return { code: 'duplicate_key', at: i };
        keys.add(key);
      }
      i = end - 1;
    } else if (unit === OPEN_OBJECT || unit === OPEN_ARRAY) {
      if (open.length >= JSON_DEPTH) return { code: 'too_deep', at: i };
      open.push(unit === OPEN_OBJECT ? new Set() : null);
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_ARRAY) open.pop();
  }
  return null;
}

/** The index after the closing quote of the string that starts at `start`. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let back = quote - 1;
  while (text.charCodeAt(back) === BACKSLASH) back--;
  return (quote - back) % 2 === 0;
}

/** The index of the next character that is not JSON white space. */
export function skipSpace(text: string, from: number): number {
  let i = from;
  while (i < text.length && isSpace(text.charCodeAt(i))) i++;
  return i;
}

function isSpace(unit: number): boolean {
  return unit === 32 || unit === 9 || unit === 13 || unit === 10;
}

/** A key with its quotes. Escapes are resolved, so that two spellings of a key are equal. */
function keyOf(raw: string): string {
  return raw.includes('\\') ? JSON.stringify(JSON.parse(raw)) : raw;
}
