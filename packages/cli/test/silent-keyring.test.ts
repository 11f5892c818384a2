// A session bus that accepts connections and never answers: the dashboard exits, and other commands stop waiting.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startTarget, until } from '@svc/agent/testing';
import { type Dashboard, startDashboard } from './start-dashboard.ts';
import { runSvc, temporaryFolder } from './svc.ts';

/** The documented limit is 2 s. A busy machine gets more, and a program that waits for the bus never exits. */
const PATIENCE_MS = 20_000;

type SilentBus = { readonly env: Readonly<Record<string, string>>; readonly calls: () => number };

/** Listens as a session bus does, and never answers. */
async function startSilentBus(t: TestContext): Promise<SilentBus> {
  const home = temporaryFolder(t);
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}).resume());
  });
  server.listen(join(home, 'bus'));
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const env = { HOME: home, DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(home, 'bus')}` };
  return { env, calls: () => sockets.length };
}

/** Other processes that have the bus in their environment. */
function processesOn(bus: SilentBus): string[] {
  const address = bus.env['DBUS_SESSION_BUS_ADDRESS'] ?? '';
  return globSync('/proc/[0-9]*/environ').filter((path) => {
    try {
      return readFileSync(path, 'utf8').includes(address);
    } catch {
      return false;
    }
  });
}

type Case = {
  readonly reason: string;
  readonly end: (dashboard: Dashboard, target: { kill(): void }) => Promise<unknown> | unknown;
};

const CASES: readonly Case[] = [
  { reason: 'off', end: ({ call }) => call('POST', '/api/off') },
  { reason: 'signal', end: ({ child }) => child.kill('SIGTERM') },
  { reason: 'target_exit', end: (_, target) => target.kill() },
];

for (const { reason, end } of CASES) {
  test(`svc dashboard exits by "${reason}" while the session bus is silent`, async (t) => {
    const bus = await startSilentBus(t);
    await using target = await startTarget();
    const args = ['--pid', String(target.pid)];
    const dashboard = await startDashboard(t, args, bus.env);
    assert.equal((await dashboard.call('GET', '/api/status')).status, 200);
    // Also during a request for a key.
    const headers = {
      authorization: `Bearer ${dashboard.listening.token}`,
      'content-type': 'application/json',
    };
    const body = JSON.stringify({ key: 'sk-0123456789' });
    const address = `${dashboard.listening.origin}/api/key`;
    const stored = fetch(address, { method: 'POST', headers, body });
    await until(bus.calls, (calls) => calls === 2, 'the keyring to be asked twice');
    await end(dashboard, { kill: () => target.child.kill('SIGKILL') });
    const answer = await stored;
    assert.equal(answer.status, 503);
    const { code, last } = await Promise.race([dashboard.ended, tooLate()]);
    assert.deepEqual([code, last['event'], last['reason']], [0, 'ended', reason]);
    await until(
      () => processesOn(bus),
      (left) => left.length === 0,
      'no process to be left',
    );
  });
}

test('svc dashboard that is killed leaves no process that waits for the silent bus', async (t) => {
  const bus = await startSilentBus(t);
  const dashboard = await startDashboard(t, [], bus.env);
  await dashboard.call('GET', '/api/status');
  await until(bus.calls, (calls) => calls === 1, 'the keyring to be asked');
  dashboard.child.kill('SIGKILL');
  await until(
    () => processesOn(bus),
    (left) => left.length === 0,
    'no process to be left',
  );
});

test('svc key status with a silent session bus reports the missing answer, and exits', async (t) => {
  const bus = await startSilentBus(t);
  const { code, stdout } = await Promise.race([
    runSvc(t, ['key', 'status'], { env: bus.env }),
    tooLate(60_000),
  ]);
  assert.equal(code, 0);
  assert.match(stdout, /No keyring: The keyring did not answer in time\./);
  assert.ok(existsSync(bus.env['HOME'] ?? ''));
});

async function tooLate(ms = PATIENCE_MS): Promise<never> {
  await wait(ms, null, { ref: false });
  throw new Error(`It has not ended after ${ms} ms`);
}
