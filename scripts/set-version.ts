// `npm run set-version -- VERSION`: gives all packages the version, and makes the unreleased changes in CHANGELOG.md those of it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { lt, prerelease, valid } from 'semver';
import { releaseChanges } from './changelog.ts';
import { readVersion, VERSION_FILES, withVersion } from './version.ts';
import { ROOT } from './workspaces.ts';

/** Writes the version into the files below a folder. Nothing is written if one of them cannot have it. */
export function setVersion(version: string, date: string, root: string = ROOT): void {
  const from = readVersion(root);
  if (valid(version) !== version || prerelease(version) !== null) {
    throw new Error(`"${version}" is not a version such as 0.2.0.`);
  }
  // The first version is set before it is released.
  if (lt(version, from)) {
    throw new Error(`${version} is not newer than ${from}.`);
  }
  const texts = new Map<string, string>();
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  texts.set('CHANGELOG.md', releaseChanges(read('CHANGELOG.md'), version, date));
  if (version !== from) {
    for (const path of VERSION_FILES) texts.set(path, withVersion(path, read(path), from, version));
  }
  for (const [path, text] of texts) writeFileSync(join(root, path), text);
}

if (import.meta.main) {
  const [version] = parseArgs({ allowPositionals: true }).positionals;
  try {
    if (version === undefined) throw new Error('Name the version: npm run set-version -- 0.2.0');
    setVersion(version, new Date().toISOString().slice(0, 10));
    console.log(
      `The version is ${version}. Run npm run check and npm test, and commit the changes.`,
    );
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
