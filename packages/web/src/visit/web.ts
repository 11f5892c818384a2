// What every page is made from: where things are, and the abilities that pages share.
import type { Assets } from '../assets/read-assets.ts';
import type { IdentityProvider } from '../session/identity-provider.ts';
import type { Renewal } from '../session/renew-session.ts';
import type { SealedCookies } from '../session/sealed-cookies.ts';
import type { AskLimits, AskMediaOrigin } from './limits.ts';

export type Web = {
  /** Where browsers reach this site: an origin, no slash. */
  readonly origin: string;
  /** Where this server reaches the API. */
  readonly apiUrl: string;
  /** Name of the store. */
  readonly name: string;
  /** How long the API may take for a page, in milliseconds. */
  readonly apiTimeoutMs: number;
  readonly assets: Assets;
  readonly cookies: SealedCookies;
  readonly provider: IdentityProvider;
  readonly renewal: Renewal;
  /** The limits that the API runs with. */
  readonly limits: AskLimits;
  /** The one origin beside our own that pages load pictures and trailers from. */
  readonly mediaOrigin: AskMediaOrigin;
  readonly now: () => number;
  readonly log: (line: string) => void;
};
