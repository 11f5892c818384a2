// What was found in each file of a build, so that a similar build is described without reading all of its files again.
import { createHash } from 'node:crypto';
import type { BuildFile } from '../build.ts';
import { comparePaths } from '../compare-paths.ts';
import type { FileFacts } from './describe-file.ts';
import type { FileLoads } from './file-loads.ts';

/** A file with what was found in it. */
export type DescribedFile = {
  readonly file: BuildFile;
  readonly facts: FileFacts;
  /** Whether its text was searched, if it is text. See {@link chooseTexts}. */
  readonly searched: boolean;
};

export type BuildFacts = {
  /** A hash of the paths of all files. References in texts are resolved among them. */
  readonly paths: string;
  readonly files: ReadonlyMap<string, DescribedFile>;
};

/** The version of the facts. Raise it with every change of what is found in a file. */
export const FACTS_FORMAT = 1;

/** Facts that are longer as text are not worth keeping. */
const MAX_TEXT = 16 * 1024 * 1024;

export function collectFacts(described: readonly DescribedFile[]): BuildFacts {
  return {
    paths: hashPaths(described.map(({ file }) => file.path)),
    files: new Map(described.map((one) => [one.file.path, one])),
  };
}

type Wanted = { readonly path: string; readonly bytes: number; readonly sha256: string | null };

/**
 * Returns the files whose description is the same in a build with the wanted files: they have the same content, and their text
 * was not searched, or would be searched again among the same paths. `texts` are the paths that would be searched.
 */
export function findReusable(
  before: BuildFacts,
  wanted: readonly Wanted[],
  texts: ReadonlySet<string>,
): ReadonlyMap<string, DescribedFile> {
  const hasSamePaths = hashPaths(wanted.map(({ path }) => path)) === before.paths;
  const reusable = new Map<string, DescribedFile>();
  for (const { path, bytes, sha256 } of wanted) {
    const known = before.files.get(path);
    if (known === undefined || known.file.sha256 !== sha256 || known.file.bytes !== bytes) continue;
    if (known.searched !== texts.has(path)) continue;
    if (hasSamePaths || !known.facts.isText) reusable.set(path, known);
  }
  return reusable;
}

/** A file in the text of facts. */
type Row = Omit<DescribedFile, 'facts'> & {
  readonly facts: Omit<FileFacts, 'loads'> & {
    readonly loads: (Omit<FileLoads, 'modules'> & { modules: [string, string | null][] }) | null;
  };
};

/** The text of facts as JSON. */
type Encoded = { readonly format: number; readonly paths: string; readonly files: readonly Row[] };

/** Returns the facts as text; null if they would be too long. */
export function encodeFacts({ paths, files }: BuildFacts): string | null {
  const encoded: Encoded = {
    format: FACTS_FORMAT,
    paths,
    files: Array.from(files.values(), ({ file, facts, searched }) => {
      const loads = facts.loads && { ...facts.loads, modules: [...facts.loads.modules] };
      return { file, facts: { ...facts, loads }, searched };
    }),
  };
  const text = JSON.stringify(encoded);
  return text.length > MAX_TEXT ? null : text;
}

/** Returns the facts in a text of {@link encodeFacts}; null if a version with other facts has written it. */
export function decodeFacts(text: string): BuildFacts | null {
  const { format, paths, files }: Encoded = JSON.parse(text);
  if (format !== FACTS_FORMAT) return null;
  const described = files.map(({ file, facts, searched }): DescribedFile => {
    const loads = facts.loads && { ...facts.loads, modules: new Map(facts.loads.modules) };
    return { file, facts: { ...facts, loads }, searched };
  });
  return { paths, files: new Map(described.map((one) => [one.file.path, one])) };
}

function hashPaths(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths.toSorted(comparePaths)) hash.update(`${path}\0`);
  return hash.digest('hex');
}
