// Finds words that docs/style.md replaces, in all text of the repository. `npm run check` runs it.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './workspaces.ts';

/** A word that is not used, and what to write instead. */
type Word = { readonly pattern: RegExp; readonly instead: string };

const WORDS: readonly Word[] = [
  {
    pattern: /\b(?:un)?told(?![a-z])|\btells\b(?!.{0,30}\bapart\b)/i,
    instead: 'report, return, say',
  },
  { pattern: /\bso many\b/i, instead: 'the number of' },
  { pattern: /\bwh(?:o|at)soever\b|\bwhoever\b/i, instead: 'anyone who' },
  { pattern: /\b(?:that|what) (?:is|are) none\b/i, instead: 'missing, unknown, null' },
  { pattern: /\bhanded over\b|\bhandedOver\b/i, instead: 'passed, sent' },
];

/** Texts that name the words in order to replace them, and generated lists. */
const EXEMPT = [
  'docs/style.md',
  'scripts/check-prose.ts',
  'scripts/check-prose.test.ts',
  'package-lock.json',
  'mutation/equivalent.json',
  'mutation/unnoticed.json',
];

/** The words in a text that are to be replaced, with their line and what to write instead. */
export function findWords(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) =>
    WORDS.flatMap(({ pattern, instead }) => {
      const [found] = pattern.exec(line) ?? [];
      return found === undefined ? [] : [`${path}:${index + 1}: "${found}": write ${instead}`];
    }),
  );
}

if (import.meta.main) {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
  const paths = listed
    .split('\0')
    .filter((path) => /\.(?:ts|tsx|md|css|html|json|svg|cjs)$|^\.ci\/run$/.test(path))
    .filter((path) => !EXEMPT.includes(path))
    // A file that was deleted and not committed yet is still listed.
    .filter((path) => existsSync(join(ROOT, path)));
  const found = paths.flatMap((path) => findWords(path, readFileSync(join(ROOT, path), 'utf8')));
  for (const line of found) console.error(line);
  console.log(`prose: ${paths.length} files, ${found.length} words to replace`);
  process.exitCode = found.length > 0 || paths.length === 0 ? 1 : 0;
}
