// A capture with a fake process: what its samples say, and how the times of probes are converted.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { readVpt } from '@svc/trace';
import { until } from '../../../../scripts/until.ts';
import { within } from '../../test/within.ts';
import { monotonicNs } from '../probes/monotonic-ns.ts';
import type { ProbeOffer } from '../probes/offer-probes.ts';
import type { ProbeContext, ProbeId } from '../probes/probe-kind.ts';
import type { PinnedProcess, ProcessReading } from '../target/pin-process.ts';
import { startCapture } from './capture.ts';

/** Captures a process. Without a thread for its PSS, that can't be read. */
async function capture(
  t: TestContext,
  read: () => ProcessReading,
  offers: ProbeOffer[] = [],
  pssThread?: () => Worker,
) {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-capture-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const process: PinnedProcess = {
    target: { pid: 7, name: 'game', started_at: '2026-01-01T00:00:00.000Z' },
    folder: '/proc/self',
    pssDenied: pssThread === undefined ? 'There is no memory map to read' : null,
    read,
    exited: () => false,
    release: () => {},
  };
  let samples = 0;
  const started = await startCapture({
    ...{
      place: { dataDir },
      process,
      offers,
      follow: null,
      programWaits: false,
      version: '1',
      capBytes: 1024 * 1024,
      pssIntervalMs: 1_000,
    },
    startWorker: pssThread ?? (() => assert.fail('no thread is needed')),
    onProbe: () => {},
    onSample: () => samples++,
  });
  t.after(() => started.recording.release());
  return { started, samples: () => samples };
}

test('a capture records a process that uses no CPU with 0 %, and its first sample without CPU', async (t) => {
  const reading = { cpuMs: 5, rssBytes: 4096, threads: 3 };
  const { started, samples } = await capture(t, () => reading);
  await until(samples, (count) => count === 2, 'a second sample');
  assert.equal(started.metric?.cpu_percent, 0);
  assert.deepEqual([started.metric?.pss_bytes, started.metric?.pss_age_ms], [null, null]);
  const { path } = await within(started.finish('off', Promise.resolve()), 'the end');
  const [first, second] = readVpt(readFileSync(path)).lines;
  assert.ok(first?.type === 'process' && second?.type === 'process');
  assert.deepEqual([first.cpu_percent, second.cpu_percent], [undefined, 0]);
  assert.deepEqual([first.rss_bytes, first.threads], [4096, 3]);
});

test('a change of the interval of PSS is in the recording', async (t) => {
  const reader = `const { parentPort } = require('node:worker_threads');
    parentPort.on('message', () =>
      parentPort.postMessage({ outcome: 'read', pssBytes: 1024, costMs: 42 }));
    parentPort.postMessage('ready');`;
  const { started, samples } = await capture(
    t,
    () => ({ cpuMs: 5, rssBytes: 4096, threads: 3 }),
    [],
    () => new Worker(reader, { eval: true }),
  );
  await until(
    () => started.probes.find(({ id }) => id === 'pss')?.reason ?? '',
    (reason) => reason.startsWith('Read every 5 s'),
    'the interval',
  );
  const before = samples();
  await until(samples, (count) => count > before, 'another sample');
  const { path } = await within(started.finish('off', Promise.resolve()), 'the end');
  const logs = readVpt(readFileSync(path)).lines.filter(({ type }) => type === 'log');
  assert.deepEqual(
    logs.map((log) => 'text' in log && log.text),
    [
      'PSS is read every 5 s from here on. The last reading held the memory lock of the process for 42.0 ms.',
    ],
  );
});

/** A probe that observes nothing. `open` receives its context. */
function offerOf(id: ProbeId, open: (context: ProbeContext) => void = () => {}): ProbeOffer {
  return {
    id,
    capability: { available: true },
    start: {
      kind: {
        id,
        open: (context) => {
          open(context);
          return { line() {}, tick() {}, end() {} };
        },
      },
      command: { file: '/bin/cat', args: [], env: {}, announces: true },
    },
  };
}

test('a sample that could not be taken is no gap in the frames, if the kernel reports them', async (t) => {
  for (const [offers, probe] of [
    [[offerOf('stacks')], undefined],
    [[offerOf('frames')], 'process'],
  ] as const) {
    let readings = 0;
    const { started, samples } = await capture(t, () => {
      if (readings++ === 0) throw new Error('no memory');
      return { cpuMs: 5, rssBytes: 4096, threads: 3 };
    }, [...offers]);
    await until(samples, (count) => count === 1, 'a sample');
    const { path } = await within(started.finish('off', Promise.resolve()), 'the end');
    const [loss] = readVpt(readFileSync(path)).lines;
    assert.ok(loss?.type === 'loss');
    assert.deepEqual([loss.reason, loss.probe], ['late_sampler', probe]);
  }
});

test("a probe's event from before the start of the capture has the time 0, later ones have their own", async (t) => {
  const opened = Promise.withResolvers<ProbeContext>();
  const before = monotonicNs();
  const reading = { cpuMs: 5, rssBytes: 4096, threads: 3 };
  const offer = offerOf('files', opened.resolve);
  const { started } = await capture(t, () => reading, [offer]);
  const { toTraceMs, frameThreads } = await opened.promise;
  assert.deepEqual([...frameThreads], [7]);
  assert.deepEqual([toTraceMs(0), toTraceMs(before)], [0, 0]);
  const now = monotonicNs();
  assert.equal(Math.round(toTraceMs(now + 5e6) - toTraceMs(now)), 5);
  assert.deepEqual(
    started.probes.map(({ id, state }) => `${id} ${state}`),
    ['process running', 'pss unavailable', 'files starting'],
  );
  await within(started.finish('off', Promise.resolve()), 'the end');
});
