// Looks up references among the files of a build, exactly or ignoring case.
import { foldPath } from '../names/case-fold.ts';

/** The number of indexed suffixes of each path: `c.png`, `b/c.png`, … */
const SUFFIX_LEVELS = 6;

export class PathIndex {
  readonly #paths: ReadonlySet<string>;
  readonly #folded = new Map<string, string>();
  readonly #folders = new Set<string>();
  readonly #sameNames = new Map<string, string>();
  readonly #suffixes = new Set<string>();
  readonly #foldedSuffixes = new Map<string, string>();

  constructor(paths: Iterable<string>) {
    this.#paths = new Set(paths);
    for (const path of this.#paths) {
      this.#folded.set(foldPath(path), path);
      const name = nameOf(path);
      if (!this.#sameNames.has(name)) this.#sameNames.set(name, path);
      for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
        this.#folders.add(path.slice(0, at + 1));
      }
      for (const suffix of suffixesOf(path)) {
        this.#suffixes.add(suffix);
        this.#foldedSuffixes.set(foldPath(suffix), path);
      }
    }
  }

  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /** Whether files are below the folder, which is written with a `/` at its end. */
  hasFolder(folder: string): boolean {
    return this.#folders.has(folder);
  }

  /** Whether the last segments of a file are those of the suffix. Finds suffixes of at most six segments. */
  hasSuffix(suffix: string): boolean {
    return this.#suffixes.has(suffix);
  }

  /** A file with the same name in another folder. Null if there is none. */
  sameName(path: string): string | null {
    return this.#sameNames.get(nameOf(path)) ?? null;
  }

  /** The file that differs from the path only in case or in the form of accents. Null if the path is exact or unknown. */
  otherCase(path: string): string | null {
    return this.#paths.has(path) ? null : (this.#folded.get(foldPath(path)) ?? null);
  }

  /** Like {@link otherCase}, for the last segments of a path that a script concatenates. */
  otherCaseOfSuffix(suffix: string): string | null {
    return this.#suffixes.has(suffix) ? null : (this.#foldedSuffixes.get(foldPath(suffix)) ?? null);
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function suffixesOf(path: string): string[] {
  const suffixes = [];
  for (let at = path.length, left = SUFFIX_LEVELS; at > 0 && left > 0; left--) {
    at = path.lastIndexOf('/', at - 1);
    suffixes.push(path.slice(at + 1));
  }
  return suffixes;
}
