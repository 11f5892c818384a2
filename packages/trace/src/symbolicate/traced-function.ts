// A function of a script or WebAssembly module, as a trace writes it, and its name in the original source.

import { nameScriptFunction, URL_LENGTH } from '../profiles/name-frame.ts';
import { cleanName } from '../vpt/clean-name.ts';

/** A function as a trace writes it. Lines and columns count from 1. */
export type TracedFunction = {
  /** Its own name: `t` of `t main.js:1:4711`. For WebAssembly `wasm-function[12]`. */
  readonly own: string;
  /** The cleaned URL of the script or module. Only its last part if the trace has no more. */
  readonly url: string;
  readonly line: number;
  /** For WebAssembly: the offset of the function's body in the module, plus 1. */
  readonly column: number;
  /** The index of a WebAssembly function that has no name, otherwise null. */
  readonly wasmIndex: number | null;
};

/** What is known of a function's source. Lines and columns count from 1. */
export type OriginalFunction = {
  readonly name: string;
  /** The cleaned path or URL of the source and the position in it. Null if only the name is known. */
  readonly source: { readonly path: string; readonly line: number; readonly column: number } | null;
};

/** The name and the place of a function in a trace, see `places` in docs/vpt.md. */
export type NameAndPlace = { readonly name: string; readonly place: string };

const PLACE = /^(.+):(\d{1,15}):(\d{1,15})$/s;
const WASM_INDEX = /^wasm-function\[(\d{1,9})\]$/;

/**
 * The function that a name and its place stand for. Null if it has no place, and for a WebAssembly function that has a name
 * already.
 */
export function parseFunction({ name, place }: NameAndPlace): TracedFunction | null {
  const [, url, lineText, columnText] = PLACE.exec(place) ?? [];
  if (url === undefined) return null;
  const line = Number(lineText);
  const column = Number(columnText);
  if (line < 1 || column < 1) return null;
  const [first = ''] = name.split(' ', 1);
  const [, index] = WASM_INDEX.exec(first) ?? [];
  if (index !== undefined) return { own: first, url, line, column, wasmIndex: Number(index) };
  const own = ownName(name, url, line, column);
  return own === null ? null : { own, url, line, column, wasmIndex: null };
}

/** The function of a name that contains its position: `t main.js:1:4711`. Null if the name has no column. */
export function parseNamedPosition(name: string): TracedFunction | null {
  const [, own, place] = /^(.*) (\S+:\d+:\d+)$/s.exec(name) ?? [];
  return own === undefined || place === undefined ? null : parseFunction({ name, place });
}

/** The name without the file and the position that follow it. Null if they do not follow: then it is a name of WebAssembly. */
function ownName(name: string, url: string, line: number, column: number): string | null {
  const suffix = nameScriptFunction('', url, line, column);
  if (name.endsWith(suffix)) return name.slice(0, -suffix.length);
  return /\.wasm$|^wasm:/i.test(url) ? null : name;
}

/** The name and the place of a function that was found in its source. */
export function nameOriginal(
  { own, wasmIndex }: TracedFunction,
  written: NameAndPlace,
  { name, source }: OriginalFunction,
): NameAndPlace {
  if (source !== null) {
    const path = source.path.slice(0, URL_LENGTH).toWellFormed();
    return {
      name: nameScriptFunction(name, path, source.line, source.column),
      place: `${path}:${source.line}:${source.column}`,
    };
  }
  if (wasmIndex === null) return written;
  return { name: cleanName(`${name}${written.name.slice(own.length)}`), place: written.place };
}
