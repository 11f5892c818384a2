// The operator's own links at the end of every page, such as an imprint and a privacy policy.

/** `address` is an `https:`, `http:` or `mailto:` address. */
export type FooterLink = { readonly name: string; readonly address: string };

const MOST_LINKS = 8;
const NAME_CHARACTERS = 40;

/** Reads links such as `Imprint=https://games.example/imprint; Contact=mailto:us@games.example`. Returns null if one is invalid. */
export function readFooterLinks(text: string): readonly FooterLink[] | null {
  const links = text.split(';').map(readLink);
  const valid = links.filter((link) => link !== null);
  return valid.length === links.length && valid.length <= MOST_LINKS ? valid : null;
}

function readLink(text: string): FooterLink | null {
  const [, name = '', address = ''] =
    /^\s*([^=\s\p{Cc}][^=\p{Cc}]*?)\s*=\s*(\S+)\s*$/u.exec(text) ?? [];
  const fits = name !== '' && [...name].length <= NAME_CHARACTERS;
  return fits && isAddress(address) ? { name, address } : null;
}

function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return /^(?:https?:\/\/|mailto:.)/i.test(text) && username === '' && password === '';
}
