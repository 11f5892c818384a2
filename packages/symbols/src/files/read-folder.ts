// The files of a folder that may have symbols.
import type { Dirent } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { FOLDER_ENTRIES, FOLDER_LEVELS } from '../limits.ts';
import { SymbolFault } from '../symbol-fault.ts';
import { mayHaveSymbols, type SymbolFiles } from '../symbol-files.ts';

/** Folders of other projects. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git']);

/**
 * The files below a folder. Links are not followed, and folders named `node_modules` or `.git` are skipped. `list` throws Node's
 * errors for a folder that can't be read, and a {@link SymbolFault} for one with too many files.
 */
export function folderFiles(folder: string): SymbolFiles {
  return {
    async list() {
      const found: string[] = [];
      await walk({ found, seen: 0 }, folder, '', 0);
      return found.sort();
    },
    read: (path, most) => readInside(folder, path, most),
  };
}

type Walk = { readonly found: string[]; seen: number };

async function walk(state: Walk, folder: string, prefix: string, level: number): Promise<void> {
  const entries: readonly Dirent[] = await readdir(folder, { withFileTypes: true });
  state.seen += entries.length;
  if (state.seen > FOLDER_ENTRIES || level > FOLDER_LEVELS) {
    throw new SymbolFault(
      `it has more than ${FOLDER_ENTRIES} files or ${FOLDER_LEVELS} levels of folders. Name the folder of the build`,
    );
  }
  for (const entry of entries) {
    const path = prefix + entry.name;
    if (entry.isFile() && mayHaveSymbols(entry.name)) state.found.push(path);
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) {
      await walk(state, join(folder, entry.name), `${path}/`, level + 1);
    }
  }
}

/** Reads a file whose real path is in the folder: a part of the path may have become a link since the listing. */
async function readInside(folder: string, path: string, most: number): Promise<Uint8Array> {
  const root = await realpath(folder);
  const real = await realpath(join(root, path));
  if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) {
    throw new SymbolFault('it is a link out of the folder');
  }
  await using file = await open(real);
  const { size } = await file.stat();
  if (size > most) throw new SymbolFault(`it has ${size} bytes; ${most} are allowed`);
  return await file.readFile();
}
