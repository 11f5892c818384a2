// Parses the address of a request: a file of a game, an impossible file, or a game with another host.
import { decodeFilePath } from '@svc/delivery';
import type { Addresses } from '../platform.ts';
import { PREVIEW_FOLDER } from '../previews/preview-address.ts';
import { CONTENT_FOLDER, playUrl, RELEASE_FOLDER } from '../projects/game-records.ts';
import { readGameHosts } from './game-hosts.ts';

/** Which release a file is from: the live one, that of a link, one with an id, or any in which it has this content. */
type PlayedFrom =
  | { readonly kind: 'live' }
  | { readonly kind: 'preview'; readonly token: string }
  | { readonly kind: 'release'; readonly id: string }
  | { readonly kind: 'content'; readonly key: string };

export type PlayAddress =
  /** Not an address of a game. */
  | { readonly kind: 'elsewhere' }
  /** An address below `/play` or on a game's host that no file can have. */
  | { readonly kind: 'nothing' }
  /** An address on this host of a game that has its own origin. `target` is the address of the file there. */
  | { readonly kind: 'away'; readonly target: string }
  /** A file of a game. `bare` is true if the address ends without the slash after the game or its release. */
  | {
      readonly kind: 'file';
      readonly slug: string;
      readonly path: string;
      readonly from: PlayedFrom;
      readonly bare: boolean;
    };

/** Parses the URL of a request with its `Host` header. */
type ReadAddress = (url: string, host: string | undefined) => PlayAddress;

const ELSEWHERE: PlayAddress = { kind: 'elsewhere' };
const NOTHING: PlayAddress = { kind: 'nothing' };
const PREFIX = '/play/';
const LIVE: PlayedFrom = { kind: 'live' };
const PREVIEWS = `${PREVIEW_FOLDER}/`;
const RELEASES = `${RELEASE_FOLDER}/`;
const CONTENTS = `${CONTENT_FOLDER}/`;

export function createAddressReader(addresses: Addresses): ReadAddress {
  const { playOrigin, heldSlugs } = addresses;
  const hosts = playOrigin === null ? null : readGameHosts(playOrigin);
  return (url, host) => {
    const end = url.search(/[?#]/);
    const plain = end === -1 ? url : url.slice(0, end);
    // Hosts are case-insensitive (RFC 9110, 4.2.3).
    const at = hosts === null ? '' : (host?.toLowerCase() ?? '');
    const ownSlug = hosts?.kind === 'own' ? hosts.slugOf(at) : null;
    if (ownSlug !== null && !heldSlugs.has(ownSlug)) {
      return readFile(ownSlug, plain.slice(1), false);
    }
    if (!plain.startsWith(PREFIX)) return ELSEWHERE;
    const rest = plain.slice(PREFIX.length);
    const slash = rest.indexOf('/');
    const slug = slash === -1 ? rest : rest.slice(0, slash);
    if (!/^[a-z0-9-]+$/.test(slug) || heldSlugs.has(slug)) return NOTHING;
    const file = readFile(slug, slash === -1 ? '' : rest.slice(slash + 1), slash === -1);
    if (file === NOTHING || hosts === null) return file;
    if (hosts.kind === 'shared' && hosts.host === at) return file;
    const beyond = url.slice(PREFIX.length + slug.length).replace(/^\//, '');
    return { kind: 'away', target: playUrl(addresses, slug) + beyond };
  };
}

function readFile(slug: string, encoded: string, bare: boolean): PlayAddress {
  if (encoded.startsWith(PREVIEWS)) {
    return readInner(slug, encoded.slice(PREVIEWS.length), (token) => ({ kind: 'preview', token }));
  }
  if (encoded.startsWith(RELEASES)) {
    return readInner(slug, encoded.slice(RELEASES.length), (id) => ({ kind: 'release', id }));
  }
  if (encoded.startsWith(CONTENTS)) {
    return readInner(slug, encoded.slice(CONTENTS.length), (key) => ({ kind: 'content', key }));
  }
  const path = decodeFilePath(encoded);
  return path === null ? NOTHING : { kind: 'file', slug, path, from: LIVE, bare };
}

/** Reads an address that names a release before the file. */
function readInner(slug: string, rest: string, of: (key: string) => PlayedFrom): PlayAddress {
  const slash = rest.indexOf('/');
  const from = of(slash === -1 ? rest : rest.slice(0, slash));
  const path = decodeFilePath(slash === -1 ? '' : rest.slice(slash + 1));
  return path === null ? NOTHING : { kind: 'file', slug, path, from, bare: slash === -1 };
}
