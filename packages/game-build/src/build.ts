// An accepted build: its files with their properties, and the warnings for the publisher.
import type { Warning } from './findings.ts';

/** The encoding of a file's stored bytes, for `Content-Encoding`. Null for none. */
export type Encoding = 'gzip' | 'br' | null;

/** What a page of the build needs to be cross-origin isolated. */
export type Isolation = 'credentialless' | 'require-corp';

/** One file that players get. */
export type BuildFile = {
  /** Relative to the build's root, with `/`; exact, never rewritten. */
  readonly path: string;
  /** Hash of the file's inflated bytes, as 64 lower-case hex digits. */
  readonly sha256: string;
  readonly bytes: number;
  /** `Content-Type`. With an `encoding`, the type of the decoded file. */
  readonly type: string;
  readonly encoding: Encoding;
  /** Size after decoding `encoding`. Null without an encoding. */
  readonly inner_bytes: number | null;
  /** Whether compressing the file for transfer is worth it: text and similar types without an encoding. */
  readonly compressible: boolean;
};

/** The description of an accepted build: what its files are, in any ZIP or folder. */
export type BuildDescription = {
  /** The top-level folder that contains all files, without a slash. Empty if `index.html` is at the top. */
  readonly root: string;
  /** Names of the entries that are dropped: `__MACOSX/`, `.DS_Store`, `Thumbs.db`, `desktop.ini`. */
  readonly dropped: readonly string[];
  /** Sorted by the bytes of their paths. */
  readonly files: readonly BuildFile[];
  /** Sum of `files[].bytes`. */
  readonly expanded_bytes: number;
  readonly file_count: number;
  /** See {@link digestManifest}. */
  readonly digest: string;
  /** `require-corp` if the build uses threads and loads nothing from other hosts, else `credentialless`. */
  readonly isolation: Isolation;
  /** Whether a WebAssembly module or a script uses shared memory. */
  readonly threads: boolean;
  /** Other hosts that its pages, styles or scripts load from. Sorted, at most 20. */
  readonly foreign_hosts: readonly string[];
  /** At most 50. */
  readonly warnings: readonly Warning[];
};

/** The description of an accepted build that is a ZIP. */
export type Build = BuildDescription & { readonly zip_bytes: number };
