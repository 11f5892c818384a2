// A request as pages use it: address, session, and clients of the API.
import { createPlatformClient, type PlatformClient } from '@svc/contracts/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../session/session.ts';
import { readSession } from '../session/session-cookie.ts';
import type { Web } from './web.ts';

/** The page requires a session, and the visitor has none or it has expired. */
export class SignInNeededError extends Error {
  override readonly name = 'SignInNeededError';
}

/** A response did not come from the API, but from a proxy or another service at its address. */
export class NotTheApiError extends Error {
  override readonly name = 'NotTheApiError';
}

export type Visit = {
  readonly web: Web;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The requested address. */
  readonly url: URL;
  /** Null if the visitor is not signed in. The ID token may have expired and need renewal. */
  readonly session: Session | null;
  /** A client of the API without credential. */
  readonly api: PlatformClient;
};

/** Reads a request. With an invalid cookie the visitor is not signed in. */
export async function openVisit(
  web: Web,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visit> {
  return {
    web,
    request,
    reply,
    url: addressOf(request, web.origin),
    session: await readSession(web.cookies, request.headers.cookie),
    api: clientFor(web, request, null, web.apiTimeoutMs),
  };
}

/** The address on this site. A request line that is not a path leads to the front page. */
function addressOf({ url }: FastifyRequest, origin: string): URL {
  return new URL(url.startsWith('/') ? origin + url : origin);
}

/** Creates a client with a credential. A call is aborted after `timeoutMs`, or when the visitor disconnects. */
export function clientFor(
  web: Web,
  request: FastifyRequest,
  credential: string | null,
  timeoutMs: number,
): PlatformClient {
  return createPlatformClient({
    baseUrl: web.apiUrl,
    credential: () => credential,
    send: async (address, init) => {
      const headers = new Headers(init.headers);
      headers.set('x-forwarded-for', request.ip);
      const signal = AbortSignal.any([request.abortSignal, AbortSignal.timeout(timeoutMs)]);
      const answer = await fetch(address, { ...init, headers, signal });
      const type = answer.headers.get('content-type') ?? '';
      if (answer.ok && answer.status !== 204 && !type.startsWith('application/json')) {
        await answer.body?.cancel();
        throw new NotTheApiError(`${address} answered "${type}"`);
      }
      return answer;
    },
  });
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
