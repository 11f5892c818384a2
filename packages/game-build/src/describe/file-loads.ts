// Resolves the addresses that a page, style or script loads to paths in the build.
import type { ImportMap } from '../loads/import-map.ts';
import type { Load, LoadKind } from '../loads/load.ts';
import { pageLoads } from '../loads/page-loads.ts';
import { scriptLoads } from '../loads/script-loads.ts';
import { styleLoads } from '../loads/style-loads.ts';
import type { PathIndex } from './path-index.ts';
import type { TextLanguage } from './references.ts';

/** A load of a file that the build does not have. */
export type MissingLoad = {
  readonly kind: LoadKind;
  /** The address as written, without query and fragment. */
  readonly target: string;
  /** The path in the build that it names. A folder ends in `/`. */
  readonly path: string;
  readonly line: number;
  /** Whether an import map may change the address. */
  readonly isSpecifier: boolean;
};

/** The name of a module that only an import map resolves: `three`. */
type ModuleName = { readonly name: string; readonly kind: LoadKind; readonly line: number };

/** Paths by the names of modules. A name or path that ends in `/` stands for a folder. Null for an address outside the build. */
export type ModulePaths = ReadonlyMap<string, string | null>;

export type FileLoads = {
  /** The files of the build that this one may load. `needed`: it does not work without them. */
  readonly follows: readonly { readonly path: string; readonly needed: boolean }[];
  readonly missing: readonly MissingLoad[];
  readonly names: readonly ModuleName[];
  /** From the import maps of a page. Empty for other files. */
  readonly modules: ModulePaths;
};

// Hostile builds of many small files keep these in memory.
const MAX_FOLLOWS = 500;
const MAX_MISSING = 20;
const MAX_NAMES = 200;

const WEIGHTS: Readonly<Record<LoadKind, number>> = {
  script: 0,
  style: 0,
  resource: 1,
  extra: 2,
  link: 3,
};

export function readFileLoads(
  from: string,
  language: TextLanguage,
  text: string,
  index: PathIndex,
): FileLoads {
  const { loads, base, importMaps } =
    language === 'html'
      ? pageLoads(text)
      : { loads: language === 'css' ? styleLoads(text) : scriptLoads(text), ...NO_PAGE };
  const baseUrl = baseOf(from, base);
  if (baseUrl === null) return NOTHING;
  const reader = new LoadReader(from, baseUrl, index);
  for (const load of loads) reader.add(load);
  const modules = modulePaths(importMaps, baseUrl, reader);
  return { ...reader.finish(text), modules };
}

const NO_PAGE = { base: '', importMaps: [] };
const NOTHING: FileLoads = { follows: [], missing: [], names: [], modules: new Map() };

type Unresolved = Omit<MissingLoad, 'line'> & { readonly at: number };

/** Sorts the loads of one file by what the build has. */
class LoadReader {
  readonly #from: string;
  readonly #base: URL;
  readonly #index: PathIndex;
  readonly #follows = new Map<string, boolean>();
  readonly #missing = new Map<string, Unresolved>();
  readonly #names = new Map<string, { readonly kind: LoadKind; readonly at: number }>();

  constructor(from: string, base: URL, index: PathIndex) {
    this.#from = from;
    this.#base = base;
    this.#index = index;
  }

