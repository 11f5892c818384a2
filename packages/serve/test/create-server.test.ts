// The server as clients see it: every error, the order of the checks, and that nothing is left
// behind.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { connectBounded } from '../../../scripts/connect-bounded.ts';
import { until } from '../../../scripts/until.ts';
import { ApiError, type ServeOptions } from '../src/index.ts';
import { ask, type BodyInit, JSON_TYPE, post, raw, serving } from './serving.ts';

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

const bytesOf = (
  before: string,
  bytes: number | number[],
  after: string,
): Uint8Array<ArrayBuffer> =>
  new Uint8Array([...Buffer.from(before), ...[bytes].flat(), ...Buffer.from(after)]);

test('an invalid body is rejected, and never converted', async () => {
  await serving(async (port) => {
    const utf8 = 'The body is not valid UTF-8. Allowed: JSON in UTF-8';
    const rows: [BodyInit, Record<string, string>, string, string][] = [
      ['{"count":"5"}', JSON_TYPE, 'invalid_input', 'count'],
      ['{"count":5,"more":1}', JSON_TYPE, 'invalid_input', 'more'],
      ['{"count":5', JSON_TYPE, 'invalid_input', 'line 1, column 11'],
      ['', JSON_TYPE, 'invalid_input', 'The body is empty'],
      // Without the bad byte each of these would be a valid body.
      [bytesOf('{"name":"', 0xff, '"}'), JSON_TYPE, 'invalid_input', utf8],
      [bytesOf('{"name":"', 0xc3, '"}'), JSON_TYPE, 'invalid_input', utf8],
      [bytesOf('{"name":"', [0xed, 0xa0, 0x80], '"}'), JSON_TYPE, 'invalid_input', utf8],
      [bytesOf('', [0xef, 0xbb, 0xbf], '{}'), JSON_TYPE, 'invalid_input', 'line 1, column 1'],
      ['{"__proto__":{}}', JSON_TYPE, 'invalid_input', 'reserved field: __proto__ or constructor'],
      ['{"constructor":{"prototype":{}}}', JSON_TYPE, 'invalid_input', 'reserved'],
      ['{}', { 'content-type': 'text/plain' }, 'unsupported_media_type', 'application/json'],
      ['{}', { 'content-type': 'nonsense' }, 'unsupported_media_type', 'application/json'],
      ['x'.repeat(1_001), JSON_TYPE, 'payload_too_large', 'at most 1,000 bytes'],
    ];
    for (const [body, headers, code, message] of rows) {
      const answer = await ask(port, '/thing', post(body, headers));
      const { error } = Object(answer.body);
      assert.equal(answer.code, code, String(body));
      assert.ok(error.message.includes(message), `${body}: ${error.message}`);
      assert.equal(error.details, undefined);
    }
    const name = '"ü\u{1f600}"';
    const taken = await ask(port, '/thing', post(`{"name":${name},"count":5}`));
    assert.deepEqual(taken.body, { got: { name: JSON.parse(name), count: 5 } });
    const full = `{"name":"${'x'.repeat(989)}"}`;
    assert.equal((await ask(port, '/thing', post(full))).status, 200, 'as long as a body may be');
    assert.deepEqual((await ask(port, '/thing', post('{"count":5}'))).body, { got: { count: 5 } });
  });
});

test('a client that sends far too much can still read the error', async () => {
  await serving(async (port) => {
    const answer = await ask(port, '/thing', post(Buffer.alloc(30_000_000)));
    assert.deepEqual([answer.status, answer.code], [413, 'payload_too_large']);
  });
});

