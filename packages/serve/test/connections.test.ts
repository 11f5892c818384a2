// The connections of a server: which are dropped when there are too many, and how they end on
// close.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connectBounded } from '../../../scripts/connect-bounded.ts';
import { until } from '../../../scripts/until.ts';
import type { ServeOptions } from '../src/index.ts';
import { ask, exchange, readToEnd, serving } from './serving.ts';

const HOUR_MS = 3_600_000;
const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

/** A connection that the server has accepted, closed at the end of the test. */
async function connected(t: TestContext, port: number, text = ''): Promise<Socket> {
  const socket = connectBounded(port).on('error', () => {});
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

/** Waits until the server has dropped the connection. */
function dropped(socket: Socket): Promise<unknown> {
  if (socket.closed) return Promise.resolve();
  return once(socket.resume(), 'close', { signal: AbortSignal.timeout(10_000) });
}

test('a request that outlives the grace period is dropped, and the close completes', async (t) => {
  await serving(async (port, server, { begun, release }) => {
    const socket = await connected(t, port, get('/held'));
    await begun;
    const closed = server.close(50);
    // Later than the end of the grace period. Server and client share one event loop.
    const timer = setTimeout(release, 1_000);
    t.after(() => clearTimeout(timer));
    assert.doesNotMatch(await readToEnd(socket), /held/);
    await closed;
  });
});

test('closing ends partly sent requests at the next check, and taken-over connections after the grace period', async (t) => {
  const takenOver: Socket[] = [];
  const upgrade: ServeOptions['upgrade'] = {
    wants: () => true,
    handle: (_request, socket) => {
      takenOver.push(socket as Socket);
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    },
  };
  await serving(
    async (port, server) => {
      const half = await connected(t, port, 'GET /thing HTT');
      const taken = await connected(t, port);
      const asked = get('/thing', 'Connection: upgrade\r\nUpgrade: x\r\n');
      assert.match(await exchange(taken, asked), /^HTTP\/1\.1 101 /);
      t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
      const closed = server.close(HOUR_MS);
      t.mock.timers.tick(999);
      assert.equal(half.closed, false);
      t.mock.timers.tick(1);
      await dropped(half);
      takenOver[0]?.write('still here');
      assert.equal(await exchange(taken, ''), 'still here');
      t.mock.timers.tick(HOUR_MS);
      await dropped(taken);
      t.mock.timers.reset();
      await closed;
    },
    { upgrade },
  );
});

test("a request that completes while the server closes is rejected with the API's error", async (t) => {
  await serving(async (port, server) => {
    const half = await connected(t, port, 'GET /thing HTTP/1.1\r\nHost: x\r\n');
    // The server has accepted the first connection when it answers the second.
    assert.equal((await ask(port, '/thing')).status, 200);
    const closed = server.close(10_000);
    const answer = await exchange(half, '\r\n');
    assert.match(answer, /^HTTP\/1\.1 503 [\s\S]*"code":"shutting_down"/);
    await closed;
  });
});

test('with one untrusted connection too many, the oldest without a request is dropped', async (t) => {
  await serving(
    async (port, _server, { begun, release }) => {
      const working = await connected(t, port, get('/held'));
      await begun;
      const idle = await connected(t, port);
      assert.match(await exchange(idle, get('/thing')), /^HTTP\/1\.1 200 /);
      const last = await connected(t, port);
      await dropped(idle);
      assert.match(await exchange(last, get('/thing')), /^HTTP\/1\.1 200 /);
      release();
      assert.match(await exchange(working, ''), /^HTTP\/1\.1 200 /);
    },
    { untrustedConnections: 2 },
  );
});

test('if every untrusted connection has a request, the oldest is dropped', async (t) => {
  let asked = 0;
  const answers = Promise.withResolvers<object>();
  const routes: ServeOptions['routes'] = (app) => {
    app.get('/waits', () => {
      asked++;
      return answers.promise;
    });
  };
  await serving(
    async (port) => {
      const working = [
        await connected(t, port, get('/waits')),
        await connected(t, port, get('/waits')),
      ];
      await until(
        () => asked,
        (times) => times === 2,
        'both are held',
        10_000,
      );
      await dropped(await connected(t, port));
      answers.resolve({});
      for (const socket of working) assert.match(await exchange(socket, ''), /^HTTP\/1\.1 200 /);
    },
    { untrustedConnections: 2, routes },
  );
});

test('a trusted connection and a closed one no longer count', async (t) => {
  await serving(
    async (port, server) => {
      server.app.server.on('request', (request) => {
        if (request.url === '/thing?trust') server.trust(request.socket);
      });
      const trusted = await connected(t, port);
      assert.match(await exchange(trusted, get('/thing?trust')), /^HTTP\/1\.1 200 /);
      const [one, two] = [await connected(t, port), await connected(t, port)];
      assert.match(await exchange(one, get('/thing')), /^HTTP\/1\.1 200 /);
      two.destroy();
      await until(
        () => new Promise<number>((count) => server.app.server.getConnections((_, n) => count(n))),
        (open) => open === 2,
        'one has gone',
        10_000,
      );
      const three = await connected(t, port);
      assert.match(await exchange(three, get('/thing')), /^HTTP\/1\.1 200 /);
      for (const socket of [trusted, one]) {
        assert.match(await exchange(socket, get('/thing')), /^HTTP\/1\.1 200 /);
      }
    },
    { untrustedConnections: 2 },
  );
});

test('without a bound no connection is dropped', async (t) => {
  await serving(async (port) => {
    const sockets: Socket[] = [];
    for (let count = 0; count < 20; count++) sockets.push(await connected(t, port));
    for (const socket of sockets) {
      assert.match(await exchange(socket, get('/thing')), /^HTTP\/1\.1 200 /);
    }
  });
});
