// Registers one row of the contract: who may call, what is read, and how the answer goes out. Features give the handler.
import {
  type CallAnswer,
  ROUTES,
  type RouteName,
  type RouteRow,
  type Routes,
} from '@svc/contracts/platform';
import { ApiError, type App } from '@svc/serve';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { admitCaller, type Caller } from './access/caller.ts';
import { failure } from './failure.ts';
import { asStorageFailure } from './files/file-store.ts';
import { checkTexts } from './http/check-texts.ts';
import type { Platform } from './platform.ts';

/** What a handler is given. `caller` is there exactly where the route asks for a credential. */
export type Call<Name extends RouteName> = {
  readonly params: Static<Routes[Name]['params']>;
  readonly query: Static<Routes[Name]['query']>;
  readonly body: Static<Routes[Name]['body']>;
  readonly caller: Routes[Name]['auth'] extends 'public' ? null : Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

/** A handler answers what the contract says, or the reply it has sent itself. */
export type Handler<Name extends RouteName> = (
  call: Call<Name>,
) => Promise<CallAnswer<Name> | FastifyReply>;

export type RouteExtras = {
  /** Milliseconds for the whole request. */
  readonly requestMs?: number;
  /** Bytes of the whole body. */
  readonly bodyBytes?: number;
  /** Schema of the body where it is not the contract's own, such as one made for other limits. */
  readonly body?: TSchema;
};

const callers = new WeakMap<FastifyRequest, Caller>();

/** Registers the named route. */
export function handleRoute<Name extends RouteName>(
  app: App,
  platform: Platform,
  name: Name,
  handler: Handler<Name>,
  extras: RouteExtras = {},
): void {
  const row: RouteRow = ROUTES[name];
  app.route({
    method: row.method,
    url: row.path,
    // RFC 9110, 9.1: what takes GET takes HEAD.
    exposeHeadRoute: row.method === 'GET',
    schema: routeSchema(row, extras),
    ...(extras.bodyBytes === undefined ? {} : { bodyLimit: extras.bodyBytes }),
    config: extras.requestMs === undefined ? {} : { requestMs: extras.requestMs },
    // Before the body is read: a stranger's upload is not taken in.
    onRequest: async (request, reply) => {
      reply.header('cache-control', row.auth === 'public' ? 'no-cache' : 'no-store');
      if (row === ROUTES.openSession) platform.rates.take('sessions', request.ip);
      if (row === ROUTES.search) platform.rates.take('searches', request.ip);
      if (row.auth === 'public') return;
      const caller = await admitWithinRate(platform, request, row);
      if (row.method !== 'GET') platform.rates.take('writes', caller.user.uid);
      if (row.takes === 'multipart') checkMultipart(request);
      callers.set(request, caller);
    },
    handler: async (request, reply) => {
      if (row.takes === 'json') checkTexts(request.body);
      const answer = await handler(readCall<Name>(request, reply)).catch((error: unknown) => {
        throw isCut(request, error) ? cutFailure() : asStorageFailure(error);
      });
      // An answer that is cut off in its middle never counts as sent.
      if (reply.sent || reply.raw.headersSent || answer === reply) return reply;
      reply.code(row.status);
      return row.answer === null ? reply.send() : reply.send(answer);
    },
  });
}

/** Whether the work ended because its request did: the client has gone, or the time was up, which was answered. */
function isCut({ cut }: FastifyRequest, error: unknown): boolean {
  return cut.aborted && error === cut.reason;
}

/** Not a fault of the server, so it is not logged. Nobody reads it. */
function cutFailure(): Error {
  return failure('busy', 'Cannot do this: the request ended before its work');
}

/** Refuses a body of another type. The parser of JSON would take all that an upload may have into memory. */
function checkMultipart(request: FastifyRequest): void {
  if (/^multipart\/form-data[ \t]*(?:;|$)/i.test(request.headers['content-type'] ?? '')) return;
  throw failure(
    'unsupported_media_type',
    'The body has the wrong type. Send it as multipart/form-data',
  );
}

/** Who asks. An address that comes with wrong credentials too often is told to wait; right ones it may use all the same. */
async function admitWithinRate(
  platform: Platform,
  request: FastifyRequest,
  row: RouteRow,
): Promise<Caller> {
  try {
    return await admitCaller(platform, request.headers.authorization, row);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unauthenticated') {
      platform.rates.take('failures', request.ip);
    }
    throw error;
  }
}

function routeSchema(row: RouteRow, extras: RouteExtras) {
  return {
    summary: row.summary,
    params: row.params,
    querystring: row.query,
    ...(row.takes === 'json' ? { body: extras.body ?? row.body } : {}),
    ...(row.answer === null ? {} : { response: { [row.status]: row.answer } }),
  };
}

function readCall<Name extends RouteName>(
  request: FastifyRequest,
  reply: FastifyReply,
): Call<Name> {
  const { params, query, body } = request;
  // PostgreSQL refuses NUL in any text, and nothing is called so.
  if (Object.values(Object(params)).some((value) => String(value).includes('\0'))) {
    throw failure('not_found', 'Cannot find this');
  }
  // Fastify has held these against the row's schemas; TypeScript can't follow that through a table.
  return {
    params,
    query,
    body,
    caller: callers.get(request) ?? null,
    request,
    reply,
  } as Call<Name>;
}
