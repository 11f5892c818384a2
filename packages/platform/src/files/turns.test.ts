import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurns } from './turns.ts';

const never = new AbortController().signal;

test('with two turns, a third call waits until one has ended, and calls run in order', async () => {
  const turns = createTurns(2);
  const begun: number[] = [];
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const runs = gates.map(({ promise }, index) =>
    turns.run(never, async () => {
      begun.push(index);
      await promise;
    }),
  );
  await new Promise(setImmediate);
  assert.deepEqual([begun, turns.waiting], [[0, 1], 2]);
  gates[1]?.resolve();
  await runs[1];
  await new Promise(setImmediate);
  assert.deepEqual([begun, turns.waiting], [[0, 1, 2], 1]);
  gates[0]?.reject(new Error('damaged'));
  await assert.rejects(runs[0] ?? Promise.resolve(), /damaged/);
  await new Promise(setImmediate);
  assert.deepEqual([begun, turns.waiting], [[0, 1, 2, 3], 0]);
  for (const gate of gates) gate.resolve();
  await Promise.all(runs.slice(1));
});

test('an aborted call leaves the queue, and the next one gets its turn', async () => {
  const turns = createTurns(1);
  const gate = Promise.withResolvers<void>();
  const first = turns.run(never, () => gate.promise);
  const leaving = new AbortController();
  const left = turns.run(leaving.signal, () => assert.fail('has left'));
  const next = turns.run(never, async () => 'next');
  assert.equal(turns.waiting, 2);
  leaving.abort();
  await assert.rejects(left, { name: 'AbortError' });
  assert.equal(turns.waiting, 1);
  gate.resolve();
  await first;
  assert.equal(await next, 'next');
  await assert.rejects(
    turns.run(leaving.signal, () => assert.fail('was aborted before')),
    { name: 'AbortError' },
  );
  assert.equal(await turns.run(never, async () => 'free again'), 'free again');
});
