// The findings about a text: references that will not work when published, secrets, threads and other hosts.
import type { Warning, WarningCode } from '../findings.ts';
import { showName } from '../findings.ts';
import type { PathIndex } from './path-index.ts';
import { findReferences, type Reference, resolveUrl, type TextLanguage } from './references.ts';
import { usesThreads } from './script-threads.ts';
import { findSecretText } from './secrets.ts';

export type TextFacts = {
  readonly threads: boolean;
  readonly foreignHosts: readonly string[];
  readonly warnings: readonly Warning[];
};

const MAX_WARNINGS_PER_FILE = 10;

/** Examines a text, which may be the beginning of a long file. With a language of null, searches for secrets only. */
export function readTextFacts(
  path: string,
  language: TextLanguage | null,
  text: string,
  index: PathIndex,
): TextFacts {
  const warnings = new Map<string, Warning>();
  const secret = findSecretText(text);
  if (secret !== null) {
    const message = `${showName(path)} appears to contain ${secret}.`;
    const hint = 'Everything in a build is public. Remove the secret, and revoke it at its source.';
    warnings.set('', { code: 'secret_published', entry: path, rule: 'secret_text', message, hint });
  }
  if (language === null)
    return { threads: false, foreignHosts: [], warnings: [...warnings.values()] };
  const { local, foreignHosts } = findReferences(language, text);
  for (const reference of local) {
    if (warnings.size >= MAX_WARNINGS_PER_FILE) break;
    const found = judgeReference(path, reference, index);
    if (found !== null) warnings.set(found.message, found);
  }
  const threads = language !== 'css' && usesThreads(text);
  return { threads, foreignHosts, warnings: [...warnings.values()] };
}

/** Checks a reference. Addresses are resolved as in a browser. A string in a script counts only if it names a file in another case or with a slash before it. */
function judgeReference(
  from: string,
  { target, kind }: Reference,
  index: PathIndex,
): Warning | null {
  if (target.startsWith('/')) {
    const inside = target.replace(/^\/+/, '');
    const known = index.has(inside) || index.otherCase(inside) !== null;
    if (kind === 'string' && !known) return null;
    const what = `refers to ${showName(target)}, which is not in the game's own folder.`;
    const hint = `Write it without the slash${known ? `: ${showName(inside)}` : ''}. Games are served below /play/.`;
    return warning(from, 'reference_absolute', what, hint);
  }
  const resolved =
    kind === 'url' ? resolveUrl(from, target) : target.replace(/^(?:\.{1,2}\/)+/, '');
  if (resolved === null || resolved === '') return null;
  const other = kind === 'url' ? index.otherCase(resolved) : index.otherCaseOfSuffix(resolved);
  if (other === null) return null;
  return inexactReference(from, target, resolved, other);
}

/** The warning for a reference whose file name differs in case or in the form of accents. */
function inexactReference(from: string, target: string, resolved: string, other: string): Warning {
  const what = `refers to ${showName(target)}; the file is ${showName(other)}`;
  if (!other.normalize('NFC').endsWith(resolved.normalize('NFC'))) {
    const hint = 'Use the same upper and lower case letters: names are case-sensitive.';
    return warning(from, 'reference_case', `${what}.`, hint);
  }
  return warning(
    from,
    'reference_case',
    `${what}, with its accents in another Unicode form.`,
    `The reference is in the form ${unicodeForm(resolved)}, the file's name in ${unicodeForm(other)}. They look alike, but differ. Rename the file or change the reference, so that both have the same form.`,
  );
}

function unicodeForm(text: string): string {
  if (text === text.normalize('NFC')) return 'NFC (a letter with its accent as one character)';
  if (text === text.normalize('NFD')) return 'NFD (a letter and its accent as two characters)';
  return 'a mixed form';
}

function warning(entry: string, code: WarningCode, what: string, hint: string): Warning {
  return { code, entry, rule: code, message: `${showName(entry)} ${what}`, hint };
}
