// Every request under /api is checked in the contract's order. The page needs less and reveals
// nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AGENT_ROUTES } from '@svc/contracts/agent';
import { authorityOf } from '../src/access/guard-request.ts';
import { type Answer, ask, askRaw, startTestAgent, type TestAgent } from './harness.ts';

let running: TestAgent;
before(async () => {
  running = await startTestAgent();
});
after(() => running[Symbol.asyncDispose]());

/** A request with exactly these header lines. */
function raw(lines: readonly string[], first = 'GET /api/status HTTP/1.1'): Promise<Answer> {
  return askRaw(running.port, `${[first, ...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);
}

const host = (): string => `Host: 127.0.0.1:${running.port}`;
const bearer = (): string => `Authorization: Bearer ${running.agent.token}`;

test('Host must be present once and be exactly 127.0.0.1:PORT', async () => {
  const { port } = running;
  const rows: string[][] = [
    [],
    [`Host: localhost:${port}`],
    [`Host: [::1]:${port}`],
    ['Host: 127.0.0.1'],
    ['Host:'],
    [`Host: 127.0.0.1:${port}1`],
    [`Host: 127.0.0.1:${port}:80`],
    [`Host: 127.0.0.1.:${port}`],
    [`Host: 127.1:${port}`],
    [`Host: user@127.0.0.1:${port}`],
    [`Host: 127.0.0.1:${port}, evil.example`],
    [host(), 'Host: evil.example'],
    [host(), host()],
    ['Host: evil.example', host()],
    [`X-Forwarded-Host: 127.0.0.1:${port}`, 'Host: evil.example'],
  ];
  for (const lines of rows) {
    const answer = await raw([...lines, bearer()]);
    assert.equal(answer.code, 'host_not_allowed', lines.join(' | '));
    const page = await raw(lines, 'GET / HTTP/1.1');
    assert.equal(page.code, 'host_not_allowed', `page: ${lines.join(' | ')}`);
  }
  assert.equal((await raw([host().toLowerCase(), bearer()])).status, 200);
  assert.equal((await raw([bearer()], 'GET /api/status HTTP/1.0')).code, 'host_not_allowed');
});

test('an absolute URL in the request line must name the same host as Host', async () => {
  const { port } = running;
  const foreign = [
    'http://evil.example/api/status',
    `http://evil.example:${port}/api/status`,
    `http://user@127.0.0.1:${port}/api/status`,
    `http://localhost:${port}/api/status`,
    'HTTPS://evil.example/api/status',
    'http://evil.example?/api/status',
    'ftp://evil.example/api/status',
    'http://evil.example/',
  ];
  for (const address of foreign) {
    const answer = await raw([host(), bearer()], `GET ${address} HTTP/1.1`);
    assert.equal(answer.code, 'host_not_allowed', address);
  }
  const own = `GET http://127.0.0.1:${port}/api/status HTTP/1.1`;
  assert.equal((await raw([host(), bearer()], own)).status, 200);
  assert.equal((await raw(['Host: evil.example', bearer()], own)).code, 'host_not_allowed');
  assert.equal((await raw([host()], `GET http://127.0.0.1:${port} HTTP/1.1`)).status, 200, 'page');
});

test('authorityOf contains the port, except 80, which clients leave out', () => {
  assert.equal(authorityOf(6767), '127.0.0.1:6767');
  assert.equal(authorityOf(80), '127.0.0.1');
});

