// Settings in files, for secrets: supervisors and containers pass each secret as a file, and not in the environment.
import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@svc/contracts/caught';
import type { Environment } from './watch-starter.ts';

const FOLDER = 'SVC_SETTINGS_DIR';
/** Other files in the folder, such as those of a supervisor, are no settings. */
const SETTING = /^(?:SVC|AWS)_[A-Z0-9_]+$/;
/** The most bytes of a file. A longer one is not a setting, but something else that was mounted there. */
const MOST_BYTES = 64 * 1024;

/**
 * Returns the environment with the settings of the folder `SVC_SETTINGS_DIR`: the name of a file is the name of a setting, and
 * its content is the value, without spaces and line breaks around it. Returns the environment itself without this folder.
 * Throws if the folder or a file cannot be read, if a file is empty, longer than 64 KiB or not text in UTF-8, or if a setting has a
 * value in the environment too. The messages do not contain values.
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
    return [name, read(path, () => readValue(path))];
  });
  return { ...environment, ...Object.fromEntries(values) };
}

function readValue(path: string): string {
  // First, because the reading of a pipe or a device may never end.
  const found = statSync(path);
  if (!found.isFile()) throw new Error('it is not a file');
  if (found.size > MOST_BYTES) throw new Error('it is longer than 64 KiB');
  const bytes = readFileSync(path);
  if (!isUtf8(bytes) || bytes.includes(0)) throw new Error('it is not text in UTF-8');
  const value = bytes.toString().trim();
  // An empty file comes from a command that failed. Without the setting, the server would start with another database or key.
  if (value === '') throw new Error('it is empty. Write the value into it, or remove it');
  return value;
}

function read<T>(path: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    throw new Error(`${FOLDER}: cannot read ${path}: ${messageOf(error)}`);
  }
}
