// The rules of the guide's nginx configuration, with servers of the test behind it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ask } from './ask.ts';
import { HOSTS } from './open-cluster.ts';
import { askedBy, type Handler, startBack } from './start-back.ts';
import { nginxMissing, type Ports, startNginx } from './start-nginx.ts';
import { findFreePorts } from './start-program.ts';

const skip = nginxMissing() ?? false;
const GAME = HOSTS.game('moonhop');
const FORWARDED = { 'x-forwarded-for': '9.9.9.9' };

async function open(t: TestContext) {
  const [outside = 0, inside = 0, redirect = 0, ...rest] = await findFreePorts(7);
  const [a = 0, b = 0, c = 0, d = 0] = rest;
  const ports: Ports = { outside, inside, redirect, api: [a, b], store: [c, d] };
  const folder = mkdtempSync(join(tmpdir(), 'svc-nginx-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const api = [await startBack(t, a), await startBack(t, b)] as const;
  const store = [await startBack(t, c), await startBack(t, d)] as const;
  const nginx = await startNginx(join(folder, 'nginx'), ports);
  t.after(() => nginx[Symbol.asyncDispose]());
  return { ports, api, store };
}

test('a change whose process dies after it has received a byte is not repeated, and the answer is `unavailable`', {
  skip,
}, async (t) => {
  const { ports, api } = await open(t);
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

test('a change goes to the other process if the first one does not listen', { skip }, async (t) => {
  const { ports, api, store } = await open(t);
  await api[0].close();
  await store[0].close();
  for (const host of [HOSTS.api, HOSTS.web]) {
    for (let count = 0; count < 6; count++) {
      const answer = await ask(ports.outside, host, '/x', { method: 'POST', body: 'x' });
      assert.equal(answer.status, 200);
    }
  }
  assert.deepEqual([api[1].asked.length, store[1].asked.length], [6, 6]);
});

test('a GET goes to the other process if the first one fails or is not available', {
  skip,
}, async (t) => {
  const { ports, api } = await open(t);
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

test('all requests for a game go to one process, and to the other one if it fails', {
  skip,
}, async (t) => {
  const { ports, api } = await open(t);
  const processOf = async (host: string): Promise<string> =>
    (await ask(ports.outside, host, '/')).text();
  const hosts = Array.from({ length: 16 }, (_, index) => HOSTS.game(`game-${index}`));
  const first = new Map<string, string>();
  for (const host of hosts) first.set(host, await processOf(host));
  assert.equal(new Set(first.values()).size, 2, 'both processes have games');
  for (const host of hosts) assert.equal(await processOf(host), first.get(host));
  await api[0].close();
  for (const host of hosts) assert.equal(await processOf(host), String(ports.api[1]));
});

test('the reason for which an upload is rejected early reaches the client', { skip }, async (t) => {
  const { ports, api } = await open(t);
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
  const { ports, api } = await open(t);
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
  const { ports, api } = await open(t);
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

test('an asset that one process of the store lacks comes from the other', { skip }, async (t) => {
  const { ports, store } = await open(t);
  store[0].handle = (_, response) => response.writeHead(404).end();
  const get = async (path: string) => (await ask(ports.outside, HOSTS.web, path)).status;
  for (let count = 0; count < 4; count++) assert.equal(await get('/assets/style.css'), 200);
  const pages = [await get('/games/x'), await get('/games/x')];
  assert.deepEqual(pages.toSorted(), [200, 404]);
});

test('the address of a visitor is that of the connection, or what the store has sent', {
  skip,
}, async (t) => {
  const { ports, api, store } = await open(t);
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
  const { ports } = await open(t);
  await assert.rejects(ask(ports.outside, 'other.example', '/'), { code: 'ECONNRESET' });
  const answer = await ask(ports.redirect, GAME, '/a?b');
  assert.deepEqual([answer.status, answer.headers.get('location')], [308, `https://${GAME}/a?b`]);
});
