// Rejects requests of other sites that would change data, by headers that only the browser can set.
import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request other than GET and HEAD was sent by a page of `origin`. A page can't set `Sec-Fetch-Site`, and the
 * header separates origins of the same site. `Origin` covers browsers and plain-http hosts that don't send it. A
 * request with neither header is not from a browser's form and is rejected.
 */
export function isOwnRequest(headers: IncomingHttpHeaders, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  if (headers.origin !== undefined) return headers.origin === origin;
  return site === 'same-origin';
}

/** A form was submitted from another site. */
export class CrossSiteError extends Error {
  override readonly name = 'CrossSiteError';
}
