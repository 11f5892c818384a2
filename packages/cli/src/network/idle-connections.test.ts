// Connections between requests: several parts use one, and a connection that the server has closed does not fail a part.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { listen } from '../../test/sockets.ts';
import { exchange } from './exchange.ts';
import { createIdleConnections } from './idle-connections.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void;

const PART: RequestInit = { method: 'PUT', body: new Uint8Array(100_000) };

/** A server that collects its connections, and the function that sends it a request. */
async function start(t: TestContext, answer: Answer = (_, response) => response.end('{}')) {
  const connections: Socket[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    const number = ++count;
    request.resume();
    request.once('end', () => answer(request, response, number));
  });
  server.on('connection', (socket) => connections.push(socket));
  const address = `http://127.0.0.1:${await listen(t, server)}`;
  const idle = createIdleConnections();
  t.after(() => idle.take(address)?.destroy());
  const send = async (init: RequestInit = PART) =>
    (await exchange(address, init, { env: {}, idle })).status;
  /** The numbers of listeners of the kept connection. */
  const kept = (): number[] => {
    const socket = idle.take(address);
    assert.ok(socket !== null);
    const counts = socket.eventNames().map((name) => socket.listenerCount(name));
    idle.keep(address, socket);
    return counts;
  };
  return { connections, send, kept, requests: () => count };
}

test('parts that follow each other use one connection, parts at once several', async (t) => {
  const { connections, send } = await start(t);
  for (let part = 0; part < 5; part++) assert.equal(await send(), 200);
  assert.equal(connections.length, 1);
  await Promise.all([send(), send(), send()]);
  assert.equal(connections.length, 3);
  await Promise.all([send(), send(), send()]);
  assert.equal(connections.length, 3);
});

test('a connection that the server has closed meanwhile is not used again', async (t) => {
  const { connections, send } = await start(t);
  await send();
  const [first] = connections;
  first?.end();
  await new Promise((resolve) => first?.once('close', resolve));
  assert.equal(await send(), 200);
  assert.equal(connections.length, 2);
});

test('a kept connection that fails does not end the process', async (t) => {
  const { connections, send } = await start(t);
  await send();
  const [first] = connections;
  first?.resetAndDestroy();
  await new Promise((resolve) => first?.once('close', resolve));
  await setTimeout(20);
  assert.equal(await send(), 200);
  assert.equal(connections.length, 2);
});

test('a connection that is kept many times does not collect listeners', async (t) => {
  const { send, kept } = await start(t);
  await send();
  const before = kept();
  for (let part = 0; part < 20; part++) await send();
  assert.deepEqual(kept(), before);
});

test('a part whose kept connection is cut is sent again on a new one', async (t) => {
  const { connections, send, requests } = await start(t, ({ socket }, response, count) => {
    if (count === 2) socket.destroy();
    else response.end('{}');
  });
  await send();
  assert.equal(await send(), 200);
  assert.deepEqual([connections.length, requests()], [2, 3]);
});

test('a new connection that is cut fails the part: only the caller knows whether to repeat it', async (t) => {
  const { send, requests } = await start(t, ({ socket }) => socket.destroy());
  await assert.rejects(send(), { name: 'NetworkError' });
  assert.equal(requests(), 1);
});

test('a connection is closed after an error, and if the server asks for it', async (t) => {
  const { connections, send } = await start(t, (_, response, count) => {
    if (count === 1) response.writeHead(503);
    if (count === 2) response.setHeader('connection', 'close');
    response.end('{}');
  });
  assert.equal(await send(), 503);
  await send();
  await send();
  assert.equal(connections.length, 3);
});

test('other requests have connections of their own, which are closed', async (t) => {
  const { connections, send } = await start(t);
  await send();
  await send({ method: 'GET' });
  await send({ method: 'POST', body: '{}' });
  await send({ method: 'PUT', body: '{}' });
  assert.equal(connections.length, 4);
  await send();
  assert.equal(connections.length, 4);
});
