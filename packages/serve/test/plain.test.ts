// Plain requests on their bare connection: what is answered there, what goes to Node, and how it all ends.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectBounded } from '../../../scripts/connect-bounded.ts';
import { until } from '../../../scripts/until.ts';
import {
  countRequests,
  createServer,
  makePlainAnswer,
  type PlainAnswer,
  type PlainOptions,
  type ServeOptions,
} from '../src/index.ts';

const CODES = {
  malformed: 'bad',
  invalid_input: 'bad',
  not_found: 'bad',
  method_not_allowed: 'bad',
  body_too_large: 'bad',
  media_type: 'bad',
  too_slow: 'slow',
  too_long: 'slow',
  busy: 'slow',
  closing: 'slow',
  internal: 'bad',
};
const LARGE = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7 + (i >> 8)) & 255));
const small = makePlainAnswer(200, ['Content-Length', '5'], Buffer.from('small'));
const large = makePlainAnswer(200, ['Content-Length', `${LARGE.length}`], LARGE);

type Serving = {
  readonly port: number;
  /** What was asked for plainly, in order. */
  readonly plainUrls: string[];
  /** The server's ends of all connections. */
  readonly sockets: Socket[];
  /** Lets `/held` be answered. */
  release(): void;
  close(): Promise<void>;
};

/** A server whose plain requests are answered at once, later, never (by Node then), or by a failure. */
async function serving(
  use: (serving: Serving) => Promise<void>,
  options: Partial<ServeOptions> = {},
): Promise<void> {
  const plainUrls: string[] = [];
  const sockets: Socket[] = [];
  const held = Promise.withResolvers<PlainAnswer>();
  const answer: PlainOptions['answer'] = ({ url }) => {
    plainUrls.push(url);
    if (url === '/small') return small;
    if (url === '/large') return large;
    if (url === '/later') return new Promise((resolve) => setImmediate(resolve, small));
    if (url === '/held') return held.promise;
    if (url === '/held-for-node') return held.promise.then(() => null);
    if (url === '/fails') throw new Error('inside');
    if (url === '/fails-later') return Promise.reject(new Error('inside'));
    return null;
  };
  const server = await createServer({
    errors: { bad: { status: 400 }, slow: { status: 408 } },
    codes: CODES,
    requestMs: 20_000,
    handlers: null,
    bodyBytes: 1_000,
    onFailure: () => {},
    plain: { answer, requestId: countRequests() },
    routes: (app) => {
      app.get('/*', async ({ url }) => ({ node: url }));
      app.get('/slow', { config: { requestMs: 20_000 } }, async () => {
        await sleep(900);
        return { node: 'slow' };
      });
      app.post('/body', async ({ body }) => ({ body }));
    },
    ...options,
  });
  server.app.server.on('connection', (socket) => sockets.push(socket));
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const close = (): Promise<void> => server.close(3_600_000);
  try {
    await use({ port, plainUrls, sockets, release: () => held.resolve(small), close });
  } finally {
    // A failed test may have left some open.
    for (const socket of sockets) socket.destroy();
    await close();
  }
}

