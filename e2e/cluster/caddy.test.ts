// The rules of the guide's Caddy configuration, with servers of the test behind it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '../../scripts/until.ts';
import { ask } from './ask.ts';
import { HOSTS } from './open-cluster.ts';
import { type Back, startBack } from './start-back.ts';
import { caddyMissing, STORE_ADDRESS, startCaddy } from './start-caddy.ts';
import type { Ports } from './start-nginx.ts';
import { findFreePorts } from './start-program.ts';

const skip = caddyMissing() ?? false;
const FORWARDED = { 'x-forwarded-for': '9.9.9.9' };
const READY = 'GET /readyz';

async function open(t: TestContext) {
  const [outside = 0, inside = 0, redirect = 0, ...rest] = await findFreePorts(7);
  const [a = 0, b = 0, c = 0, d = 0] = rest;
  const ports: Ports = { outside, inside, redirect, api: [a, b], store: [c, d] };
  const folder = mkdtempSync(join(tmpdir(), 'svc-caddy-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const api = [await startBack(t, a), await startBack(t, b)] as const;
  const store = [await startBack(t, c), await startBack(t, d)] as const;
  const caddy = await startCaddy(join(folder, 'caddy'), ports);
  t.after(() => caddy[Symbol.asyncDispose]());
  return { ports, api, store };
}

/** The requests that are no questions for the readiness. */
const requestsOf = (back: Back): string[] => back.asked.filter((one) => one !== READY);

test('a request goes to the other process if the first one does not listen', {
  skip,
}, async (t) => {
  const { ports, api, store } = await open(t);
  await api[0].close();
  await store[0].close();
  for (const host of [HOSTS.api, HOSTS.web]) {
    for (const init of [{}, { method: 'POST', body: 'x' }]) {
      for (let count = 0; count < 3; count++) {
        assert.equal((await ask(ports.outside, host, '/x', init)).status, 200);
      }
    }
  }
  assert.deepEqual([requestsOf(api[1]).length, requestsOf(store[1]).length], [6, 6]);
});

test('a change whose process dies after it has received a byte is not repeated', {
  skip,
}, async (t) => {
  const { ports, api } = await open(t);
  for (const back of api) back.handle = (asked) => asked.once('data', () => asked.destroy());
  const init = { method: 'POST', body: 'a build' };
  const answer = await ask(ports.outside, HOSTS.api, '/projects/1/publish', init);
  assert.equal(answer.status, 502);
  assert.equal(api.flatMap(requestsOf).length, 1);
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

test('an asset that one process of the store lacks comes from the other', { skip }, async (t) => {
  const { ports, store } = await open(t);
  store[0].handle = ({ url }, response) => response.writeHead(url === '/readyz' ? 200 : 404).end();
  for (let count = 0; count < 4; count++) {
    assert.equal((await ask(ports.outside, HOSTS.web, '/assets/style.css')).status, 200);
  }
});

test('a request to a game with a large body is rejected', { skip }, async (t) => {
  const { ports, api } = await open(t);
  for (const back of api) {
    back.handle = (asked, response) => asked.resume().once('end', () => response.end());
  }
  const init = { method: 'POST', body: 'x'.repeat(1_025) };
  // Newer versions than 2.6 answer with 413.
  const { status } = await ask(ports.outside, HOSTS.game('moonhop'), '/x', init);
  assert.ok(status === 413 || status === 502, String(status));
});

test('the address of a visitor is that of the connection, or what the store has sent', {
  skip,
}, async (t) => {
  const { ports, api, store } = await open(t);
  const visit = async (port: number, host: string, localAddress: string): Promise<void> => {
    const sent = request({
      port,
      host: '127.0.0.1',
      localAddress,
      headers: { host, ...FORWARDED },
    });
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
  };
  const forwarded = (): (string | undefined)[] =>
    [...api, ...store].flatMap((back) => back.forwarded).filter((one) => one !== 'undefined');
  for (const host of [HOSTS.api, HOSTS.game('moonhop'), HOSTS.web]) {
    await visit(ports.outside, host, '127.0.0.1');
  }
  assert.deepEqual(forwarded(), ['127.0.0.1', '127.0.0.1', '127.0.0.1']);
  for (const back of [...api, ...store]) back.forwarded.length = 0;
  await visit(ports.inside, '127.0.0.1', STORE_ADDRESS);
  assert.deepEqual(forwarded(), [`9.9.9.9, ${STORE_ADDRESS}`]);
});

test('the processes are asked whether they are ready, and one that is not gets no requests', {
  skip,
}, async (t) => {
  const { ports, api } = await open(t);
  api[0].handle = ({ url }, response) => response.writeHead(url === '/readyz' ? 503 : 200).end();
  const takeTurns = async (): Promise<number> => {
    const before = requestsOf(api[0]).length;
    for (let count = 0; count < 4; count++) await ask(ports.outside, HOSTS.api, '/x');
    return requestsOf(api[0]).length - before;
  };
  await until(takeTurns, (turns) => turns === 0, 'the process that is not ready gets no requests');
});
