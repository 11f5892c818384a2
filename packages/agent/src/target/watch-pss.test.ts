// When PSS is read, and how failed readings are reported, with fake threads.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { within } from '../../test/within.ts';
import type { PinnedProcess } from './pin-process.ts';
import type { PssReading } from './pss-thread.ts';
import { affordableInterval, type PssWatch, watchPss } from './watch-pss.ts';

const TARGET: PinnedProcess = {
  target: { pid: 7, name: 'game', started_at: '2026-01-01T00:00:00.000Z' },
  folder: '/proc/self',
  pssDenied: null,
  read: () => null,
  exited: () => false,
  release: () => {},
};

/**
 * A thread that answers each request with the next of the readings, and fails when none is left.
 */
function readerOf(...readings: readonly PssReading[]): Worker {
  const code = `const { parentPort } = require('node:worker_threads');
    const readings = ${JSON.stringify(readings)};
    parentPort.on('message', () => {
      const reading = readings.shift();
      if (reading === undefined) throw new Error('no more');
      parentPort.postMessage(reading);
    });
    parentPort.postMessage('ready');`;
  return new Worker(code, { eval: true });
}

const read = (kib: number, costMs = 0): PssReading => ({
  outcome: 'read',
  pssBytes: kib * 1024,
  costMs,
});

test("watchPss: a thread that can't be started is a failed reading; the next one tries again", async () => {
  let refusals = 2;
  const watch = watchPss(TARGET, 1_000, () => {
    if (refusals-- > 0) throw new Error('Worker initialization failure: EAGAIN');
    return readerOf(read(1));
  });
  await watch.ready;
  for (const nowMs of [0, 1_000]) {
    assert.equal(watch.latest, null);
    assert.equal(watch.probe.state, 'warning');
    assert.match(watch.probe.reason ?? '', /could not be started: .*EAGAIN; svc tries again$/);
    await watch.refresh(nowMs);
  }
  assert.equal(watch.latest?.pssBytes, 1024);
  assert.equal(watch.probe.state, 'running');
  await watch.stop();
});

test('watchPss: a thread that fails before it reads makes the watch ready, with a warning', async (t) => {
  const watch = watchPss(
    TARGET,
    1_000,
    () => new Worker('throw new Error("torn")', { eval: true }),
  );
  t.after(() => watch.stop());
  await within(watch.ready, 'the failed thread');
  assert.equal(watch.probe.state, 'warning');
  assert.match(watch.probe.reason ?? '', /failed: torn; svc starts another$/);
});

/** A watch that is ready, and is stopped after its test. */
async function readyWatch(t: TestContext, intervalMs: number, ...workers: Worker[]) {
  const started: Worker[] = [];
  const watch = watchPss(TARGET, intervalMs, () => {
    const worker = workers.shift() ?? assert.fail('no other thread is started');
    started.push(worker);
    return worker;
  });
  t.after(() => Promise.all([watch.stop(), ...workers.map((worker) => worker.terminate())]));
  await within(watch.ready, 'the thread to be ready');
  return { watch, started };
}

const kibOf = (watch: PssWatch): number | null =>
  watch.latest === null ? null : watch.latest.pssBytes / 1024;

/** Requests a reading at a time, and returns the state after it. */
async function kibAt(watch: PssWatch, nowMs: number): Promise<number | null> {
  await within(watch.refresh(nowMs), 'the reading');
  return kibOf(watch);
}

test('watchPss: a reading is due at the tick nearest to its time', async (t) => {
  const { watch } = await readyWatch(t, 2_000, readerOf(read(1), read(2), read(3)));
  assert.equal(watch.latest, null);
  const rows: [number, number][] = [
    [0, 1],
    [1_499, 1],
    [1_500, 2],
    [2_999, 2],
    [3_000, 3],
  ];
  for (const [nowMs, kib] of rows) assert.equal(await kibAt(watch, nowMs), kib, `${nowMs} ms`);
});

test('watchPss: a failed reading keeps the last value and is repeated at the next tick; a denied one ends it', async (t) => {
  const failed: PssReading = { outcome: 'failed', reason: 'too many files' };
  const denied: PssReading = { outcome: 'denied', reason: 'not yours' };
  const readings = readerOf(read(1), failed, read(2), denied, read(3), { outcome: 'gone' });
  const { watch } = await readyWatch(t, 10_000, readings);
  assert.equal(await kibAt(watch, 0), 1);
  assert.equal(await kibAt(watch, 10_000), 1);
  assert.deepEqual(watch.probe, { id: 'pss', state: 'warning', reason: 'too many files' });
  assert.equal(await kibAt(watch, 11_000), 2);
  assert.deepEqual(watch.probe, { id: 'pss', state: 'running' });
  assert.equal(await kibAt(watch, 21_000), null);
  assert.deepEqual(watch.probe, { id: 'pss', state: 'unavailable', reason: 'not yours' });
  assert.equal(await kibAt(watch, 22_000), null, 'not before its time');
  assert.equal(await kibAt(watch, 31_000), 3);
  assert.equal(await kibAt(watch, 41_000), null, 'the process is gone');
  assert.deepEqual(watch.probe, { id: 'pss', state: 'running' });
});

