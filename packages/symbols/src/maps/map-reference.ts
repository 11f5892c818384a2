// The source map that a script names in its last line.

/** A map inside the script, or the URL of one. */
export type MapReference =
  | { readonly kind: 'inline'; readonly text: string }
  | { readonly kind: 'url'; readonly url: string };

const KEY = 'sourceMappingURL=';

/**
 * Reads `//# sourceMappingURL=…` at the end of a script. Returns null if there is none, or if an inline map is not JSON in Base64 or
 * in percent-encoding.
 */
export function findMapReference(script: string): MapReference | null {
  const at = script.lastIndexOf(KEY);
  if (at < 0 || !/\/[/*][#@]\s$/.test(script.slice(Math.max(0, at - 4), at))) return null;
  const url = script
    .slice(at + KEY.length)
    .replace(/\*\/\s*$/, '')
    .trim();
  if (url === '' || /[\s'"`]/.test(url)) return null;
  if (!/^data:/i.test(url)) return { kind: 'url', url };
  const text = decodeData(url);
  return text === null ? null : { kind: 'inline', text };
}

function decodeData(url: string): string | null {
  const comma = url.indexOf(',');
  if (comma < 0) return null;
  const type = url.slice(5, comma);
  const body = url.slice(comma + 1);
  if (/;base64$/i.test(type)) return Buffer.from(body, 'base64').toString('utf8');
  try {
    return decodeURIComponent(body);
  } catch {
    return null;
  }
}
