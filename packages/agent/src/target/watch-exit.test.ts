import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXIT_SEEN_MS } from '@svc/contracts/agent';
import type { PinnedProcess } from './pin-process.ts';
import { watchExit } from './watch-exit.ts';

function targetOf(exited: () => boolean): PinnedProcess {
  return {
    target: { pid: 7, name: 'game', started_at: '2026-01-01T00:00:00.000Z' },
    folder: '/proc/self',
    pssDenied: null,
    read: () => null,
    exited,
    release: () => {},
  };
}

test('watchExit calls back once, in time, and never after it is disposed of', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let gone = false;
  let calls = 0;
  watchExit(
    targetOf(() => gone),
    () => calls++,
  );
  t.mock.timers.tick(10 * EXIT_SEEN_MS);
  assert.equal(calls, 0);
  gone = true;
  t.mock.timers.tick(EXIT_SEEN_MS);
  assert.equal(calls, 1);
  t.mock.timers.tick(10 * EXIT_SEEN_MS);
  assert.equal(calls, 1);
  watchExit(
    targetOf(() => true),
    () => assert.fail('it was disposed of'),
  )[Symbol.dispose]();
  t.mock.timers.tick(10 * EXIT_SEEN_MS);
});
