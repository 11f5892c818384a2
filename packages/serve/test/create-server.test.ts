// The server through its door: what every refusal looks like, in which order, and that nothing is left behind.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { until } from '../../../scripts/until.ts';
import { ApiError, createServer, type ServeOptions, type Server } from '../src/index.ts';

const ERRORS = {
  bad_request: { status: 400 },
  invalid_input: { status: 400 },
  unauthenticated: { status: 401 },
  not_found: { status: 404 },
  method_not_allowed: { status: 405 },
  request_timeout: { status: 408 },
  payload_too_large: { status: 413 },
  unsupported_media_type: { status: 415 },
  internal: { status: 500 },
  busy: { status: 503 },
  deadline_exceeded: { status: 503 },
  shutting_down: { status: 503 },
};

const CODES = {
  malformed: 'bad_request',
  invalid_input: 'invalid_input',
  not_found: 'not_found',
  method_not_allowed: 'method_not_allowed',
  body_too_large: 'payload_too_large',
  media_type: 'unsupported_media_type',
  too_slow: 'request_timeout',
  too_long: 'deadline_exceeded',
  busy: 'busy',
  closing: 'shutting_down',
  internal: 'internal',
};

type Held = { readonly release: () => void; readonly failures: unknown[] };

async function serving(
  use: (port: number, server: Server, held: Held) => Promise<void>,
  options: Partial<ServeOptions> = {},
): Promise<void> {
  const gate = Promise.withResolvers<void>();
  const failures: unknown[] = [];
  const server = await createServer({
    errors: ERRORS,
    codes: CODES,
    requestMs: 20_000,
    handlers: 2,
    bodyBytes: 1_000,
    onFailure: (error) => failures.push(error),
    routes: (app) => {
      app.get('/thing', async () => ({ ok: true }));
      const body = {
        type: 'object',
        properties: { count: { type: 'number' } },
        additionalProperties: false,
      };
      app.post('/thing', { schema: { body } }, async (request) => ({ got: request.body }));
      app.get('/held', async () => {
        await gate.promise;
        return { held: true };
      });
      app.get('/fails', async () => {
        throw new Error('a secret of the inside');
      });
      app.get('/foreign', async () => {
        throw new ApiError('not_in_the_table', 'no');
      });
    },
    ...options,
  });
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  try {
    await use(port, server, { release: gate.resolve, failures });
  } finally {
    gate.resolve();
    await server.close(1_000);
  }
}

type Answer = { status: number; code: string | null; headers: Headers; body: unknown };

async function ask(port: number, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  const text = await response.text();
  const body: unknown = text === '' ? null : JSON.parse(text);
  return { status: response.status, code: codeOf(body), headers: response.headers, body };
}

function codeOf(body: unknown): string | null {
  const error = Object(Object(body).error);
  return typeof error.code === 'string' ? error.code : null;
}

/** Sends bytes and answers all that comes back until the connection closes. */
function raw(port: number, text: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', (error) => {
    answer += error.message;
  });
  socket.on('close', () => resolve(answer));
  socket.write(text);
  return promise;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const post = (body: BodyInit, headers: Record<string, string> = JSON_TYPE): RequestInit => ({
  method: 'POST',
  body,
  headers,
});
type BodyInit = NonNullable<RequestInit['body']>;

test('a route answers, and every other method of its path gets 405 with Allow', async () => {
  await serving(async (port) => {
    assert.deepEqual((await ask(port, '/thing')).body, { ok: true });
    for (const method of ['DELETE', 'PUT', 'HEAD', 'OPTIONS', 'PROPFIND']) {
      const { status, headers } = await ask(port, '/thing', { method });
      assert.deepEqual([method, status, headers.get('allow')], [method, 405, 'GET, POST']);
    }
    assert.equal((await ask(port, '/nothing')).code, 'not_found');
    assert.equal((await ask(port, '/nothing', post('no json'))).code, 'not_found');
  });
});

