// Reads each file at most once, and collects the reasons why files can't be used.
import type { PathIndex } from '../files/match-path.ts';
import { FILE_BYTES } from '../limits.ts';
import { SymbolFault } from '../symbol-fault.ts';
import type { SymbolFiles } from '../symbol-files.ts';

/** A file that can't be used. `message` completes "Cannot use PATH: …". */
export type SymbolWarning = { readonly path: string; readonly message: string };

export class FileCache {
  readonly index: PathIndex;
  /** In the order in which the files were tried. */
  readonly warnings: SymbolWarning[] = [];
  readonly #files: SymbolFiles;
  readonly #parsed = new Map<string, Promise<unknown>>();

  constructor(files: SymbolFiles, index: PathIndex) {
    this.#files = files;
    this.index = index;
  }

  /** The result of `parse` for the bytes of a file; null if the file can't be used. A file is parsed in one way only. */
  once<Parsed>(path: string, parse: (bytes: Uint8Array) => Parsed): Promise<Parsed | null> {
    const known = this.#parsed.get(path);
    // The same path always has the same parser.
    if (known !== undefined) return known as Promise<Parsed | null>;
    const parsed = this.#parse(path, parse);
    this.#parsed.set(path, parsed);
    return parsed;
  }

  async #parse<Parsed>(path: string, parse: (bytes: Uint8Array) => Parsed): Promise<Parsed | null> {
    try {
      return parse(await this.#files.read(path, FILE_BYTES));
    } catch (error) {
      this.warn(path, reasonOf(error));
      return null;
    }
  }

  warn(path: string, message: string): void {
    this.warnings.push({ path, message });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof SymbolFault) return error.message;
  if (error instanceof Error && 'code' in error) return `it can't be read (${String(error.code)})`;
  throw error;
}

/** The text of a file in UTF-8, without a byte-order mark. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
