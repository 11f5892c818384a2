// Quotes what a client sent inside a sentence: bounded, without control characters, and never what may be a secret.

/** How many characters of a value are shown. */
export const QUOTED_CHARACTERS = 40;

/** Session tokens, access tokens, keys and digests all hold a run like this; nothing that a person types does. */
const MAY_BE_SECRET = /[A-Za-z0-9_.~+/=-]{32}/;

/** Controls, format characters such as those that turn the direction of text, lone surrogates, and line breaks. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}"\\]/gu;

/** A space and the text in quotation marks; empty where the text may be a secret. */
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
