// The path of a file in an address.

/** Decodes a path. An empty path means `index.html`. Returns null if no file can have the path. Dot files are not served. */
export function decodeFilePath(encoded: string): string | null {
  if (encoded === '') return 'index.html';
  let path = encoded;
  if (encoded.includes('%')) {
    // An encoded slash is not a separator (RFC 3986, 2.2), and no file name contains a slash.
    if (/%2f/i.test(encoded)) return null;
    try {
      path = decodeURIComponent(encoded);
    } catch {
      return null;
    }
  }
  return path.startsWith('.') || path.includes('/.') || path.includes('\0') ? null : path;
}
