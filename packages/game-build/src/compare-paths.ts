// The order of paths in a build. It uses no module of Node, because browsers sort paths too.

/** Compares paths by their UTF-8 bytes, which orders them by code point and not by UTF-16 unit. */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const difference = rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Surrogates encode the code points above U+FFFF, which follow all others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
