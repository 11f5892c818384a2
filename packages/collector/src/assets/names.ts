// Names of assets and scripts in a trace: without query, fragment and user part, and without file system paths.
import { cleanShortName, cleanUrl } from '@svc/trace/write';

const NAME_LENGTH = 512;

/** Converts any value to a short name without private parts. Returns `fallback` if nothing is left. */
export function nameOf(value: unknown, fallback: string): string {
  if (typeof value !== 'string') return fallback;
  const name = cleanShortName(value.slice(0, NAME_LENGTH)).trim();
  return name === '' ? fallback : name;
}

/**
 * The name of a URL: the path on the page's origin, host and path on another origin, the file name for a file. Null for `data:`
 * and `blob:` URLs, which contain no name.
 */
export function nameOfUrl(url: string): string | null {
  if (/^(data|blob):/i.test(url)) return null;
  const bare = cleanUrl(url.slice(0, 4 * NAME_LENGTH));
  const own = `${globalThis.location?.origin}/`;
  const short = bare.startsWith(own)
    ? bare.slice(own.length)
    : bare.replace(/^[a-z][a-z\d+.-]*:\/\//i, '');
  return nameOf(short, '(page)');
}

/** The name of a script of a long animation frame: its function or invoker, and its file. */
export function nameOfScript(url: string, functionName: string, invoker: string): string {
  const file = url === '' ? '' : (nameOfUrl(url) ?? '');
  const what =
    functionName ||
    invoker.replace(/[a-z][a-z\d+.-]*:\/\/[^\s"'<>]+/gi, (one) => nameOfUrl(one) ?? '');
  return nameOf(what === file ? file : `${what} ${file}`, 'unknown script');
}
