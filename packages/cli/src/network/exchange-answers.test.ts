// Answers that no platform gives: a forwarding proxy's own, and those that are too large to read.
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { type TestContext, test } from 'node:test';
import { listen } from '../../test/sockets.ts';
import { exchange } from './exchange.ts';
import { NetworkError } from './network-error.ts';

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(t, createServer(listener))}`;
}

async function failureOf(work: Promise<Response>): Promise<NetworkError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof NetworkError, String(error));
  return error;
}

test('exchange reports a forwarding proxy that asks for a password, and not as the server’s answer', async (t) => {
  const proxy = await serve(t, (_, response) => response.writeHead(407, 'No').end());
  const env = { HTTP_PROXY: proxy };
  const { code, message, hint } = await failureOf(exchange('http://game.test/', {}, { env }));
  assert.equal(code, 'proxy_failed');
  assert.equal(
    message,
    `Cannot reach game.test:80 through the proxy ${proxy} (from HTTP_PROXY): it asks for a user name and password (407).`,
  );
  assert.match(hint, /^Set HTTP_PROXY to http:\/\/USER:PASSWORD@/);
});

test('exchange sends a forwarding proxy the address without its fragment', async (t) => {
  const asked: (string | undefined)[] = [];
  const proxy = await serve(t, (request, response) => {
    asked.push(request.url);
    response.end('{}');
  });
  await exchange('http://game.test/a?b=c#d', {}, { env: { HTTP_PROXY: proxy } });
  assert.deepEqual(asked, ['http://game.test/a?b=c']);
});

test('exchange names the limit that an answer exceeds', async (t) => {
  const body = await serve(t, (_, response) => response.end(Buffer.alloc(2048)));
  const large = await failureOf(exchange(body, {}, { env: {}, limits: { answer_bytes: 1024 } }));
  assert.equal(large.message, `Cannot read the answer of ${body}: it is larger than 1 KiB.`);
  const headers = await serve(t, (_, response) =>
    response.writeHead(200, { 'x-long': 'a'.repeat(20_000) }).end(),
  );
  const overflow = await failureOf(exchange(headers, {}, { env: {} }));
  assert.equal(overflow.code, 'answer_unreadable');
  assert.match(overflow.message, /: its headers are larger than 16 KiB\.$/);
});
