import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLastExports } from './last-exports.ts';

/** The state of the wait, after all pending work has continued. */
async function isOver(wait: Promise<void>): Promise<boolean> {
  let over = false;
  void wait.then(() => {
    over = true;
  });
  await new Promise(setImmediate);
  return over;
}

test('LastExports waits until the number of exports have begun, including those before the wait, but only for a limited time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const exports = createLastExports();
  exports.count();
  const both = exports.wait(2, 1_000);
  assert.equal(await isOver(both), false);
  exports.count();
  assert.equal(await isOver(both), true);
  assert.equal(
    await isOver(createLastExports().wait(0, 1_000)),
    true,
    'a wait for no export ends at once',
  );
  const none = createLastExports().wait(1, 1_000);
  t.mock.timers.tick(999);
  assert.equal(await isOver(none), false);
  t.mock.timers.tick(1);
  assert.equal(await isOver(none), true);
});
