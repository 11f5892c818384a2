// Servers that stop at each step of an exchange: it ends within the limit of the step, and names the step.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { listen, startProxy, startSilentServer } from '../../test/sockets.ts';
import { exchange } from './exchange.ts';
import type { ExchangeLimits } from './exchange-options.ts';
import { NetworkError } from './network-error.ts';

/** Only the step under test has a short limit. */
const PATIENT: ExchangeLimits = {
  connect_ms: 60_000,
  send_ms: 60_000,
  answer_ms: 60_000,
  answer_ms_per_mib: 0,
  read_ms: 60_000,
  answer_bytes: 1024 * 1024,
};

async function thrownBy(
  address: string,
  limits: Partial<ExchangeLimits>,
  init: RequestInit = {},
  env: Record<string, string> = {},
): Promise<NetworkError> {
  try {
    await exchange(address, init, { env, limits: { ...PATIENT, ...limits } });
  } catch (error) {
    if (error instanceof NetworkError) return error;
    throw error;
  }
  throw new Error('The exchange did not fail');
}

async function serve(t: TestContext, server: Server): Promise<string> {
  return `http://127.0.0.1:${await listen(t, server)}`;
}

function upload(chunks: number, bytes: number): RequestInit {
  async function* make(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < chunks; i++) yield new Uint8Array(bytes);
  }
  return { method: 'POST', body: ReadableStream.from(make()) };
}

test('exchange ends if the TLS handshake is not answered, and reports that nothing was sent', async (t) => {
  const address = `https://127.0.0.1:${await startSilentServer(t)}`;
  const { code, message, sent, transient } = await thrownBy(address, { connect_ms: 1000 });
  assert.deepEqual([code, sent, transient], ['unreachable', false, false]);
  assert.equal(message, `Cannot reach ${address}: no TLS handshake within 1 s.`);
});

test('exchange ends if a proxy does not answer CONNECT, and names the proxy', async (t) => {
  const proxy = await startProxy(t, 'silent');
  const env = { HTTPS_PROXY: proxy.url };
  const { code, message } = await thrownBy('https://platform.test', { connect_ms: 1000 }, {}, env);
  assert.equal(code, 'proxy_failed');
  assert.equal(
    message,
    `Cannot reach platform.test:443 through the proxy ${proxy.url} (from HTTPS_PROXY): it did not answer within 1 s.`,
  );
});

test('exchange ends if no response begins, and if a response stops', async (t) => {
  const silent = `http://127.0.0.1:${await startSilentServer(t)}`;
  const none = await thrownBy(silent, { answer_ms: 200 });
  assert.deepEqual([none.code, none.sent, none.transient], ['unreachable', true, false]);
  assert.equal(none.message, `Cannot reach ${silent}: no answer within 0.2 s.`);
  const stopping = await serve(
    t,
    createServer((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half');
    }),
  );
  const half = await thrownBy(stopping, { read_ms: 200 });
  assert.equal(half.message, `Cannot reach ${stopping}: its answer stopped for 0.2 s.`);
});

test('exchange ends if the server stops reading an upload', async (t) => {
  const stopped = await serve(
    t,
    createTcpServer((socket) => socket.pause()),
  );
  const { message, sent } = await thrownBy(
    stopped,
    { send_ms: 300 },
    // More than the buffers of two sockets.
    upload(64, 1024 * 1024),
  );
  assert.equal(message, `Cannot reach ${stopped}: it stopped accepting the upload for 0.3 s.`);
  assert.equal(sent, true);
});

test('exchange limits the wait for a response from the end of the upload, with more time for a larger one', async (t) => {
  const address = await serve(
    t,
    createServer((request, response) => {
      request.resume();
      request.on('end', () => setTimeout(() => response.end('{}'), 600));
    }),
  );
  const limits = { ...PATIENT, answer_ms: 100 };
  const late = await thrownBy(address, limits, upload(2, 1024 * 1024));
  assert.match(late.message, /no answer within 0\.1 s/);
  const patient = { ...limits, answer_ms_per_mib: 30_000 };
  const answer = await exchange(address, upload(2, 1024 * 1024), { env: {}, limits: patient });
  assert.equal(answer.status, 200);
});

test('exchange does not count a slow upload in the time limit of the response', async (t) => {
  const address = await serve(
    t,
    createServer((request, response) => {
      request.resume();
      request.on('end', () => response.end('{}'));
    }),
  );
  async function* slowly(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < 20; i++) {
      yield new Uint8Array(10);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  const init = { method: 'POST', body: ReadableStream.from(slowly()) };
  const limits = { ...PATIENT, answer_ms: 3000 };
  assert.equal((await exchange(address, init, { env: {}, limits })).status, 200);
});

test('exchange reads a response that arrives before the upload is complete', async (t) => {
  const address = await serve(
    t,
    createServer((request, response) => {
      request.once('data', () => {
        request.pause();
        response.writeHead(413, { 'content-type': 'application/json' }).end('{"too":"large"}');
      });
    }),
  );
  const answer = await exchange(address, upload(64, 1024 * 1024), { env: {}, limits: PATIENT });
  assert.deepEqual([answer.status, await answer.json()], [413, { too: 'large' }]);
});

test('exchange throws the error of the body, and the reason of an aborted signal', async (t) => {
  const address = await serve(
    t,
    createServer((request) => request.resume()),
  );
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(10);
    throw new RangeError('The file has gone');
  }
  const body = ReadableStream.from(broken());
  const sending = exchange(address, { method: 'POST', body }, { env: {} });
  await assert.rejects(sending, new RangeError('The file has gone'));
  const stop = new AbortController();
  const waiting = exchange(address, { signal: stop.signal }, { env: {} });
  setTimeout(() => stop.abort(new Error('Enough')), 100);
  await assert.rejects(waiting, new Error('Enough'));
});
