// Frames within a time range.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FramesRecord } from '@svc/trace';
import { framesWithin } from './cut-frames.ts';

const FRAMES: FramesRecord = {
  type: 'frames',
  t: -20.5,
  duration_ms: [10, 10.5, 16.7, 5],
  draws: [1, 2, null, 4],
  gpu_ms: [null, 0.5, 0.25, 1],
};

test('framesWithin: frames before and after the range are cut off, with their values', () => {
  assert.deepEqual(framesWithin(FRAMES, 0), {
    type: 'frames',
    t: 0,
    duration_ms: [16.7, 5],
    draws: [null, 4],
    gpu_ms: [0.25, 1],
  });
  assert.deepEqual(framesWithin(FRAMES, 0.001), {
    type: 'frames',
    t: 16.7,
    duration_ms: [5],
    draws: [4],
    gpu_ms: [1],
  });
  assert.equal(framesWithin(FRAMES, -20.5), FRAMES);
  assert.deepEqual(framesWithin(FRAMES, -15, 16.7), {
    type: 'frames',
    t: -10.5,
    duration_ms: [10.5, 16.7],
    draws: [2, null],
    gpu_ms: [0.5, 0.25],
  });
  assert.equal(framesWithin(FRAMES, -20.5, 21.7), FRAMES);
  assert.equal(framesWithin(FRAMES, -15, -0.001), null);
  assert.equal(framesWithin(FRAMES, 17), null);
  assert.equal(framesWithin({ type: 'frames', t: 0, duration_ms: [] }, 0), null);
});
