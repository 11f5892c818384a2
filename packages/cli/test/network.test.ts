// Between `svc` and the platform: failing proxies, wrong certificates, addresses without a platform.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { testWithTls } from './certificates.ts';
import { type Answer, error, json, ME, startFaultyPlatform, TOKEN } from './faulty-platform.ts';
import { closedPort, listen, startProxy, startTlsServer } from './sockets.ts';
import { type Finished, runSvc, temporaryFolder } from './svc.ts';

const API = 'https://platform.test';

async function whoami(
  t: TestContext,
  env: Readonly<Record<string, string>>,
): Promise<Finished & { error: { code: string; exit_code: number; message: string } }> {
  const options = { env: { SVC_TOKEN: TOKEN, SVC_API: API, ...env } };
  const finished = await runSvc(t, ['whoami', '--json'], options);
  return { ...finished, error: JSON.parse(finished.stdout).error };
}

test('svc tries a proxy that drops CONNECT four times, then exits with 10 and names the proxy', async (t) => {
  const proxy = await startProxy(t, 'drop');
  const { code, stderr, error: reported } = await whoami(t, { HTTPS_PROXY: proxy.url });
  assert.deepEqual([code, reported.code, reported.exit_code], [10, 'proxy_failed', 10]);
  assert.equal(proxy.asked.length, 4);
  assert.equal(proxy.asked[0]?.target, 'platform.test:443');
  assert.ok(stderr.includes(`the proxy ${proxy.url} (from HTTPS_PROXY)`), stderr);
  assert.match(stderr, /NO_PROXY/);
});

test('svc reports the response of a proxy, and retries only after a transient one', async (t) => {
  const cases: [number, number, RegExp][] = [
    [407, 1, /requires a user name and password \(407\)\.\nSet HTTPS_PROXY to/],
    [403, 1, /the proxy refuses to connect to it \(403 No\)/],
    [502, 4, /the proxy cannot connect to it \(502 No\)/],
  ];
  for (const [status, tries, expected] of cases) {
    const proxy = await startProxy(t, status);
    const { code, stderr } = await whoami(t, { HTTPS_PROXY: proxy.url });
    assert.deepEqual([code, proxy.asked.length], [10, tries], stderr);
    assert.match(stderr, expected);
    assert.ok(stderr.includes(proxy.url));
  }
});

test('svc sends a proxy its user name and password, and never prints them', async (t) => {
  const proxy = await startProxy(t, 407);
  const address = `http://ada:s%40crecy@127.0.0.1:${proxy.port}`;
  const { stdout, stderr } = await whoami(t, { https_proxy: address });
  const basic = `Basic ${Buffer.from('ada:s@crecy').toString('base64')}`;
  assert.equal(proxy.asked[0]?.authorization, basic);
  assert.match(stderr, /rejected the user name and password \(407\)/);
  assert.doesNotMatch(stdout + stderr, /crecy|ada/);
});

test('svc reports an unreachable proxy, and not the platform', async (t) => {
  const url = `http://127.0.0.1:${await closedPort()}`;
  const { code, error: reported } = await whoami(t, { HTTPS_PROXY: url });
  assert.deepEqual([code, reported.code], [10, 'proxy_failed']);
  assert.equal(
    reported.message,
    `Cannot reach the proxy ${url} (from HTTPS_PROXY): the connection was refused.`,
  );
});

test('svc rejects an unsupported kind of proxy', async (t) => {
  for (const value of ['socks5://127.0.0.1:1', 'http://', 'http://a b']) {
    const { code, stderr } = await whoami(t, { HTTPS_PROXY: value });
    assert.equal(code, 2, stderr);
    assert.match(stderr, /HTTPS_PROXY/);
  }
});

testWithTls(
  'svc works through a proxy, and past it where NO_PROXY says so',
  temporaryFolder,
  async (t, { caFile, good }) => {
    const asked: [string | undefined, string | undefined][] = [];
    const port = await startTlsServer(t, good, (request, response) => {
      asked.push([request.url, request.headers['proxy-authorization']]);
      json(200, ME)(request, response);
    });
    const proxy = await startProxy(t, { to: port });
    const address = proxy.url.replace('//', '//ada:secret@');
    const env = { NODE_EXTRA_CA_CERTS: caFile, HTTPS_PROXY: address };
    const through = await whoami(t, env);
    assert.equal(through.code, 0, through.stderr);
    assert.deepEqual(asked, [['/me', undefined]], 'the proxy’s password is for the proxy alone');
    assert.equal(JSON.parse(through.stdout).user.name, 'Ada');
    assert.equal(proxy.asked.length, 1);
    // svc does not treat this name as this machine, although it leads here.
    const here = { ...env, SVC_API: `https://0.0.0.0:${port}` };
    assert.equal((await whoami(t, here)).code, 0);
    assert.equal(proxy.asked.length, 2);
    const past = await whoami(t, { ...here, NO_PROXY: 'example.com, 0.0.0.0' });
    assert.equal(past.code, 0, past.stderr);
    const local = await whoami(t, { ...env, SVC_API: `https://127.0.0.1:${port}` });
    assert.equal(local.code, 0, local.stderr);
    assert.equal(proxy.asked.length, 2);
  },
);

