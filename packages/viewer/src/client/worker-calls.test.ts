import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkerCalls, WorkerError } from './worker-calls.ts';
import type { FromWorker } from './worker-messages.ts';

/** A worker that records its messages, and answers when the test requests it. */
function standIn() {
  const sent: { message: unknown; transfer: unknown }[] = [];
  const worker = {
    onmessage: (_event: { data: FromWorker }): void => undefined,
    onerror: (_event: { message: string }): void => undefined,
    postMessage: (message: unknown, transfer: unknown) => sent.push({ message, transfer }),
  };
  const calls = new WorkerCalls(worker as unknown as Worker);
  const say = (data: FromWorker): void => worker.onmessage({ data });
  return { calls, sent, say, fail: (message: string) => worker.onerror({ message }) };
}

test('each answer resolves its own call in any order, and unknown ids are ignored', async () => {
  const { calls, sent, say } = standIn();
  const first = calls.call('stackGroups', { slot: 'main' });
  const surface = {} as OffscreenCanvas;
  const second = calls.call('attachCanvas', { canvas: 'flame', surface }, { transfer: [surface] });
  assert.deepEqual(sent, [
    { message: { id: 1, name: 'stackGroups', args: { slot: 'main' } }, transfer: [] },
    {
      message: { id: 2, name: 'attachCanvas', args: { canvas: 'flame', surface } },
      transfer: [surface],
    },
  ]);
  say({ id: 2, value: null });
  say({ id: 99, value: 'no call waits for this' });
  say({ id: 1, value: [] });
  assert.equal(await second, null);
  assert.deepEqual(await first, []);
});

test('progress is reported until the answer, and an abort is sent to the worker, whose answer ends the call', async () => {
  const { calls, sent, say } = standIn();
  const stop = new AbortController();
  const reported: unknown[] = [];
  const origin = { kind: 'file', id: 'file-1', file: new Blob([]), name: 'a' } as const;
  const opened = calls.call(
    'open',
    { slot: 'main', origin },
    { signal: stop.signal, progress: (...progress) => reported.push(progress) },
  );
  say({ id: 1, done: 5, total: null });
  say({ id: 1, done: 9, total: 10 });
  stop.abort();
  assert.deepEqual(sent[1], { message: { cancel: 1 }, transfer: [] });
  say({ id: 1, fault: { code: 'aborted', message: 'Cancelled', line: null, column: null } });
  say({ id: 1, done: 10, total: 10 });
  await assert.rejects(opened, (error: unknown) => {
    assert.ok(error instanceof WorkerError);
    assert.deepEqual([error.message, error.fault.code], ['Cancelled', 'aborted']);
    return true;
  });
  assert.deepEqual(reported, [
    [5, null],
    [9, 10],
  ]);
});

test('a failure of the worker rejects every pending call', async () => {
  const { calls, fail } = standIn();
  const waiting = [
    calls.call('stackGroups', { slot: 'main' }),
    calls.call('timeline', { slot: 'main' }),
  ];
  fail('');
  for (const one of waiting) {
    await assert.rejects(one, {
      message: 'The worker failed',
      fault: { code: 'failed', message: 'The worker failed', line: null, column: null },
    });
  }
  const next = calls.call('stackGroups', { slot: 'main' });
  fail('Out of memory');
  await assert.rejects(next, /Out of memory/);
});
