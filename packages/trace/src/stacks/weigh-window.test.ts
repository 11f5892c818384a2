// The samples of a window, with and without times of their own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { modelOf } from '../model/build-model.ts';
import { traceFromText } from '../testing/trace-from-text.ts';
import { visitSamples, weighWindow } from './weigh-window.ts';

function stacksOf(text: string) {
  const [stacks] = modelOf(text).stacks;
  assert.ok(stacks?.times);
  return { tree: stacks.tree, times: stacks.times };
}

function window(text: string, from: number, to: number): [number, ...unknown[]] {
  const { tree, times } = stacksOf(text);
  const part = weighWindow(tree, times, from, to);
  return [part.samples, ...Array.from({ length: tree.length }, (_, node) => part.self.at(node))];
}

test('a sample whose weight is a time counts with its part in the window', () => {
  const text = traceFromText('browser\n1000 stacks a 10000@0 | b 20000@10\n');
  assert.deepEqual(window(text, 0, 5000), [2, 10_000, 20_000]);
  assert.deepEqual(window(text, 1004, 1015), [2, 6000, 5000]);
  assert.deepEqual(window(text, 1000, 1010), [1, 10_000, 0]);
  assert.deepEqual(window(text, 1030, 1040), [0, 0, 0]);
  assert.deepEqual(window(text, 1029.999, Number.POSITIVE_INFINITY), [1, 0, 1]);
});

test('a sample of no time, or of another unit, is a point', () => {
  const point = traceFromText('browser\n1000 stacks a 0@5 | b -3@7\n');
  assert.deepEqual(window(point, 1005, 1007), [1, 0, 0]);
  assert.deepEqual(window(point, 1007, 1008), [1, 0, -3]);
  const counted = traceFromText('browser\n1000 stacks a 4@5 | b 1@9\n').replace('"ms"', '"bytes"');
  assert.deepEqual(window(counted, 1005, 1009), [1, 4, 0]);
  assert.deepEqual(window(counted, 1006, 1010), [1, 0, 1]);
});

test('samples without times count with their whole group, also beside records with times', () => {
  const text = traceFromText('browser\n0 stacks a 7\n').replace('"samples","', '"ms","');
  assert.equal(stacksOf(text).times.at_ms, null);
  const later = traceFromText('browser\n1000 stacks a 7\n');
  assert.deepEqual(window(later, 900, 1000), [0, 0]);
  assert.deepEqual(window(later, 1000, 1001), [1, 7]);
  const both = traceFromText('browser\n0 stacks a 7\n5000 stacks a 1000@1\n').replace(
    '"unit":"samples"',
    '"unit":"ms"',
  );
  const { times } = stacksOf(both);
  assert.deepEqual([...(times.at_ms ?? [])], [Number.NaN, 5001]);
  assert.deepEqual(window(both, 999, 1000), [1, 7000]);
  assert.deepEqual(window(both, 5001.5, 5003), [1, 500]);
});

test('a sample that lasts longer than its record is in the windows that it reaches', () => {
  const text = traceFromText('browser\n0 stacks a 5000000@900\n');
  assert.deepEqual(window(text, 4000, 4010), [1, 10_000]);
});

test('the parts of adjacent windows add up to the whole weights exactly', () => {
  const sample = fc.tuple(fc.nat(2_000_000), fc.nat(300_000));
  fc.assert(
    fc.property(
      fc.array(sample, { minLength: 1, maxLength: 30 }),
      fc.array(fc.double({ min: 0, max: 2500, noNaN: true })),
      (samples, cuts) => {
        const notation = samples.map(([at, weight]) => `a ${weight}@${at / 1000}`).join(' | ');
        const { times } = stacksOf(traceFromText(`browser\n0 stacks ${notation}\n`));
        const edges = [0, ...cuts.toSorted((a, b) => a - b), Number.POSITIVE_INFINITY];
        const sums = samples.map(() => 0);
        for (const [i, from] of edges.entries()) {
          visitSamples(times, from, edges[i + 1] ?? from, (index, part) => {
            sums[index] = (sums[index] ?? 0) + Number(part);
          });
        }
        assert.deepEqual(
          sums,
          samples.map(([, weight]) => weight),
        );
      },
    ),
  );
});
