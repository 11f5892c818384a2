// Finds the name of a WebAssembly function that has none in the trace: in an unstripped module, or in a symbol file.
import type { TracedFunction } from '@svc/trace';
import { readWasmFunctions } from '../wasm/read-module.ts';
import { readSymbolFile } from '../wasm/read-symbol-file.ts';
import { type FileCache, textOf } from './file-cache.ts';

export type FoundName = { readonly name: string; readonly path: string };

/**
 * A module fits if the body of the function begins at the same offset, which stripping does not change: the name section is
 * after the code. So a module needs no particular file name. A symbol file has no offsets, and must belong to the module by its
 * name, or be the only one if the URL has no name. Null if no name is known, or if several modules have different names.
 */
export async function findWasmName(
  traced: TracedFunction,
  paths: readonly string[],
  files: FileCache,
): Promise<FoundName | null> {
  const index = traced.wasmIndex ?? -1;
  let found: FoundName | null = null;
  for (const path of paths.filter((one) => /\.wasm$/i.test(one))) {
    const module = await files.once(path, readWasmFunctions);
    if (module === null || module.bodies[index - module.imported] !== traced.column - 1) continue;
    const name = module.names.get(index);
    if (name === undefined) continue;
    if (found !== null && found.name !== name) return null;
    found ??= { name, path };
  }
  return found ?? (await findInSymbolFile(traced.url, index, paths, files));
}

async function findInSymbolFile(
  url: string,
  index: number,
  paths: readonly string[],
  files: FileCache,
): Promise<FoundName | null> {
  const path = symbolFileOf(url, paths, files);
  if (path === null) return null;
  const names = await files.once(path, (bytes) => readSymbolFile(textOf(bytes)));
  const name = names?.get(index);
  return name === undefined ? null : { name, path };
}

/** `game.wasm.symbols`, `game.js.symbols` or `game.symbols` of `game.wasm`. */
function symbolFileOf(url: string, paths: readonly string[], { index }: FileCache): string | null {
  if (/^wasm:/i.test(url)) {
    const all = paths.filter((path) => /\.symbols$/i.test(path));
    return all.length === 1 ? (all[0] ?? null) : null;
  }
  const bare = url.replace(/\.wasm$/i, '');
  return (
    index.find(url, '.symbols') ?? index.find(bare, '.js.symbols') ?? index.find(bare, '.symbols')
  );
}
