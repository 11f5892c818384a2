import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { within } from '../../test/within.ts';
import type { PinnedProcess, ProcessReading } from '../target/pin-process.ts';
import type { PssWatch } from '../target/watch-pss.ts';
import { type Sample, sampleProcess } from './sample-process.ts';

const NO_PSS: PssWatch = {
  ready: Promise.resolve(),
  refresh: () => Promise.resolve(),
  latest: null,
  probe: { id: 'pss', state: 'unavailable' },
  intervalMs: 1_000,
  stop: () => Promise.resolve(),
};

test('sampleProcess: a failed reading loses its own tick, which is reported, and no other', async () => {
  let readings = 0;
  const process: PinnedProcess = {
    target: { pid: 7, name: 'game', started_at: '2026-01-01T00:00:00.000Z' },
    folder: '/proc/self',
    pssDenied: null,
    read: () => {
      readings++;
      if (readings === 1) throw Object.assign(new Error('no memory'), { code: 'ENOMEM' });
      return { cpuMs: 10, rssBytes: 4096, threads: 1 };
    },
    exited: () => false,
    release: () => {},
  };
  const lost: number[] = [];
  const sampled = Promise.withResolvers<Sample>();
  using _ = sampleProcess(process, NO_PSS, performance.now(), {
    sample: sampled.resolve,
    late: (_t, count) => lost.push(count),
  });
  const { rssBytes } = await within(sampled.promise, 'a sample');
  assert.equal(rssBytes, 4096);
  assert.ok(lost.length >= 1);
});

/** A sampler with a stopped clock. Each tick reads the next of the readings. */
function sampling(t: TestContext, pss: PssWatch, readings: (ProcessReading | null)[]) {
  let clock = 50_000;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.mock.method(performance, 'now', () => clock);
  const reported: (Partial<Sample> | string)[] = [];
  const process: PinnedProcess = {
    target: { pid: 7, name: 'game', started_at: '2026-01-01T00:00:00.000Z' },
    folder: '/proc/self',
    pssDenied: null,
    read: () => readings.shift() ?? null,
    exited: () => false,
    release: () => {},
  };
  const sampler = sampleProcess(process, pss, clock, {
    sample: (sample) => reported.push(sample),
    late: (at, count) => reported.push(`late ${at} ${count}`),
  });
  t.after(() => sampler[Symbol.dispose]());
  return {
    sampler,
    /** Moves the clock and returns what was reported since the last call. */
    after: async (ms: number) => {
      clock += ms;
      t.mock.timers.tick(ms);
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
      return reported.splice(0);
    },
  };
}

const readingOf = (cpuMs: number): ProcessReading => ({ cpuMs, rssBytes: 4096, threads: 2 });

const SAMPLE = { rssBytes: 4096, threads: 2, pss: null };

test('sampleProcess: samples at once and then each second; CPU is the use since the previous sample', async (t) => {
  const readings = [0, 500, 1_733.3, 1_700].map(readingOf);
  const { after } = sampling(t, NO_PSS, readings);
  assert.deepEqual(await after(0), [{ ...SAMPLE, t: 0, cpuPercent: null }]);
  assert.deepEqual(await after(999), []);
  assert.deepEqual(await after(1), [{ ...SAMPLE, t: 1_000, cpuPercent: 50 }]);
  assert.deepEqual(await after(1_000), [{ ...SAMPLE, t: 2_000, cpuPercent: 123.3 }]);
  assert.deepEqual(await after(1_000), [{ ...SAMPLE, t: 3_000, cpuPercent: 0 }], 'never below 0');
});

test('sampleProcess: a late tick reports the skipped ones and does not shift later ones', async (t) => {
  const { after } = sampling(t, NO_PSS, [0, 0, 0, 0].map(readingOf));
  await after(0);
  assert.deepEqual(await after(3_300), ['late 1000 2', { ...SAMPLE, t: 3_300, cpuPercent: 0 }]);
  assert.deepEqual(await after(699), []);
  assert.deepEqual(await after(1), [{ ...SAMPLE, t: 4_000, cpuPercent: 0 }]);
});

test('sampleProcess: CPU is the use between the times of the readings, and a reading is used once', async (t) => {
  const readings = [
    [0, 49_900],
    [400, 50_700],
    [400, 50_700],
    [1_200, 52_300],
  ].map(([cpuMs = 0, atMs = 0]) => ({ cpuMs, atMs, rssBytes: 4096, threads: null }));
  const { after } = sampling(t, NO_PSS, readings);
  const sample = { ...SAMPLE, threads: null };
  assert.deepEqual(await after(0), [{ ...sample, t: 0, cpuPercent: null }]);
  assert.deepEqual(await after(1_000), [{ ...sample, t: 1_000, cpuPercent: 50 }]);
  assert.deepEqual(await after(1_000), ['late 2000 1']);
  assert.deepEqual(await after(1_000), [{ ...sample, t: 3_000, cpuPercent: 50 }]);
});

test('sampleProcess: nothing is reported after the process has exited', async (t) => {
  const { after } = sampling(t, NO_PSS, [null, readingOf(0)]);
  assert.deepEqual(await after(0), []);
  assert.deepEqual(await after(1_000), [{ ...SAMPLE, t: 1_000, cpuPercent: null }]);
});

test('sampleProcess: a sample waits 200 ms for PSS, then it carries the previous value with its age', async (t) => {
  const pending = Promise.withResolvers<void>();
  const latest = { pssBytes: 2048, costMs: 1.23456, readAtMs: 49_000.4 };
  const slow: PssWatch = { ...NO_PSS, latest, refresh: () => pending.promise };
  const { sampler, after } = sampling(t, slow, [readingOf(0), readingOf(0)]);
  assert.deepEqual(await after(199), []);
  const pss = { bytes: 2048, ageMs: 1_000, costMs: 1.235 };
  assert.deepEqual(await after(1), [{ ...SAMPLE, t: 0, cpuPercent: null, pss }]);
  assert.deepEqual(await after(800), []);
  sampler[Symbol.dispose]();
  assert.deepEqual(await after(5_000), [], 'nothing is reported after disposal');
});
