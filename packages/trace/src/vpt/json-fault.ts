// Slow path of a rejected line: finds the first syntax error of JSON, and the position of a value. Without recursion.
import { endOfString, skipSpace } from './json-shape.ts';

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const WORD = /true|false|null/y;

type Expect = 'value' | 'first-element' | 'first-key' | 'key' | 'colon' | 'next' | 'nothing';

/** The index after a token, and what may follow it. */
type Step = { readonly at: number; readonly expect: Expect };

/** The index of the first character that breaks the JSON grammar, or the length of the text if it ends too early. */
export function findJsonFault(text: string): number {
  const open: ('{' | '[')[] = [];
  let expect: Expect = 'value';
  let at = skipSpace(text, 0);
  for (; at < text.length; at = skipSpace(text, at)) {
    const step = stepOver(text, at, expect, open);
    if (step === null) return at;
    at = step.at;
    expect = step.expect;
  }
  return at;
}

/** Reads the token at `at`. Returns null if it is not expected. `open` is the stack of open brackets. */
function stepOver(text: string, at: number, expect: Expect, open: ('{' | '[')[]): Step | null {
  const unit = text.charAt(at);
  const closes = (unit === '}' && open.at(-1) === '{') || (unit === ']' && open.at(-1) === '[');
  if (closes && (expect === 'next' || expect === 'first-key' || expect === 'first-element')) {
    open.pop();
    return { at: at + 1, expect: open.length === 0 ? 'nothing' : 'next' };
  }
  if (expect === 'colon') return unit === ':' ? { at: at + 1, expect: 'value' } : null;
  if (expect === 'next') {
    if (unit !== ',') return null;
    return { at: at + 1, expect: open.at(-1) === '{' ? 'key' : 'value' };
  }
  if (expect === 'key' || expect === 'first-key') {
    const end = endOfValidString(text, at);
    return end < 0 ? null : { at: end, expect: 'colon' };
  }
  return expect === 'nothing' ? null : stepOverValue(text, at, open);
}

function stepOverValue(text: string, at: number, open: ('{' | '[')[]): Step | null {
  const unit = text.charAt(at);
  if (unit === '{' || unit === '[') {
    open.push(unit);
    return { at: at + 1, expect: unit === '{' ? 'first-key' : 'first-element' };
  }
  const end =
    unit === '"'
      ? endOfValidString(text, at)
      : matchEnd(/[a-z]/.test(unit) ? WORD : NUMBER, text, at);
  return end < 0 ? null : { at: end, expect: open.length === 0 ? 'nothing' : 'next' };
}

/** The index after the closing quote of a string, or −1 if it has a control character, a wrong escape or no closing quote. */
function endOfValidString(text: string, start: number): number {
  if (text.charAt(start) !== '"') return -1;
  for (let i = start + 1; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 32) return -1;
    if (unit === 34) return i + 1;
    if (unit !== 92) continue;
    const length = matchEnd(ESCAPE, text, i) - i;
    if (length < 2) return -1;
    i += length - 1;
  }
  return -1;
}

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** The path to a value: keys of objects and indices of arrays. */
export type Path = readonly (string | number)[];

/** The index at which the value at `path` starts, in valid JSON text. If it does not exist, the nearest enclosing value. */
export function locateValue(text: string, path: Path): number {
  let at = skipSpace(text, 0);
  for (const step of path) {
    const found = typeof step === 'string' ? findKey(text, at, step) : findElement(text, at, step);
    if (found < 0) break;
    at = found;
  }
  return at;
}

function findKey(text: string, object: number, key: string): number {
  if (text.charAt(object) !== '{') return -1;
  let at = skipSpace(text, object + 1);
  while (text.charAt(at) === '"') {
    const end = endOfString(text, at);
    const value = skipSpace(text, skipSpace(text, end) + 1);
    if (JSON.parse(text.slice(at, end)) === key) return value;
    at = skipSpace(text, endOfValue(text, value));
    if (text.charAt(at) !== ',') return -1;
    at = skipSpace(text, at + 1);
  }
  return -1;
}

function findElement(text: string, array: number, index: number): number {
  if (text.charAt(array) !== '[') return -1;
  let at = skipSpace(text, array + 1);
  for (let i = 0; i < index && text.charAt(at) !== ']'; i++) {
    at = skipSpace(text, endOfValue(text, at));
    if (text.charAt(at) !== ',') return -1;
    at = skipSpace(text, at + 1);
  }
  return text.charAt(at) === ']' ? -1 : at;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const unit = text.charAt(at);
    if (unit === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (unit === '{' || unit === '[') depth++;
    else if (unit === '}' || unit === ']') depth--;
    else if (depth === 0 && unit !== '') return endOfScalar(text, at);
    at++;
  } while (depth > 0 && at < text.length);
  return at;
}

function endOfScalar(text: string, start: number): number {
  let at = start;
  while (at < text.length && !',]} \t\r\n'.includes(text.charAt(at))) at++;
  return at;
}
