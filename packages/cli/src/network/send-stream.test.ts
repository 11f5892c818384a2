// A streamed body whose next piece does not come: the server's answer still counts, and no limit of the network does.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { listen } from '../../test/sockets.ts';
import { exchange } from './exchange.ts';

/** A server that answers with the status at the first piece, or after all of the body. */
async function serve(t: TestContext, status: number, early: boolean): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.once(early ? 'data' : 'end', () => response.writeHead(status).end('{}'));
  });
  return `http://127.0.0.1:${await listen(t, server)}`;
}

test('exchange takes an early answer while the next piece of the body is awaited', {
  timeout: 30_000,
}, async (t) => {
  const hung = Promise.withResolvers<void>();
  t.after(() => hung.resolve());
  async function* make(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(10);
    await hung.promise;
  }
  const init = { method: 'POST', body: ReadableStream.from(make()) };
  const answer = await exchange(await serve(t, 413, true), init, { env: {} });
  assert.equal(answer.status, 413);
});

test('exchange counts no time of the network while the body is read', async (t) => {
  async function* make(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(10);
    await pause(1500);
    yield new Uint8Array(10);
  }
  const init = { method: 'POST', body: ReadableStream.from(make()) };
  const limits = { send_ms: 1000 };
  const answer = await exchange(await serve(t, 200, false), init, { env: {}, limits });
  assert.equal(answer.status, 200);
});
