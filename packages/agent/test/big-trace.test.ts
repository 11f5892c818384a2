// Traces that are too large for one answer or one request: what is listed, what is refused, and
// that work ends.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { AGENT_ROUTES } from '@svc/contracts/agent';
import { Check } from 'typebox/value';
import { ask, field, parseRaw, startTestAgent, type TestAgent, until, vptOf } from './harness.ts';

const ASSET = { type: 'asset', t: 1, kind: 'data', phase: 'load' };
const STUCK = new URL('./stuck-worker.ts', import.meta.url);
const JSON_TYPE = { 'content-type': 'application/json' };

function workerThreads(): number {
  return readdirSync('/proc/self/task').filter((task) => {
    try {
      return readFileSync(`/proc/self/task/${task}/comm`, 'latin1').startsWith('WorkerThread');
    } catch {
      return false;
    }
  }).length;
}

/** Sends a request without reading its answer. */
function send({ agent, port }: TestAgent, method: string, path: string, body = ''): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${agent.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

test('the report ranks all assets, lists the costliest 10,000 and reports how many it leaves out', async () => {
  await using running = await startTestAgent();
  const count = 10_050;
  const records = Array.from({ length: count }, (_, id) => ({
    ...ASSET,
    id,
    name: `asset ${id}`,
    bytes: 1_000,
    duration_ms: (id * 7_919) % count,
  }));
  await ask(running, 'POST', '/api/trace', { body: vptOf(...records) });
  const { json, text } = await ask(running, 'GET', '/api/assets');
  assert.ok(Check(AGENT_ROUTES.assets.answer, json), text.slice(0, 500));
  assert.deepEqual([json.assets.length, json.left_out], [10_000, 50]);
  assert.equal(json.totals.assets, count);
  assert.equal(json.totals.bytes, count * 1_000);
  assert.equal(json.totals.load_ms, (count * (count - 1)) / 2);
  assert.equal(json.assets[0]?.load_ms, count - 1);
  assert.equal(json.assets.at(-1)?.load_ms, 50, 'the fifty cheapest are left out');
});

test('a report or an analysis ends when its last client disconnects; a remaining client keeps it running', async () => {
  await using running = await startTestAgent({ workerUrl: STUCK });
  await ask(running, 'POST', '/api/trace', { body: vptOf({ ...ASSET, id: 1, name: 'a' }) });
  const idle = await until(workerThreads, () => true);
  const one = send(running, 'GET', '/api/assets');
  await until(workerThreads, (count) => count === idle + 1, 'the report to be under way');
  const other = send(running, 'GET', '/api/assets');
  await until(
    () => ask(running, 'GET', '/api/status'),
    ({ status }) => status === 200,
  );
  one.destroy();
  const third = send(running, 'GET', '/api/assets');
  await until(
    () => ask(running, 'GET', '/api/status'),
    ({ status }) => status === 200,
  );
  assert.equal(workerThreads(), idle + 1, 'two wait for the same work');
  other.destroy();
  third.destroy();
  await until(workerThreads, (count) => count === idle, 'the report to end');
  const analysis = send(running, 'POST', '/api/analyze', '{"offline":true}');
  await until(workerThreads, (count) => count === idle + 1, 'the analysis to be under way');
  analysis.destroy();
  await until(workerThreads, (count) => count === idle, 'the analysis to end');
});

test('work that takes longer than a request may is refused with the command that has no time limit, and ends', async () => {
  await using running = await startTestAgent({ workerUrl: STUCK, requestMs: 5_000 });
  const body = vptOf({ ...ASSET, id: 1, name: 'a' });
  assert.equal((await ask(running, 'POST', '/api/trace', { body })).status, 200);
  const { json } = await ask(running, 'GET', '/api/status');
  assert.equal(field(json, 'limits', 'request_ms'), 5_000);
  const idle = workerThreads();
  const report = await ask(running, 'GET', '/api/assets');
  assert.equal(report.code, 'deadline_exceeded');
  assert.match(report.text, /svc trace assets FILE/);
  const analysis = await ask(running, 'POST', '/api/analyze', {
    body: '{"offline":true}',
    headers: JSON_TYPE,
  });
  assert.equal(analysis.code, 'deadline_exceeded');
  assert.match(analysis.text, /svc trace analyze FILE/);
  await until(workerThreads, (count) => count <= idle, 'the work to end');
});

test("an import that can't arrive in time is refused long before its time is up, with advice", async () => {
  const requestMs = 30_000;
  await using running = await startTestAgent({ requestMs, importLimitBytes: 2 ** 31 });
  const began = performance.now();
  const socket = connect(running.port, '127.0.0.1');
  socket.on('error', () => {});
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write(
    `POST /api/trace HTTP/1.1\r\nHost: 127.0.0.1:${running.port}\r\nAuthorization: Bearer ${running.agent.token}\r\nContent-Length: 1000000000\r\n\r\n${vptOf()}`,
  );
  const line = `${JSON.stringify({ type: 'mark', t: 1, name: 'x'.repeat(10_000) })}\n`;
  const sending = setInterval(() => socket.write(line), 50);
  await until(
    () => chunks.length,
    (count) => count > 0,
    'a refusal',
    requestMs,
  );
  clearInterval(sending);
  assert.ok(performance.now() - began < requestMs / 2, 'before its time is up');
  const answer = parseRaw(Buffer.concat(chunks).toString());
  assert.equal(answer.code, 'request_timeout');
  assert.match(String(field(answer.json, 'error', 'message')), /1,000 MB .* svc dashboard FILE/);
  socket.destroy();
  await until(
    () => ask(running, 'POST', '/api/trace', { body: vptOf() }),
    ({ status }) => status === 200,
    'the slot to be free again',
  );
});
