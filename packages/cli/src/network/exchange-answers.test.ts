// Unusual responses: those of a forwarding proxy, and those that are too large to read.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { listen, startProxy } from '../../test/sockets.ts';
import { VERSION } from '../process/version.ts';
import { exchange } from './exchange.ts';
import { EXCHANGE_LIMITS } from './exchange-options.ts';
import { NetworkError } from './network-error.ts';

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(t, createServer(listener))}`;
}

async function thrownBy(work: Promise<Response>): Promise<NetworkError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof NetworkError, String(error));
  return error;
}

test('exchange reports a forwarding proxy that asks for a password as a failure of the proxy', async (t) => {
  const proxy = await serve(t, (_, response) => response.writeHead(407, 'No').end());
  const env = { HTTP_PROXY: proxy };
  const { code, message, hint } = await thrownBy(exchange('http://game.test/', {}, { env }));
  assert.equal(code, 'proxy_failed');
  assert.equal(
    message,
    `Cannot reach game.test:80 through the proxy ${proxy} (from HTTP_PROXY): it requires a user name and password (407).`,
  );
  assert.match(hint, /^Set HTTP_PROXY to http:\/\/USER:PASSWORD@/);
});

test('exchange closes its connection if the response is not read', {
  timeout: 60_000,
}, async (t) => {
  const closed = Promise.withResolvers<void>();
  const proxy = await serve(t, (request, response) => {
    request.socket.once('close', closed.resolve);
    response.writeHead(407).write('an answer without an end');
  });
  await thrownBy(exchange('http://game.test/', {}, { env: { HTTP_PROXY: proxy } }));
  await closed.promise;
});

test('exchange sends the address without its fragment to a forwarding proxy', async (t) => {
  const asked: (string | undefined)[] = [];
  const proxy = await serve(t, (request, response) => {
    asked.push(request.url);
    response.end('{}');
  });
  await exchange('http://game.test/a?b=c#d', {}, { env: { HTTP_PROXY: proxy } });
  assert.deepEqual(asked, ['http://game.test/a?b=c']);
});

test('exchange names the limit that a response exceeds', async (t) => {
  const body = await serve(t, (_, response) => response.end(Buffer.alloc(2048)));
  const large = await thrownBy(exchange(body, {}, { env: {}, limits: { answer_bytes: 1024 } }));
  const limits = { answer_bytes: 2048 };
  assert.equal((await exchange(body, {}, { env: {}, limits })).status, 200);
  assert.deepEqual([large.code, large.sent, large.transient], ['answer_unreadable', true, false]);
  assert.equal(large.message, `Cannot read the response of ${body}: it is larger than 1.0 KiB.`);
  const headers = await serve(t, (_, response) =>
    response.writeHead(200, { 'x-long': 'a'.repeat(20_000) }).end(),
  );
  const overflow = await thrownBy(exchange(headers, {}, { env: {} }));
  assert.equal(overflow.code, 'answer_unreadable');
  assert.match(overflow.message, /: its headers are larger than 16\.0 KiB\.$/);
});

test('exchange returns 407 as the server’s response if there is no proxy', async (t) => {
  const server = await serve(t, (_, response) => response.writeHead(407).end());
  assert.equal((await exchange(server, {}, { env: {} })).status, 407);
});

test('exchange sends its user agent, the host, and the length and type of the body', async (t) => {
  const seen: { method: string; headers: Record<string, unknown>; body: string }[] = [];
  const server = await serve(t, async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    seen.push({ method: request.method ?? '', headers: request.headers, body });
    response.end();
  });
  const common = {
    accept: '*/*',
    'user-agent': `svc/${VERSION}`,
    host: server.slice('http://'.length),
    connection: 'close',
  };
  const form = 'application/x-www-form-urlencoded;charset=UTF-8';
  const rows: [init: RequestInit, method: string, headers: object, body: string][] = [
    [{}, 'GET', {}, ''],
    [{ method: 'DELETE', headers: { accept: 'text/x' } }, 'DELETE', { accept: 'text/x' }, ''],
    [{ method: 'POST', body: 'ü' }, 'POST', { 'content-length': '2' }, 'ü'],
    [
      { method: 'POST', body: new URLSearchParams({ a: 'b c' }) },
      'POST',
      { 'content-length': '5', 'content-type': form },
      'a=b+c',
    ],
    [
      { method: 'POST', body: new URLSearchParams('a'), headers: { 'content-type': 'x/y' } },
      'POST',
      { 'content-length': '2', 'content-type': 'x/y' },
      'a=',
    ],
  ];
  for (const [init, method, headers, body] of rows) {
    await exchange(server, init, { env: {} });
    assert.deepEqual(seen.pop(), { method, headers: { ...common, ...headers }, body });
  }
  await assert.rejects(exchange(server, { body: new Blob(['x']) }, { env: {} }));
});

test('exchange sends a proxy’s password to a forwarding proxy, and never to the server', async (t) => {
  const asked: [string | undefined, string | undefined][] = [];
  const server = await serve(t, (request, response) => {
    asked.push([request.url, request.headers['proxy-authorization']]);
    response.end();
  });
  const env = { HTTP_PROXY: server.replace('//', '//ada:secret@') };
  await exchange('http://game.test/a', {}, { env });
  await exchange(`${server}/b`, {}, { env });
  const basic = `Basic ${Buffer.from('ada:secret').toString('base64')}`;
  assert.deepEqual(asked, [
    ['http://game.test/a', basic],
    ['/b', undefined],
  ]);
});

test('exchange returns a response without a body, and one with a repeated header', async (t) => {
  for (const status of [204, 205, 304]) {
    const server = await serve(t, (_, response) => response.writeHead(status).end());
    const answer = await exchange(server, {}, { env: {} });
    assert.deepEqual([answer.status, answer.body], [status, null]);
  }
  const server = await serve(t, (_, response) =>
    response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'], 'x-one': 'é' }).end('text'),
  );
  const answer = await exchange(server, {}, { env: {} });
  assert.deepEqual(answer.headers.getSetCookie(), ['a=1', 'b=2']);
  assert.equal(await answer.text(), 'text');
});

test('exchange rejects a status outside 200 to 599', async (t) => {
  for (const [status, accepted] of [
    [599, true],
    [600, false],
    [999, false],
  ] as const) {
    const head = `HTTP/1.1 ${status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`;
    const server = createTcpServer((socket) => socket.once('data', () => socket.end(head)));
    const url = `http://127.0.0.1:${await listen(t, server)}`;
    if (accepted) {
      assert.equal((await exchange(url, {}, { env: {} })).status, status);
      continue;
    }
    const { code, message } = await thrownBy(exchange(url, {}, { env: {} }));
    assert.equal(code, 'answer_unreadable');
    assert.equal(message, `Cannot read the response of ${url}: its status is ${status}.`);
  }
});

