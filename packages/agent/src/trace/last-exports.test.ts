import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLastExports } from './last-exports.ts';

/** What the wait has come to, after everything that could go on has. */
async function isOver(wait: Promise<void>): Promise<boolean> {
  let over = false;
  void wait.then(() => {
    over = true;
  });
  await new Promise(setImmediate);
  return over;
}

test('LastExports: waits until so many exports have begun, also before the wait, and not for ever', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const exports = createLastExports();
  exports.count();
  const both = exports.wait(2, 1_000);
  assert.equal(await isOver(both), false);
  exports.count();
  assert.equal(await isOver(both), true);
  assert.equal(await isOver(createLastExports().wait(0, 1_000)), true, 'nobody is waited for');
  const nobody = createLastExports().wait(1, 1_000);
  t.mock.timers.tick(999);
  assert.equal(await isOver(nobody), false);
  t.mock.timers.tick(1);
  assert.equal(await isOver(nobody), true);
});
