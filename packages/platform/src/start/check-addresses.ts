// Refuses addresses that would let a game, which is foreign code, run on an origin where people are signed in.
import { isSameHost, sharesCookies } from '../play/game-hosts.ts';
import type { Settings } from './settings.ts';

export type CheckedAddresses = {
  /** Base of the API's addresses. */
  readonly publicUrl: string;
  readonly webOrigin: string;
  /** Issuer of the ID tokens. */
  readonly issuer: string;
};

const REMEDY =
  'Set SVC_PLAY_ORIGIN to an origin that nothing else uses, such as https://play.example or https://{slug}.play.example';

/** Throws where games would be played on the origin of the store or of the identity provider. */
export function checkAddresses(settings: Settings, addresses: CheckedAddresses): void {
  // Where each game has a host of its own, the hosts of other services are held back from games one by one.
  if (settings.playOrigin?.includes('{slug}')) return;
  const origin = settings.playOrigin ?? addresses.publicUrl;
  if (isSameHost(origin, addresses.webOrigin)) {
    throw new Error(
      `Cannot start: games would be played on the web origin (SVC_WEB_ORIGIN), where their code could act for everyone who is signed in to the store. ${reason(settings, 'SVC_WEB_ORIGIN')} ${REMEDY}`,
    );
  }
  if (isSameHost(origin, addresses.issuer)) {
    throw new Error(
      `Cannot start: games would be played on the origin of the identity provider (SVC_OIDC_ISSUER), where their code could act for everyone who signs in. ${reason(settings, 'SVC_OIDC_ISSUER')} ${REMEDY}`,
    );
  }
}

/** What an operator is warned of; null for nothing: games on the store's host, at another port. */
export function warnOfSharedCookies(
  settings: Settings,
  addresses: CheckedAddresses,
): string | null {
  if (settings.playOrigin?.includes('{slug}')) return null;
  const origin = settings.playOrigin ?? addresses.publicUrl;
  if (!sharesCookies(origin, addresses.webOrigin)) return null;
  return `warning: games are played on the host of the store (SVC_WEB_ORIGIN), at another port, and browsers share cookies among the ports of a host: games can read and set cookies of the store. ${REMEDY}`;
}

function reason({ playOrigin, publicUrl }: Settings, other: string): string {
  if (playOrigin !== null) return `SVC_PLAY_ORIGIN and ${other} name the same host.`;
  return publicUrl === null
    ? `SVC_PLAY_ORIGIN and SVC_PUBLIC_URL are not set, so games are played on the address that the server listens on, which is also that of ${other}.`
    : `SVC_PLAY_ORIGIN is not set, so games are played on the host of SVC_PUBLIC_URL, which is also that of ${other}.`;
}
