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

test('askProvider asks a proxy once, and says what it did', async (t) => {
  const custom = providerOf('custom', [], 'https://models.test/v1');
  assert.ok(custom !== null);
  const { signal } = new AbortController();
  const cases: [string, RegExp][] = [
    ['', /by the proxy of HTTPS_PROXY failed|proxy of HTTPS_PROXY did not connect/],
    ['HTTP/1.1 407 No\r\n\r\n', /proxy of HTTPS_PROXY did not connect: .* 407 No/],
  ];
  for (const [answer, expected] of cases) {
    const proxy = await startProxy(t, answer);
    const env = { HTTPS_PROXY: proxy.url };
    const question = { provider: custom, model: 'm', summary: 's', key: null, env, signal };
    await assert.rejects(askProvider({ ...question, timeoutMs: 5000 }), expected);
    assert.deepEqual(proxy.targets, ['models.test:443']);
  }
});
