// Finds the root folder of a build, and recognizes files that operating systems leave behind.
import type { Refusal } from '../findings.ts';

const INDEX = 'index.html';

/** Whether an operating system left the entry behind: `__MACOSX/` and its content, `.DS_Store`, `Thumbs.db`, `desktop.ini`. */
export function isJunk(name: string): boolean {
  if (/(?:^|\/)__MACOSX\//.test(name)) return true;
  return /(?:^|\/)(?:\.ds_store|thumbs\.db|desktop\.ini)$/i.test(name);
}

/**
 * The root as a prefix of the names of all kept files: empty, or the only top-level folder with its slash. Returns a finding if
 * `index.html` is missing there.
 */
export function findRoot(files: readonly string[]): string | Refusal {
  if (files.includes(INDEX)) return '';
  const [first = ''] = files;
  const top = first.slice(0, first.indexOf('/') + 1);
  const single = top !== '' && files.every((name) => name.startsWith(top));
  if (single && files.includes(top + INDEX)) return top;
  return {
    code: 'zip_missing_index',
    entry: null,
    rule: 'index_missing',
    message: single
      ? `There is no ${INDEX} in "${top}", the only top-level folder.`
      : `There is no ${INDEX} at the top level.`,
    hint: findNearMiss(files),
  };
}

function findNearMiss(files: readonly string[]): string {
  const isIndex = (name: string): boolean => /(?:^|\/)index\.html?$/i.test(name);
  const [nearest] = files.filter(isIndex).sort((a, b) => a.split('/').length - b.split('/').length);
  if (nearest === undefined) return `Put the start page of the game at the top level, as ${INDEX}.`;
  const folder = nearest.slice(0, nearest.lastIndexOf('/') + 1);
  if (!nearest.endsWith(INDEX))
    return `Rename "${nearest}" to "${folder}${INDEX}": names are case-sensitive.`;
  return `There is one in "${folder}". Publish that folder.`;
}
