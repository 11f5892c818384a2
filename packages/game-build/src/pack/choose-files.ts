// Chooses the files of a build from the list of all files of a folder, with the result of `planPack` for the same folder. It reads
// nothing, so it works for a folder that was chosen in a browser.
import { comparePaths } from '../compare-paths.ts';
import { type Refusal, refuse } from '../findings.ts';
import type { BuildLimits } from '../limits.ts';
import { findRoot, isJunk } from '../names/build-root.ts';
import { createPathRule, OWN_FILES, type PathRule } from './folder-rules.ts';
import { judgeFiles, type SizedFile } from './judge-files.ts';

export type ChooseOptions = {
  readonly limits: BuildLimits;
  /** Patterns in gitignore syntax. An item may have several lines. */
  readonly patterns: readonly string[];
  /** The hint of findings about secrets. */
  readonly secretHint: string;
};

export type ChosenFiles<File extends SizedFile> = {
  /** Sorted by the bytes of their paths. */
  readonly files: readonly File[];
  /** Bytes of all files together. */
  readonly total_bytes: number;
  /** Paths that the patterns exclude. Folders end in `/`. */
  readonly ignored: readonly string[];
};

/** Applies the rules for names, sizes, secrets and `index.html`. Throws a {@link BuildError} with all findings. */
export function chooseFiles<File extends SizedFile>(
  all: readonly File[],
  { limits, patterns, secretHint }: ChooseOptions,
): ChosenFiles<File> {
  const ignored: string[] = [];
  const findings: Refusal[] = [];
  const decide = oncePerPath(
    createPathRule({ patterns, secretHint, onIgnored: (path) => ignored.push(path) }),
    (finding) => findings.push(finding),
  );
  const files = all
    .toSorted((a, b) => comparePaths(a.path, b.path))
    .filter(({ path }) => !OWN_FILES.has(path) && placesOf(path).every(decide));
  const root = findRoot(files.map(({ path }) => path));
  refuse([...findings, ...judgeFiles(files, limits), ...(typeof root === 'string' ? [] : [root])]);
  return {
    files,
    total_bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    ignored: ignored.sort(comparePaths),
  };
}

/** The folders of a path, with a slash at the end, and then the path. */
function placesOf(path: string): string[] {
  const segments = path.split('/');
  return segments.map((_, at) => {
    const place = segments.slice(0, at + 1).join('/');
    return at === segments.length - 1 ? place : `${place}/`;
  });
}

/** Returns whether a path is kept. The rule is asked once for each path, and each finding is reported once. */
function oncePerPath(
  rule: PathRule,
  report: (finding: Refusal) => void,
): (path: string) => boolean {
  const known = new Map<string, boolean>();
  return (path) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const decision = isJunk(path) ? 'skip' : rule(path, path);
    const isKept = decision === 'keep';
    if (typeof decision === 'object') report(decision);
    known.set(path, isKept);
    return isKept;
  };
}
