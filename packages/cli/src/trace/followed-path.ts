// The trace that a game writes itself, which `--follow` names.
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf } from '@svc/contracts/caught';
import { EXIT, ExitError, usageError } from '../process/exit-codes.ts';
import { whyUnreadable } from './unreadable.ts';

type Following = { readonly follow?: string | undefined };

/** The absolute path of the trace to follow, or null. */
export function followedPath({ follow }: Following, cwd: string): string | null {
  return follow === undefined ? null : resolve(cwd, follow);
}

/**
 * Throws an ExitError (1) if the path is not that of a file, and a usage error if the recording would replace it. The file
 * may be missing.
 */
export function checkFollowed({ follow }: Following, cwd: string, output?: string): void {
  if (follow === undefined) return;
  const path = resolve(cwd, follow);
  const what = faultOf(path);
  if (what !== null) {
    throw new ExitError(EXIT.unexpected, 'unreadable_file', `Cannot follow "${follow}": ${what}.`, {
      hint: 'Name the .vpt file that the game writes.',
    });
  }
  if (output === undefined) return;
  const written = realPath(resolve(cwd, output));
  if (![written, `${written}.partial`].includes(realPath(path))) return;
  throw usageError(
    `svc would write the recording into "${follow}", which it is to follow.`,
    'Name another file with -o: the game writes its trace itself.',
  );
}

/** Why the path can never be that of a trace, or null. */
function faultOf(path: string): string | null {
  try {
    const there = statSync(path);
    if (there.isDirectory()) return 'it is a folder';
    return there.isFile() ? null : 'it is not a file';
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? null : (whyUnreadable(error) ?? null);
  }
}

/** The path without links in its folders. The last part may be missing. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}
