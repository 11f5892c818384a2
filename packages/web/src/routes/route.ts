// Registers routes. A handler receives a visit and returns a page, a redirect or raw content. Errors become pages.
import type { Readable } from 'node:stream';
import type { App } from '@svc/serve';
import type { FastifyReply } from 'fastify';
import { sendFailure } from '../errors/send-failure.ts';
import type { Page } from '../page/page.ts';
import { sendPage } from '../page/send-page.ts';
import { CrossSiteError, isOwnRequest } from '../session/cross-site.ts';
import { openVisit, type Visit } from '../visit/visit.ts';
import type { Web } from '../visit/web.ts';

/**
 * A redirect: to a path of this site, or with `away` to an address of another site. `moved` means that the page is there for good.
 */
export type Redirect = { readonly to: string; readonly away?: true; readonly moved?: true };
/** A response other than a page: a feed, JSON. */
export type Raw = {
  readonly type: string;
  readonly content: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
};
/** A response that is sent while it is made. */
export type Download = Omit<Raw, 'content'> & { readonly content: Readable };
export type Answer = Page | Redirect | Raw | Download;
export type Handler = (visit: Visit) => Promise<Answer> | Answer;

type RouteOptions = {
  /** Timeout of the request in milliseconds, for uploads and long downloads. */
  readonly requestMs?: number;
};

export type Routes = {
  /** Registers a page for GET and HEAD. */
  get(url: string, handler: Handler, options?: RouteOptions): void;
  /** Registers an action for POST. Only forms of this site are accepted. */
  post(url: string, handler: Handler, options?: RouteOptions): void;
};

/** Returns functions that register routes at the server. */
export function createRoutes(app: App, web: Web): Routes {
  return {
    get(url, handler, { requestMs } = {}) {
      app.route({
        url,
        method: ['GET', 'HEAD'],
        config: requestMs === undefined ? {} : { requestMs },
        handler: (request, reply) => answer(web, request, reply, handler),
      });
    },
    post(url, handler, { requestMs } = {}) {
      app.route({
        url,
        method: 'POST',
        config: requestMs === undefined ? {} : { requestMs },
        // Checked before the body is read, so that an upload from another site is not received.
        onRequest: async (request) => {
          if (!isOwnRequest(request.headers, web.origin)) throw new CrossSiteError();
        },
        handler: (request, reply) => answer(web, request, reply, handler),
      });
    },
  };
}

async function answer(
  web: Web,
  request: Visit['request'],
  reply: FastifyReply,
  handler: Handler,
): Promise<FastifyReply> {
  const visit = await openVisit(web, request, reply);
  try {
    // Asked at once, so that an API that hangs delays the page only once.
    const mediaOrigin = web.mediaOrigin();
    const result = await handler(visit);
    if ('to' in result) {
      // Not cached: the owner of a game can move its page back.
      return reply
        .header('cache-control', 'no-store')
        .redirect(result.to, result.moved ? 301 : 303);
    }
    if (!('body' in result)) return sendRaw(visit, result);
    return sendPage(visit, result, await mediaOrigin);
  } catch (error) {
    return sendFailure(visit, error);
  }
}

function sendRaw(
  { reply }: Visit,
  { type, content, status, headers }: Raw | Download,
): FastifyReply {
  return reply
    .code(status ?? 200)
    .type(type)
    .headers({ 'x-content-type-options': 'nosniff', ...headers })
    .send(content);
}
