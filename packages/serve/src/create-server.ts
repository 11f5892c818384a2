// Sets up Fastify as both servers need it: one error envelope, strict input, a time limit and a cap
// for requests, and an orderly close.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { type ConnectionError, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { answerError, asApiError, conditionError, rawAnswer } from './answer-error.ts';
import { createConnections } from './connections.ts';
import { continueWhenRead } from './continue-when-read.ts';
import { startDeadline, watchFirstByte } from './deadline.ts';
import type { App, ServeOptions } from './options.ts';
import { collectMethods, refuseOtherMethods } from './other-methods.ts';
import { decode, refuseInput, refuseJson } from './refuse-input.ts';
import { hasForeignTarget, normalizeTarget } from './request-target.ts';
import { hasOneHost } from './require-host.ts';

/** How long a connection may wait for its next request. */
const KEEP_ALIVE_MS = 72_000;
/** The interval at which Node looks for requests with incomplete heads. */
const SLOW_HEAD_CHECK_MS = 250;

/** How long a client may take to read the answer on a refused bare socket. */
const LAST_WORDS_MS = 1_000;

/** A server. It listens only after `listen`. */
export type Server = {
  readonly app: App;
  /** Listens, and resolves with the port. Rejects with Node's own error, such as `EADDRINUSE`. */
  listen(address: { host: string; port: number }): Promise<number>;
  /**
   * Refuses new requests with the code for `closing`, except on routes with `config.whileClosing`.
   * The port stays open and running requests continue.
   */
  refuseNew(): void;
  /** Each answer from now on ends its connection, so that clients connect to another process. */
  endConnections(): void;
  /**
   * Exempts a connection from `untrustedConnections`, because a request on it had valid
   * credentials.
   */
  trust(socket: Socket): void;
  /** Writes an error to a connection that has been taken over, and ends it. */
  refuse(socket: Duplex, error: unknown): void;
  /** Stops listening, lets running requests continue for `graceMs`, then drops every connection. */
  close(graceMs: number): Promise<void>;
};

/** Creates a server. See `ServeOptions`. */
export async function createServer(options: ServeOptions): Promise<Server> {
  const state = { closing: false, leaving: false, inFlight: 0 };
  const app = makeApp(options);
  const refuse = (socket: Duplex, error: unknown): void => refuseSocket(options, socket, error);
  const connections = createConnections(options.untrustedConnections ?? null);
  if (options.first !== undefined) askFirst(app.server, options.first, state);
  if (options.oneHost === true) requireOneHost(app.server, options);
  connections.watch(app.server);
  app.server.prependListener('request', normalizeTarget);
  app.server.prependListener('request', (_request, response) => {
    if (state.leaving) response.shouldKeepAlive = false;
  });
  const { watch } = options;
  if (watch !== undefined) app.server.prependListener('request', watch.begin);
  attachToSockets(app, options, refuse);
  readJsonStrictly(app, options);
  app.decorateRequest('abortSignal');
  app.setErrorHandler((error, request, reply) =>
    sendError(options, reply, refuseInput(options, request, error) ?? error),
  );
  app.setNotFoundHandler((_request, reply) =>
    sendError(options, reply, conditionError(options, 'not_found')),
  );
  if (watch !== undefined) {
    app.addHook('onRequest', (request, _reply, done) => watch.run(request.raw, done));
  }
  app.addHook('onRequest', async (request, reply) => {
    startDeadline(options, request, reply);
    const { url } = request.routeOptions;
    if (url !== undefined) options.watch?.setRoute(request.raw, url);
    options.guard?.(request);
    if (hasForeignTarget(request.raw)) throw conditionError(options, 'malformed');
    refuseWhatDoesNotExist(options, request);
    if (state.closing && request.routeOptions.config.whileClosing !== true) {
      throw conditionError(options, 'closing');
    }
    takePlace(options, request, reply, state);
  });
  const methods = collectMethods(app);
  app.register(async (scope) => options.routes(scope));
  app.register(async () => refuseOtherMethods(app, methods));
  await app.ready();
  return {
    app,
    listen: async (address) => {
      await app.listen(address);
      return portOf(app);
    },
    refuseNew: () => {
      state.closing = true;
    },
    endConnections: () => {
      state.leaving = true;
    },
    trust: connections.trust,
    refuse,
    close: async (graceMs) => {
      state.closing = true;
      using _ = connections.endAll(graceMs);
      await app.close();
    },
  };
}

function makeApp(options: ServeOptions): App {
  const wantsUpgrade = options.upgrade?.wants ?? (() => false);
  const app = fastify({
    bodyLimit: options.bodyBytes,
    exposeHeadRoutes: false,
    return503OnClosing: false,

    forceCloseConnections: 'idle',
    keepAliveTimeout: KEEP_ALIVE_MS,
    trustProxy: options.trustProxy ?? false,
    ajv: {
      customOptions: {
        removeAdditional: false,
        coerceTypes: false,
        allErrors: false,
        allowUnionTypes: true,
      },
    },
    http: {
      requireHostHeader: false,
      requestTimeout: 0,
      headersTimeout: options.requestMs,
      connectionsCheckingInterval: SLOW_HEAD_CHECK_MS,
      shouldUpgradeCallback: (request) => {
        normalizeTarget(request);
        return wantsUpgrade(request);
      },
    },
    clientErrorHandler: (error, socket) => refuseUnreadable(options, error, socket),
    frameworkErrors: (error, request, reply) => {
      void sendError(options, reply, guardError(options, request) ?? error);
    },
  });
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  return app.withTypeProvider<TypeBoxTypeProvider>();
}

