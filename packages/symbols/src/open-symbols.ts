// Finds the original names and positions of functions in a set of files.
import type { OriginalFunction, TracedFunction } from '@svc/trace';
import { PathIndex } from './files/match-path.ts';
import { FileCache, type SymbolWarning } from './find/file-cache.ts';
import { type FoundMap, findScriptMap } from './find/find-script.ts';
import { findWasmName } from './find/find-wasm-name.ts';
import type { SymbolFiles } from './symbol-files.ts';

/** What was found for one script or module. */
export type ScriptReport = {
  readonly url: string;
  /** The number of different functions. */
  readonly functions: number;
  readonly resolved: number;
  /** The file that has the map or the names; null if there is none. */
  readonly map: string | null;
};

export type SymbolReport = {
  /** The number of different functions, without those of the browser and its extensions. */
  readonly functions: number;
  readonly resolved: number;
  /** The files whose maps or names were used. */
  readonly maps: readonly string[];
  /** The scripts and modules. Those with the most functions without a source are first. */
  readonly scripts: readonly ScriptReport[];
  readonly warnings: readonly SymbolWarning[];
};

export type Symbols = {
  /** What is known of the source of a function; undefined if nothing is. Reads the files that it needs, each once. */
  find(traced: TracedFunction): Promise<OriginalFunction | undefined>;
  /** The same as `find`, and counts the function once for `report`. */
  resolve(traced: TracedFunction): Promise<OriginalFunction | undefined>;
  /** Counts the functions of all calls of `resolve` so far. */
  report(): SymbolReport;
};

/** Lists the files, and reads none. Throws the errors of `list`. */
export async function openSymbols(files: SymbolFiles): Promise<Symbols> {
  const paths = await files.list();
  return new SymbolFinder(paths, new FileCache(files, new PathIndex(paths)));
}

/** Code that is not the game's: of Node, the browser and its extensions. */
const FOREIGN = /^(?:node|chrome|devtools|[\w-]+-extension):/i;

/** The function, and the file that has its map or name. */
type Found = { readonly path: string | null; readonly original: OriginalFunction | undefined };

type Script = { functions: number; resolved: number; map: string | null };

class SymbolFinder implements Symbols {
  readonly #paths: readonly string[];
  readonly #files: FileCache;
  readonly #maps = new Map<string, Promise<FoundMap | null>>();
  readonly #known = new Map<string, Promise<Found>>();
  readonly #counted = new Set<string>();
  readonly #scripts = new Map<string, Script>();

  constructor(paths: readonly string[], files: FileCache) {
    this.#paths = paths;
    this.#files = files;
  }

  async resolve(traced: TracedFunction): Promise<OriginalFunction | undefined> {
    const { url } = traced;
    if (FOREIGN.test(url)) return undefined;
    const found = this.#find(traced);
    const key = keyOf(traced);
    if (!this.#counted.has(key)) {
      this.#counted.add(key);
      const script = this.#scripts.get(url) ?? { functions: 0, resolved: 0, map: null };
      this.#scripts.set(url, script);
      script.functions++;
      const { path, original } = await found;
      script.map = path ?? script.map;
      if (original !== undefined) script.resolved++;
    }
    return (await found).original;
  }

  async find(traced: TracedFunction): Promise<OriginalFunction | undefined> {
    return FOREIGN.test(traced.url) ? undefined : (await this.#find(traced)).original;
  }

  #find(traced: TracedFunction): Promise<Found> {
    const key = keyOf(traced);
    let found = this.#known.get(key);
    if (found === undefined) {
      found = traced.wasmIndex === null ? this.#inScript(traced) : this.#inModule(traced);
      this.#known.set(key, found);
    }
    return found;
  }

  async #inScript(traced: TracedFunction): Promise<Found> {
    const { url } = traced;
    let opening = this.#maps.get(url);
    if (opening === undefined) {
      opening = findScriptMap(url, this.#files);
      this.#maps.set(url, opening);
    }
    const found = await opening;
    return { path: found?.path ?? null, original: found?.map.find(traced) };
  }

  async #inModule(traced: TracedFunction): Promise<Found> {
    const found = await findWasmName(traced, this.#paths, this.#files);
    if (found === null) return { path: null, original: undefined };
    return { path: found.path, original: { name: found.name, source: null } };
  }

  report(): SymbolReport {
    const scripts = [...this.#scripts].map(([url, script]) => ({ url, ...script }));
    const missing = ({ functions, resolved }: Script): number => functions - resolved;
    return {
      functions: scripts.reduce((sum, { functions }) => sum + functions, 0),
      resolved: scripts.reduce((sum, { resolved }) => sum + resolved, 0),
      maps: [
        ...new Set(
          scripts.flatMap(({ map, resolved }) => (map === null || resolved === 0 ? [] : [map])),
        ),
      ].sort(),
      scripts: scripts.sort((a, b) => missing(b) - missing(a) || (a.url < b.url ? -1 : 1)),
      warnings: this.#files.warnings,
    };
  }
}

function keyOf({ own, url, line, column }: TracedFunction): string {
  return `${url}:${line}:${column} ${own}`;
}
