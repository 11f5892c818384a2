// The addresses and services that all pages use.
import type { Log, RequestWatch } from '@svc/observe';
import type { Assets } from '../assets/read-assets.ts';
import type { IdentityProviders } from '../session/identity-providers.ts';
import type { Renewal } from '../session/renew-session.ts';
import type { SealedCookies } from '../session/sealed-cookies.ts';
import type { FooterLink } from './footer-links.ts';
import type { AskLimits, AskMediaOrigin } from './limits.ts';

export type Web = {
  /** The origin at which browsers reach this site, without a trailing slash. */
  readonly origin: string;
  /** The address at which this server reaches the API. */
  readonly apiUrl: string;
  /** Name of the store. */
  readonly name: string;
  /** The operator's own links in the footer. */
  readonly footerLinks: readonly FooterLink[];
  /** How long a page waits for the API, in milliseconds. */
  readonly apiTimeoutMs: number;
  readonly assets: Assets;
  readonly cookies: SealedCookies;
  readonly providers: IdentityProviders;
  readonly renewal: Renewal;
  /** The limits of the API. */
  readonly limits: AskLimits;
  /** The only other origin that pages load images and trailers from. */
  readonly mediaOrigin: AskMediaOrigin;
  /** Whom to contact about a vulnerability. */
  readonly securityContacts: readonly string[];
  readonly now: () => number;
  readonly log: Log;
  readonly watch: RequestWatch;
};
