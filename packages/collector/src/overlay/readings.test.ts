// What the overlay shows of frames: those of its own ring, or of the recording's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentFrames } from './readings.ts';

test('frames taken from a recording are its newest, in the place of all before', () => {
  const frames = new RecentFrames(4);
  frames.add(99);
  const recent = new Float64Array(8);
  for (let frame = 1; frame < 11; frame++) recent[frame % 8] = frame;
  frames.take(recent, 11);
  assert.equal(frames.count, 4);
  assert.deepEqual(
    [0, 1, 2, 3].map((back) => frames.at(back)),
    [10, 9, 8, 7],
  );
  assert.equal(frames.percentile(0.99), 10);
  assert.equal(frames.fps(), 4000 / 34);
});

test('a recording that has just begun has the frames it has', () => {
  const frames = new RecentFrames(4);
  frames.take(new Float64Array([0, 5, 7, 0]), 3);
  assert.equal(frames.count, 2);
  assert.equal(frames.at(0), 7);
  frames.take(new Float64Array(4), 0);
  assert.equal(frames.count, 0);
  assert.equal(frames.fps(), 0);
});
