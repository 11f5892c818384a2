// Finds the file that a URL was served from, by the end of its path.

/** The listed paths, by their file names. */
export class PathIndex {
  readonly #paths: ReadonlySet<string>;
  readonly #byName = new Map<string, string[][]>();

  constructor(paths: readonly string[]) {
    this.#paths = new Set(paths);
    for (const path of paths) {
      const parts = path.split('/');
      const name = parts.at(-1) ?? '';
      const same = this.#byName.get(name);
      if (same === undefined) this.#byName.set(name, [parts]);
      else same.push(parts);
    }
  }

  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /**
   * The file whose path has the most last parts in common with the URL's, at least the file name. `suffix` is appended to the
   * URL's path. Null if there is none, or if several are equally good.
   */
  find(url: string, suffix = ''): string | null {
    const parts = partsOf(url + suffix);
    let best: string[] | null = null;
    let most = 0;
    for (const candidate of this.#byName.get(parts.at(-1) ?? '') ?? []) {
      const common = commonEnd(parts, candidate);
      if (common === most) best = null;
      if (common > most) {
        most = common;
        best = candidate;
      }
    }
    return best?.join('/') ?? null;
  }
}

/** The decoded parts of a URL's path. A text without a scheme is a path. */
function partsOf(url: string): string[] {
  const path = url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '');
  return path
    .split('/')
    .map(decodePart)
    .filter((part) => part !== '');
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function commonEnd(a: readonly string[], b: readonly string[]): number {
  let common = 0;
  while (common < Math.min(a.length, b.length) && a.at(-1 - common) === b.at(-1 - common)) common++;
  return common;
}

/** Resolves a relative URL against the path of a file. Null if it leads out of the set, or is not relative. */
export function resolveInside(from: string, target: string): string | null {
  if (/^(?:[a-z][a-z\d+.-]*:|\/|\\)/i.test(target)) return null;
  const parts = from.split('/').slice(0, -1);
  for (const part of target
    .replace(/[?#].*$/s, '')
    .split('/')
    .map(decodePart)) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}
