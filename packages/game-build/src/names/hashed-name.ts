// Recognizes file names with a hash of the content, which may be cached forever.

/**
 * Whether the name contains a hash, so that other content would have another name: `index-DkZ3xQ9p.js`, `a1b2c3d4.chunk.js`,
 * `0123456789abcdef0123456789abcdef.data.br`. Returns false in doubt: a wrong true would keep players on old content, a wrong
 * false costs a request.
 */
export function hasContentHash(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const parts = name.split(/[.\-_~]/).slice(0, -1);
  const dashed = name
    .replace(/(?:\.(?:br|gz|unityweb|map))+$/, '')
    .match(/[.-]([\w-]{8})\.[a-z0-9]+$/);
  return parts.some(isHexHash) || (dashed?.[1] !== undefined && isMixedHash(dashed[1]));
}

/** 8 to 64 hex digits with at least two letters and two digits, which excludes words, numbers and dates. */
function isHexHash(part: string): boolean {
  if (!/^(?:[0-9a-f]{8,64}|[0-9A-F]{8,64})$/.test(part)) return false;
  return count(part, /\d/g) >= 2 && count(part, /[a-f]/gi) >= 2;
}

/** 8 base64url characters, as Vite and Rollup write them: upper case, lower case and digits, mixed. */
function isMixedHash(part: string): boolean {
  const classes = part.replace(/[A-Z]/g, 'U').replace(/[a-z]/g, 'l').replace(/\d/g, 'd');
  const changes = [...classes].filter((one, i) => i > 0 && one !== classes[i - 1]).length;
  return changes >= 4 && ['U', 'l', 'd'].every((one) => classes.includes(one));
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