test('exchange accepts every 2xx response to CONNECT, and no other', async (t) => {
  for (const [status, refused] of [
    [200, false],
    [299, false],
    [300, true],
    [404, true],
  ] as const) {
    const proxy = await startProxy(t, status);
    const env = { HTTPS_PROXY: proxy.url };
    const { code, message } = await thrownBy(exchange('https://game.test', {}, { env }));
    // The tunnel of this proxy leads to no TLS server.
    assert.equal(code, refused ? 'proxy_failed' : 'unreachable', `${status}: ${message}`);
    assert.equal(message.includes(`(${status} No)`), refused, message);
  }
});

test('exchange closes the body of a request whose response arrives early', async (t) => {
  const server = await serve(t, (request, response) => {
    request.once('data', () => response.writeHead(413).end());
  });
  let closed = false;
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield new Uint8Array(1024 * 1024);
    } finally {
      closed = true;
    }
  }
  const init = { method: 'POST', body: ReadableStream.from(read()) };
  assert.equal((await exchange(server, init, { env: {} })).status, 413);
  assert.ok(closed);
});

test('exchange has the time limits in docs/cli.md', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../../../docs/cli.md'), 'utf8');
  const [, table = ''] = docs.split(/^## Waiting, proxies, certificates$|^On a terminal, /m);
  const rows = [...table.matchAll(/^\| ([^|]+) \| ([^|]+) \|/gm)].slice(2);
  const reported = rows.map(([, what = '', limit = '']) => [what.slice(0, 16), limit]);
  assert.deepEqual(reported, [
    ['a connection: na', '10 s'],
    ['the first byte o', '30 s'],
    ['the same for `sv', '120 s, and 1 s more for each MiB of the ZIP or the folder'],
    ['the platform sto', '60 s'],
    ['the answer stops', '30 s'],
  ]);
  assert.deepEqual(EXCHANGE_LIMITS, {
    connect_ms: 10_000,
    answer_ms: 30_000,
    answer_ms_per_mib: 0,
    send_ms: 60_000,
    read_ms: 30_000,
    answer_bytes: 33_554_432,
  });
});