test("Origin must be the agent's own if present, and Sec-Fetch-Site same-origin or none", async () => {
  const own = `Origin: http://127.0.0.1:${running.port}`;
  const rows: [string[], number][] = [
    [[], 200],
    [[own], 200],
    [['Sec-Fetch-Site: same-origin'], 200],
    [['Sec-Fetch-Site: none'], 200],
    [['Origin: null'], 403],
    [['Origin:'], 403],
    [['Origin: http://127.0.0.1'], 403],
    [[`Origin: https://127.0.0.1:${running.port}`], 403],
    [[`Origin: http://localhost:${running.port}`], 403],
    [[`Origin: http://127.0.0.1:${running.port}.evil.example`], 403],
    [[own, 'Origin: http://evil.example'], 403],
    [['Sec-Fetch-Site: cross-site'], 403],
    [['Sec-Fetch-Site: same-site'], 403],
    [[own, 'Sec-Fetch-Site: same-site'], 403],
  ];
  for (const [lines, status] of rows) {
    const answer = await raw([host(), bearer(), ...lines]);
    assert.equal(answer.status, status, lines.join(' | '));
    if (status === 403) assert.equal(answer.code, 'origin_not_allowed');
  }
});

test('the token is accepted only as one complete bearer token, and the refusal has a challenge', async () => {
  const { token } = running.agent;
  const rows = [
    [],
    ['Authorization: Bearer'],
    ['Authorization: Bearer wrong'],
    [`Authorization: Bearer ${token}x`],
    [`Authorization: Bearer ${token.slice(0, -1)}`],
    [`Authorization: Bearer ${token} ${token}`],
    [`Authorization: Basic ${token}`],
    [`Authorization: ${token}`],
    [`Cookie: token=${token}`],
    [bearer(), 'Authorization: Bearer wrong'],
  ];
  for (const lines of rows) {
    const answer = await raw([host(), ...lines]);
    assert.equal(answer.code, 'unauthenticated', lines.join(' | '));
    assert.equal(answer.headers['www-authenticate'], 'Bearer');
  }
  const query = await raw([host()], `GET /api/status?token=${token} HTTP/1.1`);
  assert.equal(query.code, 'unauthenticated');
  assert.equal((await raw([host(), `authorization: bearer ${token}`])).status, 200);
});

test('checks run in order: Host, Origin, token, path, method', async () => {
  const wrongHost = 'Host: evil.example';
  const wrongOrigin = 'Origin: http://evil.example';
  const first = 'DELETE /api/nothing HTTP/1.1';
  assert.equal((await raw([wrongHost, wrongOrigin], first)).code, 'host_not_allowed');
  assert.equal((await raw([host(), wrongOrigin], first)).code, 'origin_not_allowed');
  assert.equal((await raw([host()], first)).code, 'unauthenticated');
  assert.equal((await raw([host(), bearer()], first)).code, 'not_found');
  const method = await raw([host(), bearer()], 'DELETE /api/status HTTP/1.1');
  assert.deepEqual([method.code, method.headers['allow']], ['method_not_allowed', 'GET']);
});

test('a client without the token learns nothing about routes, however the path is written', async () => {
  const paths = [
    '/api',
    '/api/',
    '/api/nothing',
    '/api/status/',
    '/API/status',
    '/%61pi/status',
    '/api%2fstatus',
    '//api/status',
    '/api/status?x=1',
    '/api/%',
    '/api/%zz',
    `http://127.0.0.1:${running.port}/api/status`,
  ];
  for (const path of paths) {
    const answer = await raw([host()], `GET ${path} HTTP/1.1`);
    assert.equal(answer.code, 'unauthenticated', path);
  }
  for (const path of ['/api/status/', '/api/Status', '/api//status', '/api/../api/status']) {
    assert.equal((await ask(running, 'GET', path)).code, 'not_found', path);
  }
});

test('every path answers other methods with 405 and its own methods in Allow, and OPTIONS likewise', async () => {
  const paths = new Set(Object.values(AGENT_ROUTES).map(({ path }) => path));
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];
  for (const path of paths) {
    const own = Object.values(AGENT_ROUTES)
      .filter((route) => route.path === path)
      .map(({ method }): string => method)
      .sort();
    for (const method of methods.filter((one) => !own.includes(one))) {
      const answer = await ask(running, method, path);
      assert.deepEqual([answer.status, answer.headers['allow']], [405, own.join(', ')], path);
    }
  }
});

