// Writes the scripts and recipes that install the single executables. They contain the SHA-256 of each archive.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHARED_FILES } from '../linux/shared-files.ts';

export type Installers = {
  readonly out: string;
  readonly version: string;
  /** The address of the folder that will contain the release. Null if it is not known. */
  readonly address: string | null;
  /** The SHA-256 of each archive, by its name. */
  readonly sums: ReadonlyMap<string, string>;
};

/** Writes the installers into the release. */
export function writeInstallers({ out, version, address, sums }: Installers): void {
  const values: Readonly<Record<string, string>> = {
    VERSION: version,
    ADDRESS: address ?? '',
    SUMS: [...sums].map(([name, sum]) => `${sum}  ${name}`).join('\n'),
    SHARED: Object.values(SHARED_FILES).join('\n'),
  };
  const template = readFileSync(join(import.meta.dirname, 'install.sh'), 'utf8');
  const text = template.replaceAll(/@([A-Z]+)@/g, (whole, name: string) => values[name] ?? whole);
  const file = join(out, 'install.sh');
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}
