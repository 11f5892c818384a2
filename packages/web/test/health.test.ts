// The state of a process for proxies, and its orderly end.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { type Postgres, postgresMissing, startPostgres } from '@svc/platform/testing';
import { until } from '../../../scripts/until.ts';
import { openBackend, openProcess } from './open-processes.ts';
import { openStandIn, type StandInAnswer, startStandInApi } from './stand-in-api.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');
const PATIENCE_MS = 60_000;
const HEALTHY: StandInAnswer = { json: { ok: true } };

const missing = postgresMissing();
const skip = missing ?? false;
let postgres: Postgres;
before(() => {
  if (missing === null) postgres = startPostgres();
});
after(() => {
  if (missing === null) postgres[Symbol.dispose]();
});

async function read(port: number, path: string): Promise<[status: number, body: unknown]> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  return [answer.status, await answer.json()];
}

test('a site is alive without the API, and ready only with it', async (t) => {
  const { web, api } = await openStandIn(t);
  api.answers['GET /healthz'] = HEALTHY;
  assert.deepEqual(await read(web.port, '/livez'), [200, { ok: true }]);
  const ready = { ready: true, draining: false, failing: [] };
  assert.deepEqual(await read(web.port, '/readyz'), [200, ready]);
  for (const answer of ['hang', 'drop', { status: 404, text: 'a proxy' }] as const) {
    const other = await openStandIn(t);
    other.api.answers['GET /healthz'] = answer;
    const unready = { ready: false, draining: false, failing: ['api'] };
    assert.deepEqual(await read(other.web.port, '/readyz'), [503, unready]);
    assert.deepEqual(await read(other.web.port, '/livez'), [200, { ok: true }]);
  }
});

test('a site with a shared database is ready only while it answers', { skip }, async (t) => {
  const backend = await openBackend(t, postgres);
  backend.api.answers['GET /healthz'] = HEALTHY;
  const { port } = await openProcess(t, backend);
  assert.equal((await read(port, '/readyz'))[0], 200);
  await backend.setDown(true);
  const without = await until(
    () => read(port, '/readyz'),
    ([status]) => status === 503,
  );
  assert.deepEqual(without[1], { ready: false, draining: false, failing: ['database'] });
  await backend.setDown(false);
  await until(
    () => read(port, '/readyz'),
    ([status]) => status === 200,
  );
});

test('a site that drains answers pages until three questions for its readiness were refused', async (t) => {
  const { web, api, ask } = await openStandIn(t);
  api.answers['GET /healthz'] = HEALTHY;
  await read(web.port, '/readyz');
  const drained = web.drain();
  const refused = { ready: false, draining: true, failing: [] };
  for (let time = 0; time < 2; time++) {
    assert.deepEqual(await read(web.port, '/readyz'), [503, refused]);
    const page = await ask('/search');
    assert.deepEqual([page.status, page.headers.get('connection')], [200, 'close']);
  }
  assert.deepEqual(await read(web.port, '/readyz'), [503, refused]);
  await drained;
  await assert.rejects(ask('/search'), TypeError);
});

test('a request that is running when the site drains is answered', async (t) => {
  const { web, api, ask } = await openStandIn(t);
  let answerNow = (): void => {};
  const asked = new Promise<void>((resolve) => {
    api.answers['GET /search'] = () => {
      resolve();
      return new Promise((settle) => {
        answerNow = () => settle({ json: { games: [], developers: [] } });
      });
    };
  });
  const page = ask('/search?q=x');
  await asked;
  const drained = web.drain();
  answerNow();
  assert.equal((await page).status, 200);
  await drained;
});

test('a request that is still running at the end of the time is cut off', async (t) => {
  const { web, api, ask } = await openStandIn(t, { drainMs: 200, apiTimeoutMs: PATIENCE_MS });
  const asked = new Promise<void>((resolve) => {
    api.answers['GET /search'] = () => {
      resolve();
      return 'hang';
    };
  });
  const page = ask('/search?q=x');
  await asked;
  await Promise.all([web.drain(), assert.rejects(page, TypeError)]);
});

test('svc-web drains on SIGTERM, and exits with 0', async (t) => {
  const api = await startStandInApi(t);
  api.answers['GET /healthz'] = HEALTHY;
  const child: ChildProcess = spawn(process.execPath, [MAIN, '--json', '--port', '0'], {
    env: { PATH: process.env['PATH'] ?? '', SVC_API: api.url, SVC_DRAIN_SECONDS: '60' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.after(() => child.kill('SIGKILL'));
  assert.ok(child.stdout);
  const lines = createInterface({ input: child.stdout });
  const [line] = await once(lines, 'line', { signal: AbortSignal.timeout(PATIENCE_MS) });
  const { port } = JSON.parse(String(line));
  assert.equal((await read(port, '/readyz'))[0], 200);
  const exited = once(child, 'exit', { signal: AbortSignal.timeout(PATIENCE_MS) });
  child.kill('SIGTERM');
  await until(
    () => read(port, '/readyz'),
    ([status]) => status === 503,
    'the site is not ready',
  );
  const page = await fetch(`http://127.0.0.1:${port}/search`);
  assert.equal(page.status, 200);
  await page.arrayBuffer();
  for (let time = 0; time < 2; time++) assert.equal((await read(port, '/readyz'))[0], 503);
  assert.deepEqual(await exited, [0, null]);
});
