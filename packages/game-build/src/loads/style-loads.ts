// Finds the files that a style sheet loads: imports and `url()`. Comments and other strings are skipped.
import { endOfComment, endOfString, type Load, MAX_LOADS } from './load.ts';

/** The maximum number of formats of one font that are read. */
const MAX_FORMATS = 100;

const WORD = /@?[\w-]+/y;
const SPACE = /\s*/y;
const BARE_URL = /[^\s"'()\\]*/y;
/** The properties whose address only Internet Explorer loads. */
const OBSOLETE = new Set(['behavior', '-ms-behavior']);

/** The loads of a style sheet, or of the declarations in a `style` attribute. `offset` is added to each position. */
export function styleLoads(text: string, offset = 0): Load[] {
  const loads: Load[] = [];
  let rule = '';
  let word = '';
  let property = '';
  /** The formats of the font in whose rule the position is. */
  let font: Load | null = null;
  const formats: string[] = [];
  const add = (target: string | null, at: number): void => {
    if (target === null) return;
    if (rule === '@import') {
      loads.push({ kind: 'style', targets: [target], at: offset + at });
      rule = '';
    } else if (font !== null) {
      if (formats.length < MAX_FORMATS) formats.push(target);
    } else if (rule !== '@namespace' && !property.startsWith('--') && !OBSOLETE.has(property)) {
      loads.push({ kind: 'resource', targets: [target], at: offset + at });
    }
  };
  for (let at = 0; at < text.length && loads.length < MAX_LOADS; ) {
    const one = text[at] ?? '';
    if (one === '/' && text[at + 1] === '*') {
      at = endOfComment(text, at);
    } else if (one === '"' || one === "'") {
      const end = endOfString(text, at);
      // A broken style sheet. Trying again from the next quote could take quadratic time.
      if (end < 0) return loads;
      if (rule === '@import') add(plain(text.slice(at + 1, end - 1)), at);
      at = end;
    } else if (one === '@' || isWordCharacter(one)) {
      word = matchAt(WORD, text, at).toLowerCase() || one;
      const end = at + word.length;
      if (word === 'url' && text[end] === '(') {
        const url = urlAt(text, end + 1);
        add(url?.target ?? null, at);
        at = url?.end ?? end + 1;
      } else {
        if (one === '@') rule = word;
        at = end;
      }
    } else {
      if (one === ':') property = word;
      else if (one === '{') {
        if (rule === '@font-face') {
          formats.length = 0;
          font = { kind: 'resource', targets: [], at: offset + at };
        }
      } else if (one === '}' && font !== null) {
        if (formats.length > 0) loads.push({ ...font, targets: formats.slice() });
        font = null;
      }
      if (one === '{' || one === '}' || one === ';') {
        rule = '';
        property = '';
      }
      at++;
    }
  }
  return loads;
}

/** `target` is null if the address cannot be read without decoding escapes. */
type Address = { readonly target: string | null; readonly end: number };

/** The address of a `url(` whose content begins at `from`. Null if it is invalid. */
function urlAt(text: string, from: number): Address | null {
  let at = from + matchAt(SPACE, text, from).length;
  const quoted = text[at] === '"' || text[at] === "'";
  const end = quoted ? endOfString(text, at) : at + matchAt(BARE_URL, text, at).length;
  if (end < 0) return null;
  const target = quoted ? text.slice(at + 1, end - 1) : text.slice(at, end);
  at = end + matchAt(SPACE, text, end).length;
  return text[at] === ')' ? { target: plain(target), end: at + 1 } : null;
}

function plain(target: string): string | null {
  return target.includes('\\') ? null : target;
}

function isWordCharacter(one: string): boolean {
  return /[\w-]/.test(one);
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}