  add(load: Load): void {
    const [first = '', ...others] = load.targets;
    if (load.by === 'string') this.#addString(first);
    else if (load.by === 'specifier' && isBareName(first)) {
      if (this.#names.size < MAX_NAMES && !this.#names.has(first) && first.length <= MAX_ADDRESS) {
        this.#names.set(first, load);
      }
    } else {
      const paths = [first, ...others].map((target) => this.#resolve(target, load));
      for (const path of paths) {
        if (path !== null && this.#index.has(path)) this.#follow(path, WEIGHTS[load.kind] === 0);
      }
      const [path = null] = paths;
      if (load.kind === 'link' || path === null) return;
      if (paths.every((one) => one !== null && this.#isMissing(one, load)))
        this.#miss(path, first, load);
    }
  }

  /** Remembers a missing file once, with its most important load. */
  #miss(path: string, target: string, { kind, at, by }: Omit<Load, 'targets'>): void {
    const known = this.#missing.get(path);
    if (known !== undefined && WEIGHTS[known.kind] <= WEIGHTS[kind]) return;
    const written = withoutQuery(target);
    this.#missing.set(path, { kind, target: written, path, at, isSpecifier: by === 'specifier' });
  }

  finish(text: string): Omit<FileLoads, 'modules'> {
    const missing = [...this.#missing.values()]
      .sort((a, b) => WEIGHTS[a.kind] - WEIGHTS[b.kind] || a.at - b.at)
      .slice(0, MAX_MISSING);
    const names = [...this.#names].map(([name, { kind, at }]) => ({ name, kind, at }));
    const lineOf = lineReader(text, [...missing, ...names]);
    return {
      follows: Array.from(this.#follows, ([path, needed]) => ({ path, needed })),
      missing: missing.map(({ at, ...one }) => ({
        ...one,
        target: copyOf(one.target),
        line: lineOf(at),
      })),
      names: names.map(({ name, kind, at }) => ({ name: copyOf(name), kind, line: lineOf(at) })),
    };
  }

  #follow(path: string, needed: boolean): void {
    const known = this.#follows.get(path);
    if (known === undefined && this.#follows.size >= MAX_FOLLOWS) return;
    this.#follows.set(path, needed || known === true);
  }

  /** A text that is the path of a file, relative to the game's page or to this file. */
  #addString(text: string): void {
    const path = withoutDots(text);
    const folder = this.#from.slice(0, this.#from.lastIndexOf('/') + 1);
    for (const one of [path, folder + path]) if (this.#index.has(one)) this.#follow(one, false);
  }

  #resolve(target: string, { by }: Load): string | null {
    const path = resolveInBuild(this.#base, target, by === 'specifier');
    // The address of a script of a worker is relative to the worker, which may be in another folder.
    const isElsewhere = by === 'worker' && this.#index.hasSuffix(withoutDots(target));
    return isElsewhere ? null : path;
  }

  /** Only modules have folders, in import maps. The address of a folder does not open its `index.html`. */
  #isMissing(path: string, { by }: Load): boolean {
    const isFolder = by === 'specifier' && path.endsWith('/');
    const known = isFolder ? this.#index.hasFolder(path) : this.#index.has(path);
    return !known && this.#index.otherCase(path) === null;
  }
}

/** Resolves the import maps of a page. Adds the addresses that the build does not have to the reader's missing files. */
function modulePaths(
  maps: readonly ImportMap[],
  base: URL,
  reader: LoadReader,
): Map<string, string | null> {
  const modules = new Map<string, string | null>();
  for (const { at, entries } of maps) {
    for (const [name, address] of entries) {
      // The browser ignores an address that is only a name.
      if (isBareName(address) || name.length > MAX_ADDRESS) continue;
      const key = isBareName(name) ? name : resolveInBuild(base, name, true);
      if (key === null) continue;
      modules.set(isBareName(name) ? key : `/${key}`, resolveInBuild(base, address, true));
      reader.add({ kind: 'resource', targets: [address], at, by: 'specifier' });
    }
  }
  return modules;
}

/** Whether the name of a module is not an address: `three`, `three/addons/x.js`. */
function isBareName(name: string): boolean {
  return !/^(?:\.{0,2}\/|[a-z][a-z0-9+.-]*:)/i.test(name);
}

/** No name or address of a game is longer. */
const MAX_ADDRESS = 2000;

/** Texts that a template engine replaces, and characters that no address has. */
const PLACEHOLDER = /[{}<>|^`\p{Cc}]|\$[A-Z(]|%[A-Z_]{3,}%|&[a-z]+;/iu;

/**
 * The path that an address names. Null if it is not in the build or not an address. An address from the root of the host is null,
 * because it has a warning of its own, except for modules.
 */
function resolveInBuild(base: URL, address: string, isModule: boolean): string | null {
  const target = withoutQuery(address);
  if (target === '' || target.length > MAX_ADDRESS) return null;
  if (/^[a-z][a-z0-9+.-]*:|^[/\\]{2}/i.test(target) || PLACEHOLDER.test(target)) return null;
  if (/^[/\\]/.test(target) && !isModule) return null;
  try {
    const url = new URL(target, base);
    if (url.host !== HOST) return null;
    return decodeURIComponent(url.pathname.slice(1)) || 'index.html';
  } catch {
    return null;
  }
}

const HOST = 'build';

/** The address to which those of a file are relative. Null if the base of a page is invalid. */
function baseOf(from: string, base: string): URL | null {
  try {
    const path = from.split('/').map(encodeURIComponent).join('/');
    return new URL(base, `http://${HOST}/${path}`);
  } catch {
    return null;
  }
}

function withoutQuery(address: string): string {
  return address.replace(/[?#].*$/s, '');
}

function withoutDots(address: string): string {
  return withoutQuery(address).replace(/^(?:\.{0,2}\/)+/, '');
}

/** A copy that does not keep the whole text in memory, as a part of a string does. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

/** Returns a function that gives the line of each of the positions, counted once. */
function lineReader(
  text: string,
  places: readonly { readonly at: number }[],
): (at: number) => number {
  const lines = new Map<number, number>();
  let line = 1;
  let next = text.indexOf('\n');
  for (const at of places.map((place) => place.at).sort((a, b) => a - b)) {
    for (; next >= 0 && next < at; next = text.indexOf('\n', next + 1)) line++;
    lines.set(at, line);
  }
  return (at) => lines.get(at) ?? 1;
}
