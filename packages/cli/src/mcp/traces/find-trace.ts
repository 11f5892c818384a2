// Finds the file of a trace that an assistant names, if svc may read it.
import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { bytesText } from '@svc/trace';
import { safeLine } from '../../output/text.ts';
import { EXIT, ExitError } from '../../process/exit-codes.ts';
import { TRACE_ENDINGS } from '../../trace/trace-endings.ts';
import { TRACE_BYTES } from '../limits.ts';
import type { TracePlace } from './trace-places.ts';

export type FoundTrace = {
  readonly id: string;
  /** Without links. */
  readonly path: string;
  readonly stats: Stats;
};

const ENDINGS = [...TRACE_ENDINGS.map((ending) => `.${ending}`), '.vpt.partial'];

/** Whether a file in a folder can be a trace, by its name. Files that the user names can have any name. */
export function isTraceName(name: string): boolean {
  return ENDINGS.some((ending) => name.toLowerCase().endsWith(ending));
}

/**
 * `name` is an id, or a path, also relative to a folder among the places. Links are resolved first, and the result must be in a
 * place. Throws an ExitError (1) for anything else, in the same way whether it exists or not, for what is not a regular file, and
 * for a file that is too large.
 */
export async function findTrace(
  places: readonly TracePlace[],
  cwd: string,
  name: string,
): Promise<FoundTrace> {
  for (const path of pathsOf(places, cwd, name)) {
    const real = await realpathOf(path);
    const id = real === null ? null : await idOf(places, real);
    if (real !== null && id !== null) return await openable(id, real, name);
  }
  throw refusal(
    name,
    'not_found',
    'It does not exist, or it is not one of the traces that svc may read. Call list_traces for their ids. The user can allow more: svc mcp FILE or DIR.',
  );
}

async function openable(id: string, real: string, name: string): Promise<FoundTrace> {
  const stats = await stat(real);
  if (stats.isDirectory()) {
    throw refusal(name, 'unreadable_file', 'It is a folder. Call list_traces for its traces.');
  }
  if (!stats.isFile()) throw refusal(name, 'unreadable_file', 'It is not a regular file.');
  if (stats.size > TRACE_BYTES) throw tooLarge(name);
  return { id, path: real, stats };
}

/** What the user can do about a trace beyond TRACE_BYTES. */
export const SMALLER =
  'The user can record a shorter time, or convert a profile to a smaller .vpt: svc trace convert FILE.';

/** The error for a trace beyond TRACE_BYTES. */
export function tooLarge(name: string): ExitError {
  return refusal(name, 'too_large', `It has more than ${bytesText(TRACE_BYTES)}. ${SMALLER}`);
}

export function refusal(name: string, code: string, reason: string): ExitError {
  const shown = safeLine(name.length > 200 ? `${name.slice(0, 200).toWellFormed()}…` : name);
  return new ExitError(EXIT.unexpected, code, `Cannot read "${shown}": ${reason}`);
}

/** The paths that a name can mean: first that of the id, then that from the working folder. */
function pathsOf(places: readonly TracePlace[], cwd: string, name: string): string[] {
  const folders = places.filter(({ kind }) => kind === 'folder');
  return [
    ...places.filter(({ label }) => label === name).map(({ path }) => path),
    ...folders
      .filter(({ label }) => name.startsWith(`${label}/`))
      .map(({ label, path }) => resolve(path, name.slice(label.length + 1))),
    resolve(cwd, name),
    ...folders.map(({ path }) => resolve(path, name)),
  ];
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

/** Both paths are without links. */
function idWithin({ label, kind }: TracePlace, root: string, path: string): string | null {
  if (path === root) return label;
  const inside = relative(root, path);
  if (kind === 'file' || isAbsolute(inside) || inside === '..' || inside.startsWith(`..${sep}`)) {
    return null;
  }
  return isTraceName(path) ? `${label}/${inside.replaceAll(sep, '/')}` : null;
}

/** The path without links. Null if there is no such file, if svc is not allowed to look for it, or if no file can have the name. */
export async function realpathOf(path: string): Promise<string | null> {
  return await realpath(path).catch(() => null);
}
