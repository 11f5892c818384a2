// The one version of all packages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './workspaces.ts';

/** The version in the package.json of the repository. */
export function readVersion(): string {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;
}
