import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Timeline } from '../timeline/timeline-data.ts';
import { nextHitch } from './next-hitch.ts';

const timeline: Timeline = {
  duration: 500,
  tracks: [
    {
      kind: 'frames',
      id: 'frames/browser',
      label: 'Frame time',
      source: 'browser',
      t: Float64Array.from([0, 16, 66, 82, 182, 198, 298]),
      duration: Float64Array.from([16, 50, 16.7, 100, 16, 100, 40]),
    },
  ],
  gaps: [{ t: 200, duration: 50, reason: 'hidden_tab', source: 'browser', count: null }],
};

const from = (t: number, direction: 'later' | 'earlier'): number | undefined =>
  nextHitch(timeline, 16, t, direction)?.from;

test('nextHitch goes from hitch to hitch both ways, and passes by frames under a loss', () => {
  assert.equal(from(0, 'later'), 16);
  assert.equal(from(16, 'later'), 82);
  assert.equal(from(82, 'later'), 298);
  assert.equal(from(298, 'later'), undefined);
  assert.equal(from(298, 'earlier'), 82);
  assert.equal(from(16, 'earlier'), undefined);
  assert.deepEqual(nextHitch(timeline, 16, 0, 'later'), { from: 16, to: 66 });
});

test('nextHitch takes what only trembles around the budget for no hitch', () => {
  assert.equal(nextHitch(timeline, 16, 60, 'later')?.from, 82);
});
