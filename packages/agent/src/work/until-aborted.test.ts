// How long work is waited for: until a signal aborts, or for a limited time.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { settledWithin } from './settled-within.ts';
import { untilAborted } from './until-aborted.ts';

const never = new Promise<never>(() => {});

test("untilAborted resolves with the result, or rejects with the signal's reason, even if it aborted before", async () => {
  const reason = new Error('too late');
  assert.equal(await untilAborted(Promise.resolve(7), new AbortController().signal), 7);
  const failure = new Error('the work failed');
  const over = new AbortController();
  await assert.rejects(untilAborted(Promise.reject(failure), over.signal), failure);
  await assert.rejects(untilAborted(never, AbortSignal.abort(reason)), reason);
  const waiting = untilAborted(never, over.signal);
  const own = untilAborted(never, over.signal, () => new Error('of its own'));
  over.abort(reason);
  await assert.rejects(waiting, reason);
  await assert.rejects(own, { message: 'of its own' });
  assert.deepEqual(getEventListeners(over.signal, 'abort'), [], 'no listener is left');
});

test("settledWithin: true once the work has resolved, false after the time, and the work's error", async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  assert.equal(await settledWithin(Promise.resolve(), 1_000), true);
  const failure = new Error('the work failed');
  await assert.rejects(settledWithin(Promise.reject(failure), 1_000), failure);
  let answer: boolean | null = null;
  const waiting = settledWithin(never, 1_000).then((settled) => {
    answer = settled;
  });
  t.mock.timers.tick(999);
  await new Promise(setImmediate);
  assert.equal(answer, null);
  t.mock.timers.tick(1);
  await waiting;
  assert.equal(answer, false);
});
