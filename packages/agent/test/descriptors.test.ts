// What happens when descriptors run out: clients without the token can't take them all, and a
// failed reading is repeated.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import {
  liveProtocols,
  parseLiveMessage,
  type Status,
  UNAUTHENTICATED_CONNECTIONS,
} from '@svc/contracts/agent';
import WebSocketClient from 'ws';
import {
  type AgentProcess,
  agentOptions,
  clientOf,
  startAgentProcess,
  startTarget,
  temporaryFolder,
  until,
  within,
} from './harness.ts';

/** Whether descriptors of another process can be limited here. Skips the test otherwise. */
function canLimit(t: TestContext): boolean {
  if (spawnSync('prlimit', ['--nofile', '--pid', String(process.pid)]).status === 0) return true;
  t.skip('prlimit (util-linux) is not installed');
  return false;
}

/** The latest live message. It needs no new connection, and so no descriptor. */
async function followLive({ listening }: AgentProcess) {
  const { port, token } = listening;
  const socket = new WebSocketClient(`ws://127.0.0.1:${port}/api/live`, liveProtocols(token));
  let latest: Status | null = null;
  socket.on('message', (data) => {
    latest = parseLiveMessage(String(data))?.status ?? latest;
  });
  await within(once(socket, 'open'), 'the connection to open');
  return { socket, status: (): Status | null => latest };
}

test('a reading of PSS that fails for lack of descriptors is reported and repeated', async (t) => {
  if (!canLimit(t)) return;
  using folder = temporaryFolder();
  await using target = await startTarget('busy');
  await using running = await startAgentProcess(agentOptions(folder.path, { pid: target.pid }));
  const { origin, token } = running.listening;
  const live = await followLive(running);
  const limit = (most: string): void => {
    const pid = String(running.child.pid);
    execFileSync('prlimit', ['--pid', pid, `--nofile=${most}:`]);
  };
  // On a busy machine a reading may also be expensive, which is a warning too.
  const fails = (): boolean =>
    /EMFILE/.test(live.status()?.probes.find(({ id }) => id === 'pss')?.reason ?? '');
  await clientOf({ origin, token }).call('start', {});
  await until(live.status, (status) => (status?.metric?.pss_bytes ?? 0) > 0, 'PSS to be read');
  limit('3');
  await until(fails, (now) => now, 'the failed reading to be reported');
  const before = live.status()?.metric;
  const during = await until(live.status, (now) => (now?.metric?.t ?? 0) > (before?.t ?? 0));
  assert.ok((during?.metric?.pss_age_ms ?? 0) > 500, 'the last value is carried with its age');
  assert.ok((during?.metric?.rss_bytes ?? 0) > 0, 'CPU and RSS go on');
  assert.equal(during?.capabilities.pss.available, true);
  limit('1024');
  await until(fails, (now) => !now, 'PSS to be read again');
  assert.equal((live.status()?.metric?.pss_bytes ?? 0) > 0, true);
  live.socket.terminate();
});

test("idle connections without the token can't use up the descriptors", async (t) => {
  if (!canLimit(t)) return;
  using folder = temporaryFolder();
  await using target = await startTarget();
  await using running = await startAgentProcess(agentOptions(folder.path, { pid: target.pid }), [
    'prlimit',
    '--nofile=160:160',
  ]);
  const { origin, token, port } = running.listening;
  const live = await followLive(running);
  const closed: Promise<unknown>[] = [];
  const strangers = [];
  for (let count = 0; count < 300; count++) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    strangers.push(socket);
    closed.push(once(socket, 'close'));
    await within(once(socket, 'connect'), 'a stranger to connect');
  }
  const dropped = Promise.all(closed.slice(0, 300 - UNAUTHENTICATED_CONNECTIONS - 1));
  await within(dropped, 'the oldest strangers to be dropped');
  const client = clientOf({ origin, token });
  assert.equal((await client.call('start', {})).state, 'capturing');
  await until(live.status, (now) => (now?.metric?.pss_bytes ?? 0) > 0, 'PSS to be read');
  assert.equal(live.socket.readyState, live.socket.OPEN);
  for (const socket of strangers) socket.destroy();
  live.socket.terminate();
});
