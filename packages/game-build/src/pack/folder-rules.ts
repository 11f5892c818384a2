// Which files of a folder belong to a build: ignore rules, secrets, files of the project. It uses no module of Node, because the
// store's upload form applies the same rules in a browser.
import ignore from 'ignore';
import { findSecretName, findSecretText } from '../describe/secrets.ts';
import { type Refusal, showName } from '../findings.ts';

/** The file at the top level with patterns in gitignore syntax. */
export const IGNORE_FILE = '.svcignore';
/** The file at the top level that describes the project. */
export const PROJECT_FILE = 'svc.json';
/** Files at the top level that belong to the project and not to the game. */
export const OWN_FILES: ReadonlySet<string> = new Set([IGNORE_FILE, PROJECT_FILE]);
/** Files up to this size are searched for keys and tokens. */
export const SECRET_TEXT_BYTES = 64 * 1024;
/** Allows for folders and for excluded files. */
export const ENTRIES_PER_KEPT_FILE = 20;

/** Decides about each path before it is opened. Paths of folders end in `/`. `target` is the resolved path in the folder. */
export type PathRule = (path: string, target: string) => 'keep' | 'skip' | Refusal;

type RuleOptions = {
  /** Patterns in gitignore syntax. An item may have several lines. */
  readonly patterns: readonly string[];
  /** The hint of findings about secrets. Null to keep secrets. */
  readonly secretHint: string | null;
  /** Called with each path that the patterns exclude. */
  readonly onIgnored: (path: string) => void;
};

/** Creates the rule from the patterns and the names of secrets. An ignored path may be a secret. */
export function createPathRule({ patterns, secretHint, onIgnored }: RuleOptions): PathRule {
  const ignored = ignore();
  for (const pattern of patterns) ignored.add(pattern);
  return (path, target) => {
    if (ignore.isPathValid(path) && ignored.ignores(path)) {
      onIgnored(path);
      return 'skip';
    }
    return (secretHint === null ? null : findSecretPath(path, target, secretHint)) ?? 'keep';
  };
}

/** Checks the path and, for a link, also its target. */
function findSecretPath(path: string, target: string, hint: string): Refusal | null {
  const secret = findSecretName(path) ?? findSecretName(target);
  if (secret === null) return null;
  const message = `${showName(path)} looks like ${secret}.`;
  return { code: 'secret_refused', entry: path, rule: 'secret_name', message, hint };
}

/** The finding about a file whose text contains a secret; empty if it contains none. */
export function secretTextFinding(path: string, text: string, hint: string): Refusal[] {
  const secret = findSecretText(text);
  if (secret === null) return [];
  const message = `${showName(path)} appears to contain ${secret}.`;
  return [{ code: 'secret_refused', entry: path, rule: 'secret_text', message, hint }];
}

/** The finding about a folder with more than `maxEntries` entries. */
export function tooManyEntries(maxEntries: number): Refusal {
  const message = `The folder has more than ${maxEntries} files and folders, including those behind links.`;
  const hint = 'Exclude files that are not part of the game in .svcignore.';
  const code = 'zip_too_many_entries';
  return { code, entry: null, rule: 'folder_entries', message, hint };
}
