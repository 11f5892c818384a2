// A model provider on this machine that answers as a test requires.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { ownServers, within } from './harness.ts';

export type Received = {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};
export type FakeProvider = AsyncDisposable & {
  readonly url: string;
  readonly received: Received[];
};

/** A provider on this machine that answers as the test requires. */
export async function fakeProvider(
  answer: (response: ServerResponse, received: Received) => void,
): Promise<FakeProvider> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const one = {
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    received.push(one);
    answer(response, one);
  });
  server.listen(0, '127.0.0.1');
  await within(once(server, 'listening'), 'the provider to listen');
  ownServers.open++;
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await within(once(server, 'close'), 'the provider to close');
      ownServers.open--;
    },
  };
}

/** The answer of a provider with the chat completions dialect. */
export const completion = (text: string): string =>
  JSON.stringify({ choices: [{ message: { role: 'assistant', content: text } }] });
