// How an agent starts and ends, also when its start is aborted.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect, Server } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { StartError, startAgent } from '../src/index.ts';
import {
  agentOptions,
  assertNothingOpen,
  startTarget,
  startTestAgent,
  temporaryFolder,
  tryToStart,
  vptOf,
  within,
} from './harness.ts';

/** Worker threads that never answer. */
const SILENT = new URL(
  'data:text/javascript,import { parentPort } from "node:worker_threads"; parentPort.on("message", () => {});',
);

test('an aborted start rejects with the reason of its signal, and leaves nothing open', async (t) => {
  using folder = temporaryFolder();
  await using target = await startTarget();
  const file = join(folder.path, 'a.vpt');
  writeFileSync(file, vptOf());
  const reason = new Error('given up');
  for (const more of [{ file, workerUrl: SILENT }, {}]) {
    const over = new AbortController();
    const options = { ...more, pid: target.pid, signal: over.signal };
    const started = tryToStart(agentOptions(folder.path, options));
    over.abort(reason);
    await assert.rejects(started, reason);
  }
  const { signal } = new AbortController();
  t.mock.method(signal, 'throwIfAborted', () => {
    throw reason; // as one that aborts once the file is open
  });
  for (const given of [signal, AbortSignal.abort(reason)]) {
    const options = agentOptions(folder.path, { pid: target.pid, file, signal: given });
    await assert.rejects(tryToStart(options), reason);
  }
  await assertNothingOpen(folder.path);
});

test('disposing of an agent ends it as a signal does, and then nothing listens', async () => {
  using folder = temporaryFolder();
  const agent = await startAgent(agentOptions(folder.path));
  await within(agent[Symbol.asyncDispose](), 'the agent to end');
  assert.deepEqual(await agent.ended, { reason: 'signal', trace: null });
  const socket = connect(Number(new URL(agent.origin).port), '127.0.0.1');
  await assert.rejects(within(once(socket, 'connect'), 'the refusal'), { code: 'ECONNREFUSED' });
});

test('the agent listens on 127.0.0.1 and on no other address of this machine', async () => {
  await using running = await startTestAgent();
  for (const host of ['127.0.0.2', '::1']) {
    const socket = connect(running.port, host);
    await assert.rejects(within(once(socket, 'connect'), 'the refusal'), { syscall: 'connect' });
  }
  const own = connect(running.port, '127.0.0.1');
  await within(once(own, 'connect'), 'the connection');
  own.destroy();
});

test('a port that this user may not use is refused with advice, and any other failure with its code', async (t) => {
  using folder = temporaryFolder();
  for (const [code, message] of [
    ['EACCES', /: this user may not use this port; choose another port with --port$/],
    ['EADDRNOTAVAIL', /^Cannot listen on 127\.0\.0\.1:\d+: EADDRNOTAVAIL$/],
  ] as const) {
    const { mock } = t.mock.method(Server.prototype, 'listen', function (this: Server) {
      const error = Object.assign(new Error(code), { code });
      setImmediate(() => this.emit('error', error));
      return this;
    });
    await assert.rejects(tryToStart(agentOptions(folder.path)), (error) => {
      assert.ok(error instanceof StartError, String(error));
      assert.equal(error.code, 'port_refused');
      assert.match(error.message, message);
      return true;
    });
    mock.restore();
  }
  await assertNothingOpen(folder.path);
});
