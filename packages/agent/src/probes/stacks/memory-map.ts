// Which file is mapped where, for addresses without a symbol. https://man7.org/linux/man-pages/man5/proc_pid_maps.5.html
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** `file`: its name without folders; `code`: memory of no file that may be run, which is where a JIT compiler writes. */
export type Mapping = { readonly kind: 'file'; readonly name: string } | { readonly kind: 'code' };

type Range = Mapping & { readonly from: number; readonly to: number };

const LINE = /^([\da-f]{1,16})-([\da-f]{1,16}) \S{2}(\S)\S \S+ \S+ (\d+)[ \t]*(.*)$/gm;

/** What may be run, as it was at the last reading; it is read anew for an address that it does not have. */
export class MemoryMap {
  readonly #path: string;
  #ranges: readonly Range[] = [];
  #fresh = false;

  /** `path` is the process's `maps`. */
  constructor(path: string) {
    this.#path = path;
  }

  /** From now on it may be read once more. */
  expire(): void {
    this.#fresh = false;
  }

  /** Null where nothing that may be run lies there. */
  at(address: number): Mapping | null {
    const known = this.#find(address);
    if (known !== null || this.#fresh) return known;
    this.read();
    return this.#find(address);
  }

  /** Reads it, so that it is known when the process has gone. What can't be read stays as it was. */
  read(): void {
    this.#fresh = true;
    try {
      this.#ranges = parseMaps(readFileSync(this.#path, 'utf8'));
    } catch {
      // the process has exited, or its maps are not for this user
    }
  }

  #find(address: number): Range | null {
    return this.#ranges.find(({ from, to }) => from <= address && address < to) ?? null;
  }
}

/** The executable ranges of a `maps` file. */
export function parseMaps(text: string): Range[] {
  return [...text.matchAll(LINE)].flatMap(([, from = '', to = '', run, inode, path = '']) => {
    if (run !== 'x') return [];
    const range = { from: Number.parseInt(from, 16), to: Number.parseInt(to, 16) };
    const name = basename(path.replace(/ \(deleted\)$/, ''));
    const isFile = inode !== '0' || path.startsWith('[');
    return [isFile ? { ...range, kind: 'file', name } : { ...range, kind: 'code' }];
  });
}
