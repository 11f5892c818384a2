// A process of the site that is stopped or killed while it renews a session.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, type TestContext, test } from 'node:test';
import { type Postgres, postgresMissing, startPostgres } from '@svc/platform/testing';
import { stopProcess } from '../../../scripts/stop-process.ts';
import { until } from '../../../scripts/until.ts';
import {
  asksToSignIn,
  type Backend,
  ORIGIN,
  openBackend,
  openProcess,
  type Shown,
  sessionCookie,
  sessionIn,
  show,
} from './open-processes.ts';
import { SECRET } from './stand-in-api.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');
const START_MS = 60_000;

const missing = postgresMissing();
const skip = missing ?? false;
let postgres: Postgres;
before(() => {
  if (missing === null) postgres = startPostgres();
});
after(() => {
  if (missing === null) postgres[Symbol.dispose]();
});

type Child = { readonly port: number; readonly child: ChildProcess };

/** Starts `svc-web`. It is killed at the end of the test. */
async function startChild(t: TestContext, { api, databaseUrl }: Backend): Promise<Child> {
  const child = spawn(process.execPath, [MAIN, '--json', '--port', '0'], {
    env: {
      PATH: process.env['PATH'] ?? '',
      SVC_API: api.url,
      SVC_WEB_ORIGIN: ORIGIN,
      SVC_WEB_SECRET: SECRET,
      SVC_WEB_DATABASE_URL: databaseUrl,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout });
  const [line] = await once(lines, 'line', { signal: AbortSignal.timeout(START_MS) });
  return { child, port: JSON.parse(String(line)).port };
}

type Middle = {
  readonly backend: Backend;
  readonly one: Child;
  readonly two: { readonly port: number };
  readonly cookie: string;
  /** The answer of the first process; null if it ended. */
  readonly first: Promise<Shown | null>;
  /** Ends the time that the first process has for its renewal. */
  endLease(): Promise<unknown>;
};

/** Two processes, of which the first waits for the provider's answer to a renewal. */
async function openMiddle(t: TestContext): Promise<Middle> {
  const backend = await openBackend(t, postgres);
  const { provider } = backend;
  const one = await startChild(t, backend);
  const two = await openProcess(t, backend);
  const cookie = await sessionCookie(backend.provider, provider.newSession());
  provider.manner = 'hold';
  const first = show(one, cookie).catch(() => null);
  await until(
    () => provider.spent.length,
    (count) => count === 1,
    'the provider is asked',
  );
  const endLease = () =>
    backend.query('update svc_web_renewals set lease_until = clock_timestamp()');
  return { backend, one, two, cookie, first, endLease };
}

test('after a process was killed during a renewal, the visitor signs in, and the token is not spent again', {
  skip,
}, async (t) => {
  const { backend, one, two, cookie, first, endLease } = await openMiddle(t);
  const waiting = show(two, cookie);
  // A visitor waits until the end of the lease.
  const [row] = await backend.query(
    'select extract(epoch from lease_until - clock_timestamp()) as left from svc_web_renewals',
  );
  assert.ok(Number(row?.['left']) <= 15, `${row?.['left']} seconds`);
  one.child.kill('SIGKILL');
  await once(one.child, 'exit');
  assert.equal(await first, null);
  await endLease();
  assert.ok(asksToSignIn(await waiting));
  const valid = await sessionCookie(backend.provider, 'other', {
    expiresAt: Date.now() + 3_600_000,
  });
  assert.equal((await show(two, valid)).status, 200);
  assert.ok(asksToSignIn(await show(await openProcess(t, backend), cookie)));
  assert.deepEqual([backend.provider.spent.length, backend.provider.thefts], [1, 0]);
});

test('a process that was stopped briefly during a renewal passes its result on', {
  skip,
}, async (t) => {
  const { backend, one, two, cookie, first } = await openMiddle(t);
  stopProcess(one.child);
  backend.provider.release();
  const waiting = show(two, cookie);
  one.child.kill('SIGCONT');
  const [shown, other] = [await first, await waiting];
  assert.deepEqual([shown?.status, other.status], [200, 200]);
  assert.ok(shown);
  assert.deepEqual(await sessionIn(shown), await sessionIn(other));
  assert.deepEqual([backend.provider.spent.length, backend.provider.thefts], [1, 0]);
});

test('a process that was stopped until others gave it up discards its result', {
  skip,
}, async (t) => {
  const { backend, one, two, cookie, first, endLease } = await openMiddle(t);
  stopProcess(one.child);
  backend.provider.release();
  await endLease();
  assert.ok(asksToSignIn(await show(two, cookie)));
  one.child.kill('SIGCONT');
  const late = await first;
  assert.ok(late !== null && asksToSignIn(late));
  assert.deepEqual(late.headers.getSetCookie(), []);
  assert.ok(asksToSignIn(await show(two, cookie)));
  assert.deepEqual([backend.provider.spent.length, backend.provider.thefts], [1, 0]);
});
