// `node:fs` with paths of Windows: below drive C:, with backslashes. A name that Windows cannot have does not exist. Modes, links and upper
// case stay those of this machine.
import fs from 'node:fs';
import promises from 'node:fs/promises';
import type { Call, Exports } from './simulate-windows.ts';
import { isPossible, toHostPath, toWindowsPath } from './windows-paths.ts';

/** Functions whose second argument is a path, too. */
const TWO_PATHS = /^(?:rename|copyFile|link|symlink|cp)(?:Sync)?$/;
/** Functions that return a path. */
const RETURN_PATHS = /^(?:realpath|readlink|mkdtemp)(?:Sync)?$/;
/** Functions that do not fail for a name that cannot exist. */
const FORGIVING = new Set(['existsSync', 'rmSync', 'rm']);

/** The functions of `node:fs/promises`. */
export const filePromises: Exports = { ...convertAll(promises), open: openFile };

/** The functions of `node:fs`. */
export const files: Exports = { ...convertAll(fs), promises: filePromises };

function convertAll(own: object): Exports {
  return Object.fromEntries(
    Object.entries(own).map(([name, value]) => [
      name,
      typeof value === 'function' && /^[a-z]/.test(name) ? convert(name, value as Call) : value,
    ]),
  );
}

/** A function that takes and returns paths of Windows. Its errors name these paths. */
function convert(name: string, call: Call): Call {
  const count = TWO_PATHS.test(name) ? 2 : 1;
  const back = converterOf(name);
  const own: Call = (...given) => {
    const paths = given.slice(0, count).filter((value) => typeof value === 'string');
    const host = given.map((value, at) => (at < count ? hostOf(value) : value));
    const last = host.at(-1);
    if (typeof last === 'function' && !name.startsWith('watch')) {
      host[host.length - 1] = (error: unknown, ...results: unknown[]) =>
        (last as Call)(named(error, paths), ...results.map(back));
    }
    try {
      if (!FORGIVING.has(name)) refuseImpossible(name, paths);
      const result = call(...host);
      if (!(result instanceof Promise)) return back(result);
      return result.then(back, (error) => {
        throw named(error, paths);
      });
    } catch (error) {
      throw named(error, paths);
    }
  };
  // `realpath.native`
  return 'native' in call
    ? Object.assign(own, { native: convert(name, call.native as Call) })
    : own;
}

/** Windows cannot write a folder to the disk by its handle. */
async function openFile(path: string, ...more: unknown[]): Promise<unknown> {
  const handle = (await convert('open', promises.open as Call)(
    path,
    ...more,
  )) as promises.FileHandle;
  if (!(await handle.stat()).isDirectory()) return handle;
  return Object.assign(handle, {
    sync: () =>
      Promise.reject(
        Object.assign(new Error('EPERM: operation not permitted, fsync'), { code: 'EPERM' }),
      ),
  });
}

function refuseImpossible(name: string, paths: readonly string[]): void {
  const path = paths.find((value) => !isPossible(value));
  if (path === undefined) return;
  const message = `ENOENT: no such file or directory, ${name} '${path}'`;
  throw Object.assign(new Error(message), { code: 'ENOENT', syscall: name, path });
}

function hostOf(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return Buffer.from(toHostPath(value.toString()));
  return typeof value === 'string' ? toHostPath(value) : value;
}

/** Converts what a function returns: a path, or the entries of a folder. The content of a file is not a path. */
function converterOf(name: string): (value: unknown) => unknown {
  if (RETURN_PATHS.test(name)) return windowsOf;
  if (!name.startsWith('readdir')) return (value) => value;
  return (value) => (Array.isArray(value) ? value.map(entryOf) : value);
}

function entryOf(entry: unknown): unknown {
  if (entry instanceof fs.Dirent) entry.parentPath = String(windowsOf(entry.parentPath));
  return windowsOf(entry);
}

function windowsOf(value: unknown): unknown {
  return typeof value === 'string' ? toWindowsPath(value) : value;
}

/** An error of the system with the paths as they were given. */
function named(error: unknown, paths: readonly string[]): unknown {
  if (!(error instanceof Error)) return error;
  for (const path of paths) {
    error.message = error.message.replaceAll(`'${toHostPath(path)}'`, `'${path}'`);
    if ('path' in error && error.path === toHostPath(path)) error.path = path;
  }
  return error;
}
