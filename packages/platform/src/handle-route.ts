// Registers rows of the contract with their policy: credential, rate limit, projects. A feature supplies the handler.
import {
  type CallAnswer,
  PLATFORM_ERRORS,
  type PlatformErrorCode,
  ROUTES,
  type RouteName,
  type RouteRow,
  type Routes,
} from '@svc/contracts/platform';
import { ApiError, type App, addRoute } from '@svc/serve';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { admitCaller, type Caller } from './access/caller.ts';
import { checkMayCreate, findOwnDeletedGame, findOwnGame } from './access/own-game.ts';
import type { GamesTable } from './database/schema.ts';
import { failure } from './failure.ts';
import { asStorageFailure } from './files/storage-error.ts';
import { setBodyCount } from './http/body-count.ts';
import { checkTexts } from './http/check-texts.ts';
import type { Platform } from './platform.ts';
import type { ByteCount } from './rates/count-bytes.ts';
import { countRequest, type RequestCount } from './rates/count-request.ts';

/** The input of a handler. */
type Call<Name extends RouteName> = {
  readonly params: Static<Routes[Name]['params']>;
  readonly query: Static<Routes[Name]['query']>;
  readonly body: Static<Routes[Name]['body']>;
  /** Null on a public route. */
  readonly caller: Routes[Name]['auth'] extends 'public' ? null : Caller;
  /** The project in the path, which the caller may use. Null on a route that names no project. */
  readonly game: Routes[Name]['projects'] extends 'named' | 'deleted' ? GamesTable : null;
  /** Counts what the handler does towards the daily limits. */
  readonly count: RequestCount;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

/** Returns the answer of the contract, or the reply if the handler has sent one itself. */
type Handler<Name extends RouteName> = (
  call: Call<Name>,
) => Promise<CallAnswer<Name> | FastifyReply>;

type RouteExtras = {
  /** Time limit of the whole request in milliseconds. */
  readonly requestMs?: number;
  /** Largest body in bytes. */
  readonly bodyBytes?: number;
  /** Answered even while the server is at capacity or closes. */
  readonly always?: boolean;
  /** Schema of the body if it differs from the contract's, for example because of other limits. */
  readonly body?: TSchema;
};

/** Registers the named route. */
type HandleRoute = <Name extends RouteName>(
  name: Name,
  handler: Handler<Name>,
  extras?: RouteExtras,
) => void;

const UNAUTHORIZED = 401;

/** What is known of a request since its head arrived. The address is unknown once the client has left. */
type Admitted = { readonly count: RequestCount; readonly caller: Caller | null };

const admitted = new WeakMap<FastifyRequest, Admitted>();

/** Returns the function that registers routes on this app. */
export function routesOn(app: App, platform: Platform): HandleRoute {
  return (name, handler, extras = {}) => {
    const row: RouteRow = ROUTES[name];
    const options = {
      // A route with GET also answers HEAD (RFC 9110, 9.1).
      exposeHeadRoute: row.method === 'GET',
      schema: {
        summary: row.summary,
        ...(extras.body === undefined ? {} : { body: extras.body }),
      },
      ...(extras.bodyBytes === undefined ? {} : { bodyLimit: extras.bodyBytes }),
      config: {
        ...(extras.requestMs === undefined ? {} : { requestMs: extras.requestMs }),
        ...(extras.always === true ? { uncounted: true, whileClosing: true } : {}),
      },
      // Before the body is read, so that an upload without permission is not received.
      onRequest: (request: FastifyRequest, reply: FastifyReply) =>
        admitRequest(platform, row, request, reply),
    };
    addRoute(app, row, options, async (request, reply) => {
      if (row.takes === 'json' || row.takes === 'form') checkTexts(request.body);
      checkNames(request);
      const call = await makeCall<typeof name>(platform, row, request, reply);
      try {
        await using upload = await countUpload(row, call);
        if (upload !== null) setBodyCount(request, upload);
        return await handler(call);
      } catch (error) {
        throw isAbortOf(request, error) ? endedError() : asStorageFailure(error);
      } finally {
        // Before the answer, so that this process plays the new state at once.
        if (call.game !== null && row.method !== 'GET') platform.changes.changed(call.game.slug);
      }
    });
  };
}

/** Applies the rate limit and the credential check of the route. Throws if the request is rejected. */
async function admitRequest(
  platform: Platform,
  row: RouteRow,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  reply.header('cache-control', row.auth === 'public' ? 'no-cache' : 'no-store');
  const count = countRequest(platform.rates, request.ip ?? '', (fields) => reply.headers(fields));
  const isByUser = row.rate === 'writes' || row.rate === 'parts';
  if (row.rate !== 'none' && !isByUser) await count.take(row.rate);
  const caller =
    row.auth === 'public' ? null : await admitWithinRate(platform, request, row, count);
  if (caller !== null) count.identify(caller.user.uid);
  if (isByUser) await count.take(row.rate, row.takes === 'stream' ? declaredBytes(request) : 0);
  if (row.takes === 'multipart') checkMultipart(request);
  admitted.set(request, { count, caller });
}

/** Counts the upload of the request, if it is one. A part is counted here; a form while it is read. */
async function countUpload(
  { takes }: RouteRow,
  { count, request }: Pick<Call<RouteName>, 'count' | 'request'>,
): Promise<ByteCount | null> {
  if (takes === 'stream' && Buffer.isBuffer(request.body)) {
    await count.takeBytes(request.body.length);
  }
  return takes === 'multipart' ? count.openUpload(declaredBytes(request)) : null;
}

/** The length that the request declares. 0 if it declares none, or more than the route accepts, which is another error. */
function declaredBytes({ headers, routeOptions }: FastifyRequest): number {
  const bytes = Number(headers['content-length'] ?? 0);
  return bytes <= routeOptions.bodyLimit ? bytes : 0;
}

/** Rejects a body of another type. The JSON parser would load a body of the size of an upload into memory. */
function checkMultipart(request: FastifyRequest): void {
  if (/^multipart\/form-data[ \t]*(?:;|$)/i.test(request.headers['content-type'] ?? '')) return;
  throw failure(
    'unsupported_media_type',
    'The body has the wrong type. Send it as multipart/form-data',
  );
}

/** Identifies the caller. Invalid credentials count towards the rate limit of the address; valid ones are not limited by it. */
async function admitWithinRate(
  platform: Platform,
  request: FastifyRequest,
  row: RouteRow,
  count: RequestCount,
): Promise<Caller> {
  try {
    return await admitCaller(platform, request.headers.authorization, row);
  } catch (error) {
    const code = error instanceof ApiError ? error.code : '';
    const isRejected = PLATFORM_ERRORS[code as PlatformErrorCode]?.status === UNAUTHORIZED;
    if (isRejected && request.headers.authorization !== undefined) {
      platform.metrics.rejectedCredentials.inc({ code });
    }
    if (code === 'unauthenticated') await count.take('failures');
    throw error;
  }
}

/** Throws `not_found` for a NUL in the path. No name contains it, and PostgreSQL rejects it. */
function checkNames({ params }: FastifyRequest): void {
  if (Object.values(Object(params)).some((value) => String(value).includes('\0'))) {
    throw failure('not_found', 'Cannot find this');
  }
}

/** Returns the input of the handler. Throws if the caller may not use the project. */
async function makeCall<Name extends RouteName>(
  platform: Platform,
  row: RouteRow,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Call<Name>> {
  const { params, query, body } = request;
  const { count, caller } = findAdmitted(request);
  const game = caller === null ? null : await admitToProject(platform, row, caller, params);
  // Fastify has validated these against the schemas of the row. TypeScript can't infer that through the table.
  return { params, query, body, caller, game, count, request, reply } as Call<Name>;
}

function findAdmitted(request: FastifyRequest): Admitted {
  const found = admitted.get(request);
  if (found === undefined) throw new Error('The request was not admitted');
  return found;
}

/** Applies the row's rule about projects. Returns the project in the path, or null. */
async function admitToProject(
  platform: Platform,
  { projects }: RouteRow,
  caller: Caller,
  params: unknown,
): Promise<GamesTable | null> {
  if (projects === 'created') checkMayCreate(caller);
  if (projects !== 'named' && projects !== 'deleted') return null;
  const find = projects === 'named' ? findOwnGame : findOwnDeletedGame;
  return find(platform, caller, (params as { readonly id: string }).id);
}

/** Whether the work failed because the request ended: the client disconnected, or the time limit passed. */
function isAbortOf({ abortSignal }: FastifyRequest, error: unknown): boolean {
  return abortSignal.aborted && error === abortSignal.reason;
}

/** The error of a request that has ended. It is no fault of the server, so it is not logged. */
function endedError(): Error {
  return failure('busy', 'Cannot do this: the request ended before its work');
}
