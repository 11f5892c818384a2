// A streamed body that waits for its next piece: an early response is read, and the network's limits do not apply.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { listen } from '../../test/sockets.ts';
import { exchange } from './exchange.ts';

/** A server that answers with the status at the first piece, or after the whole body. */
async function serve(t: TestContext, status: number, early: boolean): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.once(early ? 'data' : 'end', () => response.writeHead(status).end('{}'));
  });
  return `http://127.0.0.1:${await listen(t, server)}`;
}

test('exchange returns an early response while the body is waiting for its next piece', {
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

test('exchange does not count the time of reading the body in the network’s time limits', async (t) => {
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
