// Finds what the site contains: the documents, and everything that they refer to.
import { globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { ROOT } from '../../scripts/workspaces.ts';
import { type Parsed, parseMarkdown } from '../markdown/parse-markdown.ts';

/** A Markdown file of the repository. */
export type Document = {
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly parsed: Parsed;
};

export type Documents = {
  /** By their paths, in their order. */
  readonly documents: ReadonlyMap<string, Document>;
  /** Other files that documents refer to: images, sources, settings. Paths relative to the root. */
  readonly files: ReadonlySet<string>;
  /** Folders without a README that documents refer to. */
  readonly folders: ReadonlySet<string>;
};

const STARTS = ['*.md', 'docs/**/*.md', 'packages/*/README.md', 'site/README.md'];

/** Reads the documents, and those that they refer to. Throws if one refers to something that does not exist. */
export function readDocuments(): Documents {
  const documents = new Map<string, Document>();
  const [files, folders] = [new Set<string>(), new Set<string>()];
  const left = globSync(STARTS, { cwd: ROOT }).map((path) => path.replaceAll('\\', '/'));
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (documents.has(path)) continue;
    const document = readDocument(path);
    documents.set(path, document);
    for (const { target } of document.parsed.links) {
      const found = resolveTarget(path, target);
      if (found === null) continue;
      if (found.kind === 'document') left.push(found.path);
      else if (found.kind === 'folder') {
        folders.add(found.path);
        left.push(...entriesOf(found.path).filter((entry) => entry.endsWith('.md')));
        for (const entry of entriesOf(found.path)) if (!entry.endsWith('.md')) files.add(entry);
      } else files.add(found.path);
    }
  }
  const sorted = [...documents].sort(([a], [b]) => (a < b ? -1 : 1));
  return { documents: new Map(sorted), files, folders };
}

function readDocument(path: string): Document {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return { path, text, parsed: parseMarkdown(text) };
}

export type Target = {
  readonly kind: 'document' | 'file' | 'folder';
  /** Relative to the root. */
  readonly path: string;
  /** Empty, or `#` and an anchor. */
  readonly hash: string;
};

/**
 * Returns what a link in the document refers to. Null if it leads to another site, or stays in the document. Throws if it refers to
 * something that is not in the repository.
 */
export function resolveTarget(from: string, target: string): Target | null {
  if (/^[a-z][a-z+.-]*:/i.test(target) || target.startsWith('#')) return null;
  const [name = '', anchor] = decodeURI(target).split('#', 2);
  const path = posix.join(posix.dirname(from), name).replace(/\/$/, '');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const stats = path.startsWith('..')
    ? undefined
    : statSync(join(ROOT, path), { throwIfNoEntry: false });
  if (stats === undefined) throw new Error(`${from} refers to ${target}, which does not exist`);
  if (!stats.isDirectory()) return { kind: path.endsWith('.md') ? 'document' : 'file', path, hash };
  const readme = posix.join(path, 'README.md');
  const hasReadme = statSync(join(ROOT, readme), { throwIfNoEntry: false }) !== undefined;
  return hasReadme ? { kind: 'document', path: readme, hash } : { kind: 'folder', path, hash };
}

/** The files directly in a folder, without tests, sorted. Paths relative to the root. */
export function entriesOf(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map(({ name }) => posix.join(folder, name))
    .sort();
}
