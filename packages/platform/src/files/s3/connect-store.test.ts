import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { logTo } from '@svc/observe/testing';
import { ApiError } from '@svc/serve';
import { MissingFileError } from '../storage-error.ts';
import { connectStore } from './connect-store.ts';
import { LateError, StoreFault } from './store-fault.ts';

const TIMEOUT_MS = 600;

function connect(t: TestContext) {
  const lines: string[] = [];
  const store = connectStore(
    {
      ...{ bucket: 'games', prefix: '', endpoint: 'http://127.0.0.1:1', region: 'us-east-1' },
      ...{ timeoutMs: TIMEOUT_MS, redirects: false },
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    },
    logTo((line) => lines.push(line)),
  );
  t.after(() => store[Symbol.dispose]());
  return { store, lines };
}

function denied(): Error {
  return Object.assign(new Error('denied'), { $metadata: { httpStatusCode: 403 } });
}

/** Asserts that the error is `unavailable` because of this error of the store. */
function isUnavailable(cause: unknown): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof ApiError && error.code === 'unavailable', String(error));
    assert.ok(error.cause instanceof StoreFault);
    assert.equal(error.cause.cause, cause);
    return true;
  };
}

test('each reason is logged at once, and again when ten seconds have passed', async (t) => {
  const { store, lines } = connect(t);
  let now = 5;
  t.mock.method(performance, 'now', () => now);
  const fail = async (action: 'read' | 'write'): Promise<void> => {
    const error = denied();
    await assert.rejects(
      store.call({ action }, () => Promise.reject(error)),
      isUnavailable(error),
    );
  };
  await fail('read');
  await fail('write');
  now += 9_999;
  await fail('read');
  assert.deepEqual(lines.splice(0), [
    'warning: the file store cannot read: it denies access. Allow s3:GetObject',
    'warning: the file store cannot write: it denies access. Allow s3:PutObject and s3:AbortMultipartUpload',
  ]);
  now += 1;
  await fail('read');
  assert.equal(lines.length, 1);
});

test('a missing file, and a call that its caller has ended, are no faults of the store', async (t) => {
  const { store, lines } = connect(t);
  const missing = new MissingFileError('game/a');
  await assert.rejects(
    store.call({ action: 'read' }, () => Promise.reject(missing)),
    missing,
  );
  const ending = new AbortController();
  const reason = new Error('the client has left');
  const call = store.call({ action: 'read', signal: ending.signal }, async ({ abortSignal }) => {
    ending.abort(reason);
    abortSignal.throwIfAborted();
  });
  await assert.rejects(call, reason);
  assert.deepEqual(lines, []);
});

test('a call ends with its time limit and the additional time, and ends its requests', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { store, lines } = connect(t);
  for (const extraMs of [0, 1_000]) {
    let isEnded = false;
    const signals: AbortSignal[] = [];
    const call = store
      .call({ action: 'write', extraMs }, ({ abortSignal }) => {
        signals.push(abortSignal);
        return new Promise<never>(() => {});
      })
      .finally(() => {
        isEnded = true;
      });
    call.catch(() => {});
    t.mock.timers.tick(TIMEOUT_MS + extraMs - 1);
    await new Promise(setImmediate);
    assert.deepEqual([isEnded, signals[0]?.aborted], [false, false]);
    t.mock.timers.tick(1);
    await assert.rejects(call, { code: 'unavailable' });
    assert.ok(signals[0]?.reason instanceof LateError);
  }
  assert.equal(lines.length, 1);
});
