// Quotes a client's value in a sentence: limited in length, without control characters, and never
// if it may be a secret.

/** The most characters of a value that are shown. */
export const QUOTED_CHARACTERS = 40;

/**
 * Session tokens, access tokens, keys and digests contain a run like this. Text that people type
 * does not.
 */
const MAY_BE_SECRET = /[A-Za-z0-9_.~+/=-]{32}/;

/**
 * Control characters, format characters such as those for text direction, lone surrogates, and line
 * breaks.
 */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}"\\]/gu;

/** A space and the text in quotation marks. Empty if the text may be a secret. */
export function quoted(text: string): string {
  if (MAY_BE_SECRET.test(text)) return '';
  const characters = [...text];
  const shown = characters.slice(0, QUOTED_CHARACTERS).join('').replaceAll(UNSAFE, escaped);
  return ` "${shown}${characters.length > QUOTED_CHARACTERS ? '…' : ''}"`;
}

function escaped(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `<U+${code.padStart(4, '0')}>`;
}
