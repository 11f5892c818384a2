import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf, traceBounds, traceBoundText } from '@svc/trace';
import { traceFromText } from '@svc/trace/testing';
import { boundsOf, deriveBounds } from './derive-bounds.ts';

const TEXT = `browser gpu=SwiftShader software=
  0 frames 10 50 40 main_ms=8,6,40 gpu_ms=-,44,-
  60 span 40 layout rendering`;
const model = modelOf(traceFromText(TEXT));

test('the answer has the words of the command line, the shares of the bounds, and the work of the main thread', () => {
  const { text, shares, work, gpu } = deriveBounds(model, 10);
  assert.equal(
    text,
    'Bound by the GPU: 57 % of the time over budget. Graphics was rendered in software (SwiftShader), so this says nothing about computers with a GPU.',
  );
  assert.equal(text, traceBoundText(traceBounds(model, 10)));
  assert.deepEqual(
    shares.map(({ bound, hitches, over_ms }) => [bound, hitches, over_ms]),
    [
      ['gpu', 1, 40],
      ['rendering', 1, 30],
    ],
  );
  assert.deepEqual(
    work?.slice(0, 2).map((row) => [row.work, row.total_ms]),
    [
      ['rendering', 40],
      ['other', 14],
    ],
  );
  assert.deepEqual(gpu, { name: 'SwiftShader', software: true });
});

test('a trace without hitches or without the work of the main thread has no evidence', () => {
  const empty = modelOf(traceFromText('browser\n0 frames 10 10'));
  assert.deepEqual(deriveBounds(empty, 10), {
    text: 'No frame is over budget.',
    shares: [],
    work: null,
    source: 'browser',
    gpu: null,
  });
});

test('the bounds are those of the budget and of the model, also after another one', () => {
  const hitches = (budget: number): number => boundsOf(model, budget).hitches.length;
  assert.deepEqual([hitches(10), hitches(45), hitches(10), hitches(60)], [2, 1, 2, 0]);
  assert.equal(boundsOf(model, 45), boundsOf(model, 45), 'computed once');
  const longer = modelOf(traceFromText(`${TEXT}\n100 frames 30 main_ms=30`));
  assert.equal(boundsOf(longer, 10).hitches.length, 3);
});
