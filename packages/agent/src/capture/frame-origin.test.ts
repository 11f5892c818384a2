// Frames of the probe and of a followed trace in one recording.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FramesRecord } from '@svc/trace';
import { FrameOrigin } from './frame-origin.ts';

const frames = (t: number, ...duration_ms: number[]): FramesRecord => ({
  ...{ type: 'frames', t, duration_ms },
});

test('frames of a followed trace replace those of the probe, without an overlap, until it ends', () => {
  const origin = new FrameOrigin();
  assert.deepEqual(origin.takeProbed(frames(0, 10, 10)), frames(0, 10, 10));
  assert.equal(origin.takeFollowed(frames(5, 10)), null, 'it began before the last one ended');
  assert.deepEqual(origin.takeFollowed(frames(15, 10, 10)), frames(25, 10));
  assert.deepEqual(origin.takeFollowed(frames(34.999, 10)), frames(34.999, 10));
  assert.equal(origin.takeProbed(frames(20, 10)), null);
  // The probe reports a second at once: what was before the trace is kept.
  assert.deepEqual(origin.takeProbed(frames(20, 4.5, 10)), frames(20, 4.5));
  origin.followedEnds();
  assert.deepEqual(origin.takeProbed(frames(40, 5, 10)), frames(45, 10));
  assert.deepEqual(origin.takeProbed(frames(55, 10, 10)), frames(55, 10, 10));
  assert.deepEqual(origin.takeFollowed(frames(70, 5, 5)), frames(75, 5));
  assert.equal(origin.takeProbed(frames(75, 10)), null);
});

test('frames of the probe alone are all kept, also if nothing is followed any more', () => {
  const origin = new FrameOrigin();
  assert.deepEqual(origin.takeProbed(frames(100, 10)), frames(100, 10));
  origin.followedEnds();
  assert.deepEqual(origin.takeProbed(frames(50, 10)), frames(50, 10));
});
