// A model provider behind the system's proxy: the proxy is asked once, and named when it fails.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { askProvider } from '../src/providers/ask-provider.ts';
import { providerOf } from '../src/providers/known-providers.ts';
import { findSystemProxy } from '../src/providers/system-proxy.ts';

const run = promisify(execFile);

/**
 * A proxy that answers CONNECT with the text, or closes the connection without one. It forwards
 * nothing.
 */
async function startProxy(t: TestContext, answer: string) {
  const targets: string[] = [];
  const server = createServer((request, response) => {
    targets.push(request.url ?? '');
    response.writeHead(502).end();
  });
  server.on('connect', (request, socket: Socket) => {
    targets.push(request.url ?? '');
    if (answer === '') socket.destroy();
    else socket.end(answer);
  });
  return { url: `http://127.0.0.1:${await listen(t, server)}`, targets };
}

/** Lets the server listen until the end of the test, and returns its port. */
async function listen(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

const { signal } = new AbortController();

function questionFor(env: Record<string, string>, url = 'https://models.test/v1') {
  const provider = providerOf('custom', [], url);
  assert.ok(provider !== null);
  return { provider, model: 'm', summary: 's', key: null, env, signal, timeoutMs: 5000 };
}

const PROXY_VARIABLES = [
  'http_proxy',
  'HTTP_PROXY',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
];

/** A provider that answers every question. Returns its port. */
async function startProvider(t: TestContext): Promise<number> {
  const answer = JSON.stringify({ choices: [{ message: { content: 'of this machine' } }] });
  return await listen(
    t,
    createServer((request, response) => request.resume().on('end', () => response.end(answer))),
  );
}

test('askProvider asks a provider on this machine directly, whatever proxy is set', async (t) => {
  const proxy = await startProxy(t, 'HTTP/1.1 407 No\r\n\r\n');
  const port = await startProvider(t);
  const env = Object.fromEntries(PROXY_VARIABLES.map((name) => [name, proxy.url]));
  for (const host of ['127.0.0.1', 'localhost']) {
    const question = questionFor(env, `http://${host}:${port}/v1`);
    assert.equal(await askProvider(question), 'of this machine');
  }
  assert.deepEqual(proxy.targets, []);
});

test('askProvider asks a provider on this machine directly even with NODE_USE_ENV_PROXY', async (t) => {
  const proxy = await startProxy(t, 'HTTP/1.1 407 No\r\n\r\n');
  const url = `http://127.0.0.1:${await startProvider(t)}/v1`;
  const of = (name: string) => new URL(`../src/providers/${name}.ts`, import.meta.url).href;
  const script = `
    import { askProvider } from ${JSON.stringify(of('ask-provider'))};
    import { providerOf } from ${JSON.stringify(of('known-providers'))};
    const provider = providerOf('custom', [], ${JSON.stringify(url)});
    const { signal } = new AbortController();
    console.log(await askProvider({ provider, model: 'm', summary: 's', key: null, env: process.env, signal }));`;
  const env = {
    ...process.env,
    ...Object.fromEntries(PROXY_VARIABLES.map((name) => [name, proxy.url])),
    NODE_USE_ENV_PROXY: '1',
  };
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await run(process.execPath, args, { env, timeout: 100_000 });
  assert.equal(stdout, 'of this machine\n');
  assert.deepEqual(proxy.targets, []);
});

test('findSystemProxy prefers https_proxy to HTTPS_PROXY, and passes the exceptions on', () => {
  const found = (env: Record<string, string>) => findSystemProxy(env, (why) => new Error(why));
  assert.equal(found({}), null);
  assert.equal(found({ https_proxy: ' ', HTTPS_PROXY: '' }), null);
  assert.equal(found({ http_proxy: 'http://a.test' }), null, 'it is for plain http');
  assert.deepEqual(found({ https_proxy: ' a.test:1 ', HTTPS_PROXY: 'http://b.test' }), {
    variable: 'https_proxy',
    settings: { https_proxy: 'http://a.test:1', no_proxy: undefined },
  });
  const settings = (env: Record<string, string>) =>
    found({ HTTPS_PROXY: 'https://b.test', ...env })?.settings;
  assert.deepEqual(settings({ https_proxy: ' ', no_proxy: 'c.test', NO_PROXY: 'd.test' }), {
    https_proxy: 'https://b.test',
    no_proxy: 'c.test',
  });
  assert.equal(settings({ no_proxy: '', NO_PROXY: 'd.test' })?.['no_proxy'], 'd.test');
});

test('askProvider uses a proxy whose address has no scheme, and names its variable', async (t) => {
  const proxy = await startProxy(t, 'HTTP/1.1 407 No\r\n\r\n');
  for (const variable of ['HTTPS_PROXY', 'https_proxy']) {
    const env = { HTTPS_PROXY: 'http://other.test', [variable]: proxy.url.replace('http://', '') };
    const expected = new RegExp(`the proxy of ${variable} did not connect: .* 407 No`);
    await assert.rejects(askProvider(questionFor(env)), expected);
  }
  assert.deepEqual(proxy.targets, ['models.test:443', 'models.test:443']);
});

test("askProvider rejects a proxy that it can't use, and shows no password", async () => {
  for (const value of ['socks5://u:secret@127.0.0.1:1', 'http://', 'http://u:secret@x:99999']) {
    await assert.rejects(askProvider(questionFor({ HTTPS_PROXY: value })), (error: Error) => {
      assert.match(
        error.message,
        /HTTPS_PROXY (names a proxy with the scheme "socks5:"|does not contain)/,
      );
      return !error.message.includes('secret');
    });
  }
});

test('askProvider asks a proxy once, and reports its answer', async (t) => {
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
