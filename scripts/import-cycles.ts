// Finds files of a package that import each other in a circle.
import { posix } from 'node:path';
import { importedModules, type Source } from './structure-source.ts';

/** One sentence for each import that closes a circle of files, type-only imports included. */
export function findImportCycles(sources: readonly Source[]): string[] {
  const imports = new Map(sources.map((source) => [source.path, importedFiles(source)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path);
    if (start !== -1) {
      cycles.push(
        `${path}: imports itself by way of ${[...way.slice(start + 1), path].join(', ')}`,
      );
      return;
    }
    if (done.has(path)) return;
    for (const next of imports.get(path) ?? []) visit(next, [...way, path]);
    done.add(path);
  };
  for (const { path } of sources) visit(path, []);
  return cycles;
}

function importedFiles({ path, text }: Source): string[] {
  return importedModules(text)
    .filter((module) => module.startsWith('.'))
    .map((module) => posix.join(posix.dirname(path), module));
}
