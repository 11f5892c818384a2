import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Batch } from './file-store.ts';
import { settleBatch } from './settle-batch.ts';

/** A batch that settles when the test says so, and counts its stops. */
function createBatch() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const calls = { settles: 0, stops: 0 };
  const batch: Batch = {
    put: async () => {},
    settle() {
      calls.settles++;
      return promise;
    },
    async stop() {
      calls.stops++;
    },
  };
  return { batch, calls, resolve, reject };
}

test('settleBatch throws the error of a file, and does not stop the batch', async () => {
  const { batch, calls, reject } = createBatch();
  const error = new Error('no space');
  reject(error);
  await assert.rejects(settleBatch(batch, new AbortController().signal), error);
  assert.deepEqual(calls, { settles: 1, stops: 0 });
});

test('an aborted signal stops the batch, and its reason is thrown, however the batch ends', async () => {
  for (const end of ['resolve', 'reject'] as const) {
    const { batch, calls, ...ends } = createBatch();
    const leaving = new AbortController();
    const settled = settleBatch(batch, leaving.signal);
    const reason = new Error('the client has left');
    leaving.abort(reason);
    assert.equal(calls.stops, 1);
    ends[end](new Error('stopped') as never);
    await assert.rejects(settled, reason, end);
  }
});

test('a signal that is aborted before or after the wait does not reach the batch', async () => {
  const { batch, calls, resolve } = createBatch();
  const leaving = new AbortController();
  resolve();
  await settleBatch(batch, leaving.signal);
  const reason = new Error('the client has left');
  leaving.abort(reason);
  assert.deepEqual(calls, { settles: 1, stops: 0 });
  await assert.rejects(settleBatch(batch, leaving.signal), reason);
  assert.deepEqual(calls, { settles: 1, stops: 0 });
});
