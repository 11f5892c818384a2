import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepFor } from './keep-for.ts';

/** What is kept for 100 ms, with requests that the test settles. */
function open() {
  let now = 1000;
  const requests: PromiseWithResolvers<string>[] = [];
  const kept = keepFor(
    100,
    () => now,
    () => {
      const request = Promise.withResolvers<string>();
      requests.push(request);
      return request.promise;
    },
  );
  return {
    kept,
    requests,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('a result is kept for its time, and concurrent callers share one request', async () => {
  const { kept, requests, pass } = open();
  const both = [kept.read(), kept.read()];
  assert.equal(requests.length, 1);
  requests[0]?.resolve('one');
  assert.deepEqual(await Promise.all(both), ['one', 'one']);
  pass(99);
  assert.equal(await kept.read(), 'one');
  pass(1);
  const later = kept.read();
  assert.equal(requests.length, 2);
  requests[1]?.resolve('two');
  assert.equal(await later, 'two');
});

test('a failure is not kept, and one of an older request does not drop a newer result', async () => {
  const { kept, requests } = open();
  const first = kept.read();
  kept.forget();
  const second = kept.read();
  requests[0]?.reject(new Error('gone'));
  await assert.rejects(first, /gone/);
  requests[1]?.resolve('two');
  assert.equal(await second, 'two');
  assert.equal(await kept.read(), 'two');
  assert.equal(requests.length, 2);
  kept.forget();
  const third = kept.read();
  requests[2]?.reject(new Error('gone again'));
  await assert.rejects(third, /gone again/);
  void kept.read();
  assert.equal(requests.length, 4);
});
