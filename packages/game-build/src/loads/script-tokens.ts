// Splits a script into tokens, in linear time, as far as finding imports needs: strings, comments and regular expressions must not
// be taken for code. It does not parse. It stops where the text cannot be read, so that no finding follows from a wrong guess.
import { endOfComment, endOfString } from './load.ts';

/** `template` is one without substitutions. A template with substitutions is a `mark` and its expressions. */
export type ScriptToken = {
  readonly type: 'word' | 'string' | 'template' | 'mark' | 'other';
  /** The word, the character, or the content of the string as written. Empty for `other`. */
  readonly text: string;
  readonly at: number;
};

/** Words before which a `/` begins a regular expression. */
const BEFORE_EXPRESSION = new Set(
  'return typeof case do else in instanceof new void delete throw yield await of'.split(' '),
);
const BEFORE_PARENTHESES = new Set(['if', 'while', 'for', 'with']);

/** The number of `/` taken for the beginning of a regular expression that does not end. More make the rest unreadable. */
const MAX_RETRIES = 8;

const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const NEWLINE = 0x0a;

export function* readTokens(script: string): Generator<ScriptToken> {
  /** For each open parenthesis, whether a `/` after it begins a regular expression. */
  const parentheses: boolean[] = [];
  /** For each open template, the number of open braces in its expression. */
  const templates: number[] = [];
  let regexAllowed = true;
  let beforeWord = '';
  let lastWord = '';
  let retries = 0;
  let at = script.startsWith('#!') ? endOfLine(script, 0) : 0;
  while (at < script.length) {
    const code = script.charCodeAt(at);
    if (code <= 0x20 || code === 0xa0 || code === 0xfeff) {
      at++;
      continue;
    }
    if (isWordCode(code)) {
      const end = endOfWord(script, at);
      const text = script.slice(at, end);
      yield { type: 'word', text, at };
      regexAllowed = BEFORE_EXPRESSION.has(text) && beforeWord !== '.';
      lastWord = beforeWord === '.' ? '' : text;
      beforeWord = '';
      at = end;
      continue;
    }
    const next = script.charCodeAt(at + 1);
    if (code === SLASH && next === SLASH) at = endOfLine(script, at);
    else if (code === SLASH && next === 0x2a) at = endOfComment(script, at);
    else if (code === 0x3c && script.startsWith('<!--', at)) at = endOfLine(script, at);
    else if (code === 0x22 || code === 0x27) {
      const end = endOfString(script, at);
      if (end < 0) return;
      yield { type: 'string', text: script.slice(at + 1, end - 1), at };
      regexAllowed = false;
      lastWord = beforeWord = '';
      at = end;
    } else if (code === 0x60 || (code === 0x7d && templates.at(-1) === 0)) {
      const end = endOfTemplatePart(script, at + 1);
      if (end < 0) return;
      const isClosed = script.charCodeAt(end - 1) === 0x60;
      if (code === 0x60 && isClosed) {
        yield { type: 'template', text: script.slice(at + 1, end - 1), at };
      } else yield { type: 'mark', text: '`', at };
      if (code === 0x60 && !isClosed) templates.push(0);
      if (code === 0x7d && isClosed) templates.pop();
      regexAllowed = !isClosed;
      lastWord = beforeWord = '';
      at = end;
    } else {
      const regexEnd = code === SLASH && regexAllowed ? endOfRegex(script, at) : -1;
      if (regexEnd >= 0) {
        yield { type: 'other', text: '', at };
        regexAllowed = false;
        lastWord = beforeWord = '';
        at = regexEnd;
        continue;
      }
      if (code === SLASH && regexAllowed && ++retries > MAX_RETRIES) return;
      const text = script.charAt(at);
      if (text === '{' && templates.length > 0) templates.push((templates.pop() ?? 0) + 1);
      if (text === '}' && templates.length > 0) templates.push((templates.pop() ?? 0) - 1);
      if (text === '(') parentheses.push(BEFORE_PARENTHESES.has(lastWord));
      yield { type: 'mark', text, at };
      const isStep = (text === '+' || text === '-') && script.charAt(at - 1) === text;
      regexAllowed = text === ')' ? (parentheses.pop() ?? false) : text !== ']' && !isStep;
      beforeWord = text;
      lastWord = '';
      at++;
    }
  }
}

/** Letters, digits, `$`, `_`, `#` of a private name, escapes of names, and every character beyond ASCII. */
function isWordCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x24 ||
    code === 0x5f ||
    code === 0x23 ||
    code === BACKSLASH ||
    code > 0x7f
  );
}

function endOfWord(script: string, from: number): number {
  let at = from + 1;
  while (at < script.length && isWordCode(script.charCodeAt(at))) at++;
  return at;
}

function endOfLine(script: string, from: number): number {
  const end = script.indexOf('\n', from);
  return end < 0 ? script.length : end;
}

/** The offset after the part of a template that begins at `from`: after its closing quote or `${`. -1 if there is none. */
function endOfTemplatePart(script: string, from: number): number {
  for (let at = from; at < script.length; at++) {
    const code = script.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === 0x60) return at + 1;
    else if (code === 0x24 && script.charCodeAt(at + 1) === 0x7b) return at + 2;
  }
  return -1;
}

/** The offset after the regular expression at `from`, before its flags. -1 if it does not end on its line. */
function endOfRegex(script: string, from: number): number {
  let inClass = false;
  for (let at = from + 1; at < script.length; at++) {
    const code = script.charCodeAt(at);
    if (code === NEWLINE) return -1;
    if (code === BACKSLASH) at++;
    else if (code === 0x5b) inClass = true;
    else if (code === 0x5d) inClass = false;
    else if (code === SLASH && !inClass) return at + 1;
  }
  return -1;
}
