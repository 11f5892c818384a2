// The option `--data-dir` of all commands that use the database.
import { resolve } from 'node:path';
import type { Settings } from '../start/settings.ts';

export const DATA_DIR = { 'data-dir': { type: 'string' } } as const;

/** Returns the absolute path of the data folder: that of the option, else of the setting, else `svc-data` in the current folder. */
export function chooseDataDir(
  { 'data-dir': option }: { readonly 'data-dir'?: string | undefined },
  { dataDir }: Pick<Settings, 'dataDir'>,
): string {
  return resolve(option ?? dataDir ?? 'svc-data');
}
