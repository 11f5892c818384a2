// The time limit of requests: when its clock starts, what ends when it is up, and which limit
// applies.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBounded } from '../../../scripts/connect-bounded.ts';
import { until } from '../../../scripts/until.ts';
import type { ServeOptions, Server } from '../src/index.ts';
import { exchange, raw, readToEnd, serving } from './serving.ts';

/** The limit for requests whose clock the test moves. Real time never reaches it. */
const LIMIT_MS = 30_000;
/** Longer than a timer of 0 ms, because server and client share one event loop. */
const PAUSE_MS = 100;

/** Moves the clock that the server reads. Timers keep the real one. */
function movableClock(t: TestContext): (ms: number) => void {
  const now = performance.now.bind(performance);
  let ahead = 0;
  t.mock.method(performance, 'now', () => now() + ahead);
  return (ms) => {
    ahead += ms;
  };
}

/** Resolves when bytes have arrived on the server's next connection. */
function bytesArrive(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.app.server.once('connection', (socket: Socket) => {
    socket.once('data', () => resolve());
  });
  return promise;
}

/** A connection, closed at the end of the test. */
function connected(t: TestContext, port: number): Socket {
  const socket = connectBounded(port).on('error', () => {});
  t.after(() => socket.destroy());
  return socket;
}

const routes: ServeOptions['routes'] = (app) => {
  app.get('/pause', async () => {
    await sleep(PAUSE_MS);
    return { paused: true };
  });
  app.get('/thing', async () => ({ ok: true }));
};
const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

test('the clock of a request starts with the first byte of its head', async (t) => {
  for (const [spent, answer] of [
    [LIMIT_MS, /^HTTP\/1\.1 503 .*"code":"deadline_exceeded"/s],
    [LIMIT_MS / 2, /^HTTP\/1\.1 200 .*"paused":true/s],
  ] as const) {
    await serving(
      async (port, server) => {
        const advance = movableClock(t);
        const arrived = bytesArrive(server);
        const socket = connected(t, port);
        socket.write('GET /pause HTTP/1.1\r\n');
        await arrived;
        advance(spent);
        socket.write('Host: x\r\nConnection: close\r\n\r\n');
        assert.match(await readToEnd(socket), answer);
        t.mock.restoreAll();
      },
      { requestMs: LIMIT_MS, routes },
    );
  }
});

test('every request of a connection has its own clock', async (t) => {
  await serving(
    async (port, server) => {
      const advance = movableClock(t);
      let received = (): number => 0;
      server.app.server.once('connection', (there: Socket) => {
        received = () => there.bytesRead;
      });
      const socket = connected(t, port);
      assert.match(await exchange(socket, get('/pause')), /^HTTP\/1\.1 200 /);
      advance(LIMIT_MS);
      assert.match(await exchange(socket, get('/pause')), /^HTTP\/1\.1 200 /);
      // A request that is rejected before its body has arrived.
      const head = 'POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n';
      assert.match(await exchange(socket, `${head}12`), /^HTTP\/1\.1 404 /);
      const before = received();
      socket.write('34');
      await until(received, (bytes) => bytes === before + 2);
      advance(LIMIT_MS);
      assert.match(await exchange(socket, get('/pause')), /^HTTP\/1\.1 200 /);
    },
    { requestMs: LIMIT_MS, routes },
  );
});

test('the clock of a request stops with its answer, or with the end of a discarded body', async (t) => {
  await serving(
    async (port) => {
      const socket = connected(t, port);
      assert.match(await exchange(socket, get('/thing')), /^HTTP\/1\.1 200 /);
      await sleep(800);
      const head = 'POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n';
      assert.match(await exchange(socket, `${head}12`), /^HTTP\/1\.1 404 /);
      socket.write('34');
      await sleep(800);
      assert.match(await exchange(socket, get('/thing')), /^HTTP\/1\.1 200 /);
    },
    { requestMs: 400, routes },
  );
});

test('a rejected body that does not arrive ends the connection after the deadline', async () => {
  await serving(
    async (port) => {
      const head = 'POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n';
      assert.match(await raw(port, `${head}12`), /^HTTP\/1\.1 404 /);
    },
    { requestMs: 300, routes },
  );
});

test('an answer that has begun is cut off when the time is up', async () => {
  const streams: ServeOptions['routes'] = (app) => {
    app.get('/streams', (_request, reply) => {
      async function* parts() {
        yield 'begun';
        await sleep(2_000);
        yield 'ended';
      }
      return reply.send(Readable.from(parts()));
    });
  };
  await serving(
    async (port) => {
      const answer = await raw(port, get('/streams', 'Connection: close\r\n'));
      assert.match(answer, /^HTTP\/1\.1 200 .*begun/s);
      assert.doesNotMatch(answer, /ended/);
    },
    { requestMs: 300, routes: streams },
  );
});

test("a route's own limit and messages replace the server's", async () => {
  const late = { too_slow: 'Send it faster', too_long: 'Ask for less' };
  const own: ServeOptions['routes'] = (app) => {
    const never = new Promise<never>(() => {});
    app.get('/long', { config: { requestMs: LIMIT_MS } }, async () => {
      await sleep(800);
      return { ok: true };
    });
    app.get('/short', { config: { requestMs: 50, late } }, () => never);
    app.post('/short', { config: { requestMs: 50, late } }, () => never);
    app.get('/usual', () => never);
  };
  await serving(
    async (port) => {
      const post = 'POST /short HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
      const [long, short, slow, usual] = await Promise.all([
        raw(port, get('/long', 'Connection: close\r\n')),
        raw(port, get('/short')),
        raw(port, `${post}Content-Length: 9\r\n\r\n{`),
        raw(port, get('/usual')),
      ]);
      assert.match(long, /^HTTP\/1\.1 200 /);
      assert.match(short, /^HTTP\/1\.1 503 .*"message":"Ask for less"/s);
      assert.match(slow, /^HTTP\/1\.1 408 .*"message":"Send it faster"/s);
      assert.match(usual, /^HTTP\/1\.1 503 .*"message":"The request took too long. Try again"/s);
    },
    { requestMs: 400, handlers: null, routes: own },
  );
});

test('a handler learns that its time is up, and that its client has disconnected', async (t) => {
  const begun: string[] = [];
  const ended: string[] = [];
  const waits: ServeOptions['routes'] = (app) => {
    app.get('/waits/:who', { config: { requestMs: LIMIT_MS } }, waitForAbort);
    app.get('/late/:who', { config: { requestMs: 50 } }, waitForAbort);
    async function waitForAbort({
      params,
      abortSignal,
    }: {
      params: unknown;
      abortSignal: AbortSignal;
    }) {
      const who = String(Object(params).who);
      assert.equal(abortSignal.aborted, false);
      begun.push(who);
      await once(abortSignal, 'abort');
      ended.push(who);
      return {};
    }
  };
  await serving(
    async (port) => {
      const socket = connected(t, port);
      socket.write(get('/waits/leaver'));
      await until(
        () => begun,
        (who) => who.includes('leaver'),
      );
      assert.match(await raw(port, get('/late/stayer')), /^HTTP\/1\.1 503 /);
      assert.deepEqual(ended, ['stayer']);
      socket.destroy();
      await until(
        () => ended,
        (who) => who.includes('leaver'),
        'the handler ends',
        30_000,
      );
    },
    { routes: waits },
  );
});
