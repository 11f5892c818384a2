// Removes private parts from names before they are written: query, fragment and user part of URLs, and absolute paths.
import { NAME_BYTES } from '../format/limits.ts';

const URL_TEXT = String.raw`(?<![a-z\d+.-])[a-z][a-z\d+.-]*:\/\/[^\s"'()<>]*`;
const DATA_URL = String.raw`data:[^\s"'()<>\\]*`;
const UNIX_PATH = String.raw`(?<![^\s"'(),;=:@|<>[\]{}])~?\/[^\s"'(),;|<>[\]{}]*`;
const WINDOWS_PATH = String.raw`(?<![a-z\d])[a-z]:[\\/][^\s"'(),;|<>[\]{}]*|\\\\[^\s"'(),;|<>[\]{}]+`;
const PRIVATE = new RegExp(`${URL_TEXT}|${DATA_URL}|${UNIX_PATH}|${WINDOWS_PATH}`, 'gi');
const WHOLE_URL = /^(?:data:|[a-z][a-z\d+.-]*:\/\/)/i;
/** The user part, and the part of a path that names a release of a game on the platform. That of a preview gives access to it. */
const SECRET_PART = /^([a-z][a-z\d+.-]*:\/\/)[^/]*@|\/\.(release|preview|content)\/[^/]+/gi;
const WHOLE_PATH = /^(?:~?\/|[a-z]:[\\/]|\\\\)/i;

/**
 * Returns a name that may be written to a trace. URLs lose their user part, query and fragment, and the name of a release: a file
 * has the same name in all releases of a game. Absolute paths and `file:` URLs keep their last part, `data:` URLs their media type.
 * The name is cut to NAME_BYTES; lone surrogates become U+FFFD.
 */
export function cleanName(name: string): string {
  return cleanShortName(name.length > NAME_BYTES / 3 ? cutToBytes(name) : name);
}

/** The same as {@link cleanName} for a name of at most NAME_BYTES / 3 characters. */
export function cleanShortName(name: string): string {
  const cleaned = WHOLE_PATH.test(name) ? lastPart(name) : name.replace(PRIVATE, cleanToken);
  return cleaned.toWellFormed();
}

/** The same for a text with several words, each of which may be a path or a URL. */
export function cleanText(text: string): string {
  const cut = text.length > NAME_BYTES / 3 ? cutToBytes(text) : text;
  return cut.replace(PRIVATE, cleanToken).toWellFormed();
}

/** The same as {@link cleanShortName} for an absolute or relative URL: `assets/a.png?v=3` gives `assets/a.png`. */
export function cleanUrl(url: string): string {
  const bare = url.replace(/[?#].*/s, '');
  return cleanShortName(WHOLE_URL.test(bare) ? cleanToken(bare) : bare);
}

function cleanToken(token: string): string {
  if (/^data:/i.test(token)) return token.replace(/[,;].*/s, '');
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(token)) return lastPart(token);
  const place = /(:\d+){1,2}$/.exec(token)?.[0] ?? '';
  const bare = token.replace(/[?#].*/s, '');
  const url = bare === token ? bare : bare + place;
  if (/^file:/i.test(url)) return lastPart(url);
  return url.replace(SECRET_PART, '$1');
}

function lastPart(path: string): string {
  const parts = path.split(/[\\/]/).filter((part) => part !== '' && part !== '~');
  return parts.at(-1) ?? '/';
}

function cutToBytes(name: string): string {
  const bytes = new TextEncoder().encode(name);
  if (bytes.length <= NAME_BYTES) return name;
  let end = NAME_BYTES;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return new TextDecoder().decode(bytes.subarray(0, end));
}
