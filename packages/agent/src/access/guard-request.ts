// Guards every request. It checks the Host header first, then the origin, then the token.
import type { IncomingMessage } from 'node:http';
import { LIVE_SUBPROTOCOL } from '@svc/contracts/agent';
import { type ApiError, hasForeignTarget } from '@svc/serve';
import { failure } from '../failure.ts';

/**
 * The address and the token that a guard checks against. `authenticated` is called for each request
 * with a valid token.
 */
export type Access = {
  /** The authority that the agent serves, in the form of `authorityOf`. */
  readonly authority: () => string;
  readonly isToken: (given: string) => boolean;
  readonly authenticated: (request: IncomingMessage) => void;
};

/** `127.0.0.1:PORT` as a client writes it. Port 80 is the default of http, so it is left out. */
export function authorityOf(port: number): string {
  return new URL(`http://127.0.0.1:${port}`).host;
}

/** Guards a request under /api. Throws `host_not_allowed`, `origin_not_allowed`, `unauthenticated`. */
export function guardApi(access: Access, request: IncomingMessage): void {
  guardHost(access, request);
  guardOrigin(access, request);
  for (const site of headersNamed(request, 'sec-fetch-site')) {
    if (site !== 'same-origin' && site !== 'none') throw foreign();
  }
  if (!hasBearer(access, request)) throw unauthenticated();
  access.authenticated(request);
}

/**
 * Guards the page itself. The page contains no data, and a browser may reach it by a link from
 * another site, so it needs no token.
 */
export function guardPage(access: Access, request: IncomingMessage): void {
  guardHost(access, request);
  guardOrigin(access, request);
}

/**
 * Guards a live connection. A browser can't set headers on it, so the token is one of the offered
 * subprotocols. Throws the errors of `guardApi`, and `subprotocol_required` if the token is valid
 * but `svc.v1` is not offered.
 */
export function guardLive(access: Access, request: IncomingMessage): void {
  guardHost(access, request);
  guardOrigin(access, request);
  for (const site of headersNamed(request, 'sec-fetch-site')) {
    if (site !== 'same-origin' && site !== 'none') throw foreign();
  }
  const offered = headersNamed(request, 'sec-websocket-protocol')
    .flatMap((value) => value.split(','))
    .map((protocol) => protocol.trim());
  const known = offered.filter((protocol) => access.isToken(protocol)).length > 0;
  if (!known && !hasBearer(access, request)) throw unauthenticated();
  if (!offered.includes(LIVE_SUBPROTOCOL)) throw subprotocolRequired();
  if (!known) throw unauthenticated();
  access.authenticated(request);
}

/** The error for a live connection that does not offer `svc.v1`. */
export function subprotocolRequired(): ApiError {
  return failure(
    'subprotocol_required',
    `Cannot open a live connection: offer the subprotocols ${LIVE_SUBPROTOCOL} and the token`,
  );
}

function guardHost(access: Access, request: IncomingMessage): void {
  const [host, another] = headersNamed(request, 'host');
  const once = host !== undefined && another === undefined && !hasForeignTarget(request);
  if (once && namesAuthority(host, access.authority())) return;
  throw failure(
    'host_not_allowed',
    `Cannot answer for this host: only http://${access.authority()} is served`,
  );
}

/**
 * Whether a `Host` value names the authority. The default port of http may be present or left out.
 */
function namesAuthority(host: string, authority: string): boolean {
  return host === authority || (!authority.includes(':') && host === `${authority}:80`);
}

function guardOrigin(access: Access, request: IncomingMessage): void {
  const origins = headersNamed(request, 'origin');
  if (origins.length > 1) throw foreign();
  if (origins.length === 1 && origins[0] !== `http://${access.authority()}`) throw foreign();
}

function foreign(): ApiError {
  return failure('origin_not_allowed', 'Cannot answer a request from another site');
}

function hasBearer(access: Access, request: IncomingMessage): boolean {
  const [credentials, another] = headersNamed(request, 'authorization');
  const token = /^Bearer +(\S+)$/i.exec(credentials ?? '')?.[1];
  return another === undefined && token !== undefined && access.isToken(token);
}

function unauthenticated(): ApiError {
  return failure('unauthenticated', 'Cannot answer: the session token is missing or wrong');
}

/** Every value of a header as it was sent. Node joins repeated headers or drops them. */
function headersNamed({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter(
    (_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name,
  );
}
