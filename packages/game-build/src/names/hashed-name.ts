// Tells whether a file's name holds a hash of its content, so that it may be cached for ever.

/**
 * True where the name itself says that other bytes would have another name: `index-DkZ3xQ9p.js`, `a1b2c3d4.chunk.js`,
 * `0123456789abcdef0123456789abcdef.data.br`. Cautious: a wrong yes would keep players on old bytes, a wrong no costs a request.
 */
export function hasContentHash(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const parts = name.split(/[.\-_~]/).slice(0, -1);
  const dashed = name
    .replace(/(?:\.(?:br|gz|unityweb|map))+$/, '')
    .match(/[.-]([\w-]{8})\.[a-z0-9]+$/);
  return parts.some(isHexHash) || (dashed?.[1] !== undefined && isMixedHash(dashed[1]));
}

/** 8 to 64 hex digits that are neither a word nor a number nor a date: letters and digits, at least two of each. */
function isHexHash(part: string): boolean {
  if (!/^(?:[0-9a-f]{8,64}|[0-9A-F]{8,64})$/.test(part)) return false;
  return count(part, /\d/g) >= 2 && count(part, /[a-f]/gi) >= 2;
}

/** The 8 base64url characters that Vite and Rollup write: capitals, small letters and digits that keep changing places. */
function isMixedHash(part: string): boolean {
  const classes = part.replace(/[A-Z]/g, 'U').replace(/[a-z]/g, 'l').replace(/\d/g, 'd');
  const changes = [...classes].filter((one, i) => i > 0 && one !== classes[i - 1]).length;
  return changes >= 4 && ['U', 'l', 'd'].every((one) => classes.includes(one));
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
