// Lists the files of a folder for packing. Follows links only inside the folder.
import type { BigIntStats } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type Refusal, refuse, showName } from '../findings.ts';
import { isJunk } from '../names/build-root.ts';
import { isUtf8Name } from '../names/paths.ts';
import { OWN_FILES, type PathRule, tooManyEntries } from './folder-rules.ts';

/** A file at the time of the listing. */
export type FoundFile = {
  /** Its path in the ZIP. */
  readonly path: string;
  /** Its real path: no segment of it is a link. */
  readonly source: string;
  readonly bytes: number;
  readonly stamp: FileStamp;
};

/** Identifies a file and its version. */
export type FileStamp = Pick<BigIntStats, 'dev' | 'ino' | 'size' | 'mtimeNs' | 'ctimeNs'>;

export type Walk = { readonly files: FoundFile[]; readonly findings: Refusal[] };

/**
 * Lists the files. `root` must be a real path. Throws Node's error if a folder cannot be read, and a `BuildError` for more than
 * `maxEntries` entries, which a few nested links can produce.
 */
export async function walkFolder(root: string, rule: PathRule, maxEntries: number): Promise<Walk> {
  const walk: Walk = { files: [], findings: [] };
  await walkInto({ root, rule, walk, maxEntries, seen: 0 }, root, '', [root]);
  return walk;
}

type Context = {
  readonly root: string;
  readonly rule: PathRule;
  readonly walk: Walk;
  readonly maxEntries: number;
  seen: number;
};

/** `ancestors` are the real paths of the parent folders. A link to one of them would lead to an endless walk. */
async function walkInto(
  context: Context,
  folder: string,
  prefix: string,
  ancestors: readonly string[],
): Promise<void> {
  const entries = await readdir(Buffer.from(folder), { withFileTypes: true, encoding: 'buffer' });
  for (const entry of entries.sort((a, b) => Buffer.compare(a.name, b.name))) {
    const name = entry.name.toString('utf8');
    const path = prefix + name;
    if (++context.seen > context.maxEntries) refuse([tooManyEntries(context.maxEntries)]);
    if (!isUtf8Name(entry.name)) {
      const message = `${showName(path)} has a name that is not valid UTF-8.`;
      context.walk.findings.push(finding('zip_path_invalid', path, 'path_not_utf8', message));
    } else if (prefix !== '' || !OWN_FILES.has(name)) {
      const place = join(folder, name);
      const source = entry.isSymbolicLink() ? await resolveLink(context, place, path) : place;
      if (source !== null) await visit(context, source, path, ancestors);
    }
  }
}

/** Adds the file, or walks into the folder. `source` is its place with links resolved. */
async function visit(
  context: Context,
  source: string,
  path: string,
  ancestors: readonly string[],
): Promise<void> {
  const { root, rule, walk } = context;
  const stats = await lstat(source, { bigint: true });
  const isFolder = stats.isDirectory();
  const slash = isFolder ? '/' : '';
  if (isJunk(path + slash)) return;
  const target = relative(root, source).replaceAll(sep, '/');
  const decision = rule(path + slash, target + slash);
  if (decision === 'skip') return;
  if (decision !== 'keep') walk.findings.push(decision);
  else if (isFolder) {
    if (ancestors.includes(source)) {
      const message = `${showName(path)} is a link to one of its parent folders.`;
      walk.findings.push(finding('link_outside', path, 'link_cycle', message));
    } else await walkInto(context, source, `${path}/`, [...ancestors, source]);
  } else if (stats.isFile()) {
    walk.files.push({ path, source, bytes: Number(stats.size), stamp: stats });
  } else {
    const message = `${showName(path)} is neither a file nor a folder.`;
    walk.findings.push(finding('zip_entry_type', path, 'kind', message));
  }
}

/** The real path of a link to a target inside the folder. Otherwise adds a finding, unless the link is ignored, and returns null. */
async function resolveLink(context: Context, place: string, path: string): Promise<string | null> {
  const { root, rule, walk } = context;
  const target = await realpath(place).catch(() => null);
  const below = root.endsWith(sep) ? root : root + sep;
  if (target === root || target?.startsWith(below)) return target;
  const isFolder = target !== null && (await stat(target)).isDirectory();
  const decision = rule(isFolder ? `${path}/` : path, isFolder ? `${path}/` : path);
  if (decision === 'skip') return null;
  const what = target === null ? 'has no target' : 'leads out of the folder';
  const message = `${showName(path)} is a link that ${what}.`;
  const outside = finding(
    'link_outside',
    path,
    target === null ? 'link_broken' : 'link_outside',
    message,
  );
  walk.findings.push({ ...outside, hint: 'Replace it with a copy, or exclude it in .svcignore.' });
  return null;
}

function finding(code: Refusal['code'], entry: string, rule: string, message: string): Refusal {
  return { code, entry, rule, message, hint: null };
}
