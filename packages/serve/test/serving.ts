// A server for tests, with routes that answer, wait and fail, and its clients.
import { connect, type Socket } from 'node:net';
import { ApiError, createServer, type ServeOptions, type Server } from '../src/index.ts';

/** The longest wait in these tests. Then the test fails. */
const PATIENCE_MS = 60_000;
const LEFT_OPEN_MS = 5_000;

const ERRORS = {
  bad_request: { status: 400 },
  invalid_input: { status: 400 },
  unauthenticated: { status: 401 },
  not_found: { status: 404 },
  method_not_allowed: { status: 405 },
  request_timeout: { status: 408 },
  payload_too_large: { status: 413 },
  unsupported_media_type: { status: 415 },
  internal: { status: 500 },
  busy: { status: 503 },
  deadline_exceeded: { status: 503 },
  shutting_down: { status: 503 },
};

const CODES = {
  malformed: 'bad_request',
  invalid_input: 'invalid_input',
  not_found: 'not_found',
  method_not_allowed: 'method_not_allowed',
  body_too_large: 'payload_too_large',
  media_type: 'unsupported_media_type',
  too_slow: 'request_timeout',
  too_long: 'deadline_exceeded',
  busy: 'busy',
  closing: 'shutting_down',
  internal: 'internal',
};

export type Held = {
  /** Resolves when `/held` is requested. */
  readonly begun: Promise<void>;
  readonly release: () => void;
  readonly failures: unknown[];
};

/**
 * A server with a few routes, which is always closed at the end. `held.release` lets `/held` be
 * answered.
 */
export async function serving(
  use: (port: number, server: Server, held: Held) => Promise<void>,
  options: Partial<ServeOptions> = {},
): Promise<void> {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const failures: unknown[] = [];
  const server = await createServer({
    errors: ERRORS,
    codes: CODES,
    requestMs: 20_000,
    handlers: 2,
    bodyBytes: 1_000,
    onFailure: (error) => failures.push(error),
    routes: (app) => {
      const body = {
        type: 'object',
        properties: { count: { type: 'number' }, name: { type: 'string' } },
        additionalProperties: false,
      };
      app.post('/thing', { schema: { body } }, async (request) => ({ got: request.body }));
      app.get('/thing', async () => ({ ok: true }));
      app.get('/held', async () => {
        begun.resolve();
        await gate.promise;
        return { held: true };
      });
      app.get('/fails', async () => {
        throw new Error('a secret of the inside');
      });
      app.get('/foreign', async () => {
        throw new ApiError('not_in_the_table', 'no');
      });
    },
    ...options,
  });
  const open = new Set<Socket>();
  server.app.server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  try {
    await use(port, server, { begun: begun.promise, release: gate.resolve, failures });
  } finally {
    gate.resolve();
    // If the close does not end open connections, the test has failed, but its file still ends.
    // There is no timer, because a test may use fake ones.
    AbortSignal.timeout(LEFT_OPEN_MS).addEventListener('abort', () => {
      for (const socket of open) socket.destroy();
    });
    await server.close(1_000);
  }
}

export type Answer = { status: number; code: string | null; headers: Headers; body: unknown };

/** Sends a request and reads the whole answer. */
export async function ask(port: number, path: string, init: RequestInit = {}): Promise<Answer> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { signal, ...init });
  const text = await response.text();
  const body: unknown = text === '' ? null : JSON.parse(text);
  return { status: response.status, code: codeOf(body), headers: response.headers, body };
}

function codeOf(body: unknown): string | null {
  const error = Object(Object(body).error);
  return typeof error.code === 'string' ? error.code : null;
}

/** Sends bytes, and returns everything that arrives until the connection closes. */
export function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  return readToEnd(socket);
}

/** Everything that arrives until the connection closes, with the error that closed it. */
export function readToEnd(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = '';
  const timer = setTimeout(() => {
    reject(new Error(`the connection is open after ${PATIENCE_MS} ms; so far: ${answer}`));
    socket.destroy();
  }, PATIENCE_MS);
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', (error) => {
    answer += error.message;
  });
  socket.on('close', () => {
    clearTimeout(timer);
    resolve(answer);
  });
  return promise;
}

/** Sends text and returns the first bytes that arrive. Throws if the connection closes before. */
export async function exchange(socket: Socket, text: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const closed = (): void => reject(new Error(`the connection was closed after ${text}`));
  const timer = setTimeout(() => reject(new Error(`no answer to ${text}`)), PATIENCE_MS);
  const data = (chunk: Buffer): void => resolve(String(chunk));
  if (socket.destroyed) closed();
  socket.once('data', data).once('close', closed);
  socket.write(text);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    socket.off('data', data).off('close', closed);
  }
}

export const JSON_TYPE = { 'content-type': 'application/json' };
export const post = (body: BodyInit, headers: Record<string, string> = JSON_TYPE): RequestInit => ({
  method: 'POST',
  body,
  headers,
});
export type BodyInit = NonNullable<RequestInit['body']>;
