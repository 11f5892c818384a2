// Decides which folder of a build is its root, and what is junk of the system it was made on.
import type { Refusal } from '../findings.ts';

export const INDEX = 'index.html';

/** What operating systems leave behind: `__MACOSX/` and all in it, `.DS_Store`, `Thumbs.db`, `desktop.ini`. */
export function isJunk(name: string): boolean {
  if (/(?:^|\/)__MACOSX\//.test(name)) return true;
  return /(?:^|\/)(?:\.ds_store|thumbs\.db|desktop\.ini)$/i.test(name);
}

/**
 * The root as a prefix: empty, or the one top-level folder with its slash. Given the names of all files that are kept;
 * a finding where no `index.html` stands where it must.
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
      ? `There is no ${INDEX} in "${top}", the one folder that everything is in.`
      : `There is no ${INDEX} at the top.`,
    hint: findNearMiss(files),
  };
}

function findNearMiss(files: readonly string[]): string {
  const isIndex = (name: string): boolean => /(?:^|\/)index\.html?$/i.test(name);
  const [nearest] = files.filter(isIndex).sort((a, b) => a.split('/').length - b.split('/').length);
  if (nearest === undefined) return `Put the page that starts the game at the top, as ${INDEX}.`;
  const folder = nearest.slice(0, nearest.lastIndexOf('/') + 1);
  if (!nearest.endsWith(INDEX))
    return `Rename "${nearest}" to "${folder}${INDEX}": names are exact.`;
  return `There is one in "${folder}": publish that folder.`;
}
