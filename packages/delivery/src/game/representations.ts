// The encodings in which a file of a game can be sent, each with its prepared headers.
import type { Isolation } from '@svc/contracts/platform';
import type { Codings } from '../http/conditions.ts';
import type { Sendable } from '../http/send-representation.ts';
import type { Coding } from './compress.ts';
import { gameHeaders, PREVIEW_HEADERS, PROFILING_HEADERS } from './game-headers.ts';

const YEAR_SECONDS = 365 * 24 * 3600;
const ETAG_CHARACTERS = 32;

/** One form of a file. */
type Representation = Sendable;

/** All forms of a file. `identity` is the unencoded form. */
export type Representations = {
  readonly identity: Representation;
  readonly gzip: Representation | null;
  readonly br: Representation | null;
};

/** One file of a game. Sizes are in bytes. */
export type GameFile = {
  /** SHA-256 of the content in hex. */
  readonly hash: string;
  /** The media type. */
  readonly type: string;
  /** The encoding of the content itself: the build contains the file compressed. */
  readonly encoding: Coding | null;
  readonly bytes: number;
  /** Size after decoding. Equal to `bytes` if `encoding` is null. */
  readonly inner_bytes: number;
  /** Whether the name contains a hash of the content: 1 or 0. */
  readonly hashed_name: number;
  /** Sizes of the compressed forms; null if there is no such form. */
  readonly gzip_bytes: number | null;
  readonly br_bytes: number | null;
};

/**
 * Where a file is played: at the address of the game, whose content changes with each release; at the address of one release, whose
 * content never changes and which caches may keep for some seconds; at the address of its content; or at a secret address, which can
 * be revoked at any time.
 */
export type PlayedAt =
  | { readonly kind: 'live' }
  | { readonly kind: 'release'; readonly seconds: number }
  | { readonly kind: 'content' }
  | { readonly kind: 'preview' };

export type Delivery = {
  readonly isolation: Isolation;
  /** Whether the pages of the game may sample their own functions. */
  readonly profiling: boolean;
  /** Where the file is played. The default is `live`. */
  readonly at?: PlayedAt;
  /** As in {@link gameHeaders}. */
  readonly embedder: string | null;
  /** Returns the key of the stored content, or of its compressed form. */
  readonly keyOf: (coding?: Coding) => string;
};

/** Returns the forms of a file. */
export function makeRepresentations(
  file: GameFile,
  { isolation, profiling, at = { kind: 'live' }, embedder, keyOf }: Delivery,
): Representations {
  const isProfiled = profiling && isPage(file);
  const policy = [
    ...gameHeaders(embedder, isolation),
    ...(isProfiled ? PROFILING_HEADERS : []),
    ...(at.kind === 'preview' ? PREVIEW_HEADERS : []),
  ];
  const cache = cacheControl(file, at);
  const make = (
    coding: Coding | null,
    bytes: number,
    key: string,
    decode: Coding | null = null,
  ): Representation => {
    const suffix = coding === null ? '' : coding === 'gzip' ? '-gz' : '-br';
    // A browser that revalidates a page keeps a header that the answer does not have. So a page without the headers is another one.
    const etag = `"${file.hash.slice(0, ETAG_CHARACTERS)}${suffix}${isProfiled ? '-p' : ''}"`;
    const bare = ['X-Request-Id', '', ...policy, 'ETag', etag, 'Cache-Control', cache];
    const encoding = coding === null ? [] : ['Content-Encoding', coding === 'gzip' ? 'gzip' : 'br'];
    const body = ['Accept-Ranges', 'bytes', 'Content-Type', file.type, ...encoding];
    return {
      etag,
      bytes,
      key,
      decode,
      headers: [...bare, ...body, 'Content-Length', String(bytes)],
      bareHeaders: bare,
    };
  };
  const kept = keyOf();
  if (file.encoding !== null) {
    const encoded = make(file.encoding, file.bytes, kept);
    return {
      identity: make(null, file.inner_bytes, kept, file.encoding),
      gzip: file.encoding === 'gzip' ? encoded : null,
      br: file.encoding === 'br' ? encoded : null,
    };
  }
  const variant = (coding: Coding, bytes: number | null): Representation | null =>
    bytes === null ? null : make(coding, bytes, keyOf(coding));
  return {
    identity: make(null, file.bytes, kept),
    gzip: variant('gzip', file.gzip_bytes),
    br: variant('br', file.br_bytes),
  };
}

/** Returns the form with the highest weight. Equal weights prefer brotli, then gzip. */
export function choose(forms: Representations, codings: Codings): Representation {
  const br = forms.br === null ? 0 : codings.br;
  const gzip = forms.gzip === null ? 0 : codings.gzip;
  if (codings.identity > Math.max(br, gzip)) return forms.identity;
  if (br > 0 && br >= gzip && forms.br !== null) return forms.br;
  if (gzip > 0 && forms.gzip !== null) return forms.gzip;
  return forms.identity;
}

function isPage({ type }: GameFile): boolean {
  return type.startsWith('text/html');
}

function cacheControl(file: GameFile, at: PlayedAt): string {
  if (at.kind === 'preview') return 'private, no-cache';
  // Also at the address of a release: its headers depend on settings that the owner can change.
  if (isPage(file)) return 'no-cache';
  if (at.kind === 'release') return `public, max-age=${at.seconds}, immutable`;
  if (at.kind === 'content' || file.hashed_name === 1)
    return `public, max-age=${YEAR_SECONDS}, immutable`;
  return 'public, max-age=0, must-revalidate';
}
