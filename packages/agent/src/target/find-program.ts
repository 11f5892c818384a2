// Finds the program that a person names, as a shell does it.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { codeOf } from '@svc/contracts/caught';
import { StartError } from '../start-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The path of a program: itself if it has a slash, otherwise the first in the folders of `PATH`. Throws StartError:
 * `no_such_program`, `program_forbidden`.
 */
export function findProgram(name: string, cwd: string, env: Environment): string {
  if (name === '') throw new StartError('no_such_program', 'Cannot start a program without a name');
  if (name.includes('/')) {
    const path = resolve(cwd, name);
    const fault = faultOf(path);
    if (fault === null) return path;
    throw refusal(name, fault);
  }
  let first: Fault = 'missing';
  for (const folder of (env['PATH'] ?? USUAL_PATH).split(delimiter)) {
    const path = join(isAbsolute(folder) ? folder : resolve(cwd, folder), name);
    const fault = faultOf(path);
    if (fault === null) return path;
    if (first === 'missing') first = fault;
  }
  if (first === 'missing' && faultOf(resolve(cwd, name)) === null) {
    throw new StartError(
      'no_such_program',
      `Cannot start "${name}": there is no such program in PATH; for the one in this folder, write ./${name}`,
    );
  }
  throw refusal(name, first);
}

/** What a shell uses without `PATH`. */
const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin';

type Fault = 'missing' | 'folder' | 'not executable' | 'forbidden';

function faultOf(path: string): Fault | null {
  try {
    if (statSync(path).isDirectory()) return 'folder';
  } catch (error) {
    return codeOf(error) === 'EACCES' ? 'forbidden' : 'missing';
  }
  try {
    accessSync(path, constants.X_OK);
    return null;
  } catch {
    return 'not executable';
  }
}

const REASONS: Readonly<Record<Fault, string>> = {
  missing: 'there is no such program',
  folder: 'it is a folder',
  'not executable': 'the file is not executable; chmod +x makes it so',
  forbidden: 'this user may not read its folder',
};

function refusal(name: string, fault: Fault): StartError {
  const code = fault === 'missing' ? 'no_such_program' : 'program_forbidden';
  return new StartError(code, `Cannot start "${name}": ${REASONS[fault]}`);
}
