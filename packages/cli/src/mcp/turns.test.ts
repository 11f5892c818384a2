import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CALLS_WAITING } from './limits.ts';
import { Turns } from './turns.ts';

const NEVER = new AbortController().signal;

test('work runs one after another, also after work that failed', async () => {
  const turns = new Turns();
  const log: string[] = [];
  const work =
    (name: string, fails = false) =>
    async () => {
      log.push(`${name} begins`);
      await Promise.resolve();
      log.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
  const first = assert.rejects(turns.run(NEVER, work('a', true)), /a/);
  const second = turns.run(NEVER, work('b'));
  await first;
  assert.equal(await second, 'b');
  assert.deepEqual(log, ['a begins', 'a ends', 'b begins', 'b ends']);
});

test('work whose signal is aborted before its turn does not run', async () => {
  const turns = new Turns();
  const controller = new AbortController();
  let ran = false;
  const done = turns.run(controller.signal, async () => {
    ran = true;
  });
  controller.abort();
  await assert.rejects(done);
  assert.equal(ran, false);
});

test('more work than may wait is rejected, and later work runs again', async () => {
  const turns = new Turns();
  const gate = Promise.withResolvers<void>();
  const running = turns.run(NEVER, () => gate.promise);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const waiting = Array.from({ length: CALLS_WAITING }, () => turns.run(NEVER, async () => 1));
  await assert.rejects(
    turns.run(NEVER, async () => 1),
    /calls are waiting/,
  );
  gate.resolve();
  await running;
  assert.equal((await Promise.all(waiting)).length, CALLS_WAITING);
  assert.equal(await turns.run(NEVER, async () => 2), 2);
});
