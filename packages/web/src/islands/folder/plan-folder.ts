// Chooses the files of a folder that are published, by the rules of the command line.
import {
  type BuildLimits,
  type ChosenFiles,
  chooseFiles,
  IGNORE_FILE,
  PROJECT_FILE,
  type Refusal,
  refuse,
} from '@svc/game-build/folder';
import { field } from '../send-form.ts';
import type { ChosenFolder, FolderFile } from './chosen-folder.ts';
import { readBytes } from './read-file.ts';

/** The files that are published. */
export type FolderPlan = ChosenFiles<FolderFile>;

export const SECRET_HINT =
  'Everything in a build is public. Remove the file, or exclude it in .svcignore. If it is not a secret, upload the build as a ZIP file.';

/**
 * Checks names, sizes, secrets and `index.html` before the files are read. Throws a `BuildError` with all findings, and a
 * `FileChangedError`.
 */
export async function planFolder(
  { files }: ChosenFolder,
  limits: BuildLimits,
): Promise<FolderPlan> {
  const patterns = [await readText(files, IGNORE_FILE), ...(await readProjectPatterns(files))];
  return chooseFiles(files, { limits, patterns, secretHint: SECRET_HINT });
}

async function readText(files: readonly FolderFile[], path: string): Promise<string> {
  const file = files.find((one) => one.path === path);
  return file === undefined ? '' : new TextDecoder().decode(await readBytes(file));
}

/** The patterns in `ignore` of svc.json. A file that can't be parsed is rejected, because it may exclude files. */
async function readProjectPatterns(files: readonly FolderFile[]): Promise<string[]> {
  const text = await readText(files, PROJECT_FILE);
  if (text === '') return [];
  try {
    const patterns = field(JSON.parse(text), 'ignore');
    return Array.isArray(patterns) ? patterns.filter((one) => typeof one === 'string') : [];
  } catch {
    refuse([UNREADABLE_PROJECT]);
    return [];
  }
}

const UNREADABLE_PROJECT: Refusal = {
  code: 'folder_unreadable',
  entry: PROJECT_FILE,
  rule: 'project_file',
  message: 'The file is not valid JSON, so the files that it excludes are unknown.',
  hint: 'Correct the file or remove it, then choose the folder again.',
};