const get = (url: string, more = ''): string => `GET ${url} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

/** Reads until so many answers have come whole; their heads and bodies. */
async function readAnswers(socket: Socket, count: number): Promise<[string, Buffer][]> {
  const answers: [string, Buffer][] = [];
  let bytes = Buffer.alloc(0);
  while (answers.length < count) {
    const end = bytes.indexOf('\r\n\r\n');
    const head = bytes.toString('latin1', 0, Math.max(0, end));
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (end !== -1 && bytes.length >= end + 4 + length) {
      answers.push([head, bytes.subarray(end + 4, end + 4 + length)]);
      bytes = bytes.subarray(end + 4 + length);
    } else {
      const [chunk]: Buffer[] = await once(socket, 'data', {
        signal: AbortSignal.timeout(20_000),
      });
      if (chunk !== undefined) bytes = Buffer.concat([bytes, chunk]);
    }
  }
  assert.equal(bytes.length, 0);
  return answers;
}

async function ask(socket: Socket, text: string): Promise<[string, string]> {
  socket.write(text);
  const [answer] = await readAnswers(socket, 1);
  return [answer?.[0] ?? '', answer?.[1].toString() ?? ''];
}

/** Waits until the fact holds. */
const fact = (holds: () => boolean): Promise<boolean> => until(holds, (value) => value);

/** The server's end of the only connection. */
function theOne(sockets: readonly Socket[]): Socket {
  const [socket] = sockets;
  assert.ok(socket);
  assert.equal(sockets.length, 1);
  return socket;
}

/** Waits until the connection is closed. */
async function closed(socket: Socket): Promise<void> {
  if (!socket.closed) await once(socket.resume(), 'close', { signal: AbortSignal.timeout(20_000) });
}

test('a plain answer carries date, id and keep-alive, each request its own id', async () => {
  await serving(async ({ port }) => {
    const socket = connectBounded(port);
    const ids = new Set<string>();
    for (const url of ['/small', '/later', '/small']) {
      const [head, body] = await ask(socket, get(url));
      assert.equal(body, 'small');
      assert.match(head, /^HTTP\/1\.1 200 OK\r\nDate: \w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT\r\n/);
      assert.match(head, /\r\nConnection: keep-alive\r\nKeep-Alive: timeout=72$/);
      ids.add(/\r\nX-Request-Id: ([0-9a-z-]{21})\r\n/.exec(head)?.[1] ?? '');
    }
    assert.equal(ids.size, 3);
    socket.destroy();
  });
});

test('a connection that asks anything else is served on by Node, with all it has sent', async () => {
  await serving(async ({ port, plainUrls }) => {
    const post = 'POST /body HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    const rows: [send: string[], answers: string[]][] = [
      [[get('/else')], ['{"node":"/else"}']],
      [[get('/fails')], ['{"node":"/fails"}']],
      [[get('/fails-later')], ['{"node":"/fails-later"}']],
      [[get('/small', 'Content-Length: 0\r\n')], ['{"node":"/small"}']],
      [[get('/small').slice(0, 9), get('/small').slice(9)], ['{"node":"/small"}']],
      [[get('/small') + get('/else')], ['{"node":"/small"}', '{"node":"/else"}']],
      [[`${post}Content-Length: 2\r\n\r\n`, '{}'], ['{"body":{}}']],
      [[`${post}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`], ['{"body":{}}']],
    ];
    for (const [send, expected] of rows) {
      const socket = connectBounded(port);
      assert.equal((await ask(socket, get('/small')))[1], 'small');
      for (const text of send) {
        socket.write(text);
        await new Promise((resolve) => setImmediate(resolve));
      }
      const answers = await readAnswers(socket, expected.length);
      assert.deepEqual(
        answers.map(([, body]) => body.toString()),
        expected,
      );
      const asked = plainUrls.length;
      assert.equal((await ask(socket, get('/small')))[1], '{"node":"/small"}');
      assert.equal(plainUrls.length, asked, 'it stays with Node');
      socket.destroy();
    }
  });
});

test('requests that come while one is looked up are answered in their turn', async () => {
  await serving(async ({ port, plainUrls, release }) => {
    const socket = connectBounded(port);
    socket.write(get('/held'));
    await fact(() => plainUrls.includes('/held'));
    socket.write(get('/else'));
    release();
    const answers = await readAnswers(socket, 2);
    assert.deepEqual(
      answers.map(([, body]) => body.toString()),
      ['small', '{"node":"/else"}'],
    );
    socket.destroy();
  });
});

test('clients that read slowly get every byte, each with its own id', async () => {
  await serving(async ({ port }) => {
    const sockets = Array.from({ length: 4 }, () => connectBounded(port));
    const ids = new Set<string>();
    await Promise.all(
      sockets.map(async (socket) => {
        for (let round = 0; round < 20; round++) {
          socket.write(get('/large'));
          socket.pause();
          await new Promise((resolve) => setImmediate(resolve));
          socket.resume();
          const [answer] = await readAnswers(socket, 1);
          assert.ok(answer?.[1].equals(LARGE));
          ids.add(/X-Request-Id: (\S+)/.exec(answer?.[0] ?? '')?.[1] ?? '');
        }
        socket.destroy();
      }),
    );
    assert.equal(ids.size, 80);
  });
});

test('a client that asks on and never reads is not read on, and gets all once it reads', async () => {
  await serving(async ({ port, plainUrls, sockets }) => {
    const socket = connectBounded(port);
    socket.pause();
    await fact(() => sockets.length === 1);
    const [there] = sockets;
    assert.ok(there);
    while (!there.isPaused()) {
      const asked = plainUrls.length;
      socket.write(get('/large'));
      await fact(() => plainUrls.length > asked);
    }
    assert.ok(there.writableLength < 2 * LARGE.length);
    socket.resume();
    for (const [, body] of await readAnswers(socket, plainUrls.length)) {
      assert.ok(body.equals(LARGE));
    }
    socket.destroy();
  });
});

test('a connection that says nothing is refused as too slow', async () => {
  await serving(
    async ({ port }) => {
      const socket = connectBounded(port);
      let text = '';
      for await (const chunk of socket) text += String(chunk);
      assert.match(text, /^HTTP\/1\.1 408 .*"code":"slow"/s);
    },
    { requestMs: 300 },
  );
});

test('closing: waiting, silent and half-sent connections end, and what is under way is answered', async () => {
  // Nothing here ends by time: only what is ended lets the close come to its end.
  const hour = { requestMs: 3_600_000 };
  await serving(async ({ port, plainUrls, release, close }) => {
    const open = async (text: string): Promise<Socket> => {
      const socket = connectBounded(port);
      await once(socket, 'connect');
      socket.write(text);
      return socket;
    };
    const silent = await open('');
    const half = await open('GET /small HTTP/1.1\r\nHo');
    const waiting = await open('');
    assert.equal((await ask(waiting, get('/small')))[1], 'small');
    const node = await open('');
    assert.equal((await ask(node, get('/else')))[1], '{"node":"/else"}');
    const working = await open(get('/held'));
    await fact(() => plainUrls.includes('/held'));
    const sockets = [silent, half, waiting, node];
    const ends = sockets.map((socket) => once(socket.resume(), 'close'));
    const closed = close();
    await Promise.all(ends);
    release();
    const [answer] = await readAnswers(working, 1);
    assert.equal(answer?.[1].toString(), 'small');
    await closed;
  }, hour);
});

test('closing: a plain connection ends with the answer that is under way', async (t) => {
  // No look for connections without work is needed.
  t.mock.timers.enable({ apis: ['setInterval'] });
  await serving(async ({ port, plainUrls, release, close }) => {
    const socket = connectBounded(port);
    socket.write(get('/held'));
    await fact(() => plainUrls.includes('/held'));
    const done = close();
    release();
    const [answer] = await readAnswers(socket, 1);
    assert.equal(answer?.[1].toString(), 'small');
    await closed(socket);
    await done;
  });
});

test('closing: what Node answers is answered whole, on a connection that was plain', async () => {
  await serving(async ({ port, plainUrls, close }) => {
    const socket = connectBounded(port);
    socket.write(get('/slow'));
    await fact(() => plainUrls.includes('/slow'));
    const closed = close();
    const [answer] = await readAnswers(socket, 1);
    assert.equal(answer?.[1].toString(), '{"node":"slow"}');
    await closed;
  });
});

test('what has come after a request that goes to Node in the end stays behind it', async () => {
  await serving(async ({ port, plainUrls, sockets, release }) => {
    const socket = connectBounded(port);
    socket.write(get('/held-for-node'));
    await fact(() => plainUrls.includes('/held-for-node'));
    const there = theOne(sockets);
    const before = there.bytesRead;
    socket.write(get('/small'));
    await fact(() => there.bytesRead > before);
    release();
    const answers = await readAnswers(socket, 2);
    assert.deepEqual(
      answers.map(([, body]) => body.toString()),
      ['{"node":"/held-for-node"}', '{"node":"/small"}'],
    );
    socket.destroy();
  });
});

test('a connection has the time of a request for its first, and the keep-alive after each answer', async () => {
  await serving(
    async ({ port, sockets }) => {
      const socket = connectBounded(port);
      await fact(() => sockets.length === 1);
      const there = theOne(sockets);
      assert.equal(there.timeout, 12_345);
      for (let times = 0; times < 2; times++) {
        assert.equal((await ask(socket, get('/small')))[1], 'small');
        assert.equal(there.timeout, 72_000);
      }
      // It has waited for so long: nothing is said any more.
      there.setTimeout(1);
      let more = '';
      socket.on('data', (bytes) => {
        more += String(bytes);
      });
      await closed(socket);
      assert.equal(more, '');
    },
    { requestMs: 12_345 },
  );
});

test('a connection that was given to Node is not ended while it waits for a long answer', async () => {
  await serving(
    async ({ port }) => {
      const socket = connectBounded(port);
      assert.equal((await ask(socket, get('/slow')))[1], '{"node":"slow"}');
      socket.destroy();
    },
    { requestMs: 300 },
  );
});

test('a client that ends its side is answered by the end of the connection', async () => {
  await serving(async ({ port, sockets }) => {
    const socket = connectBounded(port);
    assert.equal((await ask(socket, get('/small')))[1], 'small');
    socket.end();
    await closed(theOne(sockets));
    await closed(socket);
  });
});

test('a plain request under way keeps its connection from being dropped, and one that is answered does not', async () => {
  await serving(
    async ({ port, plainUrls, sockets, release }) => {
      const open = async (): Promise<Socket> => {
        const count = sockets.length;
        const socket = connectBounded(port).on('error', () => {});
        await fact(() => sockets.length > count);
        return socket;
      };
      const working = await open();
      working.write(get('/held'));
      await fact(() => plainUrls.includes('/held'));
      const idle = await open();
      const next = await open();
      await closed(idle);
      release();
      assert.equal((await readAnswers(working, 1))[0]?.[1].toString(), 'small');
      const last = await open();
      await closed(working);
      assert.equal((await ask(next, get('/small')))[1], 'small');
      assert.equal((await ask(last, get('/small')))[1], 'small');
    },
    { untrustedConnections: 2 },
  );
});

test('the date of a plain answer is that of its second', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 22, 8, 30, 0) });
  await serving(async ({ port }) => {
    const socket = connectBounded(port);
    const rows: [ms: number, date: string][] = [
      [0, 'Sun, 22 Nov 2026 08:30:00 GMT'],
      [999, 'Sun, 22 Nov 2026 08:30:00 GMT'],
      [1_000, 'Sun, 22 Nov 2026 08:30:01 GMT'],
      [86_400_000, 'Mon, 23 Nov 2026 08:30:00 GMT'],
    ];
    for (const [ms, date] of rows) {
      t.mock.timers.setTime(Date.UTC(2026, 10, 22, 8, 30, 0) + ms);
      const [head] = await ask(socket, get('/small'));
      assert.equal(/\r\nDate: ([^\r]+)\r\n/.exec(head)?.[1], date);
    }
    socket.destroy();
  });
});
