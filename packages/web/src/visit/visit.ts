// One request as pages see it: who is there, what was asked, and a client of the API in their name.
import { createPlatformClient, type PlatformClient } from '@svc/contracts/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Session } from '../session/session.ts';
import { readSession } from '../session/session-cookie.ts';
import type { Web } from './web.ts';

/** Asked for by a page whose caller is not signed in, or no longer. */
export class SignInNeeded extends Error {
  override readonly name = 'SignInNeeded';
}

/** Somebody else answers at the API's address: a proxy's page, another service. */
export class NotTheApi extends Error {
  override readonly name = 'NotTheApi';
}

export type Visit = {
  readonly web: Web;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The address as it was asked for. */
  readonly url: URL;
  /** Null for a stranger. A session may need renewal before the API takes it. */
  readonly session: Session | null;
  /** The API as a stranger sees it. */
  readonly api: PlatformClient;
};

/** Reads a request. A broken or foreign cookie is a stranger's. */
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

/** The address on this site, whatever form the request line had. */
function addressOf({ url }: FastifyRequest, origin: string): URL {
  return new URL(url.startsWith('/') ? origin + url : origin);
}

/** A client with a credential; a call that takes longer than `timeoutMs`, or outlives its caller, is given up. */
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
      const signal = AbortSignal.any([request.cut, AbortSignal.timeout(timeoutMs)]);
      const answer = await fetch(address, { ...init, headers, signal });
      const type = answer.headers.get('content-type') ?? '';
      if (answer.ok && answer.status !== 204 && !type.startsWith('application/json')) {
        await answer.body?.cancel();
        throw new NotTheApi(`${address} answered "${type}"`);
      }
      return answer;
    },
  });
}

/** A parameter of the path; empty where the route has none of this name. */
export function pathParam({ request }: Visit, name: string): string {
  const { params } = request;
  if (typeof params !== 'object' || params === null) return '';
  const value: unknown = Reflect.get(params, name);
  return typeof value === 'string' ? value : '';
}

/** The form that was sent; empty where none was. */
export function sentForm({ request }: Visit): URLSearchParams {
  return request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
}

/** Whether an island asked, which wants an answer it can read. */
export function wantsJson({ request }: Visit): boolean {
  return request.headers.accept?.startsWith('application/json') === true;
}
