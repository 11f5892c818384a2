// A server with the responses of a test, for behaviour that a healthy platform never has: partial responses, resets, redirects elsewhere.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { formatToken } from '@svc/contracts/platform';

/** A well-formed token that no platform created. */
export const TOKEN: string = formatToken('0123456789abcdefghijklmnopqrstuvwxyz');

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

type Seen = { readonly route: string; readonly authorization: string | undefined };

export type FaultyPlatform = {
  readonly url: string;
  /** All requests so far. */
  readonly seen: Seen[];
};

/** Answers each `METHOD /path` with its next response, and then repeats the last one. Other requests get 404. */
export async function startFaultyPlatform(
  t: TestContext,
  answers: Readonly<Record<string, Answer | readonly Answer[]>>,
): Promise<FaultyPlatform> {
  const seen: Seen[] = [];
  const counts = new Map<string, number>();
  const server = createServer((request, response) => {
    const route = `${request.method} ${(request.url ?? '').split('?')[0]}`;
    seen.push({ route, authorization: request.headers.authorization });
    const list = [answers[route] ?? error(404, 'not_found', 'There is no such thing')].flat();
    const count = counts.get(route) ?? 0;
    counts.set(route, count + 1);
    list[Math.min(count, list.length - 1)]?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen };
}

/** The same responses. `note` is called with each complete request: method, address and the bytes of the body. */
export function noted(
  answers: Readonly<Record<string, Answer | readonly Answer[]>>,
  note: (route: string, body: string) => void,
): Readonly<Record<string, readonly Answer[]>> {
  const listening =
    (answer: Answer): Answer =>
    (request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => {
        body += part.toString('latin1');
      });
      request.on('end', () => note(`${request.method} ${request.url}`, body));
      answer(request, response);
    };
  return Object.fromEntries(
    Object.entries(answers).map(([route, list]) => [route, [list].flat().map(listening)]),
  );
}

/** A JSON response, after the whole request was read. */
export function json(status: number, body: object, headers: Record<string, string> = {}): Answer {
  return (request, response) => {
    request.resume();
    request.on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    });
  };
}

/** An error response of the platform. */
export function error(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Answer {
  return json(status, { error: { code, message } }, headers);
}

/** Closes the connection before the response. */
export const reset: Answer = (request) => {
  request.socket.resetAndDestroy();
};

/** A 200 whose body ends in the middle. */
export const half: Answer = (request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
  response.write('{"user":{"uid":"');
  setTimeout(() => response.destroy(), 20);
};

/** The response of `GET /me`. */
export const ME = {
  user: {
    uid: '0197a1a0-0000-7000-8000-000000000001',
    name: 'Ada',
    avatar: null,
    created_at: '2026-01-01T00:00:00.000Z',
    email: null,
    role: 'developer',
  },
  auth: {
    kind: 'pat',
    token_id: '0197a1a0-0000-7000-8000-000000000002',
    name: 'ci',
    scopes: ['publish'],
    projects: null,
    expires_at: null,
  },
} as const;
