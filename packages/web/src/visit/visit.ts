// A request as pages use it: address, session, and clients of the API.
import {
  createPlatformClient,
  type PlatformClient,
  VISIT_HEADER,
  VISIT_OF_PAGE,
} from '@svc/contracts/platform';
import { traceHeaders } from '@svc/observe';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendToApi } from '../api/send-to-api.ts';
import type { Session } from '../session/session.ts';
import { readSession } from '../session/session-cookie.ts';
import type { Web } from './web.ts';

/** The page requires a session, and the visitor has none or it has expired. */
export class SignInNeededError extends Error {
  override readonly name = 'SignInNeededError';
}

/** Returns the signal that ends a call of the API with the given method. */
type Patience = (method: string) => AbortSignal;

export type Visit = {
  readonly web: Web;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The requested address. */
  readonly url: URL;
  /** Null if the visitor is not signed in. The ID token may have expired and need renewal. */
  readonly session: Session | null;
  /** How long this request waits for the API. */
  readonly patience: Patience;
  /** A client of the API without credential. */
  readonly api: PlatformClient;
};

/** Reads a request. With an invalid cookie the visitor is not signed in. */
export async function openVisit(
  web: Web,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visit> {
  const patience = patienceFor(request, web.apiTimeoutMs);
  return {
    web,
    request,
    reply,
    url: addressOf(request, web.origin),
    session: await readSession(web.cookies, request.headers.cookie),
    patience,
    api: clientFor(web, request, null, patience),
  };
}

/**
 * All calls for a page end `ms` after the first one, so that the visitor gets an answer in time even if the API hangs at
 * the last call. For a form, each call has its own time, because an earlier call may be an upload. A call that changes
 * something has twice the time, because the API may complete it after the page has reported a failure.
 */
function patienceFor({ method }: FastifyRequest, ms: number): Patience {
  const isPage = method === 'GET' || method === 'HEAD';
  let end: AbortSignal | null = null;
  return (called) => {
    if (!isPage) return AbortSignal.timeout(called === 'GET' ? ms : 2 * ms);
    end ??= AbortSignal.timeout(ms);
    return end;
  };
}

/** The address on this site. A request line that is not a path leads to the front page. */
function addressOf({ url }: FastifyRequest, origin: string): URL {
  return new URL(url.startsWith('/') ? origin + url : origin);
}

/**
 * Creates a client with a credential. A call is aborted by `patience`, or when the visitor disconnects. `receive` sends a request and
 * returns its answer.
 */
export function clientFor(
  web: Web,
  request: FastifyRequest,
  credential: string | null,
  patience: Patience,
  receive: typeof sendToApi = sendToApi,
): PlatformClient {
  return createPlatformClient({
    baseUrl: web.apiUrl,
    credential: () => credential,
    send: (address, init) => {
      const headers = new Headers(init.headers);
      headers.set('x-forwarded-for', request.ip);
      const id = web.watch.idOf(request.raw);
      if (id !== null) headers.set('x-request-id', id);
      for (const [name, value] of Object.entries(traceHeaders())) headers.set(name, value);
      if (isVisit(request)) headers.set(VISIT_HEADER, VISIT_OF_PAGE);
      const signal = AbortSignal.any([request.abortSignal, patience(init.method ?? 'GET')]);
      return receive(address, { ...init, headers, signal });
    },
  });
}

/**
 * Whether a person opens a page. Programs do not say so, browsers do. A page that is loaded in advance may never be seen, and Play
 * without scripts opens the page again.
 */
function isVisit({ headers, query }: FastifyRequest): boolean {
  const isInAdvance = headers['sec-purpose'] !== undefined;
  const isPlaying = typeof query === 'object' && query !== null && 'play' in query;
  return headers['sec-fetch-mode'] === 'navigate' && !isInAdvance && !isPlaying;
}

/** A client without credential for a response of many calls, such as a sitemap. Each call has its own time. */
export function clientForManyCalls({ web, request }: Visit): PlatformClient {
  return clientFor(web, request, null, () => AbortSignal.timeout(web.apiTimeoutMs));
}

/** A parameter of the path; empty if the route has no parameter of this name. */
export function pathParam({ request }: Visit, name: string): string {
  const { params } = request;
  if (typeof params !== 'object' || params === null) return '';
  const value: unknown = Reflect.get(params, name);
  return typeof value === 'string' ? value : '';
}

/** The submitted form; empty if there is none. */
export function sentForm({ request }: Visit): URLSearchParams {
  return request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
}

/** Whether the request accepts JSON first, as the requests of islands do. */
export function wantsJson({ request }: Visit): boolean {
  return request.headers.accept?.startsWith('application/json') === true;
}
