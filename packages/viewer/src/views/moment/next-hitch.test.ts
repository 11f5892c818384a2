import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FrameTrack, Gap, Timeline } from '../timeline/timeline-data.ts';
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

test('nextHitch goes from hitch to hitch in both directions, and skips frames in gaps', () => {
  assert.equal(from(0, 'later'), 16);
  assert.equal(from(16, 'later'), 82);
  assert.equal(from(82, 'later'), 298);
  assert.equal(from(298, 'later'), undefined);
  assert.equal(from(298, 'earlier'), 82);
  assert.equal(from(16, 'earlier'), undefined);
  assert.deepEqual(nextHitch(timeline, 16, 0, 'later'), { from: 16, to: 66 });
});

test('a time of the address, which is rounded, names its frame', () => {
  const exact = 100.0004;
  const rounded = {
    ...timeline,
    gaps: [],
    tracks: [track('browser', [0, 50], [exact, 50], [200, 50])],
  };
  const start = (t: number, direction: 'later' | 'earlier') =>
    nextHitch(rounded, 16, t, direction)?.from;
  assert.equal(start(100, 'later'), 200);
  assert.equal(start(100.001, 'earlier'), 0);
  assert.equal(start(99.9, 'later'), exact);
  assert.equal(start(100.1, 'earlier'), exact);
});

test('nextHitch ignores frames within the tolerance of the budget', () => {
  assert.equal(nextHitch(timeline, 16, 60, 'later')?.from, 82);
});

function track(source: string, ...frames: readonly (readonly [number, number])[]): FrameTrack {
  const t = Float64Array.from(frames, ([start]) => start);
  const duration = Float64Array.from(frames, ([, length]) => length);
  return { kind: 'frames', id: `frames/${source}`, label: 'Frame time', source, t, duration };
}

test('nextHitch returns the nearest hitch of any source', () => {
  const browser = track('browser', [0, 16], [100, 50], [400, 50]);
  const native = track('native', [90, 50], [300, 50]);
  for (const tracks of [
    [browser, native],
    [native, browser],
  ]) {
    const next = (t: number, direction: 'later' | 'earlier') =>
      nextHitch({ duration: 500, tracks, gaps: [] }, 16, t, direction)?.from;
    assert.deepEqual([next(0, 'later'), next(100, 'later'), next(300, 'later')], [90, 300, 400]);
    assert.deepEqual([next(350, 'earlier'), next(300, 'earlier')], [300, 100]);
  }
});

test('a frame is skipped only for an overlapping gap of its source or of all sources', () => {
  const isFound = (gap: Partial<Gap>): boolean => {
    const loss = { t: 120, duration: 10, reason: 'hidden_tab', source: null, count: null, ...gap };
    const tracks = [track('browser', [100, 50])];
    return nextHitch({ duration: 500, tracks, gaps: [loss] }, 16, 0, 'later') !== null;
  };
  assert.deepEqual([isFound({}), isFound({ source: 'browser' })], [false, false]);
  assert.equal(isFound({ source: 'native' }), true);
  assert.equal(isFound({ duration: 0 }), true);
  assert.deepEqual([isFound({ t: 90, duration: 10 }), isFound({ t: 150 })], [true, true]);
  assert.deepEqual([isFound({ t: 90, duration: 11 }), isFound({ t: 149 })], [false, false]);
});
