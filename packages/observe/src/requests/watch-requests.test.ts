// What is known about each request when it has ended.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { until } from '../../../../scripts/until.ts';
import { type EndedRequest, type RequestWatch, watchRequests } from './watch-requests.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, watch: RequestWatch) => void;

async function serve(t: TestContext, answer: Answer) {
  const ended: EndedRequest[] = [];
  let ids = 0;
  const watch = watchRequests({
    newId: () => `id-${++ids}`,
    isTrusted: () => true,
    addressOf: () => '1.2.3.4',
    onEnd: (one) => ended.push(one),
  });
  const server = createServer((request, response) => {
    assert.equal(watch.begin(request, response), watch.begin(request, response));
    answer(request, response, watch);
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const wait = (count: number): Promise<EndedRequest[]> =>
    until(
      () => ended,
      (all) => all.length >= count,
      `${count} requests have ended`,
      10_000,
    );
  return { port, watch, wait };
}

/** Sends bytes, and returns all that comes back until the server closes the connection. */
async function send(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(text);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const GET = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const LAST = 'Connection: close\r\n';

test('a request has an id, a route, a status, a code, a time and the bytes of its answer', async (t) => {
  const { port, watch, wait } = await serve(t, (request, response, { setRoute, setCode, idOf }) => {
    setRoute(request, '/things/:id');
    setCode(request, 'not_found');
    assert.equal(idOf(request), 'id-1');
    assert.equal(watch.running, 1);
    response.writeHead(404).end('none');
  });
  assert.equal(watch.running, 0);
  const answer = await send(port, GET('/things/secret', LAST));
  const [ended] = await wait(1);
  assert.ok(ended !== undefined && ended.ms > 0 && ended.ms < 10_000, String(ended?.ms));
  assert.deepEqual(
    { ...ended, ms: 0 },
    {
      ...{ id: 'id-1', method: 'GET', route: '/things/:id', status: 404, code: 'not_found' },
      ...{ ms: 0, bytes: answer.length, isCutOff: false, address: '1.2.3.4', traceId: null },
    },
  );
  assert.equal(watch.running, 0);
});

test('bytes are those of each answer on a connection, and an unusual method has a common name', async (t) => {
  const { port, wait } = await serve(t, ({ url }, response) => {
    response.end('x'.repeat(Number(url?.slice(1))));
  });
  const lone = await send(port, GET('/5000', LAST));
  const both = await send(port, `${GET('/5000')}PROPFIND /10 HTTP/1.1\r\nHost: x\r\n${LAST}\r\n`);
  const [first, second, third] = await wait(3);
  assert.equal(first?.bytes, lone.length);
  assert.equal((second?.bytes ?? 0) + (third?.bytes ?? 0), both.length);
  assert.deepEqual([second?.method, third?.method], ['GET', 'OTHER']);
  assert.equal(third?.route, 'none');
  assert.equal(third?.code, null);
});

test('a client that leaves before the answer has the status 499, and one that leaves in it the status of the answer', async (t) => {
  const { port, watch, wait } = await serve(t, ({ url }, response) => {
    if (url === '/begun') response.writeHead(200).write('some');
  });
  for (const path of ['/waiting', '/begun']) {
    const socket = connect(port, '127.0.0.1');
    socket.write(GET(path));
    await until(
      () => watch.running,
      (running) => running === 1,
      'the request runs',
      10_000,
    );
    if (path === '/begun') await once(socket, 'data');
    socket.destroy();
    await wait(path === '/begun' ? 2 : 1);
  }
  const ended = await wait(2);
  assert.deepEqual(
    ended.map(({ status, isCutOff }) => [status, isCutOff]),
    [
      [499, true],
      [200, true],
    ],
  );
  assert.equal(watch.running, 0);
});

test('a request that is not watched has no id, and cannot be changed', async (t) => {
  const { watch } = await serve(t, () => {});
  const other = {} as IncomingMessage;
  watch.setRoute(other, '/x');
  watch.setCode(other, 'x');
  assert.equal(watch.idOf(other), null);
});

test('bytes that are no request are reported, with an id and the code of the answer', async (t) => {
  const { watch, wait } = await serve(t, () => {});
  assert.equal(watch.refuse(400, 'malformed'), 'id-1');
  const [ended] = await wait(1);
  assert.deepEqual(
    [ended?.id, ended?.method, ended?.route, ended?.status, ended?.code],
    ['id-1', 'OTHER', 'none', 400, 'malformed'],
  );
  assert.equal(watch.running, 0);
});
