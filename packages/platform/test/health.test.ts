// The state of a process for proxies, and its orderly end.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPlatformClient } from '@svc/contracts/platform';
import { sql } from 'kysely';
import { connectBounded } from '../../../scripts/connect-bounded.ts';
import { until } from '../../../scripts/until.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { readSettings } from '../src/index.ts';
import { readErrorCode } from './expect-error.ts';
import { makeZip } from './make-zip.ts';
import { openPlatform } from './open-platform.ts';
import { type PlatformProcess, startProcess } from './platform-process.ts';
import { publishForm } from './publish-build.ts';
import { signIn } from './sign-in.ts';
import { newDatabase, type Postgres, postgresMissing, startPostgres } from './start-postgres.ts';

const READY = { ready: true, draining: false, failing: [] };
const DRAINING = { ready: false, draining: true, failing: [] };
const missing = postgresMissing();
const skip = missing ?? false;

let postgres: Postgres;
before(() => {
  if (missing === null) postgres = startPostgres();
});
after(() => {
  if (missing === null) postgres[Symbol.dispose]();
});

async function read(server: { readonly baseUrl: string }, path: string): Promise<unknown[]> {
  const answer = await fetch(server.baseUrl + path);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  return [answer.status, await answer.json()];
}

/** Waits until the process is ready, or is not because of these checks. */
async function untilFailing(server: { readonly baseUrl: string }, ...failing: string[]) {
  const expected =
    failing.length === 0 ? [200, READY] : [503, { ready: false, draining: false, failing }];
  await until(
    async () => JSON.stringify(await read(server, '/readyz')),
    (text) => text === JSON.stringify(expected),
    JSON.stringify(expected),
    20_000,
  );
}

test('a process is alive, and ready while folder, database and schema are', async () => {
  await using platform = await openPlatform();
  assert.deepEqual(await read(platform, '/livez'), [200, { ok: true }]);
  assert.deepEqual(await read(platform, '/readyz'), [200, READY]);
  assert.equal((await fetch(`${platform.baseUrl}/readyz`, { method: 'HEAD' })).status, 200);
  assert.equal(await readErrorCode(await fetch(`${platform.baseUrl}/readyz?x=1`)), 'invalid_input');
  const files = join(platform.dataDir, 'projects');
  await rename(files, `${files}-away`);
  await untilFailing(platform, 'store');
  assert.deepEqual(await read(platform, '/livez'), [200, { ok: true }]);
  await rename(`${files}-away`, files);
  await untilFailing(platform);
});

test('without PostgreSQL a process is alive and not ready, and ready again afterwards', {
  skip,
}, async () => {
  const databaseUrl = await newDatabase(postgres.url);
  await using platform = await openPlatform({ settings: { ...readSettings({}), databaseUrl } });
  assert.deepEqual(await read(platform, '/readyz'), [200, READY]);
  postgres.stop();
  try {
    await untilFailing(platform, 'database', 'schema');
    assert.deepEqual(await read(platform, '/livez'), [200, { ok: true }]);
  } finally {
    postgres.start();
  }
  await untilFailing(platform);
});

for (const engine of ['SQLite', 'PostgreSQL']) {
  test(`a running process is not ready with an older schema on ${engine}, or with a newer one unless that is compatible`, {
    skip: engine === 'SQLite' ? false : skip,
  }, async () => {
    const databaseUrl = engine === 'SQLite' ? null : await newDatabase(postgres.url);
    await using platform = await openPlatform({ settings: { ...readSettings({}), databaseUrl } });
    const { db } = await openDatabase(platform.dataDir, databaseUrl);
    try {
      const newer = '9999_newer';
      await sql`insert into kysely_migration (name, timestamp) values (${newer}, '2030')`.execute(
        db,
      );
      await untilFailing(platform, 'schema');
      await sql`insert into compatible_migrations (name) values (${newer})`.execute(db);
      await untilFailing(platform);
      // An older schema, which lacks a migration of this process.
      await sql`delete from kysely_migration where name like '0001%'`.execute(db);
      await untilFailing(platform, 'schema');
    } finally {
      await db.destroy();
    }
  });
}

async function startServer(t: TestContext, drainSeconds: number): Promise<PlatformProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-drain-'));
  const server = await startProcess(folder, { SVC_DRAIN_SECONDS: String(drainSeconds) });
  t.after(async () => {
    await server.kill();
    await rm(folder, { recursive: true, force: true });
  });
  return server;
}

