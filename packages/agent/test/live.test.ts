// GET /api/live: who may connect, what is sent and how often, and how connections close.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LIVE_SUBPROTOCOL, type LiveMessage, parseLiveMessage } from '@svc/contracts/agent';
import WebSocketClient from 'ws';
import {
  ask,
  askRaw,
  field,
  handshake,
  parseRaw,
  startTarget,
  startTestAgent,
  type TestAgent,
  until,
  within,
} from './harness.ts';

type Client = {
  readonly socket: WebSocketClient;
  readonly messages: { readonly message: LiveMessage; readonly atMs: number }[];
  readonly closed: () => Promise<number>;
};

async function open({ agent, port }: TestAgent, protocols?: string[]): Promise<Client> {
  const socket = new WebSocketClient(
    `ws://127.0.0.1:${port}/api/live`,
    protocols ?? [LIVE_SUBPROTOCOL, agent.token],
    { perMessageDeflate: true },
  );
  const messages: Client['messages'] = [];
  const closed = Promise.withResolvers<number>();
  socket.on('message', (data) => {
    const message = parseLiveMessage(String(data));
    assert.ok(message !== null, 'a message is what the contract says');
    messages.push({ message, atMs: performance.now() });
  });
  socket.on('close', closed.resolve);
  await within(once(socket, 'open'), 'the connection to open');
  return {
    socket,
    messages,
    closed: () => within(closed.promise, 'the connection to close'),
  };
}

test('the server selects svc.v1 alone, offered with the token in any order, and does not compress', async () => {
  await using running = await startTestAgent();
  const { token } = running.agent;
  for (const protocols of [
    [LIVE_SUBPROTOCOL, token],
    [token, LIVE_SUBPROTOCOL],
    ['other', token, LIVE_SUBPROTOCOL],
  ]) {
    const { socket, closed } = await open(running, protocols);
    assert.equal(socket.protocol, LIVE_SUBPROTOCOL);
    assert.equal(socket.extensions, '');
    socket.close();
    await closed();
  }
});

test('before the upgrade: Host, Origin, token and subprotocol are refused with their codes', async () => {
  await using running = await startTestAgent();
  const { port, agent } = running;
  const offer = (...protocols: string[]): string =>
    `Sec-WebSocket-Protocol: ${protocols.join(', ')}`;
  const rows: [string, string[]][] = [
    ['unauthenticated', []],
    ['unauthenticated', [offer(LIVE_SUBPROTOCOL)]],
    ['unauthenticated', [offer(LIVE_SUBPROTOCOL, 'wrong')]],
    ['unauthenticated', [offer('other')]],
    ['unauthenticated', [offer(LIVE_SUBPROTOCOL), `Authorization: Bearer ${agent.token}`]],
    ['subprotocol_required', [offer(agent.token)]],
    ['subprotocol_required', [offer('svc.v2', agent.token)]],
    ['subprotocol_required', [`Authorization: Bearer ${agent.token}`]],
    ['origin_not_allowed', [offer(LIVE_SUBPROTOCOL, agent.token), 'Origin: http://evil.example']],
    ['origin_not_allowed', [offer(LIVE_SUBPROTOCOL, agent.token), 'Sec-Fetch-Site: same-site']],
    ['origin_not_allowed', [offer(LIVE_SUBPROTOCOL, agent.token), 'Sec-Fetch-Site: cross-site']],
    ['origin_not_allowed', ['Origin: http://evil.example']],
    ['host_not_allowed', [offer(LIVE_SUBPROTOCOL, agent.token), 'Host: evil.example']],
    ['host_not_allowed', ['Host: evil.example', 'Origin: http://evil.example']],
    ['bad_request', [offer(LIVE_SUBPROTOCOL, LIVE_SUBPROTOCOL, agent.token)]],
  ];
  for (const [code, lines] of rows) {
    assert.equal((await askRaw(port, handshake(port, lines))).code, code, lines.join(' | '));
  }
  const plain = await ask(running, 'GET', '/api/live');
  assert.equal(plain.code, 'subprotocol_required', 'asked for without an upgrade');
  assert.equal((await ask(running, 'GET', '/api/live', { token: null })).code, 'unauthenticated');
});

