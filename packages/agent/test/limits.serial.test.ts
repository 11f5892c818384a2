// The limits of requests: 8 handlers at once, 30 seconds from first byte to last, and the errors
// beyond them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { LIVE_SUBPROTOCOL } from '@svc/contracts/agent';
import WebSocketClient from 'ws';
import {
  ask,
  parseRaw,
  startTestAgent,
  type TestAgent,
  temporaryFolder,
  until,
  vptOf,
  within,
} from './harness.ts';

/** A request whose body never arrives. It occupies a handler. */
function hold({ agent, port }: TestAgent, path: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${agent.token}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  );
  return socket;
}

test('the ninth handler is refused with Retry-After; requests without the token, sockets and files do not count', async () => {
  await using running = await startTestAgent();
  const live = new WebSocketClient(`ws://127.0.0.1:${running.port}/api/live`, [
    LIVE_SUBPROTOCOL,
    running.agent.token,
  ]);
  await within(once(live, 'open'), 'the connection to open');
  await Promise.all(
    Array.from({ length: 30 }, () => ask(running, 'GET', '/api/status', { token: 'wrong' })),
  );
  const held = Array.from({ length: 8 }, () => hold(running, '/api/analyze'));
  const busy = await until(
    () => ask(running, 'GET', '/api/status'),
    ({ status }) => status === 503,
    'the eight to be taken',
  );
  assert.deepEqual([busy.code, busy.headers['retry-after']], ['busy', '1']);
  assert.equal((await ask(running, 'GET', '/')).status, 200);
  assert.equal((await ask(running, 'GET', '/api/nothing')).code, 'not_found');
  assert.equal((await ask(running, 'PUT', '/api/status')).code, 'method_not_allowed');
  assert.equal((await ask(running, 'GET', '/api/status', { token: null })).code, 'unauthenticated');
  held[0]?.destroy();
  await until(
    () => ask(running, 'GET', '/api/status'),
    ({ status }) => status === 200,
    'a place to be free again',
  );
  for (const socket of held) socket.destroy();
  live.terminate();
});

test('POST /api/off is handled while eight handlers are occupied', async () => {
  await using running = await startTestAgent();
  const held = Array.from({ length: 8 }, () => hold(running, '/api/analyze'));
  await until(
    () => ask(running, 'GET', '/api/status'),
    ({ code }) => code === 'busy',
    'the eight to be taken',
  );
  assert.equal(
    (await ask(running, 'POST', '/api/off', { token: 'wrong' })).code,
    'unauthenticated',
  );
  assert.equal((await ask(running, 'POST', '/api/off')).status, 200);
  assert.equal((await within(running.agent.ended, 'the ending')).reason, 'off');
  for (const socket of held) socket.destroy();
});

test('408 while a head or a body is still arriving, JSON or a trace; the slot is free after it', async () => {
  await using running = await startTestAgent({ requestMs: 700 });
  const head = connect(running.port, '127.0.0.1');
  head.write('GET /api/status HTTP/1.1\r\nHost: ');
  const sockets = [head, hold(running, '/api/analyze'), hold(running, '/api/trace')];
  for (const socket of sockets) {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    await within(once(socket, 'close'), 'the refusal');
    assert.equal(parseRaw(Buffer.concat(chunks).toString()).code, 'request_timeout');
  }
  await until(
    () => ask(running, 'POST', '/api/trace', { body: vptOf() }),
    ({ code }) => code !== 'work_in_progress',
    'the slot to be free again',
  );
});

test('a slow reader is cut off after the headers were sent', async () => {
  using folder = temporaryFolder();
  const line = { type: 'log', t: 1, level: 'info', text: 'x'.repeat(50_000) };
  const body = vptOf(...Array.from({ length: 600 }, () => line));
  const file = `${folder.path}/large.vpt`;
  writeFileSync(file, body);
  await using running = await startTestAgent({ requestMs: 1_500, file });
  const socket = connect(running.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `GET /api/trace HTTP/1.1\r\nHost: 127.0.0.1:${running.port}\r\nAuthorization: Bearer ${running.agent.token}\r\n\r\n`,
  );
  const [first] = await within(once(socket, 'data'), 'the answer to begin');
  assert.match(String(first), /^HTTP\/1\.1 200 /);
  socket.pause();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
  });
  socket.resume();
  await within(once(socket, 'close'), 'the answer to be cut off');
  assert.ok(bytes < body.length, 'the rest was not sent');
});