test('watchPss: a failed thread is reported, and another one is started for the next reading', async (t) => {
  const { watch, started } = await readyWatch(t, 10_000, readerOf(), readerOf(read(1)));
  assert.equal(await kibAt(watch, 0), null);
  assert.equal(watch.probe.state, 'warning');
  assert.match(watch.probe.reason ?? '', /^The thread that reads PSS failed: no more; /);
  assert.equal(await kibAt(watch, 1_000), null);
  assert.equal(started.length, 1, 'starting a thread is dear');
  assert.equal(await kibAt(watch, 10_000), 1);
  assert.equal(started.length, 2);
  assert.equal(watch.probe.state, 'running');
});

test('watchPss: expensive readings become rarer by themselves, and cheap ones frequent again', async (t) => {
  const costs = [42, 42, 42, 42, 1, 1, 1, 1];
  const readings = costs.map((costMs, i) => read(i + 1, costMs));
  const { watch } = await readyWatch(t, 1_000, readerOf(...readings));
  assert.deepEqual([await kibAt(watch, 0), await kibAt(watch, 1_000)], [1, 2]);
  assert.equal(watch.intervalMs, 1_000, 'two readings may have been interrupted');
  assert.equal(await kibAt(watch, 2_000), 3);
  assert.equal(watch.intervalMs, 5_000);
  assert.deepEqual(watch.probe, {
    id: 'pss',
    state: 'running',
    reason: 'Read every 5 s, because a reading holds the memory lock of the process for 42.0 ms',
  });
  assert.equal(await kibAt(watch, 6_000), 3, 'not before its time');
  for (const nowMs of [7_000, 12_000, 17_000]) await kibAt(watch, nowMs);
  assert.deepEqual([kibOf(watch), watch.intervalMs], [6, 5_000]);
  assert.equal(await kibAt(watch, 22_000), 7);
  assert.deepEqual([watch.intervalMs, watch.probe], [1_000, { id: 'pss', state: 'running' }]);
});

test('affordableInterval: at most one percent of the time, in whole seconds, never below what was asked for', () => {
  const rows: [costs: number[], askedMs: number, nowMs: number, expected: number][] = [
    [[], 1_000, 1_000, 1_000],
    [[900, 900], 1_000, 1_000, 1_000],
    [[10, 10, 10], 1_000, 1_000, 1_000],
    [[10.1, 10.1, 10.1], 1_000, 1_000, 2_000],
    [[500, 1, 1, 1, 1], 1_000, 1_000, 1_000],
    [[40, 50, 60], 1_000, 1_000, 5_000],
    [[40, 50, 60], 60_000, 60_000, 60_000],
    [[49, 49, 49], 1_000, 6_000, 6_000],
    [[31, 31, 31], 1_000, 6_000, 6_000],
    [[30, 30, 30], 1_000, 6_000, 3_000],
  ];
  for (const [costs, askedMs, nowMs, expected] of rows) {
    assert.equal(affordableInterval(costs, askedMs, nowMs), expected, JSON.stringify(costs));
  }
});

test('watchPss: stop resolves a waiting refresh, and ends the thread', async (t) => {
  const silent = `const { parentPort } = require('node:worker_threads');
    parentPort.on('message', () => {});
    parentPort.postMessage('ready');`;
  const worker = new Worker(silent, { eval: true });
  const exit = Promise.withResolvers<number>();
  worker.once('exit', exit.resolve);
  const { watch } = await readyWatch(t, 1_000, worker);
  const waiting = watch.refresh(0);
  assert.equal(watch.refresh(5_000), waiting, 'one reading at a time');
  await within(watch.stop(), 'the stop');
  await within(waiting, 'the reading');
  await within(exit.promise, 'the thread to end');
});

test('watchPss: no thread is started if PSS is denied from the start', async () => {
  const denied = { ...TARGET, pssDenied: 'not yours' };
  const watch = watchPss(denied, 1_000, () => assert.fail('a thread is started'));
  await watch.ready;
  assert.equal(await kibAt(watch, 0), null);
  assert.deepEqual(watch.probe, { id: 'pss', state: 'unavailable', reason: 'not yours' });
  await watch.stop();
});
