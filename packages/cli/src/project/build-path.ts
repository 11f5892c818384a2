// Checks `build` in svc.json: a path below the file's folder, written in the same way on every system.
import { isAbsolute, normalize, posix, win32 } from 'node:path';

/** What is wrong with a path, and what to write instead. */
export type BuildPathFault = { readonly message: string; readonly hint: string };

/** What is wrong with the path, or null. Does not check whether it exists. */
export function findBuildPathFault(build: string): BuildPathFault | null {
  if (build.includes('\\')) {
    return {
      message: `"${build}" contains a backslash. Separate folders with "/" on every system.`,
      hint: `Write "build": ${JSON.stringify(build.replaceAll('\\', '/'))}.`,
    };
  }
  const outside = posix.normalize(build).split('/')[0] === '..';
  if (!outside && !posix.isAbsolute(build) && !win32.isAbsolute(build)) return null;
  return {
    message: `"${build}" is outside the folder of svc.json.`,
    hint: `Name a path below that folder. To publish a build elsewhere, name it on the command line: svc publish ${build}`,
  };
}

/** Converts a path that a person typed to the form for svc.json: with slashes on Windows, too. */
export function toBuildPath(typed: string): string {
  return process.platform === 'win32' && !isAbsolute(typed)
    ? normalize(typed).replaceAll('\\', '/')
    : typed;
}