test('answers of the API are not cached, and grant other origins nothing', async () => {
  const own = { origin: running.agent.origin, 'access-control-request-method': 'GET' };
  for (const method of ['GET', 'OPTIONS']) {
    const answer = await ask(running, method, '/api/status', { headers: own });
    assert.equal(answer.headers['cache-control'], 'no-store', method);
    assert.equal(answer.headers['x-content-type-options'], 'nosniff', method);
  }
  const status = await ask(running, 'GET', '/api/status');
  assert.equal(status.headers['cross-origin-resource-policy'], 'same-origin');
});

test('a JSON body, and the body of a start, may have exactly 64 KiB', async () => {
  const type = { 'content-type': 'application/json' };
  for (const [path, code] of [
    ['/api/start', 'no_target'],
    ['/api/analyze', 'no_trace'],
  ] as const) {
    const whole = path === '/api/start' ? '{}' : '{"offline":true}';
    const body = whole.padEnd(64 * 1024);
    assert.equal((await ask(running, 'POST', path, { body, headers: type })).code, code);
    const more = await ask(running, 'POST', path, { body: `${body} `, headers: type });
    assert.equal(more.code, 'payload_too_large', path);
  }
});

test('only GET /api/live becomes a WebSocket; any other upgrade is answered as a request', async () => {
  const upgrade = ['Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
  const rows: [string, string, number, string | null][] = [
    ['GET /api/status', 'websocket', 200, null],
    ['GET /api/live/', 'websocket', 404, 'not_found'],
    ['GET /api/live', 'h2c', 400, 'subprotocol_required'],
    ['POST /api/live', 'websocket', 405, 'method_not_allowed'],
    ['GET /', 'websocket', 200, null],
    ['GET /api/live?x=1', 'websocket', 400, 'subprotocol_required'],
  ];
  for (const [first, protocol, status, code] of rows) {
    const lines = [host(), bearer(), ...upgrade, key, `Upgrade: ${protocol}`];
    const answer = await raw(lines, `${first} HTTP/1.1`);
    assert.deepEqual([answer.status, answer.code], [status, code], `${first} ${protocol}`);
  }
});

test('the page needs no token, loads after a cross-site navigation, and has a strict policy', async () => {
  for (const lines of [[], ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate']]) {
    const answer = await raw([host(), ...lines], 'GET / HTTP/1.1');
    assert.equal(answer.status, 200);
    const { headers } = answer;
    assert.deepEqual(String(headers['content-security-policy']).split('; '), [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data: blob:",
      "font-src 'self'",
      `connect-src 'self' ws://127.0.0.1:${running.port}`,
      "worker-src 'self'",
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    assert.equal(headers['cache-control'], 'no-cache');
    assert.ok(!answer.text.includes(running.agent.token));
  }
  const script = await ask(running, 'GET', '/assets/app.js', { token: null });
  assert.equal(script.headers['content-type'], 'text/javascript; charset=utf-8');
  assert.equal((await raw([host(), 'Origin: null'], 'GET / HTTP/1.1')).code, 'origin_not_allowed');
  assert.equal((await ask(running, 'HEAD', '/', { token: null })).status, 200);
  assert.equal((await ask(running, 'POST', '/', { token: null })).headers['allow'], 'GET, HEAD');
  for (const path of [
    '/nothing',
    '/assets/',
    '/assets/../../etc/passwd',
    '/%2e%2e/%2e%2e/etc/passwd',
  ]) {
    assert.equal((await ask(running, 'GET', path, { token: null })).code, 'not_found', path);
  }
});

test('malformed HTTP is answered with 400 bad_request in the envelope', async () => {
  const rows = ['NONSENSE\r\n\r\n', 'GET /\0 HTTP/1.1\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n'];
  for (const text of rows) {
    assert.equal((await askRaw(running.port, text)).code, 'bad_request', JSON.stringify(text));
  }
  const both = [host(), bearer(), 'Content-Length: 2', 'Transfer-Encoding: chunked'];
  assert.equal((await raw(both, 'POST /api/start HTTP/1.1')).code, 'bad_request');
});
