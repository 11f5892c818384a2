// The name, source position and category of a frame of V8.
import { cleanName, cleanUrl } from '../vpt/clean-name.ts';
import { fieldsOf, numberOf, textOf } from './json-fields.ts';

/** `place` is `URL:line:column` counted from 1, or '' for code without a script. */
export type NamedFrame = {
  readonly name: string;
  readonly place: string;
  readonly category: '' | 'js' | 'wasm' | 'gc' | 'program';
  /** What the frame stands for: the root of the tree, time without work, or a function. */
  readonly kind: 'root' | 'idle' | 'function';
};

/** Longest URL of a place, in UTF-16 units. A longer one is cut, so that the position fits into a name. */
export const URL_LENGTH = 4096;

/** From this column on, a script is probably minified, and the line alone does not identify a function. */
const FAR_COLUMN = 200;

/**
 * Names a `callFrame` of V8, whose `lineNumber` and `columnNumber` count from 0: `update game.js:12`. The column is added on the
 * first line, and beyond column FAR_COLUMN, because minified scripts have many functions on one line: `t game.js:1:4711`.
 */
export function nameFrame(callFrame: unknown): NamedFrame {
  const { functionName, url: rawUrl, lineNumber, columnNumber, codeType } = fieldsOf(callFrame);
  const own = textOf(functionName);
  const url = textOf(rawUrl);
  if (url === '') return nameNative(own);
  const line = position(lineNumber);
  const column = position(columnNumber);
  const clean = cleanName(cleanUrl(url)).slice(0, URL_LENGTH).toWellFormed();
  const place = `${clean}:${line}:${column}`;
  const name = cleanName(own === '' ? '(anonymous)' : own);
  const isWasm = /^wasm:\/\//i.test(url) || /^wasm$/i.test(textOf(codeType));
  if (isWasm)
    return {
      name: cleanName(`${name} ${moduleOf(clean)}`),
      place,
      category: 'wasm',
      kind: 'function',
    };
  return {
    name: nameScriptFunction(name, clean, line, column),
    place,
    category: 'js',
    kind: 'function',
  };
}

/** `update game.js:12` from the function's own name, the cleaned URL or path of its script, and its position counted from 1. */
export function nameScriptFunction(own: string, url: string, line: number, column: number): string {
  const at = line === 1 || column > FAR_COLUMN ? `${line}:${column}` : String(line);
  return cleanName(`${own} ${fileOf(url)}:${at}`);
}

/** A frame without a script: a state of the page, or a function of the engine. */
function nameNative(name: string): NamedFrame {
  const native = { name: cleanName(name === '' ? '(anonymous)' : name), place: '' } as const;
  if (name === '(root)') return { ...native, category: '', kind: 'root' };
  if (name === '(idle)') return { ...native, category: '', kind: 'idle' };
  if (name === '(program)') return { ...native, category: 'program', kind: 'function' };
  const isGc = name === '(garbage collector)';
  return { ...native, category: isGc ? 'gc' : '', kind: 'function' };
}

/** The position counted from 1. Unknown positions are the first. */
function position(value: unknown): number {
  const number = numberOf(value);
  return number >= 0 && number < Number.MAX_SAFE_INTEGER ? Math.floor(number) + 1 : 1;
}

/** The last part of a URL or path. For the page itself, which ends in a slash, the host. */
function fileOf(url: string): string {
  // The rest of such a URL is different in each run.
  if (url.startsWith('blob:')) return 'blob';
  return url.split('/').findLast((part) => part !== '') ?? url;
}

/** V8 names a module `wasm://wasm/NAME-HASH`, or only by its hash. */
function moduleOf(url: string): string {
  const file = fileOf(url);
  const named = /^(.+)-[0-9a-f]{6,16}$/.exec(file)?.[1] ?? file;
  return /^[0-9a-f]{6,16}$/.test(named) ? `wasm-${named}` : named;
}
