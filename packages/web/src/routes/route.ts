// How pages are registered: a visit in, a page or a redirect out, and every failure as a page that says what to do.
import type { App } from '@svc/serve';
import type { FastifyReply } from 'fastify';
import { sendFailure } from '../errors/send-failure.ts';
import type { Page } from '../page/page.ts';
import { sendPage } from '../page/send-page.ts';
import { CrossSite, isOwnRequest } from '../session/cross-site.ts';
import { openVisit, type Visit } from '../visit/visit.ts';
import type { Web } from '../visit/web.ts';

/** Where to go next: a path of this site, or an address for `away`. */
export type Redirect = { readonly to: string; readonly away?: true };
/** An answer that is no page: a feed, JSON. */
export type Raw = {
  readonly type: string;
  readonly content: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
};
export type Answer = Page | Redirect | Raw;
export type Handler = (visit: Visit) => Promise<Answer> | Answer;

export type RouteOptions = {
  /** For uploads: how long a request may take. */
  readonly requestMs?: number;
};

/** Registers a page that is read: GET and HEAD. */
export function get(app: App, web: Web, url: string, handler: Handler): void {
  app.route({
    url,
    method: ['GET', 'HEAD'],
    handler: (request, reply) => answer(web, request, reply, handler),
  });
}

/** Registers what changes something: POST, from our own pages only. */
export function post(
  app: App,
  web: Web,
  url: string,
  handler: Handler,
  { requestMs }: RouteOptions = {},
): void {
  app.route({
    url,
    method: 'POST',
    config: requestMs === undefined ? {} : { requestMs },
    // Before the body is read: a stranger's page gets nothing of its upload taken.
    onRequest: async (request) => {
      if (!isOwnRequest(request.headers, web.origin)) throw new CrossSite();
    },
    handler: (request, reply) => answer(web, request, reply, handler),
  });
}

async function answer(
  web: Web,
  request: Visit['request'],
  reply: FastifyReply,
  handler: Handler,
): Promise<FastifyReply> {
  const visit = await openVisit(web, request, reply);
  try {
    const made = await handler(visit);
    if ('to' in made) return reply.header('cache-control', 'no-store').redirect(made.to, 303);
    if (!('body' in made)) return sendRaw(visit, made);
    return sendPage(visit, made, await web.mediaOrigin());
  } catch (error) {
    return sendFailure(visit, error);
  }
}

function sendRaw({ reply }: Visit, { type, content, status, headers }: Raw): FastifyReply {
  return reply
    .code(status ?? 200)
    .type(type)
    .headers({ 'x-content-type-options': 'nosniff', ...headers })
    .send(content);
}
