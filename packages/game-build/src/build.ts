// What an accepted build is: its files with what each of them is, and what the publisher is told.
import type { Warning } from './findings.ts';

/** How a file's bytes are encoded as they are stored: what stands in `Content-Encoding`. Null is identity. */
export type Encoding = 'gzip' | 'br' | null;

/** What a page of the build needs to be cross-origin isolated. */
export type Isolation = 'credentialless' | 'require-corp';

/** One file that players get. */
export type BuildFile = {
  /** Relative to the build's root, with `/`; exact, never rewritten. */
  readonly path: string;
  /** Of the file's bytes as they stand in the ZIP after inflating, 64 lower-case hex digits. */
  readonly sha256: string;
  readonly bytes: number;
  /** `Content-Type`, of the inner file where `encoding` is not null. */
  readonly type: string;
  readonly encoding: Encoding;
  /** Bytes after undoing `encoding`; null where there is none. */
  readonly inner_bytes: number | null;
  /** Worth compressing for transfer: text and the like that is not encoded already. */
  readonly compressible: boolean;
};

/** What is told of an accepted build. */
export type Build = {
  /** The one top-level folder that everything is in, without a slash; empty where `index.html` stands at the top. */
  readonly root: string;
  /** Entries that are not kept, as they stand in the ZIP: `__MACOSX/`, `.DS_Store`, `Thumbs.db`, `desktop.ini`. */
  readonly dropped: readonly string[];
  /** Sorted by the bytes of their paths. */
  readonly files: readonly BuildFile[];
  readonly zip_bytes: number;
  /** Sum of `files[].bytes`. */
  readonly expanded_bytes: number;
  readonly file_count: number;
  /** As {@link digestManifest} says. */
  readonly digest: string;
  /** `require-corp` where threads are found and nothing foreign is loaded, else `credentialless`. */
  readonly isolation: Isolation;
  /** True where a WebAssembly module or a script asks for shared memory. */
  readonly threads: boolean;
  /** Hosts that its pages, styles or scripts load from, at most 20, sorted. */
  readonly foreign_hosts: readonly string[];
  /** At most 50. */
  readonly warnings: readonly Warning[];
};
