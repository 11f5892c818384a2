import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PinnedProcess } from '../target/pin-process.ts';
import type { PssWatch } from '../target/watch-pss.ts';
import { type Sample, sampleProcess } from './sample-process.ts';

const NO_PSS: PssWatch = {
  ready: Promise.resolve(),
  refresh: () => Promise.resolve(),
  latest: null,
  probe: { id: 'pss', state: 'unavailable' },
  stop: () => Promise.resolve(),
};

test('sampleProcess: a reading that fails costs its own tick, which is reported, and no other', async () => {
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
  const { rssBytes } = await sampled.promise;
  assert.equal(rssBytes, 4096);
  assert.ok(lost.length >= 1);
});
