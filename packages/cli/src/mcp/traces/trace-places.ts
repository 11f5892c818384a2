// The files and folders that `svc mcp` may read, each with a short label that begins the ids of its traces.
import { statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { codeOf } from '@svc/contracts/caught';
import { safeLine } from '../../output/text.ts';
import { findDataFolder } from '../../process/data-folder.ts';
import { EXIT, ExitError } from '../../process/exit-codes.ts';
import type { Io } from '../../process/io.ts';

export type TracePlace = {
  /** Unique. The id of a file is its label, that of a file in a folder is `label/path`. */
  readonly label: string;
  /** Absolute. May contain links. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
};

/** The label of the folder for recordings of `svc dashboard`. */
const RECORDINGS = 'recordings';

/**
 * The recordings in the data folder, which may not exist yet, and what the user named. Throws an ExitError (1) for a name that is
 * no regular file or folder.
 */
export function findPlaces(named: readonly string[], io: Pick<Io, 'cwd' | 'env'>): TracePlace[] {
  const recordings = join(findDataFolder(io), 'traces');
  const places: TracePlace[] = [{ label: RECORDINGS, path: recordings, kind: 'folder' }];
  for (const name of named) {
    const path = resolve(io.cwd, name);
    if (places.some((place) => place.path === path)) continue;
    const label = freeLabel(basename(path) || 'root', places);
    places.push({ label, path, kind: kindOf(path, name) });
  }
  return places;
}

function kindOf(path: string, name: string): TracePlace['kind'] {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return 'folder';
    if (stats.isFile()) return 'file';
  } catch (error) {
    const reason = codeOf(error) === 'ENOENT' ? 'it does not exist' : 'it is not readable';
    throw unreadable(name, reason, error);
  }
  throw unreadable(name, 'it is neither a file nor a folder');
}

function unreadable(name: string, reason: string, cause?: unknown): ExitError {
  const text = `Cannot read "${safeLine(name)}": ${reason}. Name a trace, or a folder with traces.`;
  return new ExitError(EXIT.unexpected, 'unreadable_file', text, { cause });
}

function freeLabel(name: string, places: readonly TracePlace[]): string {
  const isTaken = (label: string): boolean => places.some((place) => place.label === label);
  let label = name;
  for (let count = 2; isTaken(label); count++) label = `${name}-${count}`;
  return label;
}
