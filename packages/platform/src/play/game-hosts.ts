// The hosts that games are played on, and how they are kept apart from the hosts of the API, the store and the sign-in.
import { RESERVED_SLUGS } from '@svc/contracts/platform';

/** Where games are played: each on a host of its own, or all on one. */
export type GameHosts =
  | {
      readonly kind: 'own';
      /** The slug in a `Host` header; null where it is no game's host. */
      readonly slugOf: (host: string) => string | null;
    }
  | { readonly kind: 'shared'; readonly host: string };

const SLUG = '{slug}';
/** Stands for a slug while a pattern is read: a label that URL takes. */
const STAND_IN = 'slug-here';

/** Reads `SVC_PLAY_ORIGIN`. */
export function readGameHosts(playOrigin: string): GameHosts {
  if (!playOrigin.includes(SLUG)) return { kind: 'shared', host: new URL(playOrigin).host };
  const pattern = toPattern(new URL(playOrigin.replace(SLUG, STAND_IN)).host);
  return { kind: 'own', slugOf: (host) => pattern.exec(host)?.[1] ?? null };
}

/**
 * The slugs that no game can have where each has a host of its own: the reserved ones, and those whose host is that of
 * one of the addresses. Ports are left out of the comparison, because browsers share cookies among the ports of a host.
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

/** Whether browsers, or the machine, may take the two addresses for one host and port. The scheme makes no difference. */
export function isSameHost(one: string, other: string): boolean {
  return hostKey(one) === hostKey(other);
}

/** Whether browsers share cookies between the two addresses: they do among the ports of a host. Not asked of loopback. */
export function sharesCookies(one: string, other: string): boolean {
  const hostname = hostnameOf(one);
  return hostname === hostnameOf(other) && !isLoopback(hostname);
}

function toPattern(host: string): RegExp {
  const [before = '', after = ''] = host.split(STAND_IN);
  const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal(before)}([a-z0-9-]+)${literal(after)}$`);
}

/** In lower case, without the dot that may end it. */
function hostnameOf(address: string): string {
  return new URL(address).hostname.replace(/\.+$/, '');
}

/** URL leaves the default port out. Every loopback name leads to the same listener. */
function hostKey(address: string): string {
  const hostname = hostnameOf(address);
  return `${isLoopback(hostname) ? 'loopback' : hostname}:${new URL(address).port}`;
}

function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
