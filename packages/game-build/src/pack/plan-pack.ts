// Lists the files of a folder to pack, and checks them before anything is written.
import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { comparePaths } from '../compare-paths.ts';
import { type Refusal, refuse, refuseWhole, showName } from '../findings.ts';
import { BUILD_LIMITS, type BuildLimits } from '../limits.ts';
import { findRoot } from '../names/build-root.ts';
import {
  createPathRule,
  ENTRIES_PER_KEPT_FILE,
  IGNORE_FILE,
  SECRET_TEXT_BYTES,
  secretTextFinding,
} from './folder-rules.ts';
import { judgeFiles } from './judge-files.ts';
import { openPlanned } from './read-planned.ts';
import { type FoundFile, walkFolder } from './walk-folder.ts';

export type PlanOptions = {
  readonly limits?: Partial<BuildLimits>;
  /** Patterns in gitignore syntax, in addition to the folder's `.svcignore`. */
  readonly ignore?: readonly string[];
  /** Whether to pack `.env`, `.git`, `.npmrc` and keys instead of rejecting the folder. */
  readonly allowSecrets?: boolean;
};

/** The files that will be packed. */
export type PackPlan = {
  /** The folder's real path. */
  readonly folder: string;
  readonly limits: BuildLimits;
  /** The prefix of every path: empty, or the only top-level folder with its slash. */
  readonly root: string;
  /** Sorted by the bytes of their paths. */
  readonly files: readonly FoundFile[];
  /** Bytes of all files together. */
  readonly total_bytes: number;
  /** Paths excluded by `.svcignore` or `ignore`. Folders end in `/`. */
  readonly ignored: readonly string[];
};

const SECRET_HINT =
  'Everything in a build is public. Exclude the file in .svcignore, or use --allow-secrets if it is not a secret.';

/**
 * Lists the files to pack and checks names, sizes, links, secrets and `index.html`. Throws a {@link BuildError} with all
 * findings, or Node's error if a file cannot be read.
 */
export async function planPack(folder: string, options: PlanOptions = {}): Promise<PackPlan> {
  const root = await realpath(folder);
  if (!(await stat(root)).isDirectory()) {
    refuseWhole('folder_unreadable', 'no_folder', `${showName(folder)} is not a folder.`);
  }
  const limits = { ...BUILD_LIMITS, ...options.limits };
  const ignored: string[] = [];
  const rule = createPathRule({
    patterns: [await readIgnoreFile(root), ...(options.ignore ?? [])],
    secretHint: options.allowSecrets === true ? null : SECRET_HINT,
    onIgnored: (path) => ignored.push(path),
  });
  const walk = await walkFolder(root, rule, limits.files * ENTRIES_PER_KEPT_FILE);
  const files = walk.files.sort((a, b) => comparePaths(a.path, b.path));
  const secrets = options.allowSecrets === true ? [] : await findSecretTexts(files);
  const found = [...walk.findings, ...secrets, ...judgeFiles(files, limits)];
  const buildRoot = findRoot(files.map(({ path }) => path));
  if (typeof buildRoot !== 'string') return refuse([...found, buildRoot]);
  refuse(found);
  return {
    folder: root,
    limits,
    root: buildRoot,
    files,
    total_bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    ignored: ignored.sort(comparePaths),
  };
}

async function readIgnoreFile(root: string): Promise<string> {
  try {
    return await readFile(join(root, IGNORE_FILE), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

async function findSecretTexts(files: readonly FoundFile[]): Promise<Refusal[]> {
  const findings: Refusal[] = [];
  for (const file of files) {
    if (file.bytes > SECRET_TEXT_BYTES) continue;
    const text = await readText(file);
    findings.push(...secretTextFinding(file.path, text, SECRET_HINT));
  }
  return findings;
}

/** Reads as many bytes as it had when it was listed, because the file may be growing. */
async function readText(file: FoundFile): Promise<string> {
  await using source = openPlanned(file);
  return (await source.read(0, file.bytes)).toString('latin1');
}