function attachToSockets(
  app: App,
  options: ServeOptions,
  refuse: (socket: Duplex, error: unknown) => void,
): void {
  const { server } = app;
  // A data listener disables Node's fast path for reading, which costs too much in a server that
  // answers files by `first`.
  if (options.first === undefined) server.on('connection', watchFirstByte);
  server.on('connect', (_request, socket) => refuse(socket, conditionError(options, 'malformed')));
  continueWhenRead(server);
  // Any other expectation is unknown and ignored (RFC 9110, 10.1.1).
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    try {
      options.upgrade?.handle(request, socket, head);
    } catch (error) {
      refuse(socket, error);
    }
  });
}

/** Lets `first` handle each request before Fastify. */
function askFirst(
  server: App['server'],
  first: NonNullable<ServeOptions['first']>,
  state: { readonly closing: boolean },
): void {
  const listeners = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (state.closing) response.shouldKeepAlive = false;
    if (first(request, response)) return;
    for (const listener of listeners) listener.call(server, request, response);
  });
}

/** Refuses requests with no host or several hosts, before any other listener. */
function requireOneHost(server: App['server'], options: ServeOptions): void {
  const listeners = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    if (hasOneHost(request)) {
      for (const listener of listeners) listener.call(server, request, response);
    } else refuseHost(options, request, response);
  });
}

function refuseHost(
  options: ServeOptions,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const message = 'Cannot answer: the request must name its host once, in the header Host';
  const { status, body } = answerError(options, conditionError(options, 'malformed', {}, message));
  const text = JSON.stringify(body);
  const id = options.watch?.begin(request, response);
  options.watch?.setCode(request, body.error.code);
  response.writeHead(status, {
    ...(id === undefined ? {} : { 'X-Request-Id': id }),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  });
  response.end(text);
}

function readJsonStrictly(app: App, options: ServeOptions): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    const bytes = Buffer.from(body);
    const text = decode(bytes);
    // The parser would skip a byte order mark.
    if (text === null || text.startsWith('\ufeff')) return done(refuseJson(options, bytes));
    void parse(request, text, (error: Error | null, value?: unknown) =>
      error === null ? done(null, value) : done(refuseJson(options, bytes)),
    );
  });
}

function refuseWhatDoesNotExist(options: ServeOptions, request: FastifyRequest): void {
  if (request.is404) throw conditionError(options, 'not_found');
  const { allow } = request.routeOptions.config;
  if (allow !== undefined) {
    throw conditionError(options, 'method_not_allowed', { headers: { Allow: allow.join(', ') } });
  }
}

function takePlace(
  options: ServeOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  state: { inFlight: number },
): void {
  if (options.handlers === null || request.routeOptions.config.uncounted === true) return;
  if (state.inFlight >= options.handlers) {
    throw conditionError(options, 'busy', { headers: { 'Retry-After': '1' } });
  }
  state.inFlight++;
  reply.raw.once('close', () => {
    state.inFlight--;
  });
}

function sendError(
  options: ServeOptions,
  reply: FastifyReply,
  error: unknown,
): FastifyReply | Promise<FastifyReply> {
  // Fastify closes the connection of a client that is still sending. The deadline does that if
  // necessary.
  if (reply.request.abortSignal?.aborted !== true) {
    reply.removeHeader('connection');
    closeOnceRead(reply);
  }
  if (options.sendError !== undefined) {
    const refusal = asApiError(options, error);
    for (const [name, value] of Object.entries(refusal?.parts.headers ?? {})) {
      reply.header(name, value);
    }
    return options.sendError(reply.request, reply, refusal ?? error);
  }
  const { raw } = reply.request;
  const answer = answerError(options, error, raw);
  options.watch?.setCode(raw, answer.body.error.code);
  return reply
    .code(answer.status)
    .headers({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...answer.headers,
    })
    .type('application/json; charset=utf-8')
    .send(answer.body);
}

/**
 * A client that asked to close the connection is still sending. It could not read its refusal if
 * the connection closed first.
 */
function closeOnceRead({ request, raw }: FastifyReply): void {
  if (request.raw.complete || raw.shouldKeepAlive) return;
  raw.shouldKeepAlive = true;
  request.raw.once('end', () => request.raw.socket.destroySoon());
}

function guardError(options: ServeOptions, request: FastifyRequest): unknown {
  try {
    options.guard?.(request);
    return null;
  } catch (error) {
    return error;
  }
}

function refuseUnreadable(options: ServeOptions, error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const slow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  refuseSocket(options, socket, conditionError(options, slow ? 'too_slow' : 'malformed'));
}

function refuseSocket(options: ServeOptions, socket: Duplex, error: unknown): void {
  socket.on('error', () => socket.destroy());
  const answer = answerError(options, error);
  const id = options.watch?.refuse(answer.status, answer.body.error.code);
  const headers = { ...(id === undefined ? {} : { 'X-Request-Id': id }), ...answer.headers };
  socket.end(rawAnswer({ ...answer, headers }));
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LAST_WORDS_MS);
  socket.once('close', () => clearTimeout(timer));
}

function portOf(app: App): number {
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
