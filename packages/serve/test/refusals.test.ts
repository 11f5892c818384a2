// The content of error answers: the order of the checks, the place of the fault, and the client's address.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { connectBounded } from '../../../scripts/connect-bounded.ts';
import { ApiError, type ServeOptions } from '../src/index.ts';
import { numberRequests } from './number-requests.ts';
import { ask, JSON_TYPE, post, raw, serving } from './serving.ts';

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const last = (path: string, more = ''): string => get(path, `${more}Connection: close\r\n`);

test("the guard refuses before an address is examined, even one that can't be decoded", async () => {
  const guard = (): never => {
    throw new ApiError('unauthenticated', 'Who?');
  };
  await serving(
    async (port, server) => {
      server.refuseNew();
      const rows = [
        last('/thing'),
        last('/nothing'),
        last('/thing').replace('GET', 'DELETE'),
        last('/%zz'),
        last('http://evil.example/thing'),
      ];
      for (const text of rows) {
        assert.match(await raw(port, text), /^HTTP\/1\.1 401 .*"code":"unauthenticated"/s, text);
      }
    },
    { guard },
  );
});

test('a JSON fault has a line and column, and other faults do not', async () => {
  await serving(async (port) => {
    const torn = await ask(port, '/thing', post('{\n"count": ,'));
    const { line, column } = Object(torn.body).error;
    assert.deepEqual([line, column], [2, 10]);
    for (const body of ['', '{"count":"5"}', '{"__proto__":1}']) {
      const answer = await ask(port, '/thing', post(body));
      assert.deepEqual(Object.keys(Object(answer.body).error), ['code', 'message'], body);
    }
  });
});

test("the refusal of an empty body lists the required fields, and of a large one the route's limit", async () => {
  const needs = (...required: string[]): object => ({ body: { type: 'object', required } });
  const routes: ServeOptions['routes'] = (app) => {
    app.post('/any', { schema: needs() }, async () => ({}));
    app.post('/two', { schema: needs('count', 'name') }, async () => ({}));
    app.post('/little', { bodyLimit: 10 }, async () => ({}));
  };
  await serving(
    async (port) => {
      const rows: [path: string, body: string, message: string][] = [
        ['/any', '', 'The body is empty. Allowed: a JSON object, sent as application/json'],
        [
          '/two',
          '',
          'The body is empty. Allowed: a JSON object with count and name, sent as application/json',
        ],
        ['/little', '"123456789"', 'The body is too large. Allowed: at most 10 bytes'],
      ];
      for (const [path, body, message] of rows) {
        const answer = await ask(port, path, post(body));
        assert.equal(Object(answer.body).error.message, message);
      }
      assert.equal((await ask(port, '/little', post('"12345678"'))).status, 200);
    },
    { routes },
  );
});

test("a handler's refusal is sent with its headers, its position and its details", async () => {
  const details = [{ path: 'a/b', message: 'no' }];
  const routes: ServeOptions['routes'] = (app) => {
    app.get('/refuses', async () => {
      throw new ApiError('unauthenticated', 'Who?', {
        headers: { 'WWW-Authenticate': 'Bearer' },
        line: 3,
        column: 4,
        details,
      });
    });
  };
  await serving(
    async (port, _server, { failures }) => {
      const { status, headers, body } = await ask(port, '/refuses');
      assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Bearer']);
      const error = { code: 'unauthenticated', message: 'Who?', line: 3, column: 4, details };
      assert.deepEqual(body, { error });
      assert.deepEqual(failures, []);
    },
    { routes },
  );
});

test('an ApiError keeps its cause, and has none by default', () => {
  const cause = new Error('inside');
  const error = new ApiError('busy', 'Later', { cause });
  assert.deepEqual([error.name, error.cause], ['ApiError', cause]);
  assert.equal(Object.hasOwn(new ApiError('busy', 'Later'), 'cause'), false);
});

test('a parameter that is too long for the router is not found, and not a failure inside', async () => {
  const routes: ServeOptions['routes'] = (app) => {
    app.get('/of/:id', async () => ({}));
  };
  await serving(
    async (port, _server, { failures }) => {
      assert.equal((await ask(port, `/of/${'x'.repeat(100)}`)).status, 200);
      const long = await ask(port, `/of/${'x'.repeat(101)}`);
      assert.deepEqual([long.status, long.code], [404, 'not_found']);
      assert.deepEqual(failures, []);
    },
    { routes },
  );
});

