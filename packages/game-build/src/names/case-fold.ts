// One key for all spellings of a path that some file system treats as equal.

/**
 * The canonical caseless form (Unicode 3.13, D145): decomposed, fully case-folded, composed. JavaScript has no case folding.
 * Lower case, upper case and lower case again of each code point gives the same classes, except for the dotless i, which
 * folds only to itself.
 */
export function foldPath(path: string): string {
  if (/^[\0-\x7f]*$/.test(path)) return path.toLowerCase();
  const folded = Array.from(path.normalize('NFD'), foldCodePoint).join('');
  return Array.from(folded.normalize('NFD'), foldCodePoint).join('').normalize('NFC');
}

function foldCodePoint(one: string): string {
  if (one === 'ı') return one;
  return Array.from(one.toLowerCase().toUpperCase(), (part) => part.toLowerCase()).join('');
}