/** Begins a publish of which the last byte is missing. */
async function beginUpload(server: PlatformProcess): Promise<{ socket: Socket; finish(): void }> {
  const idToken = await signIn(server.issuer, 'svc-dev', 'Ada');
  const { baseUrl } = server;
  const client = createPlatformClient({ baseUrl, send: fetch, credential: () => idToken });
  await client.call('openSession', { body: { id_token: idToken, role: 'developer' } });
  const { game } = await client.call('createProject', { body: { title: 'Slow' } });
  const form = new Response(publishForm('1', makeZip({ 'index.html': 'x' })));
  const body = Buffer.from(await form.arrayBuffer());
  const socket = connectBounded(Number(new URL(baseUrl).port)).on('error', () => {});
  const head = [
    `POST /projects/${game.id}/publish HTTP/1.1`,
    'Host: x',
    'Expect: 100-continue',
    `Authorization: Bearer ${idToken}`,
    `Content-Type: ${form.headers.get('content-type')}`,
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const [first] = await once(socket, 'data');
  assert.match(String(first), /^HTTP\/1\.1 100 /);
  socket.write(body.subarray(0, -1));
  return { socket, finish: () => void socket.write(body.subarray(-1)) };
}

async function readToEnd(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  if (!socket.closed) await once(socket, 'close');
  return text;
}

test('after SIGTERM requests are answered with Connection: close until proxies have noticed', async (t) => {
  const server = await startServer(t, 60);
  await read(server, '/readyz');
  const exited = once(server.child, 'exit');
  server.child.kill('SIGTERM');
  await until(
    () => read(server, '/readyz'),
    ([status]) => status === 503,
    'it drains',
    20_000,
  );
  const page = await fetch(`${server.baseUrl}/home`);
  assert.deepEqual([page.status, page.headers.get('connection')], [200, 'close']);
  const game = await fetch(`${server.baseUrl}/play/nothing/`);
  assert.deepEqual([game.status, game.headers.get('connection')], [404, 'close']);
  assert.deepEqual(await read(server, '/readyz'), [503, DRAINING]);
  assert.deepEqual(await read(server, '/readyz'), [503, DRAINING]);
  assert.deepEqual(await exited, [0, null]);
});

test('if no proxy asks for readiness, SIGTERM ends the process at once', async (t) => {
  const server = await startServer(t, 60);
  await fetch(`${server.baseUrl}/home`);
  const startedAt = performance.now();
  assert.equal(await server.end(), 0);
  assert.ok(performance.now() - startedAt < 10_000);
});

test('an upload in progress is completed after SIGTERM, while new connections are refused', async (t) => {
  const server = await startServer(t, 60);
  const { socket, finish } = await beginUpload(server);
  const exited = once(server.child, 'exit');
  server.child.kill('SIGTERM');
  const state = () =>
    fetch(`${server.baseUrl}/healthz`).then(
      ({ status }) => status,
      () => 0,
    );
  await until(state, (status) => status === 0, 'it does not listen', 20_000);
  await sleep(500);
  finish();
  assert.match(await readToEnd(socket), /^HTTP\/1\.1 201 /);
  assert.deepEqual(await exited, [0, null]);
});

test('an upload that outlives SVC_DRAIN_SECONDS is cut, and the process ends', async (t) => {
  const server = await startServer(t, 1);
  const { socket } = await beginUpload(server);
  const exited = once(server.child, 'exit');
  const startedAt = performance.now();
  server.child.kill('SIGTERM');
  assert.doesNotMatch(await readToEnd(socket), /^HTTP/);
  const ms = performance.now() - startedAt;
  assert.ok(ms > 900, `cut after ${ms} ms`);
  assert.deepEqual(await exited, [0, null]);
  assert.ok(performance.now() - startedAt < 15_000);
});

test('a second signal ends the process at once', async (t) => {
  const server = await startServer(t, 60);
  await beginUpload(server);
  const exited = once(server.child, 'exit');
  server.child.kill('SIGTERM');
  // Later than a signal that counts as the same.
  await sleep(1_000);
  assert.equal(server.child.exitCode, null);
  server.child.kill('SIGTERM');
  assert.deepEqual(await exited, [128 + 15, null]);
});
