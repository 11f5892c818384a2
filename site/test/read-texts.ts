// All Markdown that people read: the documents of the site, and what npm shows for each package.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../scripts/workspaces.ts';
import { readDocuments } from '../documents/read-documents.ts';

/** The texts by their paths, relative to the root. */
export function readTexts(): Map<string, string> {
  const { documents } = readDocuments();
  const published = globSync('packages/*/README.npm.md', { cwd: ROOT });
  return new Map([
    ...[...documents.values()].map(({ path, text }) => [path, text] as const),
    ...published.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')] as const),
  ]);
}
