// A model provider behind the system's proxy: the proxy is asked once, and named where it fails.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { askProvider } from '../src/analysis/ask-provider.ts';
import { providerOf } from '../src/analysis/providers.ts';

/** A proxy that answers CONNECT with the text, or closes the connection where there is none. */
async function startProxy(t: TestContext, answer: string) {
  const targets: string[] = [];
  const server = createServer();
  server.on('connect', (request, socket: Socket) => {
    targets.push(request.url ?? '');
    if (answer === '') socket.destroy();
    else socket.end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, targets };
}

const { signal } = new AbortController();

function questionFor(env: Record<string, string>) {
  const provider = providerOf('custom', [], 'https://models.test/v1');
  assert.ok(provider !== null);
  return { provider, model: 'm', summary: 's', key: null, env, signal, timeoutMs: 5000 };
}

test('askProvider uses a proxy whose address has no scheme, and names the variable it took', async (t) => {
  const proxy = await startProxy(t, 'HTTP/1.1 407 No\r\n\r\n');
  for (const variable of ['HTTPS_PROXY', 'https_proxy']) {
    const env = { HTTPS_PROXY: 'http://other.test', [variable]: proxy.url.replace('http://', '') };
    const expected = new RegExp(`the proxy of ${variable} did not connect: .* 407 No`);
    await assert.rejects(askProvider(questionFor(env)), expected);
  }
  assert.deepEqual(proxy.targets, ['models.test:443', 'models.test:443']);
});

test('askProvider refuses a proxy that it cannot use, and shows no password', async () => {
  for (const value of ['socks5://u:secret@127.0.0.1:1', 'http://', 'http://u:secret@x:99999']) {
    await assert.rejects(askProvider(questionFor({ HTTPS_PROXY: value })), (error: Error) => {
      assert.match(
        error.message,
        /HTTPS_PROXY (names a proxy of the kind "socks5:"|does not hold)/,
      );
      return !error.message.includes('secret');
    });
  }
});

test('askProvider asks a proxy once, and says what it did', async (t) => {
  const cases: [string, RegExp][] = [
    ['', /through the proxy that HTTPS_PROXY names failed|proxy of HTTPS_PROXY did not connect/],
    ['HTTP/1.1 407 No\r\n\r\n', /proxy of HTTPS_PROXY did not connect: .* 407 No/],
  ];
  for (const [answer, expected] of cases) {
    const proxy = await startProxy(t, answer);
    const env = { HTTPS_PROXY: proxy.url };
    await assert.rejects(askProvider(questionFor(env)), expected);
    assert.deepEqual(proxy.targets, ['models.test:443']);
  }
});
