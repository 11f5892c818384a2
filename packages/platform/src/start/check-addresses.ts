// Rejects addresses with which games, which are untrusted code, would run on an origin where people are signed in.
import { isSameHost, sharesCookies } from '../play/game-hosts.ts';
import type { Settings } from './settings.ts';

type CheckedAddresses = {
  /** Base of the API's addresses. */
  readonly publicUrl: string;
  readonly webOrigin: string;
  /** The identity providers, each with the name of the setting of its issuer. */
  readonly providers: readonly { readonly issuer: string; readonly setting: string }[];
};

const REMEDY =
  'Set SVC_PLAY_ORIGIN to an origin that no other service uses, such as https://play.example or https://{slug}.play.example';

/** Throws if games would run on the origin of the store or of an identity provider. */
export function checkAddresses(settings: Settings, addresses: CheckedAddresses): void {
  // If each game has its own host, the slugs of the other services' hosts are reserved instead.
  if (settings.playOrigin?.includes('{slug}')) return;
  const origin = settings.playOrigin ?? addresses.publicUrl;
  if (isSameHost(origin, addresses.webOrigin)) {
    throw new Error(
      `Cannot start: games would run on the web origin (SVC_WEB_ORIGIN). Their code could act for everyone who is signed in to the store. ${reason(settings, 'SVC_WEB_ORIGIN')} ${REMEDY}`,
    );
  }
  for (const { issuer, setting } of addresses.providers) {
    if (!isSameHost(origin, issuer)) continue;
    throw new Error(
      `Cannot start: games would run on the origin of the identity provider (${setting}). Their code could act for everyone who signs in. ${reason(settings, setting)} ${REMEDY}`,
    );
  }
}

/** Returns a warning if games run on the store's host with another port, else null. */
export function warnOfSharedCookies(
  settings: Settings,
  addresses: Pick<CheckedAddresses, 'publicUrl' | 'webOrigin'>,
): string | null {
  if (settings.playOrigin?.includes('{slug}')) return null;
  const origin = settings.playOrigin ?? addresses.publicUrl;
  if (!sharesCookies(origin, addresses.webOrigin)) return null;
  return `games run on the host of the store (SVC_WEB_ORIGIN) with another port. Browsers share cookies among the ports of a host, so games can read and set cookies of the store. ${REMEDY}`;
}

function reason({ playOrigin, publicUrl }: Settings, other: string): string {
  if (playOrigin !== null) return `SVC_PLAY_ORIGIN and ${other} name the same host.`;
  return publicUrl === null
    ? `SVC_PLAY_ORIGIN and SVC_PUBLIC_URL are not set, so games run on the address that the server listens on. ${other} has the same host and port.`
    : `SVC_PLAY_ORIGIN is not set, so games run on the host of SVC_PUBLIC_URL. ${other} has the same host and port.`;
}
