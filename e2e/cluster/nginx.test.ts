// The rules of the guide's nginx configuration beyond those in proxies.test.ts, with servers of the test behind it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { ask } from './ask.ts';
import { HOSTS } from './open-cluster.ts';
import { openProxy } from './open-proxy.ts';
import { askedBy, type Handler } from './start-back.ts';
import { nginxMissing, startNginx } from './start-nginx.ts';

const skip = nginxMissing() ?? false;
const GAME = HOSTS.game('moonhop');
const FORWARDED = { 'x-forwarded-for': '9.9.9.9' };

test('a change whose process dies after it has received a byte is not repeated, and the answer is `unavailable`', {
  skip,
}, async (t) => {
  const { ports, api } = await openProxy(t, startNginx);
  for (const back of api) back.handle = (request) => request.once('data', () => request.destroy());
  const init = { method: 'POST', body: 'a build' };
  for (const port of [ports.outside, ports.inside]) {
    const before = askedBy(api);
    const answer = await ask(port, HOSTS.api, '/projects/1/publish', init);
    assert.equal(askedBy(api) - before, 1);
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '5']);
    assert.equal((await answer.json()).error.code, 'unavailable');
  }
});

test('a GET goes to the other process if the first one fails or is not available', {
  skip,
}, async (t) => {
  const { ports, api } = await openProxy(t, startNginx);
  const failures: Handler[] = [
    (request) => request.destroy(),
    (_, response) => response.writeHead(503).end(),
  ];
  for (const fail of failures) {
    api[0].handle = fail;
    for (const host of [HOSTS.api, GAME]) {
      for (let count = 0; count < 4; count++) {
        const answer = await ask(ports.outside, host, '/');
        assert.deepEqual([answer.status, await answer.text()], [200, String(ports.api[1])]);
      }
    }
  }
});

test('the reason for which an upload is rejected early reaches the client', { skip }, async (t) => {
  const { ports, api } = await openProxy(t, startNginx);
  for (const back of api) {
    // As the processes do: the rest is read and discarded.
    back.handle = (request, response) => {
      request.resume();
      response.writeHead(401).end('early');
    };
  }
  const body = new Uint8Array(30_000_000);
  const answer = await ask(ports.outside, HOSTS.api, '/x', { method: 'POST', body });
  assert.deepEqual([answer.status, await answer.text()], [401, 'early']);
});

test('an upload reaches the process before it is complete', { skip }, async (t) => {
  const { ports, api } = await openProxy(t, startNginx);
  const arrived = Promise.race(
    api.map(
      (back) =>
        new Promise<void>((resolve) => {
          back.handle = (request) => request.once('data', () => resolve());
        }),
    ),
  );
  const socket = connect(ports.outside, '127.0.0.1');
  t.after(() => socket.destroy());
  const head = `POST /x HTTP/1.1\r\nHost: ${HOSTS.api}\r\nContent-Length: 629145600\r\n\r\n`;
  socket.write(`${head}the first bytes`);
  await arrived;
});

test('a request that is larger than a build is rejected, and all requests to a game with a body', {
  skip,
}, async (t) => {
  const { ports, api } = await openProxy(t, startNginx);
  for (const [host, bytes] of [
    [HOSTS.api, 629_145_601],
    [GAME, 1_025],
  ] as const) {
    const socket = connect(ports.outside, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.write(`POST /x HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${bytes}\r\n\r\n`);
    const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(10_000) });
    assert.match(String(answer), /^HTTP\/1\.1 413 /);
  }
  assert.equal(askedBy(api), 0);
});

test('the address of a visitor is that of the connection, or what the store has sent', {
  skip,
}, async (t) => {
  const { ports, api, store } = await openProxy(t, startNginx);
  for (const host of [HOSTS.api, GAME, HOSTS.web]) {
    await ask(ports.outside, host, '/', { headers: FORWARDED });
    await ask(ports.outside, host, '/', { headers: FORWARDED, method: 'POST' });
  }
  const direct = [...api, ...store].flatMap(({ forwarded }) => forwarded);
  assert.deepEqual([...new Set(direct)], ['127.0.0.1']);
  for (const back of api) back.forwarded.length = 0;
  await ask(ports.inside, '10.0.0.10', '/', { headers: FORWARDED });
  await ask(ports.inside, '10.0.0.10', '/', { headers: FORWARDED, method: 'POST' });
  const passed = api.flatMap(({ forwarded }) => forwarded);
  assert.deepEqual(passed, ['9.9.9.9, 127.0.0.1', '9.9.9.9, 127.0.0.1']);
});

test('a request for an unknown name has no answer, and one without TLS is redirected', {
  skip,
}, async (t) => {
  const { ports } = await openProxy(t, startNginx);
  await assert.rejects(ask(ports.outside, 'other.example', '/'), { code: 'ECONNRESET' });
  const answer = await ask(ports.redirect, GAME, '/a?b');
  assert.deepEqual([answer.status, answer.headers.get('location')], [308, `https://${GAME}/a?b`]);
});
