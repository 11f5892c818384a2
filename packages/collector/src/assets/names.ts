// What an asset or a script may be called in a trace: no query, no fragment, no user, nothing of a file system.
import { cleanShortName, cleanUrl } from '@svc/trace/write';

const NAME_LENGTH = 512;

/** Any value as a name: text, not too long, without what must not leave. `fallback` where nothing is left. */
export function nameOf(value: unknown, fallback: string): string {
  if (typeof value !== 'string') return fallback;
  const name = cleanShortName(value.slice(0, NAME_LENGTH)).trim();
  return name === '' ? fallback : name;
}

/**
 * A URL as a name: the path below the page's own origin, host and path of another, of a file only its own name. Null for
 * `data:` and `blob:`, which hold content or chance and no name.
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

/** A script as long animation frames tell it: the function or what called it, and its file. */
export function nameOfScript(url: string, functionName: string, invoker: string): string {
  const file = url === '' ? '' : (nameOfUrl(url) ?? '');
  const what =
    functionName ||
    invoker.replace(/[a-z][a-z\d+.-]*:\/\/[^\s"'<>]+/gi, (one) => nameOfUrl(one) ?? '');
  return nameOf(what === file ? file : `${what} ${file}`, 'unknown script');
}
