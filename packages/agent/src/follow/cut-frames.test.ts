// Frames that begin at a time or later.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FramesRecord } from '@svc/trace';
import { framesFrom } from './cut-frames.ts';

const FRAMES: FramesRecord = {
  type: 'frames',
  t: -20.5,
  duration_ms: [10, 10.5, 16.7, 5],
  draws: [1, 2, null, 4],
  gpu_ms: [null, 0.5, 0.25, 1],
};

test('framesFrom: frames before the time are cut off, with their values', () => {
  assert.deepEqual(framesFrom(FRAMES, 0), {
    type: 'frames',
    t: 0,
    duration_ms: [16.7, 5],
    draws: [null, 4],
    gpu_ms: [0.25, 1],
  });
  assert.deepEqual(framesFrom(FRAMES, 0.001), {
    type: 'frames',
    t: 16.7,
    duration_ms: [5],
    draws: [4],
    gpu_ms: [1],
  });
  assert.equal(framesFrom(FRAMES, -20.5), FRAMES);
  assert.equal(framesFrom(FRAMES, 17), null);
  assert.equal(framesFrom({ type: 'frames', t: 0, duration_ms: [] }, 0), null);
});
