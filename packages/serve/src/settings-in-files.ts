// Settings in files, for secrets: supervisors and containers pass each secret as a file, and not in the environment.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@svc/contracts/caught';
import type { Environment } from './watch-starter.ts';

const FOLDER = 'SVC_SETTINGS_DIR';
/** Other files in the folder, such as those of a supervisor, are no settings. */
const SETTING = /^(?:SVC|AWS)_[A-Z0-9_]+$/;

/**
 * Returns the environment with the settings of the folder `SVC_SETTINGS_DIR`: the name of a file is the name of a setting, and
 * its content is the value, without spaces and line breaks around it. Returns the environment itself without this folder.
 * Throws if the folder or a file cannot be read, or if a setting has a value in the environment too.
 */
export function readSettingsInFiles(environment: Environment): Environment {
  const folder = environment[FOLDER]?.trim() ?? '';
  if (folder === '') return environment;
  const names = read(folder, () => readdirSync(folder)).filter((name) => SETTING.test(name));
  const twice = names.find((name) => (environment[name]?.trim() ?? '') !== '');
  if (twice !== undefined) {
    throw new Error(
      `${twice}: set in the environment and as a file in ${folder} (${FOLDER}). Remove one of them.`,
    );
  }
  const values = names.map((name): [string, string] => {
    const path = join(folder, name);
    return [name, read(path, () => readFileSync(path, 'utf8')).trim()];
  });
  return { ...environment, ...Object.fromEntries(values) };
}

function read<T>(path: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    throw new Error(`${FOLDER}: cannot read ${path}: ${messageOf(error)}`);
  }
}
