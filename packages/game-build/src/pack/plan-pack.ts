// Lists the files of a folder to pack, and checks them before anything is written.
import { readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import ignore from 'ignore';
import { findSecretName, findSecretText } from '../describe/secrets.ts';
import { comparePaths } from '../digest.ts';
import { entryFinding, type Refusal, refuse, refuseWhole, showName } from '../findings.ts';
import { findLimitFaults } from '../judge/judge-archive.ts';
import { BUILD_LIMITS, type BuildLimits } from '../limits.ts';
import { findRoot } from '../names/build-root.ts';
import { collisionFinding, findCollisions } from '../names/collisions.ts';
import { findLengthFault, findPathFault } from '../names/paths.ts';
import { openPlanned } from './read-planned.ts';
import { type FoundFile, type PathRule, walkFolder } from './walk-folder.ts';

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

/** Files up to this size are searched for keys and tokens. */
const SECRET_TEXT_BYTES = 64 * 1024;
/** Allows for folders and for excluded files. */
const ENTRIES_PER_KEPT_FILE = 20;
/** The limits of a ZIP without Zip64: number of files, and bytes of one file. */
const MAX_FILES = 0xfffe;
const MAX_FILE_BYTES = 0xffff_fffe;

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
  const patterns = ignore()
    .add(await readIgnoreFile(root))
    .add(options.ignore ?? []);
  const secretRule = options.allowSecrets === true ? () => null : findSecretPath;
  const rule: PathRule = (path, target) => {
    if (ignore.isPathValid(path) && patterns.ignores(path)) {
      ignored.push(path);
      return 'skip';
    }
    return secretRule(path, target) ?? 'keep';
  };
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
    return await readFile(join(root, '.svcignore'), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

const SECRET_HINT =
  'Everything in a build is public. Exclude the file in .svcignore, or use --allow-secrets if it is not a secret.';

/** Checks the path and, for a link, also its target. */
function findSecretPath(path: string, target: string): Refusal | null {
  const secret = findSecretName(path) ?? findSecretName(target);
  if (secret === null) return null;
  const message = `${showName(path)} looks like ${secret}.`;
  return { code: 'secret_refused', entry: path, rule: 'secret_name', message, hint: SECRET_HINT };
}

async function findSecretTexts(files: readonly FoundFile[]): Promise<Refusal[]> {
  const findings: Refusal[] = [];
  for (const file of files) {
    const { path, bytes } = file;
    if (bytes > SECRET_TEXT_BYTES) continue;
    const secret = findSecretText(await readBeginning(file));
    if (secret === null) continue;
    const message = `${showName(path)} appears to contain ${secret}.`;
    const rule = 'secret_text';
    findings.push({ code: 'secret_refused', entry: path, rule, message, hint: SECRET_HINT });
  }
  return findings;
}

/** Reads a limited number of bytes, because the file may be growing. */
async function readBeginning(file: FoundFile): Promise<string> {
  await using handle = await openPlanned(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(SECRET_TEXT_BYTES), 0);
  return buffer.toString('latin1', 0, bytesRead);
}

/** The server's rules about names and sizes. */
export function judgeFiles(files: readonly FoundFile[], limits: BuildLimits): Refusal[] {
  const faults = files.map(({ path }) => findPathFault(path) ?? findLengthFault(path, limits));
  const sound = files.filter((_, i) => faults[i] === null).map(({ path }) => path);
  const sized = files.map(({ path, bytes }) => ({ name: path, bytes }));
  return [
    ...files.flatMap(({ path }, i) => {
      const found = faults[i] ?? null;
      if (found === null) return [];
      return [entryFinding(path, { code: 'zip_path_invalid', ...found })];
    }),
    ...findCollisions(sound).map(collisionFinding),
    ...findLimitFaults(sized, sized, {
      ...limits,
      files: Math.min(limits.files, MAX_FILES),
      file_bytes: Math.min(limits.file_bytes, MAX_FILE_BYTES),
    }),
  ];
}
