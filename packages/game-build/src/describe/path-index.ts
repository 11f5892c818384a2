// Looks up what a reference names among a build's files: exactly, or but for its case.
import { foldPath } from '../names/case-fold.ts';

/** As many trailing segments of each path are known: `c.png`, `b/c.png`, … */
const SUFFIX_LEVELS = 6;

export class PathIndex {
  readonly #paths: ReadonlySet<string>;
  readonly #folded = new Map<string, string>();
  readonly #suffixes = new Set<string>();
  readonly #foldedSuffixes = new Map<string, string>();

  constructor(paths: Iterable<string>) {
    this.#paths = new Set(paths);
    for (const path of this.#paths) {
      this.#folded.set(foldPath(path), path);
      for (const suffix of suffixesOf(path)) {
        this.#suffixes.add(suffix);
        this.#foldedSuffixes.set(foldPath(suffix), path);
      }
    }
  }

  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /** The file that differs from the path by its case or the form of its accents only; null where the path is exact or names nothing. */
  otherCase(path: string): string | null {
    return this.#paths.has(path) ? null : (this.#folded.get(foldPath(path)) ?? null);
  }

  /** As {@link otherCase}, for the last segments of a path that a script puts together. */
  otherCaseOfSuffix(suffix: string): string | null {
    return this.#suffixes.has(suffix) ? null : (this.#foldedSuffixes.get(foldPath(suffix)) ?? null);
  }
}

function suffixesOf(path: string): string[] {
  const suffixes = [];
  for (let at = path.length, left = SUFFIX_LEVELS; at > 0 && left > 0; left--) {
    at = path.lastIndexOf('/', at - 1);
    suffixes.push(path.slice(at + 1));
  }
  return suffixes;
}
