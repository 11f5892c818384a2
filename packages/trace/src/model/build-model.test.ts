// The model: columns sorted by time, trees by source and unit, and a live trace that grows between snapshots.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { treeTotal } from '../stacks/frame-sums.ts';
import { pathOf } from '../stacks/stack-tree.ts';
import { weighWindow } from '../stacks/weigh-window.ts';
import { traceFromText } from '../testing/trace-from-text.ts';
import { VptReader } from '../vpt/read-vpt.ts';
import { modelOf, TraceModelBuilder } from './build-model.ts';

test('modelOf sorts by start time the records that are written at their end', () => {
  const model = modelOf(
    traceFromText(
      'native\n2000 process cpu=2 rss=20\n1000 process cpu=1 rss=10 pss=5\n30 mark b\n20 mark a\n',
    ),
  );
  const [process] = model.process;
  assert.deepEqual(Array.from(process?.t ?? []), [1000, 2000]);
  assert.deepEqual(Array.from(process?.rss_bytes ?? []), [10, 20]);
  assert.deepEqual(Array.from(process?.pss_bytes ?? []), [5, Number.NaN]);
  assert.deepEqual(
    model.marks.map((mark) => mark.name),
    ['a', 'b'],
  );
});

test('modelOf separates sources and units', () => {
  const model = modelOf(
    traceFromText(
      'native browser\n0 native:stacks a;b 1\n5 browser:stacks a 2\n9 native:process rss=1\n',
    ),
  );
  assert.deepEqual(
    model.stacks.map(({ source, tree }) => [source, tree.length, treeTotal(tree)]),
    [
      ['native', 2, 1],
      ['browser', 1, 2],
    ],
  );
  assert.equal(model.process[0]?.source, 'native');
});

test('a snapshot does not change when the builder continues', () => {
  const text = traceFromText(
    'native\n0 stacks a;b 1\n1000 stacks a;c 2 | a;b 4\n2000 frames 16 17\n',
  );
  const lines = text.split(/(?<=\n)/);
  const builder = new TraceModelBuilder();
  const reader = new VptReader(builder);
  const encoder = new TextEncoder();
  reader.push(encoder.encode(lines.slice(0, 2).join('')));
  const first = builder.snapshot();
  reader.push(encoder.encode(lines.slice(2).join('')));
  const second = builder.snapshot();
  assert.deepEqual(
    [first, second].map(({ stacks }) => treeTotal(stacks[0]?.tree ?? assert.fail())),
    [1, 7],
  );
  assert.deepEqual([first.frames.length, second.frames.length], [0, 1]);
  assert.deepEqual([first.duration_ms, second.duration_ms], [1000, 2033]);
});

test('weighWindow returns the weights within a window of time', () => {
  const model = modelOf(
    traceFromText('native\n0 stacks a;b 1\n1000 stacks a;c 2 | a;b 4\n3000 stacks a;b 8\n'),
  );
  const { tree, times } = model.stacks[0] ?? assert.fail();
  assert.ok(times !== null);
  const part = weighWindow(tree, times, 1500, 2500);
  const weights = Array.from({ length: part.length }, (_, node) => [
    pathOf(part, node)
      .map((frame) => part.frames.name(frame))
      .join(';'),
    part.self.at(node),
  ]);
  assert.deepEqual(weights, [
    ['a', 0],
    ['a;b', 4],
    ['a;c', 2],
  ]);
  assert.equal(part.samples, 2);
});

