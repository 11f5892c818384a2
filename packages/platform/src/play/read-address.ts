// What an address asks play for: a file of a game, nothing that can be, or a game that is played on another host.
import type { Addresses } from '../platform.ts';
import { playUrl } from '../projects/game-records.ts';

export type PlayAddress =
  /** Not an address of a game. */
  | { readonly kind: 'elsewhere' }
  /** An address that no file can have. */
  | { readonly kind: 'nothing' }
  /** An address on this host of a game that has an origin of its own; `target` is the same file there. */
  | { readonly kind: 'away'; readonly target: string }
  /** `bare` where the address ends with the slug, without a slash. */
  | {
      readonly kind: 'file';
      readonly slug: string;
      readonly path: string;
      readonly bare: boolean;
    };

/** Reads the address of a request with its `Host`. */
export type ReadAddress = (url: string, host: string | undefined) => PlayAddress;

const ELSEWHERE: PlayAddress = { kind: 'elsewhere' };
const NOTHING: PlayAddress = { kind: 'nothing' };
const PREFIX = '/play/';

export function createAddressReader(addresses: Addresses): ReadAddress {
  const { playOrigin } = addresses;
  const gameHost = playOrigin?.includes('{slug}') ? hostPattern(playOrigin) : null;
  const playHost = playOrigin === null || gameHost !== null ? null : new URL(playOrigin).host;
  return (url, host) => {
    const end = url.search(/[?#]/);
    const plain = end === -1 ? url : url.slice(0, end);
    // Hosts are the same in either case (RFC 9110, 4.2.3).
    const at = playOrigin === null ? null : host?.toLowerCase();
    const ownSlug = gameHost?.exec(at ?? '')?.[1];
    if (ownSlug !== undefined) return readFile(ownSlug, plain.slice(1), false);
    if (!plain.startsWith(PREFIX)) return ELSEWHERE;
    const rest = plain.slice(PREFIX.length);
    const slash = rest.indexOf('/');
    const slug = slash === -1 ? rest : rest.slice(0, slash);
    if (!/^[a-z0-9-]+$/.test(slug)) return NOTHING;
    const file = readFile(slug, slash === -1 ? '' : rest.slice(slash + 1), slash === -1);
    if (file === NOTHING || playOrigin === null || playHost === at) return file;
    const beyond = url.slice(PREFIX.length + slug.length).replace(/^\//, '');
    return { kind: 'away', target: playUrl(addresses, slug) + beyond };
  };
}

function readFile(slug: string, encoded: string, bare: boolean): PlayAddress {
  const path = decodePath(encoded);
  return path === null ? NOTHING : { kind: 'file', slug, path, bare };
}

/** The name that the address spells. Null where none can be meant: names are exact, dot files are not served. */
function decodePath(encoded: string): string | null {
  if (encoded === '') return 'index.html';
  let path = encoded;
  if (encoded.includes('%')) {
    // An encoded slash is no separator (RFC 3986, 2.2), and no name holds one.
    if (/%2f/i.test(encoded)) return null;
    try {
      path = decodeURIComponent(encoded);
    } catch {
      return null;
    }
  }
  return path.startsWith('.') || path.includes('/.') || path.includes('\0') ? null : path;
}

function hostPattern(playOrigin: string): RegExp {
  const [before = '', after = ''] = new URL(playOrigin.replace('{slug}', 'slug-here')).host.split(
    'slug-here',
  );
  const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal(before)}([a-z0-9-]+)${literal(after)}$`);
}
