import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '@svc/trace';
import { traceFromText } from '@svc/trace/testing';
import { nearFrames } from './moment-frames.ts';

const MODEL = modelOf(
  traceFromText(`browser
  0 frames 10 80 12 main_ms=5,78,6 gpu_ms=-,3,2 draws=7,8,9
  10 asset 1 sky.png texture upload main_thread_ms=70`),
);

test('a frame has the frames before and after it, with what was measured and what took the time', () => {
  const near = nearFrames(MODEL, { from: 10, to: 90 }, 10);
  assert.ok(near !== null);
  const { before, frame, after, source } = near;
  assert.equal(source, 'browser');
  assert.deepEqual(
    [before, frame, after].map((one) => one && [one.range, one.main_ms, one.gpu_ms, one.draws]),
    [
      [{ from: 0, to: 10 }, 5, null, 7],
      [{ from: 10, to: 90 }, 78, 3, 8],
      [{ from: 90, to: 102 }, 6, 2, 9],
    ],
  );
  assert.deepEqual(
    [before?.over_budget, frame.over_budget, after?.over_budget],
    [false, true, true],
  );
  assert.deepEqual(frame.causes, [['uploading ', 'sky.png', ' took 70 ms']]);
});

test('the first frame has none before it, and the last none after it', () => {
  assert.equal(nearFrames(MODEL, { from: 0, to: 10 }, 10)?.before, null);
  assert.equal(nearFrames(MODEL, { from: 90, to: 102 }, 10)?.after, null);
});

test('a range that is not one frame has no frames around it; a millisecond does not matter', () => {
  assert.equal(nearFrames(MODEL, { from: 11, to: 89 }, 10)?.frame.duration_ms, 80);
  assert.equal(nearFrames(MODEL, { from: 11.1, to: 90 }, 10), null);
  assert.equal(nearFrames(MODEL, { from: 10, to: 91.1 }, 10), null);
  assert.equal(nearFrames(MODEL, { from: 0, to: 102 }, 10), null);
  assert.equal(
    nearFrames(modelOf(traceFromText('browser\n5 mark a')), { from: 0, to: 9 }, 10),
    null,
  );
});

test('of short frames, the nearest one is shown', () => {
  const model = modelOf(traceFromText('native\n0 frames 1*20'));
  const near = nearFrames(model, { from: 5, to: 6 }, 10);
  assert.deepEqual(
    [near?.before?.range, near?.frame.range, near?.after?.range],
    [
      { from: 4, to: 5 },
      { from: 5, to: 6 },
      { from: 6, to: 7 },
    ],
  );
});