test('a body is refused for what is wrong with it, and never changed into something else', async () => {
  await serving(async (port) => {
    const rows: [BodyInit, Record<string, string>, string][] = [
      ['{"count":"5"}', JSON_TYPE, 'invalid_input'],
      ['{"count":5,"more":1}', JSON_TYPE, 'invalid_input'],
      ['{"count":5', JSON_TYPE, 'invalid_input'],
      ['', JSON_TYPE, 'invalid_input'],
      [Buffer.from([0x7b, 0xff, 0x7d]), JSON_TYPE, 'invalid_input'],
      ['{"__proto__":{}}', JSON_TYPE, 'invalid_input'],
      ['{}', { 'content-type': 'text/plain' }, 'unsupported_media_type'],
      ['{}', { 'content-type': 'nonsense' }, 'unsupported_media_type'],
      ['x'.repeat(2_000), JSON_TYPE, 'payload_too_large'],
    ];
    for (const [body, headers, code] of rows) {
      assert.equal((await ask(port, '/thing', post(body, headers))).code, code, String(body));
    }
    assert.deepEqual((await ask(port, '/thing', post('{"count":5}'))).body, { got: { count: 5 } });
  });
});

test('a client that sends far too much still gets to read why it is refused', async () => {
  await serving(async (port) => {
    const answer = await ask(port, '/thing', post(Buffer.alloc(30_000_000)));
    assert.deepEqual([answer.status, answer.code], [413, 'payload_too_large']);
  });
});

test('a client that wants the connection closed gets to read it too, and then it is closed', async () => {
  await serving(async (port) => {
    const chunk = Buffer.alloc(8_000_000, 120);
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(
          `POST /thing HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${2 * chunk.length}\r\n\r\n`,
        );
        socket.write(chunk);
      });
      // The second half is sent when the refusal is there already.
      socket.on('data', (bytes) => {
        if (text === '') socket.write(chunk);
        text += bytes;
      });
      socket.on('end', () => resolve(text));
      socket.on('error', reject);
    });
    assert.match(answer, /^HTTP\/1\.1 413 /);
  });
});

test('a body that its handler gives up half-way is read away, and the connection serves on', async () => {
  const routes: ServeOptions['routes'] = (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', (_request, _body, done) => done(null));
    app.post('/stream', async (request) => {
      const body = request.raw.iterator({ destroyOnReturn: false });
      await body.next();
      void body.return?.();
      throw new ApiError('invalid_input', 'enough');
    });
    app.get('/thing', async () => ({ ok: true }));
  };
  await serving(
    async (port) => {
      const body = 'x'.repeat(3_000_000);
      const both = `POST /stream HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}GET /thing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      const answers = await raw(port, both);
      assert.match(answers, /^HTTP\/1\.1 400 .*HTTP\/1\.1 200 .*"ok":true/s);
    },
    { routes },
  );
});

test('what fails inside, or refuses with a code outside the table, is internal and tells nothing', async () => {
  await serving(async (port, _server, { failures }) => {
    for (const path of ['/fails', '/foreign']) {
      const { status, code, body } = await ask(port, path);
      assert.deepEqual([status, code], [500, 'internal']);
      assert.doesNotMatch(JSON.stringify(body), /secret|table/);
    }
    assert.equal(failures.length, 2);
  });
});

test('the cap refuses the next handler, and a refused request takes no place', async () => {
  const guard: ServeOptions['guard'] = (request) => {
    if (request.headers['authorization'] !== 'me') throw new ApiError('unauthenticated', 'Who?');
  };
  const me = { headers: { authorization: 'me' } };
  await serving(
    async (port, _server, { release }) => {
      const held = [ask(port, '/held', me), ask(port, '/held', me)];
      await Promise.all(Array.from({ length: 20 }, () => ask(port, '/held')));
      const busy = await until(
        () => ask(port, '/thing', me),
        ({ status }) => status === 503,
      );
      assert.deepEqual([busy.code, busy.headers.get('retry-after')], ['busy', '1']);
      assert.equal((await ask(port, '/thing')).code, 'unauthenticated');
      assert.equal((await ask(port, '/nothing', me)).code, 'not_found');
      release();
      assert.deepEqual(
        (await Promise.all(held)).map(({ status }) => status),
        [200, 200],
      );
      await until(
        () => ask(port, '/thing', me),
        ({ status }) => status === 200,
      );
    },
    { guard },
  );
});

test('time is up: 408 while the request arrives, 503 while the work goes on', async () => {
  await serving(
    async (port) => {
      const [head, body, work] = await Promise.all([
        raw(port, 'GET /thing HTTP/1.1\r\nHost: x\r\n'),
        raw(
          port,
          'POST /thing HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
        ),
        ask(port, '/held'),
      ]);
      assert.match(head, /^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
      assert.match(body, /^HTTP\/1\.1 408 .*"code":"request_timeout"/s);
      assert.deepEqual([work.status, work.code], [503, 'deadline_exceeded']);
    },
    { requestMs: 500 },
  );
});

test('malformed HTTP is refused in the envelope', async () => {
  await serving(async (port) => {
    const rows = [
      'NONSENSE / HTTP/1.1\r\n\r\n',
      `GET /thing HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
      'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
      'POST /thing HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      'GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    ];
    for (const text of rows) {
      assert.match(await raw(port, text), /^HTTP\/1\.1 400 .*"code":"bad_request"/s, text);
    }
    const plain = await raw(
      port,
      'GET /thing HTTP/1.1\r\nUpgrade: websocket\r\nConnection: upgrade, close\r\n\r\n',
    );
    assert.match(plain, /^HTTP\/1\.1 200 /, 'an upgrade that nobody wants is a plain request');
  });
});

