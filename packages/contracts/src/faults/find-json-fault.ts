// Finds where a text stops being JSON. `JSON.parse` does not report it for every text.

/** A fault with its line and column. Both count from 1, the column in bytes. */
export type JsonFault = {
  readonly line: number;
  readonly column: number;
  readonly message: string;
};

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[ -!#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/uy;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

type Wanted = 'value' | 'first value' | 'key' | 'first key' | ':' | 'more';

/**
 * The fault of a text that is not JSON. Null if it is. `name` is the start of the sentence, such as
 * `The body`.
 */
export function findJsonFault(text: string, name: string): JsonFault | null {
  const at = faultIndex(text);
  if (at === null) return null;
  const before = text.slice(0, at);
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  const column = new TextEncoder().encode(before.slice(lineStart)).length + 1;
  const where = `line ${line}, column ${column}`;
  const message =
    text.trim() === ''
      ? `${name} is empty. Allowed: JSON`
      : at >= text.length
        ? `${name} is not valid JSON: it ends too early, at ${where}`
        : `${name} is not valid JSON: there is an unexpected character at ${where}`;
  return { line, column, message };
}

/** The index of the first invalid character, or the length of a text that ends too early. */
function faultIndex(text: string): number | null {
  const open: ('{' | '[')[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  const take = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0].length ?? 0;
  };
  for (;;) {
    at += take(SPACE);
    const character = text[at];
    if (character === undefined) return wanted === 'more' && open.length === 0 ? null : at;
    if (wanted === 'more') {
      const inside = open.at(-1);
      if (character === ',' && inside !== undefined) wanted = inside === '{' ? 'key' : 'value';
      else if (isEnd(character, inside)) open.pop();
      else return at;
      at++;
    } else if (wanted === ':') {
      if (character !== ':') return at;
      wanted = 'value';
      at++;
    } else if (isEnd(character, open.at(-1)) && wanted.startsWith('first')) {
      open.pop();
      wanted = 'more';
      at++;
    } else if (character === '"') {
      at += take(STRING);
      if (text[at] !== '"') return at;
      wanted = wanted.endsWith('key') ? ':' : 'more';
      at++;
    } else if (wanted.endsWith('key')) return at;
    else if (character === '{' || character === '[') {
      open.push(character);
      wanted = character === '{' ? 'first key' : 'first value';
      at++;
    } else {
      const length = take(SCALAR);
      if (length === 0) return at;
      at += length;
      wanted = 'more';
    }
  }
}

function isEnd(character: string, inside: '{' | '[' | undefined): boolean {
  return (character === '}' && inside === '{') || (character === ']' && inside === '[');
}
