// What `build` in svc.json may be: a path below the file's own folder, written the same on every system.
import { isAbsolute, normalize, posix, win32 } from 'node:path';

/** What is wrong with it, and what to write instead. */
export type BuildPathFault = { readonly message: string; readonly hint: string };

/** What is wrong with the path, or null. Whether anything is there is not looked at. */
export function findBuildPathFault(build: string): BuildPathFault | null {
  if (build.includes('\\')) {
    return {
      message: `"${build}" has a backslash: folders are separated by "/" on every system.`,
      hint: `Write "build": ${JSON.stringify(build.replaceAll('\\', '/'))}.`,
    };
  }
  const outside = posix.normalize(build).split('/')[0] === '..';
  if (!outside && !posix.isAbsolute(build) && !win32.isAbsolute(build)) return null;
  return {
    message: `"${build}" leads out of the folder of svc.json.`,
    hint: `Name a folder below it. What stands elsewhere can be named on the command line: svc publish ${build}`,
  };
}

/** A path as a person types it, in the form for svc.json: on Windows with slashes. */
export function toBuildPath(typed: string): string {
  return process.platform === 'win32' && !isAbsolute(typed)
    ? normalize(typed).replaceAll('\\', '/')
    : typed;
}