test('a client that disconnects during its body is not a failure inside', async () => {
  await serving(async (port, server, { failures }) => {
    const accepted = once(server.app.server, 'connection', { signal: AbortSignal.timeout(10_000) });
    const asked = once(server.app.server, 'request', { signal: AbortSignal.timeout(10_000) });
    const client = connectBounded(port).on('error', () => {});
    client.write(
      `POST /thing HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
    );
    const [socket]: Socket[] = await accepted;
    assert.ok(socket);
    await asked;
    const gone = once(socket, 'close', { signal: AbortSignal.timeout(10_000) });
    client.destroy();
    await gone;
    assert.equal((await ask(port, '/thing')).status, 200);
    assert.deepEqual(failures, []);
  });
});

test("the client's address is that of its connection, unless a proxy is trusted", async () => {
  const routes: ServeOptions['routes'] = (app) => {
    app.get('/ip', async ({ ip }) => ({ ip }));
  };
  const forwarded = { headers: { 'x-forwarded-for': '203.0.113.7' } };
  for (const [trustProxy, ip] of [
    [undefined, '127.0.0.1'],
    ['10.0.0.0/8', '127.0.0.1'],
    ['127.0.0.1', '203.0.113.7'],
  ] as const) {
    await serving(
      async (port) => assert.deepEqual((await ask(port, '/ip', forwarded)).body, { ip }),
      { routes, ...(trustProxy === undefined ? {} : { trustProxy }) },
    );
  }
});

test('Allow lists every method of a path in alphabetical order', async () => {
  const routes: ServeOptions['routes'] = (app) => {
    app.route({ method: ['PUT', 'GET', 'HEAD'], url: '/both', handler: async () => ({}) });
    app.delete('/both', async () => ({}));
  };
  await serving(
    async (port) => {
      const { status, headers } = await ask(port, '/both', { method: 'POST' });
      assert.deepEqual([status, headers.get('allow')], [405, 'DELETE, GET, HEAD, PUT']);
      assert.equal((await ask(port, '/both', { method: 'HEAD' })).status, 200);
    },
    { routes },
  );
});

test('an unknown expectation is ignored', async () => {
  await serving(async (port) => {
    const answer = await raw(port, last('/thing', 'Expect: the-unexpected\r\n'));
    assert.match(answer, /^HTTP\/1\.1 200 .*"ok":true/s);
  });
});

test('answers state how long a connection may wait for its next request', async () => {
  await serving(async (port) => {
    assert.equal((await ask(port, '/thing')).headers.get('keep-alive'), 'timeout=72');
  });
});

test('an absolute URL is parsed case-insensitively, and its path may be missing', async () => {
  const routes: ServeOptions['routes'] = (app) => {
    app.get('/*', async ({ url }) => ({ url }));
  };
  await serving(
    async (port) => {
      const rows: [target: string, host: string, url: string][] = [
        ['HTTP://a.example/Thing', 'a.example', '/Thing'],
        ['http://A.example:80/', 'a.EXAMPLE:80', '/'],
        ['http://a.example?x=1', 'a.example', '/?x=1'],
      ];
      for (const [target, host, url] of rows) {
        const text = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
        const answer = await raw(port, text);
        assert.equal(answer.split('\r\n\r\n')[1], JSON.stringify({ url }), target);
      }
    },
    { routes },
  );
});

test('answers on a bare socket, or before the routes, have a reason, an id and their length in bytes', async () => {
  await serving(
    async (port) => {
      const bare = await raw(port, 'NONSENSE\r\n\r\n');
      assert.match(bare, /^HTTP\/1\.1 400 Bad Request\r\nX-Request-Id: id-1\r\n/);
      const hostless = await raw(port, 'GET /thing HTTP/1.1\r\n\r\n');
      assert.match(hostless, /^HTTP\/1\.1 400 Bad Request\r\nX-Request-Id: id-2\r\n/);
      for (const line of [
        'Content-Type: application/json; charset=utf-8',
        'Cache-Control: no-store',
        'X-Content-Type-Options: nosniff',
      ]) {
        assert.ok(hostless.includes(`\r\n${line}\r\n`), line);
      }
      const twice = 'GET /thing HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n';
      assert.match(await raw(port, twice), /^HTTP\/1\.1 400 /, 'HTTP/1.0 may leave it out only');
    },
    { oneHost: true, watch: numberRequests() },
  );
});

test('a query is validated as text, and never converted to numbers', async () => {
  const routes: ServeOptions['routes'] = (app) => {
    const query = { type: 'object', properties: { count: { type: 'integer' } } };
    app.get('/counts', { schema: { querystring: query } }, async () => ({}));
  };
  await serving(
    async (port) => {
      assert.equal((await ask(port, '/counts?count=5', { headers: JSON_TYPE })).status, 400);
      assert.equal((await ask(port, '/counts')).status, 200);
    },
    { routes },
  );
});