test('a page of the agent may connect, and its connection counts as a request with the token', async () => {
  for (const site of ['same-origin', 'none']) {
    await using running = await startTestAgent();
    const { port, agent } = running;
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    const own = [`Origin: ${agent.origin}`, `Sec-Fetch-Site: ${site}`];
    const offer = `Sec-WebSocket-Protocol: ${LIVE_SUBPROTOCOL}, ${agent.token}`;
    socket.write(handshake(port, [...own, offer]));
    const [head] = await within(once(socket, 'data'), 'the handshake');
    assert.equal(parseRaw(String(head)).status, 101, site);
    await within(agent.authenticated, 'the request to be heard of');
    socket.destroy();
  }
});

test('a client receives messages even if nothing changes, and none after it disconnects', async () => {
  await using running = await startTestAgent();
  const client = await open(running);
  await until(
    () => client.messages.length,
    (count) => count >= 3,
    'messages without a change',
  );
  const [first, ...later] = client.messages.map(({ message }) => message);
  for (const message of later) assert.deepEqual(message, first);
  client.socket.terminate();
});

test('the fifth client is refused, and may connect when another one disconnects', async () => {
  await using running = await startTestAgent();
  const { port, agent } = running;
  const clients = await Promise.all([1, 2, 3, 4].map(() => open(running)));
  const fifth = handshake(port, [`Sec-WebSocket-Protocol: ${LIVE_SUBPROTOCOL}, ${agent.token}`]);
  assert.equal((await askRaw(port, fifth)).code, 'too_many_clients');
  const [first] = clients;
  first?.socket.close();
  await first?.closed();
  const again = await until(
    () => open(running).catch(() => null),
    (client) => client !== null,
  );
  assert.ok(again !== null);
  for (const client of [...clients, again]) client.socket.terminate();
});

test('a client that sends a message is closed with 1008, even if it is too long or not text', async () => {
  await using running = await startTestAgent();
  const sayings = ['hello', '', 'x'.repeat(5_000), 'x'.repeat(3_000_000), Buffer.from([255])];
  for (const saying of sayings) {
    const { socket, closed } = await open(running);
    socket.send(saying, { binary: false });
    assert.equal(await closed(), 1008, `${saying.length} bytes`);
  }
});

test('the first message at once, then the latest status at most once a second, the last one with ended', async () => {
  await using target = await startTarget();
  await using running = await startTestAgent({ pid: target.pid });
  const begin = performance.now();
  const client = await open(running);
  await until(
    () => client.messages.length,
    (count) => count >= 1,
  );
  assert.equal(client.messages[0]?.message.status.state, 'inactive');
  await ask(running, 'POST', '/api/start');
  for (let i = 0; i < 20; i++) await ask(running, 'POST', '/api/trace', { body: 'no trace' });
  await until(
    () => client.messages.length,
    (count) => count >= 4,
  );
  running.agent.end('off');
  assert.equal(await client.closed(), 1001);
  const last = client.messages.at(-1)?.message.status;
  assert.equal(last?.state, 'ended');
  assert.equal(last?.ended?.reason, 'off');
  assert.match(last?.ended?.trace?.path ?? '', /\.vpt$/);
  // Messages are sent a second apart. A busy machine may deliver them later, but not earlier.
  for (const [i, { atMs }] of client.messages.entries()) {
    assert.ok(atMs - begin >= i * 1000, `message ${i} after ${atMs - begin} ms`);
  }
});

test('a client that sends a message and does not answer the close is dropped', async () => {
  await using running = await startTestAgent();
  const { port, agent } = running;
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(handshake(port, [`Sec-WebSocket-Protocol: ${LIVE_SUBPROTOCOL}, ${agent.token}`]));
  await within(once(socket, 'data'), 'the handshake');
  const gone = once(socket, 'close');
  socket.resume();
  // A text of one letter, masked with zeros.
  socket.write(Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x78]));
  // Less than the 30 s after which the library would drop it.
  await within(gone, 'the connection to be dropped', 20_000);
});

/** A client that completes the handshake and then reads nothing. */
async function openDeaf({ agent, port }: TestAgent): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(handshake(port, [`Sec-WebSocket-Protocol: ${LIVE_SUBPROTOCOL}, ${agent.token}`]));
  const [head] = await within(once(socket, 'data'), 'the handshake');
  assert.equal(parseRaw(String(head)).status, 101);
  socket.pause();
  return socket;
}

