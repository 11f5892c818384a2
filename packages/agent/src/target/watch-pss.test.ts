// What is reported of PSS where the system has no room for the thread that reads it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { PinnedProcess } from './pin-process.ts';
import { watchPss } from './watch-pss.ts';

const TARGET: PinnedProcess = {
  target: { pid: 7, name: 'game', started_at: '2026-01-01T00:00:00.000Z' },
  folder: '/proc/self',
  pssDenied: null,
  read: () => null,
  exited: () => false,
  release: () => {},
};

/** A thread that answers each request with a reading of 1 KiB. */
const READER = `const { parentPort } = require('node:worker_threads');
  parentPort.on('message', () => parentPort.postMessage({ outcome: 'read', pssBytes: 1024, costMs: 0 }));
  parentPort.postMessage('ready');`;

test('watchPss: a thread that can not be started is a reading that failed; the next one tries again', async () => {
  let refusals = 2;
  const watch = watchPss(TARGET, 1_000, () => {
    if (refusals-- > 0) throw new Error('Worker initialization failure: EAGAIN');
    return new Worker(READER, { eval: true });
  });
  await watch.ready;
  for (const nowMs of [0, 1_000]) {
    assert.equal(watch.latest, null);
    assert.equal(watch.probe.state, 'warning');
    assert.match(watch.probe.reason ?? '', /could not be started: .*EAGAIN; svc tries again$/);
    await watch.refresh(nowMs);
  }
  assert.equal(watch.latest?.pssBytes, 1024);
  assert.equal(watch.probe.state, 'running');
  await watch.stop();
});