test('a model contains all records by time, and those of the same time in file order', () => {
  const header = traceFromText('browser\n');
  const lines = [
    { type: 'frames', t: 100, duration_ms: [10, 20], draws: [1, null], triangles: [7, 8] },
    { type: 'frames', t: 0, duration_ms: [5], gpu_ms: [3.5], main_ms: [4] },
    { type: 'process', t: 9, rss_bytes: 2, threads: 4, pss_bytes: 5, pss_cost_ms: 6 },
    { type: 'process', t: 3, rss_bytes: 1, cpu_percent: 7 },
    { type: 'process', t: 9, rss_bytes: 3 },
    { type: 'counter', t: 2, name: 'n', unit: 'items', value: 2 },
    { type: 'counter', t: 1, name: 'n', unit: 'items', value: 1 },
    { type: 'counter', t: 1, name: 'n', unit: 'bytes', value: 9 },
    ...[2, 1].flatMap((t) => [
      { type: 'longtask', t, duration_ms: 50 },
      { type: 'span', t, name: `span ${t}`, duration_ms: 1 },
      { type: 'log', t, level: 'info', text: `log ${t}` },
      { type: 'asset', t, id: t, name: `asset ${t}`, kind: 'data', phase: 'load' },
      { type: 'loss', t, reason: `loss_${t}` },
    ]),
    { type: 'later', t: 5 },
    { type: 'end', t: 6, reason: 'off' },
  ];
  const model = modelOf(header + lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const { NaN: none } = Number;
  assert.deepEqual(plain(model.frames), [
    {
      source: 'browser',
      start_ms: [0, 100, 110],
      duration_ms: [5, 10, 20],
      draws: [none, 1, none],
      triangles: [none, 7, 8],
      gpu_ms: [3.5, none, none],
      main_ms: [4, none, none],
    },
  ]);
  assert.deepEqual(plain(model.process), [
    {
      source: 'browser',
      t: [3, 9, 9],
      cpu_percent: [7, none, none],
      rss_bytes: [1, 2, 3],
      pss_bytes: [none, 5, none],
      pss_cost_ms: [none, 6, none],
      threads: [none, 4, none],
    },
  ]);
  assert.deepEqual(plain(model.counters), [
    { source: 'browser', name: 'n', unit: 'items', t: [1, 2], value: [1, 2] },
    { source: 'browser', name: 'n', unit: 'bytes', t: [1], value: [9] },
  ]);
  const { longtasks, spans, logs, assets, losses } = model;
  for (const records of [longtasks, spans, logs, assets, losses]) {
    assert.deepEqual(
      records.map(({ t }) => t),
      [1, 2],
    );
  }
  for (const { source } of [...longtasks, ...spans, ...logs, ...assets]) {
    assert.equal(source, 'browser');
  }
  assert.deepEqual([model.unknown_records, model.end?.reason, model.duration_ms], [1, 'off', 130]);
});

/** Typed arrays as plain ones. */
function plain(columns: readonly object[]): unknown {
  return columns.map((one) =>
    Object.fromEntries(
      Object.entries(one).map(([key, value]) => [
        key,
        value instanceof Float64Array ? Array.from(value) : value,
      ]),
    ),
  );
}

test('a builder without a header returns no model', () => {
  assert.throws(() => new TraceModelBuilder().snapshot(), RangeError);
});

test('weights of different scales, out of order, have one scale in the tree and in each window', () => {
  const record = { type: 'stacks', duration_ms: 10, unit: 'ms' };
  const lines = [
    {
      ...record,
      t: 100,
      first_name: 0,
      names: ['a', 'b'],
      first_node: 0,
      parents: [-1, 0],
      node_names: [0, 1],
      categories: ['', 'kernel'],
      samples: { node: [1], weight: [25], before: [5] },
      scale: 100,
    },
    {
      ...record,
      t: 0,
      first_name: 2,
      names: [],
      first_node: 2,
      parents: [],
      node_names: [],
      samples: { node: [0, 1], weight: [3, 4], before: [1, 2] },
    },
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const { tree, times } = modelOf(traceFromText('native\n') + text).stacks[0] ?? assert.fail();
  assert.ok(times !== null);
  const weights = (one: typeof tree) => [0, 1].map((node) => one.self.at(node));
  assert.deepEqual([tree.decimals, weights(tree), tree.unit], [2, [300, 425], 'ms']);
  assert.deepEqual([tree.before?.at(0), tree.before?.at(1)], [100, 205]);
  assert.equal(tree.frames.text(tree.nodeFrames[1] ?? 0), 'b_[k]');
  assert.deepEqual(Array.from(times.t), [0, 100]);
  const window = (from: number, to: number) => weighWindow(tree, times, from, to);
  assert.deepEqual(weights(window(0, 10)), [300, 400]);
  assert.deepEqual(weights(window(100, 101)), [0, 25]);
  assert.deepEqual(
    [window(10, 100), window(110, 200)].map(({ samples }) => samples),
    [0, 0],
  );
  assert.deepEqual(
    [window(9.9, 100.1)].map(({ samples }) => samples),
    [3],
  );
  assert.equal(window(0, 10).before, null);
});

test('modelOf follows a chain of 100,000 nodes without recursion', () => {
  const length = 100_000;
  const header = traceFromText('native\n');
  const record = {
    type: 'stacks',
    t: 0,
    first_name: 0,
    names: ['f'],
    first_node: 0,
    parents: Array.from({ length }, (_, i) => i - 1),
    node_names: Array.from({ length }, () => 0),
    samples: { node: [length - 1], weight: ['9007199254740993'] },
    unit: 'samples',
  };
  const { tree } = modelOf(`${header}${JSON.stringify(record)}\n`).stacks[0] ?? assert.fail();
  assert.equal(tree.length, length);
  assert.equal(treeTotal(tree), 9007199254740993n);
});