test('a client that asked to close the connection can read the error, and then it is closed', async () => {
  await serving(async (port) => {
    const chunk = Buffer.alloc(8_000_000, 120);
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connectBounded(port).once('connect', () => {
        socket.write(
          `POST /thing HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${2 * chunk.length}\r\n\r\n`,
        );
        socket.write(chunk);
      });
      // The second half is sent after the error has arrived.
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

test('a body that its handler abandons is discarded, and the connection continues', async () => {
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

test('an exception, or an error with an unknown code, is `internal` and has no details', async () => {
  await serving(async (port, _server, { failures }) => {
    for (const path of ['/fails', '/foreign']) {
      const { status, code, body } = await ask(port, path);
      assert.deepEqual([status, code], [500, 'internal']);
      assert.doesNotMatch(JSON.stringify(body), /secret|table/);
    }
    assert.equal(failures.length, 2);
  });
});

test('above the limit of running handlers a request is rejected, and a rejected request does not count', async () => {
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

test('when time is up: 408 while the request arrives, 503 while it is handled', async () => {
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

test('malformed HTTP is rejected with the error envelope', async () => {
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
    assert.match(plain, /^HTTP\/1\.1 200 /, 'an unwanted upgrade is a plain request');
  });
});

test('an absolute URL as the target is reduced to its path, and rejected if Host names another host', async () => {
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

test('closing rejects new requests, answers running ones, and frees the port', async () => {
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

test('a request without exactly one Host is rejected before it reaches a route', async () => {
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

test('a rejected head is answered without 100 Continue, and a body is requested when it is read', async () => {
  await serving(async (port) => {
    const head = (path: string, length: number): string =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`;
    assert.match(await raw(port, head('/nothing', 2)), /^HTTP\/1\.1 404 [\s\S]*"not_found"/);
    assert.match(
      await raw(port, head('/thing', 5_000)),
      /^HTTP\/1\.1 413 [\s\S]*"payload_too_large"/,
    );
    const socket = connectBounded(port);
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

test('faults of a query, a parameter, a header and a body are named by their place', async () => {
  const count = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
  const limit = { type: 'object', properties: { limit: { type: 'string', maxLength: 2 } } };
  const id = { type: 'object', properties: { id: { type: 'string', maxLength: 2 } } };
  const header = { type: 'object', properties: { 'x-size': { type: 'string', maxLength: 2 } } };
  const routes: ServeOptions['routes'] = (app) => {
    const schema = { querystring: limit, params: id, headers: header };
    app.get('/of/:id', { schema }, async () => ({}));
    app.post('/counts', { schema: { body: count } }, async () => ({}));
  };
  await serving(
    async (port) => {
      const rows: [string, RequestInit, RegExp, string | undefined][] = [
        ['/of/1?limit=100', {}, /limit/, '/limit'],
        ['/of/100', {}, /id/, '/id'],
        ['/of/1', { headers: { 'x-size': '100' } }, /x-size/, '/x-size'],
        ['/counts', post('{"count":"1"}'), /count/, '/count'],
        ['/counts', post(''), /The body is empty\. Allowed: a JSON object with count/, undefined],
      ];
      for (const [path, init, message, detail] of rows) {
        const answer = await ask(port, path, init);
        const { error } = Object(answer.body);
        assert.deepEqual([answer.status, error.code], [400, 'invalid_input'], path);
        assert.match(error.message, message);
        assert.equal(error.details?.[0].path, detail, path);
        assert.equal(error.details?.[0].message, detail === undefined ? undefined : error.message);
      }
      assert.equal((await ask(port, '/of/10?limit=10')).status, 200);
    },
    { routes, details: true },
  );
});

test('an uncounted route answers on a full server, and a whileClosing route while it closes', async () => {
  const answers = Promise.withResolvers<object>();
  let held = 0;
  const routes: ServeOptions['routes'] = (app) => {
    app.get('/held', () => {
      held++;
      return answers.promise;
    });
    app.get('/uncounted', { config: { uncounted: true } }, async () => ({}));
    app.get('/last', { config: { whileClosing: true } }, async () => ({}));
  };
  await serving(
    async (port, server) => {
      const first = ask(port, '/held');
      await until(
        () => held,
        (count) => count === 1,
        'the first is held',
        10_000,
      );
      // A completed request no longer counts, nor does an uncounted one.
      for (let times = 0; times < 3; times++) {
        assert.equal((await ask(port, '/uncounted')).status, 200);
        assert.equal((await ask(port, '/last')).status, 200);
      }
      const second = ask(port, '/held');
      await until(
        () => held,
        (count) => count === 2,
        'the second is held',
        10_000,
      );
      assert.equal((await ask(port, '/last')).code, 'busy');
      assert.equal((await ask(port, '/uncounted')).status, 200);
      answers.resolve({});
      assert.deepEqual([(await first).status, (await second).status], [200, 200]);
      server.refuseNew();
      assert.equal((await ask(port, '/uncounted')).code, 'shutting_down');
      await until(
        () => ask(port, '/last'),
        ({ status }) => status === 200,
        'the last route answers',
        10_000,
      );
    },
    { routes },
  );
});

test('a server with its own error pages receives every error, with its headers', async () => {
  const sendError: ServeOptions['sendError'] = async (_request, reply, error) => {
    const code = error instanceof ApiError ? error.code : 'a fault';
    return reply.code(418).type('text/html').send(`<p>${code}</p>`);
  };
  await serving(
    async (port) => {
      const rows: [string, string, string][] = [
        ['GET /nothing', '', 'not_found'],
        ['DELETE /thing', 'Allow: GET, POST', 'method_not_allowed'],
        ['GET /%zz', '', 'bad_request'],
        ['GET /fails', '', 'a fault'],
      ];
      for (const [line, header, code] of rows) {
        const answer = await raw(port, `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
        assert.match(answer, /^HTTP\/1\.1 418 /, line);
        assert.ok(answer.endsWith(`<p>${code}</p>`), answer);
        assert.ok(answer.toLowerCase().includes(header.toLowerCase()), answer);
      }
    },
    { sendError },
  );
});

test('an error is JSON that must not be cached or sniffed', async () => {
  await serving(async (port) => {
    for (const path of ['/nothing', '/fails']) {
      const { headers } = await ask(port, path);
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    }
    const bare = await raw(port, 'NONSENSE\r\n\r\n');
    for (const line of [
      'Content-Type: application/json; charset=utf-8',
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      'Connection: close',
    ]) {
      assert.ok(bare.includes(`\r\n${line}\r\n`), line);
    }
    const [, length, body] = /Content-Length: (\d+)\r\n.*?\r\n\r\n(.*)$/s.exec(bare) ?? [];
    assert.equal(Number(length), Buffer.byteLength(body ?? ''));
  });
});

test('endConnections ends each connection with its next answer, and requests are still answered', async () => {
  const connectionOf = (answer: string) => /\r\nConnection: (\S+)\r\n/i.exec(answer)?.[1];
  const first = ({ url }: { url?: string | undefined }, response: ServerResponse): boolean => {
    if (url === '/first') response.end('first');
    return url === '/first';
  };
  await serving(
    async (port, server) => {
      const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
      assert.equal((await ask(port, '/thing')).headers.get('connection'), 'keep-alive');
      server.endConnections();
      for (const path of ['/thing', '/first']) {
        const answer = await raw(port, request(path));
        assert.equal(connectionOf(answer), 'close', path);
      }
      assert.equal((await ask(port, '/thing')).status, 200);
    },
    { first },
  );
});
