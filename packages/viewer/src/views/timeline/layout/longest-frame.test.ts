import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FrameTrack } from '../timeline-data.ts';
import { longestFrame } from './longest-frame.ts';

const track = (source: string, t: number[], duration: number[]): FrameTrack => ({
  kind: 'frames',
  id: source,
  label: 'Frame time',
  source,
  t: Float64Array.from(t),
  duration: Float64Array.from(duration),
});

const tracks = [
  track('browser', [0, 16, 96, 112], [16, 80, 16, 16]),
  track('native', [0, 50], [50, 100]),
];

test('the longest frame of a range is found, of any source or of one', () => {
  assert.deepEqual(longestFrame({ tracks }, { from: 0, to: 10 }), { from: 0, to: 50 });
  assert.deepEqual(longestFrame({ tracks }, { from: 0, to: 10 }, 'browser'), { from: 0, to: 16 });
  assert.deepEqual(longestFrame({ tracks }, { from: 90, to: 100 }, 'browser'), {
    from: 16,
    to: 96,
  });
  assert.deepEqual(longestFrame({ tracks }, { from: 90, to: 100 }), { from: 50, to: 150 });
});

test('a point is in the frame that is drawn at it, and a time without a frame has none', () => {
  assert.deepEqual(longestFrame({ tracks }, { from: 20, to: 20 }, 'browser'), { from: 16, to: 96 });
  assert.equal(longestFrame({ tracks }, { from: 151, to: 300 }), null);
  assert.equal(longestFrame({ tracks: [] }, { from: 0, to: 1 }), null);
});