testWithTls(
  'svc explains a certificate that it cannot trust, and tries once',
  temporaryFolder,
  async (t, certificates) => {
    const { caFile, selfSigned, expired, otherName, good } = certificates;
    const cases = [
      [selfSigned, /certificate is self-signed\.\n.*NODE_EXTRA_CA_CERTS/, caFile],
      [expired, /certificate has expired\.\n.*operator/, caFile],
      [otherName, /certificate is not for 127\.0\.0\.1; it is for other\.test/, caFile],
      [good, /an issuer that this machine does not trust\.\n.*NODE_EXTRA_CA_CERTS/, ''],
    ] as const;
    for (const [certificate, expected, ca] of cases) {
      const api = `https://127.0.0.1:${await startTlsServer(t, certificate, json(200, ME))}`;
      const {
        code,
        stderr,
        error: reported,
      } = await whoami(t, {
        SVC_API: api,
        ...(ca === '' ? {} : { NODE_EXTRA_CA_CERTS: ca }),
      });
      assert.deepEqual([code, reported.code], [10, 'tls_failed'], stderr);
      assert.ok(reported.message.includes(api));
      assert.match(stderr, expected);
      assert.doesNotMatch(stderr, /Trying again/);
    }
  },
);

test('svc reports an https: address without TLS, and an http: address without HTTP', async (t) => {
  const platform = await startFaultyPlatform(t, { 'GET /me': json(200, ME) });
  const tls = await whoami(t, { SVC_API: platform.url.replace('http:', 'https:') });
  assert.deepEqual([tls.code, tls.error.code], [10, 'tls_failed'], tls.stderr);
  assert.match(tls.stderr, /does not speak TLS/);
  assert.doesNotMatch(tls.stderr, /Trying again/);
  const other = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
  const plain = await whoami(t, { SVC_API: `http://127.0.0.1:${await listen(t, other)}` });
  assert.deepEqual([plain.code, plain.error.code], [11, 'answer_unreadable'], plain.stderr);
  assert.match(plain.stderr, /does not speak HTTP/);
});

test('svc reports an address of a server that is not a platform', async (t) => {
  const page =
    (status: number): Answer =>
    (_, response) => {
      response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' });
      response.end('<!doctype html><title>Hello</title>');
    };
  const cases: [Answer, RegExp][] = [
    [page(200), /it answered with a web page \(200\)/],
    [page(404), /it answered with a web page \(404\)/],
    [page(401), /it answered with a web page \(401\)/],
    [json(404, { message: 'Not Found' }), /it answered with JSON in another form \(404\)/],
    [json(200, { hello: 'world' }), /fields are missing in its response/],
    [(_, response) => response.end('OK'), /it answered with content of an unknown type \(200\)/],
    [json(200, ['no'], { 'content-type': 'text/plain' }), /it answered with text\/plain \(200\)/],
  ];
  for (const [answer, expected] of cases) {
    const platform = await startFaultyPlatform(t, { 'GET /me': answer });
    const { code, stderr, error: reported } = await whoami(t, { SVC_API: platform.url });
    assert.deepEqual([code, reported.code], [11, 'answer_unreadable'], stderr);
    assert.ok(
      reported.message.startsWith(`${platform.url} is not the address of a publishing platform`),
    );
    assert.match(reported.message, expected);
    assert.equal(platform.seen.length, 1);
  }
});

test('svc reports a platform’s own 404 and a gateway’s 502 as such', async (t) => {
  const absent = await startFaultyPlatform(t, { 'GET /me': error(404, 'not_found', 'No route') });
  assert.equal((await whoami(t, { SVC_API: absent.url })).error.code, 'not_found');
  const gateway: Answer = (_, response) => {
    response.writeHead(502, { 'content-type': 'text/html' });
    response.end('<h1>Bad gateway</h1>');
  };
  const away = await startFaultyPlatform(t, { 'GET /me': [gateway, json(200, ME)] });
  const back = await whoami(t, { SVC_API: away.url });
  assert.equal(back.code, 0, back.stderr);
  assert.match(back.stderr, /Trying again/);
});

test('svc does not question the address if a gateway in front of the platform answers with a page', async (t) => {
  const cases: [number, number, RegExp][] = [
    [413, 8, /A server in front of the platform limits the size of an upload\./],
    [501, 11, /try again later/],
    [520, 11, /try again later/],
    [530, 11, /try again later/],
  ];
  for (const [status, exitCode, hint] of cases) {
    const page: Answer = (_, response) => {
      response.writeHead(status, { 'content-type': 'text/html' });
      response.end('<h1>Gateway</h1>');
    };
    const platform = await startFaultyPlatform(t, { 'GET /me': page });
    const { code, stderr, error: reported } = await whoami(t, { SVC_API: platform.url });
    assert.deepEqual([code, reported.code], [exitCode, 'answer_unreadable'], stderr);
    const expected = `${platform.url} answered with status ${status}, but not in the form of a publishing platform.`;
    assert.equal(reported.message, expected);
    assert.match(stderr, hint);
  }
});

test('svc writes no control character of a response to the terminal when it retries', async (t) => {
  const busy = error(503, 'busy', 'Busy \x1b[2J\nnow');
  const platform = await startFaultyPlatform(t, { 'GET /me': [busy, json(200, ME)] });
  const { code, stderr } = await whoami(t, { SVC_API: platform.url });
  assert.equal(code, 0, stderr);
  assert.ok(!stderr.includes('\x1b'));
  assert.match(stderr, /^Busy \\x1b\[2J\\nnow\. Trying again in /);
});

testWithTls(
  'svc says how to trust the certificate of a proxy, and how to go past it',
  temporaryFolder,
  async (t, { good }) => {
    const url = `https://127.0.0.1:${await startTlsServer(t, good, json(200, ME))}`;
    const { code, stderr, error: reported } = await whoami(t, { HTTPS_PROXY: url });
    assert.deepEqual([code, reported.code], [10, 'proxy_failed'], stderr);
    assert.match(reported.message, /an issuer that this machine does not trust/);
    assert.match(stderr, /NODE_EXTRA_CA_CERTS=.*NO_PROXY/);
    assert.doesNotMatch(stderr, /Trying again/);
  },
);
