// The limits of a build. All are configurable; a server reports its own to clients.

/** Upper bounds of a build, inclusive. Each is at most 2^53 − 1. */
export type BuildLimits = {
  /** Bytes of the uploaded ZIP file. */
  readonly zip_bytes: number;
  /** Bytes of all entries together after inflating. Also bounds the decoded size of precompressed files. */
  readonly expanded_bytes: number;
  /** Bytes of one file after inflating. */
  readonly file_bytes: number;
  /** Number of kept files. Folders and dropped entries don't count, but there may be at most {@link ENTRIES_PER_FILE} times as many entries. */
  readonly files: number;
  /** UTF-8 bytes of one path in the ZIP. */
  readonly path_bytes: number;
  /** Segments of one path: `a/b/c.png` has three. */
  readonly path_levels: number;
};

const MIB = 1024 * 1024;

export const BUILD_LIMITS: BuildLimits = {
  zip_bytes: 512 * MIB,
  expanded_bytes: 2048 * MIB,
  file_bytes: 512 * MIB,
  files: 10_000,
  path_bytes: 240,
  path_levels: 32,
};

/** Allows the extra entries of macOS: folder entries, and an AppleDouble for each file and folder. */
export const ENTRIES_PER_FILE = 4;
