// A server of the test behind a proxy. It counts its requests, and answers as the test wants.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';

/** Answers a request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export type Back = {
  /** Can be replaced. By default the answer is the port. */
  handle: Handler;
  /** Method and path of each request. */
  readonly asked: string[];
  /** `X-Forwarded-For` of each request. */
  readonly forwarded: (string | undefined)[];
  close(): Promise<void>;
};

/** Starts a server on 127.0.0.1 that ends with the test. */
export async function startBack(t: TestContext, port: number): Promise<Back> {
  const back: Back = {
    handle: (_, response) => response.end(String(port)),
    asked: [],
    forwarded: [],
    async close() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
  const server = createServer((request, response) => {
    back.asked.push(`${request.method} ${request.url}`);
    back.forwarded.push(String(request.headers['x-forwarded-for']));
    back.handle(request, response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  t.after(back.close);
  return back;
}

/** How many requests the servers have received. */
export const askedBy = (backs: readonly Back[]): number =>
  backs.reduce((sum, { asked }) => sum + asked.length, 0);

/** Method and path of each request that does not ask whether the server is ready. */
export const requestsOf = ({ asked }: Back): string[] =>
  asked.filter((one) => one !== 'GET /readyz');
