// Finds the mapped file of an address without a symbol.
// https://man7.org/linux/man-pages/man5/proc_pid_maps.5.html
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/**
 * `file`: the name of the file without its folder. `code`: executable memory without a file, which
 * JIT compilers write to.
 */
export type Mapping = { readonly kind: 'file'; readonly name: string } | { readonly kind: 'code' };

type Range = Mapping & { readonly from: number; readonly to: number };

const LINE = /^([\da-f]{1,16})-([\da-f]{1,16}) \S{2}(\S)\S \S+ \S+ (\d+)[ \t]*(.*)$/gm;

/** The executable ranges of a process. They are read again when an address is in none of them. */
export class MemoryMap {
  readonly #path: string;
  #ranges: readonly Range[] = [];
  #fresh = false;

  /** `path` is the process's `maps` file. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Allows one more reading. */
  expire(): void {
    this.#fresh = false;
  }

  /** The mapping at an address. Null if no executable memory is there. */
  at(address: number): Mapping | null {
    const known = this.#find(address);
    if (known !== null || this.#fresh) return known;
    this.read();
    return this.#find(address);
  }

  /**
   * Reads the ranges, so that they are known after the process has exited. On failure, the previous
   * ranges remain.
   */
  read(): void {
    this.#fresh = true;
    try {
      this.#ranges = parseMaps(readFileSync(this.#path, 'utf8'));
    } catch {
      // the process has exited, or this user may not read its maps
    }
  }

  #find(address: number): Range | null {
    return this.#ranges.find(({ from, to }) => from <= address && address < to) ?? null;
  }
}

/** Parses the executable ranges of a `maps` file. */
export function parseMaps(text: string): Range[] {
  return [...text.matchAll(LINE)].flatMap(([, from = '', to = '', run, inode, path = '']) => {
    if (run !== 'x') return [];
    const range = { from: Number.parseInt(from, 16), to: Number.parseInt(to, 16) };
    const name = basename(path.replace(/ \(deleted\)$/, ''));
    const isFile = inode !== '0' || path.startsWith('[');
    return [isFile ? { ...range, kind: 'file', name } : { ...range, kind: 'code' }];
  });
}
