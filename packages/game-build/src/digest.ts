// The digest of a build: the same files have the same digest in any ZIP.
import { createHash } from 'node:crypto';
import { comparePaths } from './compare-paths.ts';

/**
 * Returns `sha256:` and 64 hex digits, the hash of the manifest. The manifest has, for each file, the path, a NUL, the file's
 * SHA-256 in lower-case hex and a line feed. Files are sorted by the UTF-8 bytes of their paths.
 */
export function digestManifest(
  files: Iterable<{ readonly path: string; readonly sha256: string }>,
): string {
  const hash = createHash('sha256');
  for (const { path, sha256 } of [...files].sort((a, b) => comparePaths(a.path, b.path))) {
    hash.update(`${path}\0${sha256}\n`);
  }
  return `sha256:${hash.digest('hex')}`;
}
