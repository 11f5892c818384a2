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
  assert.deepEqual(origin.takeProbed(frames(0, 10, 10)), [frames(0, 10, 10)]);
  assert.equal(origin.takeFollowed(frames(5, 10)), null, 'it began before the last one ended');
  assert.deepEqual(origin.takeFollowed(frames(15, 10, 10)), frames(25, 10));
  assert.deepEqual(origin.takeFollowed(frames(34.999, 10)), frames(34.999, 10));
  assert.deepEqual(origin.takeProbed(frames(20, 10)), []);
  // The probe reports a second at once: what was before the trace is kept.
  assert.deepEqual(origin.takeProbed(frames(20, 4.5, 10)), [frames(20, 4.5)]);
  // What the probe has reported since the last frame is recorded at the end.
  assert.deepEqual(origin.takeProbed(frames(40, 5, 10)), []);
  assert.deepEqual(origin.followedEnds(), [frames(45, 10)]);
  assert.deepEqual(origin.followedEnds(), []);
  assert.deepEqual(origin.takeProbed(frames(55, 10, 10)), [frames(55, 10, 10)]);
  assert.deepEqual(origin.takeFollowed(frames(70, 5, 5)), frames(75, 5));
  assert.deepEqual(origin.takeProbed(frames(75, 10)), []);
});

test('a followed trace that has no frames any more gives way to the probe', () => {
  const origin = new FrameOrigin();
  assert.deepEqual(origin.takeFollowed(frames(0, 10)), frames(0, 10));
  assert.deepEqual(origin.takeProbed(frames(5, 995)), []);
  assert.deepEqual(origin.takeProbed(frames(1000, 1000)), []);
  assert.deepEqual(origin.takeProbed(frames(2000, 500)), [frames(1000, 1000), frames(2000, 500)]);
  assert.deepEqual(origin.takeProbed(frames(2500, 10)), [frames(2500, 10)]);
  assert.deepEqual(origin.takeFollowed(frames(2500, 9, 9)), null);
  assert.deepEqual(origin.takeFollowed(frames(2511, 9)), frames(2511, 9));
});

test('a followed record that lies before frames of the probe does not silence it', () => {
  const origin = new FrameOrigin();
  assert.deepEqual(origin.takeProbed(frames(0, 10)), [frames(0, 10)]);
  assert.equal(origin.takeFollowed(frames(1, 5)), null);
  assert.deepEqual(origin.takeProbed(frames(10, 10)), [frames(10, 10)]);
});

test('the frames of a trace do not begin before the end of the trace before', () => {
  const origin = new FrameOrigin();
  assert.deepEqual(origin.takeFollowed(frames(0, 10, 10)), frames(0, 10, 10));
  // Within a trace, times are rounded.
  assert.deepEqual(origin.takeFollowed(frames(19.999, 10)), frames(19.999, 10));
  assert.deepEqual(origin.followedEnds(), []);
  assert.deepEqual(origin.takeFollowed(frames(20, 9.9, 10)), null);
  assert.deepEqual(origin.takeFollowed(frames(20, 10, 10)), frames(30, 10));
});

test('frames of the probe alone are all kept, also if nothing is followed any more', () => {
  const origin = new FrameOrigin();
  assert.deepEqual(origin.takeProbed(frames(100, 10)), [frames(100, 10)]);
  assert.deepEqual(origin.followedEnds(), []);
  assert.deepEqual(origin.takeProbed(frames(50, 10)), [frames(50, 10)]);
});
