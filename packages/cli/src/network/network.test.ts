// The line on a terminal while requests are pending: one for all of them, and none afterwards.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { listen } from '../../test/sockets.ts';
import { createNetwork } from './network.ts';

/** These tests are short. A request that never arrives must not stop the run. */
const BOUND = { timeout: 60_000 };

/** Time passes in these steps until the line changes. */
const STEP_MS = 125;

/** A server whose responses the test sends, and a terminal whose time passes when the test says so. */
async function waiting(t: TestContext) {
  const asked: ServerResponse[] = [];
  const begun = new EventEmitter<{ request: []; body: [] }>();
  const server = createServer((request, response) => {
    request.resume().on('end', () => begun.emit('body'));
    asked.push(response);
    begun.emit('request');
  });
  const url = `http://127.0.0.1:${await listen(t, server)}`;
  t.mock.timers.enable({ apis: ['setInterval'] });
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true });
  const pass = (ms: number): void => {
    for (let left = ms; left > 0; left -= STEP_MS) {
      now += Math.min(left, STEP_MS);
      t.mock.timers.tick(Math.min(left, STEP_MS));
    }
  };
  /** The text written since the last call. */
  const seen = (): string => stderr.read() ?? '';
  const requests = async (count: number): Promise<void> => {
    while (asked.length < count) await once(begun, 'request');
  };
  const body = once(begun, 'body');
  return { asked, url, network: createNetwork({ stderr, env: {} }), pass, seen, requests, body };
}

test(
  'createNetwork shows one line while requests are pending, and removes it after the last one',
  BOUND,
  async (t) => {
    const { asked, url, network, pass, seen, requests } = await waiting(t);
    const first = network.send(`${url}/a`, {});
    const second = network.send(`${url}/b`, {});
    await requests(2);
    pass(1875);
    assert.equal(seen(), '');
    pass(125);
    assert.equal(seen(), `\r\x1b[K| Waiting for ${url}  2 s`);
    asked[0]?.end();
    await Promise.race([first, second]);
    pass(125);
    assert.match(seen(), /\/ Waiting for/, 'the other one is still awaited');
    asked[1]?.end();
    await Promise.all([first, second]);
    assert.equal(seen(), '\r\x1b[K');
    pass(5000);
    assert.equal(seen(), '');
  },
);

test(
  'createNetwork shows no line during an upload, which has its own, and one while it waits for the response',
  BOUND,
  async (t) => {
    const { asked, url, network, pass, seen, requests, body: received } = await waiting(t);
    const hold = Promise.withResolvers<void>();
    t.after(() => hold.resolve());
    async function* body(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(10);
      await hold.promise;
    }
    const sent = network.send(url, { method: 'POST', body: ReadableStream.from(body()) });
    await requests(1);
    pass(10_000);
    assert.equal(seen(), '');
    hold.resolve();
    await received;
    pass(2500);
    assert.match(seen(), /Waiting for/);
    asked[0]?.end();
    await sent;
    assert.equal(seen(), '\r\x1b[K');
  },
);

test(
  'createNetwork removes its line when a request fails, also during an upload',
  BOUND,
  async (t) => {
    const { asked, url, network, pass, seen, requests } = await waiting(t);
    const failing = network.send(url, {});
    await requests(1);
    pass(3000);
    assert.match(seen(), /Waiting for/);
    asked[0]?.destroy();
    await assert.rejects(failing);
    assert.equal(seen(), '\r\x1b[K');
    const body = new ReadableStream({
      pull() {
        throw new RangeError('The file has gone');
      },
    });
    await assert.rejects(network.send(url, { method: 'POST', body }), /The file has gone/);
    const after = network.send(url, {});
    await requests(2);
    pass(3000);
    assert.match(seen(), /Waiting for/, 'the next wait is shown as the first was');
    asked.at(-1)?.end();
    await after;
  },
);
