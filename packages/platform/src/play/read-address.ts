// Parses the address of a request: a file of a game, an impossible file, or a game with another host.
import { decodeFilePath } from '@svc/delivery';
import type { Addresses } from '../platform.ts';
import { playUrl } from '../projects/game-records.ts';
import { readGameHosts } from './game-hosts.ts';

export type PlayAddress =
  /** Not an address of a game. */
  | { readonly kind: 'elsewhere' }
  /** An address below `/play` or on a game's host that no file can have. */
  | { readonly kind: 'nothing' }
  /** An address on this host of a game that has its own origin. `target` is the address of the file there. */
  | { readonly kind: 'away'; readonly target: string }
  /** A file. `bare` is true if the address ends with the slug without a slash. */
  | {
      readonly kind: 'file';
      readonly slug: string;
      readonly path: string;
      readonly bare: boolean;
    };

/** Parses the URL of a request with its `Host` header. */
type ReadAddress = (url: string, host: string | undefined) => PlayAddress;

const ELSEWHERE: PlayAddress = { kind: 'elsewhere' };
const NOTHING: PlayAddress = { kind: 'nothing' };
const PREFIX = '/play/';

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
  const path = decodeFilePath(encoded);
  return path === null ? NOTHING : { kind: 'file', slug, path, bare };
}
