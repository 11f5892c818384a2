// Requests that change something must come from a page of this site: what the browser itself says decides.
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request that is not GET or HEAD was made by a page of `origin`. `Sec-Fetch-Site` can't be set by a page and
 * tells siblings of the same site apart; `Origin` covers browsers and plain-http hosts without it. A request with
 * neither is not a browser's form, and a cookie has no business there.
 */
export function isOwnRequest(headers: IncomingHttpHeaders, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  if (headers.origin !== undefined) return headers.origin === origin;
  return site === 'same-origin';
}

/** A form that did not come from a page of this site. */
export class CrossSite extends Error {
  override readonly name = 'CrossSite';
}
