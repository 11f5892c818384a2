// Finds the file of a trace that an assistant names, if svc may read it.
import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { safeLine } from '../../output/text.ts';
import { EXIT, ExitError } from '../../process/exit-codes.ts';
import { TRACE_BYTES } from '../limits.ts';
import type { TracePlace } from './trace-places.ts';

export type FoundTrace = {
  readonly id: string;
  /** Without links. */
  readonly path: string;
  readonly stats: Stats;
};

const ENDINGS = ['.vpt', '.vpt.partial', '.cpuprofile', '.folded', '.json', '.gz'];

/** Whether a file in a folder can be a trace, by its name. Files that the user names can have any name. */
export function isTraceName(name: string): boolean {
  return ENDINGS.some((ending) => name.toLowerCase().endsWith(ending));
}

/**
 * `name` is an id, or a path in one of the places. Links are resolved first, and the result must be in a place. Throws an
 * ExitError (1) for anything else, for what is not a regular file, and for a file that is too large. Files elsewhere are refused
 * in the same way whether they exist or not.
 */
export async function findTrace(
  places: readonly TracePlace[],
  cwd: string,
  name: string,
): Promise<FoundTrace> {
  const byId = pathOfId(places, name);
  const byPath = resolve(cwd, name);
  const isPath = byId === null || (await realpathOf(byId)) === null;
  return await openable(
    places,
    isPath && (await realpathOf(byPath)) !== null ? byPath : (byId ?? byPath),
    name,
  );
}

async function openable(
  places: readonly TracePlace[],
  path: string,
  name: string,
): Promise<FoundTrace> {
  const real = name.includes('\0') ? null : await realpathOf(path);
  if (real === null) {
    if (places.some((place) => idWithin(place, place.path, path) !== null)) {
      throw refusal(name, 'not_found', 'It does not exist. Call list_traces for the ids.');
    }
    throw outside(name);
  }
  const id = await idOf(places, real);
  if (id === null) throw outside(name);
  const stats = await stat(real);
  if (stats.isDirectory()) {
    throw refusal(name, 'unreadable_file', 'It is a folder. Call list_traces for its traces.');
  }
  if (!stats.isFile()) throw refusal(name, 'unreadable_file', 'It is not a regular file.');
  if (stats.size > TRACE_BYTES) throw tooLarge(name);
  return { id, path: real, stats };
}

/** The error for a trace beyond TRACE_BYTES. */
export function tooLarge(name: string): ExitError {
  const most = `${TRACE_BYTES / 1_048_576} MiB`;
  return refusal(
    name,
    'too_large',
    `It has more than ${most}. The user can read it in a terminal with svc trace, or record a shorter time.`,
  );
}

function outside(name: string): ExitError {
  return refusal(
    name,
    'outside',
    'It is not one of the traces that svc may read. Call list_traces for their ids. The user can allow more: svc mcp FILE or DIR.',
  );
}

export function refusal(name: string, code: string, reason: string): ExitError {
  const shown = safeLine(name.length > 200 ? `${name.slice(0, 200).toWellFormed()}…` : name);
  return new ExitError(EXIT.unexpected, code, `Cannot read "${shown}": ${reason}`);
}

/** The path that an id means. Null if it begins with no label. */
function pathOfId(places: readonly TracePlace[], id: string): string | null {
  for (const { label, path, kind } of places) {
    if (id === label) return path;
    if (kind === 'folder' && id.startsWith(`${label}/`)) {
      return resolve(path, id.slice(label.length + 1));
    }
  }
  return null;
}

/** The id of a path without links. Null if it is in no place. */
async function idOf(places: readonly TracePlace[], real: string): Promise<string | null> {
  for (const place of places) {
    const root = await realpathOf(place.path);
    const id = root === null ? null : idWithin(place, root, real);
    if (id !== null) return id;
  }
  return null;
}

/** `root` is the path of the place in the form in which `path` is. */
function idWithin({ label, kind }: TracePlace, root: string, path: string): string | null {
  if (path === root) return label;
  const inside = relative(root, path);
  if (kind === 'file' || isAbsolute(inside) || inside === '..' || inside.startsWith(`..${sep}`)) {
    return null;
  }
  return isTraceName(path) ? `${label}/${inside.replaceAll(sep, '/')}` : null;
}

/** The path without links. Null if there is no such file, or if svc is not allowed to look for it. */
export async function realpathOf(path: string): Promise<string | null> {
  return await realpath(path).catch(() => null);
}
