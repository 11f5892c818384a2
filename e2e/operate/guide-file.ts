// The files of configuration in the guide, for the tests that run them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/workspaces.ts';

/** The folder of the files. */
export const GUIDE_FILES: string = join(ROOT, 'docs/operations');

/**
 * Returns the path of the file with this name below `docs/operations`. Throws if there is none. A test that runs a file gets its path here:
 * configuration.test.ts finds the calls, so the name must be a literal.
 */
export function guideFile(name: string): string {
  const path = join(GUIDE_FILES, name);
  if (!existsSync(path)) throw new Error(`The guide has no file ${name}`);
  return path;
}
