// Reports the files that a game refers to and the build does not have. Follows the references from `index.html`, so that a library's
// unused files cause no warnings.
import { showName, type Warning } from '../findings.ts';
import type { LoadKind } from '../loads/load.ts';
import type { FileLoads, MissingLoad, ModulePaths } from './file-loads.ts';
import type { PathIndex } from './path-index.ts';

/** The maximum number of missing files that are named. */
const MAX_MISSING = 20;

/** One missing file, with the first file that refers to it. */
type Missing = {
  readonly load: MissingLoad;
  readonly from: string;
  /** The number of files that refer to it. */
  count: number;
  /** 0: the game probably does not start. 2: the game runs without it. */
  readonly weight: 0 | 1 | 2;
};

/** The warnings about missing files, the most important first. `files` has the pages, styles and scripts of the build. */
export function missingFiles(files: ReadonlyMap<string, FileLoads>, index: PathIndex): Warning[] {
  const { reached, maps } = followLoads(files, index);
  const found = new Map<string, Missing>();
  for (const [from, isNeeded] of reached) {
    const loads = files.get(from);
    const missing = [...ownMissing(loads, maps), ...missingModules(loads, maps, index)];
    for (const load of new Map(missing.map((one) => [one.path, one])).values()) {
      const known = found.get(load.path);
      const weight = weightOf(load.kind, isNeeded);
      const count = (known?.count ?? 0) + 1;
      if (known === undefined || weight < known.weight) {
        found.set(load.path, { load, from, count, weight });
      } else known.count = count;
    }
  }
  const sorted = [...found.values()].sort((a, b) => a.weight - b.weight);
  const named = sorted.slice(0, MAX_MISSING).map((one) => toWarning(one, index));
  return [...named, ...restWarning(sorted.length - named.length)];
}

function weightOf(kind: LoadKind, isNeeded: boolean): 0 | 1 | 2 {
  if (kind === 'extra') return 2;
  return isNeeded && (kind === 'script' || kind === 'style') ? 0 : 1;
}

type Followed = {
  /** The files in the order in which they are found, and whether the game needs them to start. */
  readonly reached: ReadonlyMap<string, boolean>;
  readonly maps: readonly ModulePaths[];
};

function followLoads(files: ReadonlyMap<string, FileLoads>, index: PathIndex): Followed {
  const reached = new Map<string, boolean>();
  const maps: ModulePaths[] = [];
  const needed = ['index.html'];
  const others: string[] = [];
  const visit = (path: string, isNeeded: boolean): void => {
    const loads = files.get(path);
    if (loads === undefined || reached.has(path)) return;
    reached.set(path, isNeeded);
    if (loads.modules.size > 0 && maps.length < MAX_MAPS) maps.push(loads.modules);
    const modules = loads.names.flatMap(({ name, kind }) =>
      maps.flatMap((map) => {
        const resolved = resolveModule(map, name);
        return typeof resolved === 'string' && index.has(resolved)
          ? [{ path: resolved, needed: kind === 'script' }]
          : [];
      }),
    );
    for (const next of [...loads.follows, ...modules]) {
      if (!reached.has(next.path)) (isNeeded && next.needed ? needed : others).push(next.path);
    }
  };
  // The lists grow while they are read.
  for (const path of needed) visit(path, true);
  for (const path of others) visit(path, false);
  return { reached, maps };
}

/** The maximum number of import maps that are used, which bounds the time for hostile builds. */
const MAX_MAPS = 10;

/** The missing files of one file, except those whose address an import map changes. */
function ownMissing(loads: FileLoads | undefined, maps: readonly ModulePaths[]): MissingLoad[] {
  return (loads?.missing ?? []).filter(
    ({ isSpecifier, path }) =>
      !isSpecifier || maps.every((map) => resolveModule(map, `/${path}`) === undefined),
  );
}

/** The modules that an import map names by a path that the build does not have. */
function missingModules(
  loads: FileLoads | undefined,
  maps: readonly ModulePaths[],
  index: PathIndex,
): MissingLoad[] {
  return (loads?.names ?? []).flatMap(({ name, kind, line }) => {
    const paths = maps.map((map) => resolveModule(map, name)).filter((one) => one !== undefined);
    const [path] = paths;
    const isMissing = paths.every(
      (one) => one !== null && !index.has(one) && index.otherCase(one) === null,
    );
    if (path === undefined || path === null || !isMissing) return [];
    return [{ kind, target: name, path, line, isSpecifier: true }];
  });
}

/** The path of a module by an import map: null if it is outside the build, undefined if the map does not name it. */
function resolveModule(map: ModulePaths, name: string): string | null | undefined {
  const exact = map.get(name);
  if (exact !== undefined) return exact;
  for (let at = name.lastIndexOf('/'); at >= 0; at = name.lastIndexOf('/', at - 1)) {
    const folder = map.get(name.slice(0, at + 1));
    if (folder !== undefined) return folder === null ? null : folder + name.slice(at + 1);
    if (at === 0) break;
  }
  return undefined;
}

function toWarning({ load, from, count, weight }: Missing, index: PathIndex): Warning {
  const { kind, target, path, line } = load;
  const others = count === 1 ? '' : ` and ${count - 1} other ${count === 2 ? 'file' : 'files'}`;
  const refers = count === 1 ? 'refers' : 'refer';
  const message = `${showName(from)} (line ${line})${others} ${refers} to ${showName(target)}, but the build has no file ${showName(path)}.`;
  const effect = EFFECTS[weight === 0 && kind === 'style' ? 'style' : weight];
  const hint = `${effect}${nextStep(path, index)}`;
  return { code: 'reference_missing', entry: from, rule: `missing_${kind}`, message, hint };
}

/** What is wrong without the file, by its weight. */
const EFFECTS = {
  0: 'The game probably does not start without it. ',
  style: 'The game probably looks wrong without it. ',
  1: '',
  2: 'The game runs without it. ',
};

function nextStep(path: string, index: PathIndex): string {
  if (index.has(`${path.replace(/\/$/, '')}/index.html`)) {
    return `Write the whole name of the page, with "index.html": the address of a folder does not open it.`;
  }
  const added = ['.js', '.br', '.gz', '.unityweb'].find((ending) => index.has(path + ending));
  const similar = added === undefined ? index.sameName(path) : path + added;
  if (similar === null) return `Add ${showName(path)} to the build, or remove the reference.`;
  return `The build has ${showName(similar)}: correct the reference, or add ${showName(path)}.`;
}

function restWarning(count: number): Warning[] {
  if (count === 0) return [];
  const files = count === 1 ? '1 more file' : `${count} more files`;
  const message = `The game refers to at least ${files} that the build does not have.`;
  const hint = 'Add the files that are listed first, then check the build again.';
  return [{ code: 'reference_missing', entry: null, rule: 'missing_more', message, hint }];
}
