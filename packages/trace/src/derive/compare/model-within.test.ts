// The part of a trace in a window of time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { treeTotal } from '../../stacks/frame-sums.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { modelWithin } from './model-within.ts';

const MODEL = modelOf(
  traceFromText(`browser
    0 frames 10*5
    10 process cpu=1 rss=100
    30 process cpu=2 rss=200
    5 counter gpu_bytes bytes 8
    25 counter gpu_bytes bytes 9
    40 counter gpu_bytes bytes 10
    0 stacks a 10000@0 | b 10000@10 | c 10000@30`),
);

test('frames and samples that start in the window are kept', () => {
  const { frames, process, duration_ms } = modelWithin(MODEL, { from_ms: 10, to_ms: 30 });
  assert.deepEqual([...(frames[0]?.start_ms ?? [])], [10, 20]);
  assert.deepEqual([...(frames[0]?.duration_ms ?? [])], [10, 10]);
  assert.equal(frames[0]?.source, 'browser');
  assert.deepEqual([...(process[0]?.rss_bytes ?? [])], [100]);
  assert.equal(duration_ms, 30);
  assert.equal(modelWithin(MODEL, { from_ms: 10, to_ms: 9000 }).duration_ms, MODEL.duration_ms);
});

test('a counter has the value that it holds at the start of the window', () => {
  const counterIn = (from_ms: number, to_ms: number) => {
    const [counter] = modelWithin(MODEL, { from_ms, to_ms }).counters;
    return [[...(counter?.t ?? [])], [...(counter?.value ?? [])]];
  };
  assert.deepEqual(counterIn(10, 40), [
    [10, 25],
    [8, 9],
  ]);
  assert.deepEqual(counterIn(25, 41), [
    [25, 40],
    [9, 10],
  ]);
  assert.deepEqual(counterIn(0, 10), [[5], [8]]);
});

test('stacks have the weights of the window, and all of them without times', () => {
  const totalIn = (model: typeof MODEL) => {
    const [stacks] = modelWithin(model, { from_ms: 10, to_ms: 30 }).stacks;
    return stacks && Number(treeTotal(stacks.tree)) / 10 ** stacks.tree.decimals;
  };
  assert.equal(totalIn(MODEL), 10);
  const untimed = MODEL.stacks.map((stacks) => ({ ...stacks, times: null }));
  assert.equal(totalIn({ ...MODEL, stacks: untimed }), 30);
});

test('a counter with more values than a call can have arguments is cut', () => {
  const values = 300_000;
  const [counter] = MODEL.counters;
  assert.ok(counter !== undefined);
  const long = {
    ...counter,
    t: Float64Array.from({ length: values }, (_, i) => i),
    value: new Float64Array(values).fill(7),
  };
  const [within] = modelWithin(
    { ...MODEL, counters: [long] },
    { from_ms: 0.5, to_ms: 1e9 },
  ).counters;
  assert.deepEqual(
    [within?.t.length, within?.t[0], within?.t[1], within?.value[0]],
    [values, 0.5, 1, 7],
  );
});