test('four clients that do not read are dropped for others; one that reads stays', async () => {
  await using running = await startTestAgent();
  const deaf = [await openDeaf(running), await openDeaf(running), await openDeaf(running)];
  const reads = await open(running);
  const fifth = await until(
    () => open(running).catch(() => null),
    (client) => client !== null,
    'a place to be free',
    30_000,
  );
  assert.equal(reads.socket.readyState, reads.socket.OPEN);
  for (const socket of deaf) socket.destroy();
  for (const client of [reads, fifth]) client?.socket.terminate();
});

test('a client that does not read a message is dropped even if no other client wants to connect', async () => {
  // A message that is larger than the buffers of the kernel.
  await using running = await startTestAgent({ version: 'x'.repeat(24 * 1024 * 1024) });
  const sockets = (): number =>
    process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  const deaf = await openDeaf(running);
  const open = sockets();
  await until(sockets, (count) => count < open, 'the agent to drop its side', 30_000);
  deaf.destroy();
});

test('after the end a client can fetch the complete rest of the recording; any other request is refused', async () => {
  await using target = await startTarget();
  await using running = await startTestAgent({ pid: target.pid });
  const client = await open(running);
  await ask(running, 'POST', '/api/start');
  await until(
    () => client.messages.at(-1)?.message.status.trace?.records ?? 0,
    (records) => records >= 1,
  );
  const { json } = await ask(running, 'POST', '/api/off');
  const [status, exported] = await Promise.all([
    ask(running, 'GET', '/api/status'),
    ask(running, 'GET', '/api/trace'),
  ]);
  assert.equal(status.code, 'shutting_down');
  assert.equal(exported.headers['svc-trace-partial'], 'false');
  assert.match(exported.text, /"type":"end".*\n$/);
  assert.equal(exported.text.length, field(json, 'trace', 'bytes'));
  assert.equal(await client.closed(), 1001);
  await within(running.agent.ended, 'the ending');
});

test('the agent does not close before a client that knows of the end has fetched the rest', async (t) => {
  await using target = await startTarget();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await using running = await startTestAgent({ pid: target.pid });
  using _ = { [Symbol.dispose]: () => t.mock.timers.reset() };
  const client = await open(running);
  await ask(running, 'POST', '/api/start');
  let ended = false;
  void running.agent.ended.then(() => {
    ended = true;
  });
  running.agent.end('off');
  // Not before the capture is on disk. Otherwise the fake clock would reach the limit first.
  const traces = join(running.dataDir, 'traces');
  await until(
    () => readdirSync(traces),
    (names) => names.some((name) => name.endsWith('.vpt')),
    'the recording to be whole',
  );
  await untilClosed(t, client);
  assert.equal(ended, false);
  const exported = await ask(running, 'GET', '/api/trace');
  assert.match(exported.text, /"type":"end".*\n$/);
  await within(running.agent.ended, 'the ending');
});

test('if nothing was recorded, the agent waits for no client that knows of the end', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await using running = await startTestAgent();
  using _ = { [Symbol.dispose]: () => t.mock.timers.reset() };
  const client = await open(running);
  running.agent.end('off');
  await untilClosed(t, client);
  assert.deepEqual(await within(running.agent.ended, 'the ending'), { reason: 'off', trace: null });
});

/**
 * Moves the stopped clock until the last message is sent, which is within a second, and the client
 * is closed.
 */
async function untilClosed(t: TestContext, client: Client): Promise<void> {
  await until(
    () => {
      t.mock.timers.tick(50);
      return client.messages.at(-1)?.message.status.state;
    },
    (state) => state === 'ended',
    'the last message',
  );
  assert.equal(await client.closed(), 1001);
}

test('a client that does not answer the close is dropped, and the session ends', async () => {
  await using running = await startTestAgent();
  const { port, agent } = running;
  const deaf: Socket = connect(port, '127.0.0.1');
  deaf.write(handshake(port, [`Sec-WebSocket-Protocol: ${LIVE_SUBPROTOCOL}, ${agent.token}`]));
  const [head] = await within(once(deaf, 'data'), 'the handshake');
  assert.equal(parseRaw(String(head)).status, 101);
  deaf.pause();
  const gone = once(deaf, 'close');
  deaf.on('error', () => {});
  agent.end('off');
  assert.equal((await within(agent.ended, 'the ending')).reason, 'off');
  deaf.resume();
  await within(gone, 'the connection to close');
});
