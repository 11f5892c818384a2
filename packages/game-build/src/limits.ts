// How big a build may be. Every figure is configurable; the server tells its own to clients.

/** Upper bounds of a build. A value equal to a bound is allowed, one more is refused. All at most 2^53 − 1. */
export type BuildLimits = {
  /** Bytes of the ZIP file as uploaded. */
  readonly zip_bytes: number;
  /** Bytes of all entries together after inflating; also of the files inside precompressed files. */
  readonly expanded_bytes: number;
  /** Bytes of one file after inflating. */
  readonly file_bytes: number;
  /** Files that are kept: folders and dropped junk don't count, but all entries together may be {@link ENTRIES_PER_FILE} times as many. */
  readonly files: number;
  /** UTF-8 bytes of one path as it stands in the ZIP. */
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

/** Room for what macOS writes: a folder entry and an AppleDouble for each file and each folder. */
export const ENTRIES_PER_FILE = 4;
