// The rules of the guide's Caddy configuration beyond those in proxies.test.ts, with servers of the test behind it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { until } from '../../scripts/until.ts';
import { ask } from './ask.ts';
import { HOSTS } from './open-cluster.ts';
import { openProxy } from './open-proxy.ts';
import { requestsOf } from './start-back.ts';
import { caddyMissing, STORE_ADDRESS, startCaddy } from './start-caddy.ts';

const skip = caddyMissing() ?? false;
const FORWARDED = { 'x-forwarded-for': '9.9.9.9' };

test('a change whose process dies after it has received a byte is not repeated', {
  skip,
}, async (t) => {
  const { ports, api } = await openProxy(t, startCaddy);
  for (const back of api) back.handle = (asked) => asked.once('data', () => asked.destroy());
  const init = { method: 'POST', body: 'a build' };
  const answer = await ask(ports.outside, HOSTS.api, '/projects/1/publish', init);
  assert.equal(answer.status, 502);
  assert.equal(api.flatMap(requestsOf).length, 1);
});

test('a request to a game with a large body is rejected', { skip }, async (t) => {
  const { ports, api } = await openProxy(t, startCaddy);
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
  const { ports, api, store } = await openProxy(t, startCaddy);
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
  const { ports, api } = await openProxy(t, startCaddy);
  api[0].handle = ({ url }, response) => response.writeHead(url === '/readyz' ? 503 : 200).end();
  const takeTurns = async (): Promise<number> => {
    const before = requestsOf(api[0]).length;
    for (let count = 0; count < 4; count++) await ask(ports.outside, HOSTS.api, '/x');
    return requestsOf(api[0]).length - before;
  };
  await until(takeTurns, (turns) => turns === 0, 'the process that is not ready gets no requests');
});
