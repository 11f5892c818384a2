import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHealth } from './health.ts';

const READY = { ready: true, draining: false, failing: [] };
const DRAINING = { ready: false, draining: true, failing: [] };
/** Longer than any test. */
const LONG_MS = 60_000;

test('a server is ready if all checks pass, and the failing ones are named', async () => {
  assert.deepEqual(await createHealth({}).read(), READY);
  const health = createHealth({
    good: async () => 'x',
    bad: async () => assert.fail('down'),
    other: async () => assert.fail('down'),
  });
  assert.deepEqual(await health.read(), {
    ready: false,
    draining: false,
    failing: ['bad', 'other'],
  });
});

test('a check that takes longer than two seconds fails', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const health = createHealth({ slow: () => new Promise(() => {}) });
  const read = health.read();
  t.mock.timers.tick(2_000);
  assert.deepEqual((await read).failing, ['slow']);
});

test('checks run once for all questions of a second', async () => {
  let now = 0;
  let runs = 0;
  const health = createHealth({ counted: async () => ++runs }, () => now);
  await Promise.all([health.read(), health.read()]);
  now = 999;
  await health.read();
  assert.equal(runs, 1);
  now = 1_000;
  await health.read();
  assert.equal(runs, 2);
});

test('a server that drains is not ready, and checks nothing', async () => {
  let now = 0;
  const health = createHealth({ unused: () => assert.fail('checked') }, () => now);
  await health.drain(LONG_MS);
  now = 1;
  assert.deepEqual(await health.read(), DRAINING);
});

test('a server that begins to drain during a check is not ready', async () => {
  const check = Promise.withResolvers<void>();
  const health = createHealth({ slow: () => check.promise });
  const read = health.read();
  const drained = health.drain(LONG_MS);
  check.resolve();
  assert.deepEqual(await read, DRAINING);
  await Promise.all([health.read(), health.read(), drained]);
});

test('drain waits for three questions if one was asked in the last minute', async () => {
  let now = 0;
  const health = createHealth({}, () => now);
  await health.read();
  now = 60_000;
  let isDrained = false;
  const drained = health.drain(LONG_MS).then(() => {
    isDrained = true;
  });
  await health.read();
  await health.read();
  await new Promise(setImmediate);
  assert.equal(isDrained, false);
  await health.read();
  await drained;
});

test('drain resolves at once if no one has asked for a minute, and after the given time if no one asks again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let now = 0;
  const unwatched = createHealth({}, () => now);
  await unwatched.read();
  now = 60_001;
  await unwatched.drain(LONG_MS);
  const watched = createHealth({}, () => now);
  await watched.read();
  const drained = watched.drain(15_000);
  t.mock.timers.tick(15_000);
  await drained;
});
