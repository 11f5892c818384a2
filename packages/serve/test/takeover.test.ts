// Requests that bypass the routes: connections that are taken over, and answers by `first`.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connectBounded } from '../../../scripts/connect-bounded.ts';
import { until } from '../../../scripts/until.ts';
import { ApiError, type ServeOptions, type Server } from '../src/index.ts';
import { numberRequests } from './number-requests.ts';
import { exchange, raw, readToEnd, serving } from './serving.ts';

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const upgrade = (path: string): string => get(path, 'Connection: upgrade\r\nUpgrade: x\r\n');
const soon = (): { signal: AbortSignal } => ({ signal: AbortSignal.timeout(10_000) });

/** The server's end of the next connection. */
async function accepted(server: Server): Promise<Socket> {
  const [socket]: Socket[] = await once(server.app.server, 'connection', soon());
  assert.ok(socket);
  return socket;
}

/** A connection, closed at the end of the test. */
function connected(t: TestContext, port: number): Socket {
  const socket = connectBounded(port).on('error', () => {});
  t.after(() => socket.destroy());
  return socket;
}

const takes: ServeOptions['upgrade'] = {
  wants: ({ url = '' }) => url.startsWith('/take'),
  handle: ({ url }, socket) => {
    if (url === '/take/refused') {
      throw new ApiError('unauthenticated', 'Wer? Größe', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    }
    if (url === '/take/fails') throw new Error('a secret of the inside');
    socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  },
};

test('a connection that is not taken over receives the error with its headers and an id, and ends', async () => {
  await serving(
    async (port, _server, { failures }) => {
      const refused = await raw(port, upgrade('/take/refused'));
      const [head = '', body = ''] = refused.split('\r\n\r\n');
      assert.match(head, /^HTTP\/1\.1 401 Unauthorized\r\nX-Request-Id: id-1\r\n/);
      assert.match(head, /\r\nWWW-Authenticate: Bearer\r\n/);
      assert.match(head, /\r\nConnection: close$/);
      assert.deepEqual(JSON.parse(body), {
        error: { code: 'unauthenticated', message: 'Wer? Größe' },
      });
      assert.equal(Number(/Content-Length: (\d+)/.exec(head)?.[1]), Buffer.byteLength(body));
      assert.deepEqual(failures, []);
      const failed = await raw(port, upgrade('/take/fails'));
      assert.match(failed, /^HTTP\/1\.1 500 .*"code":"internal"/s);
      assert.doesNotMatch(failed, /secret/);
      assert.equal(failures.length, 1);
    },
    { upgrade: takes, watch: numberRequests() },
  );
});

test('an absolute URL can take a connection over too, and without a taker it is a plain request', async (t) => {
  await serving(
    async (port) => {
      const whole = connected(t, port);
      assert.match(await exchange(whole, upgrade('http://x/take')), /^HTTP\/1\.1 101 /);
      const plain = connected(t, port);
      assert.match(await exchange(plain, upgrade('/thing')), /^HTTP\/1\.1 200 /);
    },
    { upgrade: takes },
  );
});

test('a rejected connection is dropped if the client does not close it', async (t) => {
  await serving(
    async (port, server) => {
      const there = accepted(server);
      const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      t.after(() => client.destroy());
      client.on('error', () => {}).write(upgrade('/take/refused'));
      const gone = once(await there, 'close', soon());
      await once(client.resume(), 'end', soon());
      await gone;
    },
    { upgrade: takes },
  );
});

test('a client that aborts a connection that was taken over does not end the server', async (t) => {
  await serving(
    async (port, server) => {
      const there = accepted(server);
      const client = connected(t, port);
      assert.match(await exchange(client, upgrade('/take')), /^HTTP\/1\.1 101 /);
      const socket = await there;
      client.resetAndDestroy();
      await until(
        () => socket.closed,
        (closed) => closed,
        'the connection is gone',
        10_000,
      );
      assert.match(await raw(port, get('/thing', 'Connection: close\r\n')), /^HTTP\/1\.1 200 /);
    },
    { upgrade: takes },
  );
});

test('if first answers, nothing else does; it may set headers of all other answers', async () => {
  let guarded = 0;
  const first: ServeOptions['first'] = ({ url }, response) => {
    response.setHeader('X-Seen', 'yes');
    if (url !== '/by-first') return false;
    setImmediate(() => response.end('by first'));
    return true;
  };
  const guard = (): void => void guarded++;
  await serving(
    async (port) => {
      const own = await raw(port, get('/by-first', 'Connection: close\r\n'));
      assert.match(own, /^HTTP\/1\.1 200 .*by first/s);
      assert.equal(guarded, 0);
      const thing = await raw(port, get('/thing', 'Connection: close\r\n'));
      assert.match(thing, /^HTTP\/1\.1 200 .*\r\nX-Seen: yes\r\n.*"ok":true/is);
      assert.equal(guarded, 1);
    },
    { first, guard },
  );
});

test('a closing server ends each connection after its next answer, including answers by first', async (t) => {
  const first: ServeOptions['first'] = ({ url }, response) => {
    if (url !== '/by-first') return false;
    response.end('by first');
    return true;
  };
  await serving(
    async (port, server) => {
      const socket = connected(t, port);
      assert.match(await exchange(socket, get('/by-first')), /\r\nConnection: keep-alive\r\n/);
      server.refuseNew();
      socket.write(get('/by-first'));
      assert.match(await readToEnd(socket), /^HTTP\/1\.1 200 .*\r\nConnection: close\r\n/s);
    },
    { first },
  );
});

test('of two requests that arrive together, the second is answered when the server closes', async (t) => {
  const gates = [Promise.withResolvers<object>(), Promise.withResolvers<object>()];
  const asked: string[] = [];
  const routes: ServeOptions['routes'] = (app) => {
    app.get('/held/:index', ({ url, params }) => {
      asked.push(url);
      return gates[Number(Object(params).index)]?.promise;
    });
  };
  await serving(
    async (port, server) => {
      const socket = connected(t, port);
      socket.write(get('/held/0') + get('/held/1'));
      await until(
        () => asked.length,
        (count) => count === 2,
        'both are held',
        10_000,
      );
      t.mock.timers.enable({ apis: ['setInterval'] });
      const closed = server.close(3_600_000);
      // Node would drop a connection when it stops listening while its answer is being written.
      await until(
        () => server.app.server.listening,
        (listening) => !listening,
        'it stops listening',
        10_000,
      );
      gates[0]?.resolve({ first: true });
      assert.match(await exchange(socket, ''), /^HTTP\/1\.1 200 .*"first":true/s);
      for (let looks = 0; looks < 3; looks++) t.mock.timers.tick(1_000);
      gates[1]?.resolve({ second: true });
      assert.match(await exchange(socket, ''), /^HTTP\/1\.1 200 .*"second":true/s);
      socket.end();
      t.mock.timers.tick(1_000);
      t.mock.timers.reset();
      await closed;
    },
    { routes },
  );
});

test('close rejects new requests on a connection that has a running request', async (t) => {
  await serving(async (port, server, { begun, release }) => {
    const socket = connected(t, port);
    socket.write(get('/held'));
    await begun;
    const there = server.app.server;
    const closed = server.close(3_600_000);
    const next = once(there, 'request', soon());
    socket.write(get('/thing'));
    await next;
    release();
    const answers = await readToEnd(socket);
    assert.match(answers, /^HTTP\/1\.1 200 .*"held":true/s);
    assert.doesNotMatch(answers, /"ok":true/);
    await closed;
  });
});

test('a server that has closed leaves no timer behind', async () => {
  const timers = (): number =>
    process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  await serving(async (port, server) => {
    const before = timers();
    assert.match(await raw(port, get('/thing', 'Connection: close\r\n')), /^HTTP\/1\.1 200 /);
    await server.close(3_600_000);
    assert.ok(timers() <= before, `${timers()} timers, ${before} before`);
  });
});
