// The hosts of games, and the comparison with the hosts of the API, the store and the sign-in.
import { RESERVED_SLUGS } from '@svc/contracts/platform';

/** The hosts of games: `own` if each game has its own host, `shared` if all have one. */
type GameHosts =
  | {
      readonly kind: 'own';
      /** Returns the slug in a `Host` header; null if it is not the host of a game. */
      readonly slugOf: (host: string) => string | null;
    }
  | { readonly kind: 'shared'; readonly host: string };

const SLUG = '{slug}';
/** Replaces `{slug}` while a pattern is parsed, because URL rejects braces in a host. */
const STAND_IN = 'slug-here';

/** Parses `SVC_PLAY_ORIGIN`. */
export function readGameHosts(playOrigin: string): GameHosts {
  if (!playOrigin.includes(SLUG)) return { kind: 'shared', host: new URL(playOrigin).host };
  const pattern = toPattern(new URL(playOrigin.replace(SLUG, STAND_IN)).host);
  return { kind: 'own', slugOf: (host) => pattern.exec(host)?.[1] ?? null };
}

/**
 * Returns the slugs that no game may use if each game has its own host: the reserved words, and slugs whose host is that of
 * one of the addresses. Ports are not compared, because browsers share cookies among the ports of a host.
 */
export function findHeldSlugs(
  playOrigin: string | null,
  addresses: readonly string[],
): ReadonlySet<string> {
  if (playOrigin === null || !playOrigin.includes(SLUG)) return new Set();
  const pattern = toPattern(hostnameOf(playOrigin.replace(SLUG, STAND_IN)));
  const slugs = addresses.flatMap((address) => pattern.exec(hostnameOf(address))?.[1] ?? []);
  return new Set([...RESERVED_SLUGS, ...slugs]);
}

/** Returns whether two addresses have the same host and port. Ignores the scheme. All loopback names are the same host. */
export function isSameHost(one: string, other: string): boolean {
  return hostKey(one) === hostKey(other);
}

/** Returns whether browsers share cookies between two addresses, which they do among the ports of a host. False for loopback. */
export function sharesCookies(one: string, other: string): boolean {
  const hostname = hostnameOf(one);
  return hostname === hostnameOf(other) && !isLoopback(hostname);
}

function toPattern(host: string): RegExp {
  const [before = '', after = ''] = host.split(STAND_IN);
  const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal(before)}([a-z0-9-]+)${literal(after)}$`);
}

/** Returns the host name in lower case, without a trailing dot. */
function hostnameOf(address: string): string {
  return new URL(address).hostname.replace(/\.+$/, '');
}

/** Returns host and port. URL omits a default port. All loopback names reach the same listener. */
function hostKey(address: string): string {
  const hostname = hostnameOf(address);
  return `${isLoopback(hostname) ? 'loopback' : hostname}:${new URL(address).port}`;
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
