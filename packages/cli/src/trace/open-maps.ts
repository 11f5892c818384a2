// Opens the folder or ZIP that `--maps` names.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Archive } from '@svc/game-build';
import { folderFiles, mayHaveSymbols, openSymbols, SymbolFault, type Symbols } from '@svc/symbols';
import { EXIT, ExitError } from '../process/exit-codes.ts';

/** Symbols of an open folder or ZIP. Disposing of it closes the ZIP. */
export type OpenMaps = AsyncDisposable & { readonly symbols: Symbols };

/** Throws an ExitError (1) if the path is neither a folder nor the ZIP of a build that can be read. */
export async function openMaps(shown: string, cwd: string): Promise<OpenMaps> {
  const path = resolve(cwd, shown);
  try {
    if (statSync(path).isDirectory()) {
      return { symbols: await openSymbols(folderFiles(path)), async [Symbol.asyncDispose]() {} };
    }
    return await openZip(path);
  } catch (error) {
    throw unreadable(shown, error);
  }
}

async function openZip(path: string): Promise<OpenMaps> {
  const { BuildError, readArchive, readEntry } = await import('@svc/game-build');
  const archive: Archive = await readArchive(path);
  const files = archive.entries.filter((entry) => entry.kind === 'file' && !entry.dropped);
  const byPath = new Map(files.map((entry) => [entry.path, entry]));
  const symbols = await openSymbols({
    list: async () => [...byPath.keys()].filter(mayHaveSymbols),
    async read(name, most) {
      const entry = byPath.get(name);
      if (entry === undefined) throw new SymbolFault('it is not in the ZIP');
      if (entry.bytes > most)
        throw new SymbolFault(`it has ${entry.bytes} bytes; ${most} are allowed`);
      try {
        return await readEntry(archive, entry);
      } catch (error) {
        if (error instanceof BuildError) throw new SymbolFault('its data in the ZIP is damaged');
        throw error;
      }
    },
  });
  return { symbols, [Symbol.asyncDispose]: () => archive[Symbol.asyncDispose]() };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'you are not allowed to read it',
  EPERM: 'you are not allowed to read it',
};

function unreadable(shown: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (error instanceof SymbolFault || code in REASONS) {
    return failure(shown, REASONS[code] ?? error.message, error);
  }
  // A `BuildError`, whose class is loaded only for a ZIP.
  if ('findings' in error && Array.isArray(error.findings)) {
    const [first] = error.findings;
    const reason = String(first?.message ?? 'it is not a ZIP').replace(/\.$/, '');
    return failure(shown, `it is not the ZIP of a build: ${reason}`, error);
  }
  return error;
}

function failure(shown: string, reason: string, cause: Error): ExitError {
  return new ExitError(EXIT.unexpected, 'unreadable_maps', `Cannot read "${shown}": ${reason}.`, {
    hint: 'Name the folder with the source maps of the build, or a ZIP of that build with its maps.',
    cause,
  });
}
