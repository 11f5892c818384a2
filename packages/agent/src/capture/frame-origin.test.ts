// Frames of the probe and of a followed trace in one recording.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FramesRecord } from '@svc/trace';
import { FrameOrigin } from './frame-origin.ts';

const frames = (t: number, ...duration_ms: number[]): FramesRecord => ({
  ...{ type: 'frames', t, duration_ms },
});

test('frames of the followed trace replace those of the probe, without an overlap, until it ends', () => {
  const origin = new FrameOrigin();
  assert.deepEqual(origin.take('probe', frames(0, 10, 10)), frames(0, 10, 10));
  assert.equal(origin.take('followed', frames(5, 10)), null, 'it began before the last one ended');
  assert.deepEqual(origin.take('followed', frames(15, 10, 10)), frames(25, 10));
  assert.equal(origin.take('probe', frames(20, 10)), null);
  assert.deepEqual(origin.take('followed', frames(34.999, 10)), frames(34.999, 10));
  origin.followedEnds();
  assert.deepEqual(origin.take('probe', frames(40, 5, 10)), frames(45, 10));
  assert.deepEqual(origin.take('probe', frames(55, 10)), frames(55, 10));
});

test('frames of the probe alone are all kept', () => {
  const origin = new FrameOrigin();
  assert.deepEqual(origin.take('probe', frames(100, 10)), frames(100, 10));
  assert.deepEqual(origin.take('probe', frames(50, 10)), frames(50, 10));
});
