// Time limits of requests, the number of concurrent requests, and the grace period at shutdown.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { until } from '../../../scripts/until.ts';
import { readSettings } from '../src/index.ts';
import { type OpenPlatform, openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { moreThanSocketBuffers } from './socket-buffers.ts';

const MINUTE_MS = 60_000;
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

/** A connection with the received text. It is closed at the end of its block. */
type Connection = Disposable & { readonly socket: Socket; readonly text: () => string };

async function connected({ running }: OpenPlatform): Promise<Connection> {
  const socket = connect(running.port, '127.0.0.1').on('error', () => {});
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  await once(socket, 'connect');
  return { socket, text: () => text, [Symbol.dispose]: () => socket.destroy() };
}

/** A request that never sends its body. */
async function begun(
  platform: OpenPlatform,
  request: string,
  lines: readonly string[],
): Promise<Connection> {
  const connection = await connected(platform);
  const { socket, text } = connection;
  const head = [`${request} HTTP/1.1`, 'Host: x', 'Content-Length: 1000', ...lines];
  socket.write(`${head.join('\r\n')}\r\nExpect: 100-continue\r\n\r\n`);
  await until(text, (came) => came === CONTINUE, `the server reads the body of ${request}`, 30_000);
  return connection;
}

/**
 * Mocks timers until it is disposed of. The server needs real timers to close, also after a failed test. A test needs
 * one clock for all its requests: Node removes a timer of an earlier clock from the later one by its position, so the
 * end of an earlier request would clear the timer of a later one.
 */
function stoppedClock(t: TestContext): Disposable {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  return { [Symbol.dispose]: () => t.mock.timers.reset() };
}

/** Lets all pending callbacks run. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
}

test('a publish may take 30 minutes, an update of a store page 10, a picture 2, and any other request 30 seconds', async (t) => {
  await using platform = await openPlatform({ limits: { upload_silence_seconds: 100_000 } });
  const { client, idToken } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Slow' } });
  const form = [
    `Authorization: Bearer ${idToken}`,
    'Content-Type: multipart/form-data; boundary=b',
  ];
  const json = [`Authorization: Bearer ${idToken}`, 'Content-Type: application/json'];
  const rows: [request: string, lines: string[], ms: number][] = [
    [`POST /projects/${game.id}/publish`, form, 30 * MINUTE_MS],
    [`PUT /projects/${game.id}/store`, form, 10 * MINUTE_MS],
    ['PUT /me/avatar', form, 2 * MINUTE_MS],
    ['POST /projects', json, MINUTE_MS / 2],
  ];
  using _clock = stoppedClock(t);
  for (const [request, lines, ms] of rows) {
    using upload = await begun(platform, request, lines);
    const { text } = upload;
    t.mock.timers.tick(ms - 1);
    await turns();
    assert.equal(text(), CONTINUE, `${request}: nothing is answered before`);
    // The timer of a request is more precise than a millisecond.
    t.mock.timers.tick(2);
    await until(text, (came) => came.includes('"code"'), `${request} is answered`, 30_000);
    assert.match(text(), /\r\nHTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/, request);
  }
});

test('an upload of which nothing arrives for upload_silence_seconds is ended, on every route', async (t) => {
  await using platform = await openPlatform({ limits: { upload_silence_seconds: 20 } });
  const { client, idToken } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Silent' } });
  using _clock = stoppedClock(t);
  for (const request of [
    `POST /projects/${game.id}/publish`,
    `PUT /projects/${game.id}/store`,
    'PUT /me/avatar',
  ]) {
    using upload = await begun(platform, request, [
      `Authorization: Bearer ${idToken}`,
      'Content-Type: multipart/form-data; boundary=b',
    ]);
    const { text } = upload;
    t.mock.timers.tick(19_999);
    await turns();
    assert.equal(text(), CONTINUE, `${request}: nothing is answered before`);
    t.mock.timers.tick(1);
    await until(text, (came) => came.includes('"code"'), `${request} is answered`, 30_000);
    assert.match(text(), /\r\nHTTP\/1\.1 408 [\s\S]*"code":"request_timeout"/, request);
  }
});

test('a download of a build is ended after 30 minutes, which is not logged as an error', async (t) => {
  await using platform = await openPlatform();
  const { client, idToken } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Large' } });
  const noise = randomBytes(moreThanSocketBuffers());
  await publishBuild(client, game.id, '1', { 'index.html': 'x', 'noise.bin': noise });
  const path = `/projects/${game.id}/releases/1/build`;
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${idToken}\r\n\r\n`;
  using _clock = stoppedClock(t);
  for (const [ms, isWhole] of [
    [30 * MINUTE_MS - 1, true],
    [30 * MINUTE_MS + 1, false],
  ] as const) {
    using download = await connected(platform);
    const { socket, text } = download;
    socket.once('data', () => socket.pause());
    socket.write(request);
    await until(text, (came) => came.length > 0, 'the answer has begun', 30_000);
    t.mock.timers.tick(ms);
    const closed = once(socket, 'close');
    let isClosed = false;
    void closed.then(() => {
      isClosed = true;
    });
    socket.resume();
    await until(
      () => isClosed || text().length > noise.length,
      (over) => over,
      'the answer is over',
      30_000,
    );
    assert.equal(text().length > noise.length, isWhole, `${ms} ms`);
  }
  // A disconnected client is not an error of the server either: at the end there must be none in the log.
  using leaving = await connected(platform);
  leaving.socket.once('data', () => leaving.socket.pause());
  leaving.socket.write(request);
  await until(leaving.text, (came) => came.length > 0, 'the answer has begun', 30_000);
});

test('the 513th concurrent request is rejected as busy, and can be repeated', async () => {
  const settings = readSettings({ SVC_RATE_LIMIT: 'off' });
  await using platform = await openPlatform({ settings });
  using held = new DisposableStack();
  const hold = async (): Promise<Connection> =>
    held.use(await begun(platform, 'POST /auth/session', ['Content-Type: application/json']));
  await Promise.all(Array.from({ length: 511 }, hold));
  const ask = async () => {
    const answer = await fetch(`${platform.baseUrl}/auth/config`);
    await answer.arrayBuffer();
    return [answer.status, answer.headers.get('retry-after')];
  };
  assert.deepEqual(await ask(), [200, null]);
  const last = await hold();
  assert.deepEqual(await ask(), [503, '1']);
  last.socket.destroy();
  await until(ask, ([status]) => status === 200, 'there is room again', 30_000);
});

test('at the end of the server, requests in progress have 30 seconds', async (t) => {
  await using platform = await openPlatform({ limits: { upload_silence_seconds: 100_000 } });
  const { client, idToken } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Last' } });
  using _clock = stoppedClock(t);
  using upload = await begun(platform, `POST /projects/${game.id}/publish`, [
    `Authorization: Bearer ${idToken}`,
    'Content-Type: multipart/form-data; boundary=b',
  ]);
  let isClosed = false;
  upload.socket.on('close', () => {
    isClosed = true;
  });
  const closing = platform.running.close();
  await turns();
  t.mock.timers.tick(29_999);
  await turns();
  assert.equal(isClosed, false);
  t.mock.timers.tick(1);
  await until(
    () => isClosed,
    (is) => is,
    'the connection is dropped',
    30_000,
  );
  t.mock.timers.reset();
  await closing;
});