test('a whole address as the target is taken for its path, and refused where Host names another host', async () => {
  const asked: string[] = [];
  const options: Partial<ServeOptions> = {
    first: ({ url = '' }) => {
      asked.push(url);
      return false;
    },
  };
  await serving(async (port) => {
    const of = (target: string, host: string): Promise<string> =>
      raw(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    assert.match(await of('http://a.example/thing?x=1', 'A.example'), /^HTTP\/1\.1 200 /);
    assert.match(await of('https://a.example', 'a.example'), /"code":"not_found"/);
    assert.deepEqual(asked, ['/thing?x=1', '/'], 'first sees paths');
    for (const target of [
      'http://evil.example/thing',
      'http://evil.example',
      'ftp://a.example/thing',
    ]) {
      assert.match(
        await of(target, 'a.example'),
        /^HTTP\/1\.1 400 .*"code":"bad_request"/s,
        target,
      );
    }
  }, options);
});

test('closing: new requests are told so, those under way are answered, and the port is free', async () => {
  await serving(async (port, server, { release }) => {
    const held = ask(port, '/held');
    assert.equal((await ask(port, '/thing')).status, 200);
    server.refuseNew();
    assert.equal((await ask(port, '/thing')).code, 'shutting_down');
    const closed = server.close(5_000);
    release();
    assert.equal((await held).status, 200);
    await closed;
    assert.match(await raw(port, 'GET / HTTP/1.1\r\n\r\n'), /ECONNREFUSED/);
  });
});

test('a request that does not name its host once is refused before it reaches a route', async () => {
  const seen: string[] = [];
  const first = ({ url = '' }: { url?: string | undefined }): boolean => {
    seen.push(url);
    return false;
  };
  await serving(
    async (port) => {
      const refused = [
        '',
        'Host: x\r\nHost: x\r\n',
        'Host: x\r\nhost: y\r\n',
        'Host:\r\n',
        'Host: a/b\r\n',
      ];
      for (const lines of refused) {
        const answer = await raw(port, `GET /thing HTTP/1.1\r\n${lines}\r\n`);
        assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*"code":"bad_request"[^\r]*$/, lines);
        assert.match(answer, /\r\nConnection: close\r\n/);
      }
      assert.deepEqual(seen, []);
      const taken = [
        'GET /thing HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close',
        'GET /thing HTTP/1.0',
      ];
      for (const head of taken) assert.match(await raw(port, `${head}\r\n\r\n`), / 200 /, head);
    },
    { first, oneHost: true },
  );
});

test('a refused head is answered without 100 Continue, and a body is asked for when it is read', async () => {
  await serving(async (port) => {
    const head = (path: string, length: number): string =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`;
    assert.match(await raw(port, head('/nothing', 2)), /^HTTP\/1\.1 404 [\s\S]*"not_found"/);
    assert.match(
      await raw(port, head('/thing', 5_000)),
      /^HTTP\/1\.1 413 [\s\S]*"payload_too_large"/,
    );
    const socket = connect(port, '127.0.0.1');
    socket.write(head('/thing', 11));
    let text = '';
    for await (const chunk of socket) {
      text += String(chunk);
      if (text === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write('{"count":1}');
      if (text.includes('"got"')) break;
    }
    assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });
});
