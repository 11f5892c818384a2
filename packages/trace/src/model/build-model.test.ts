// The model: columns sorted by time, trees by source and unit, and a live trace that grows between snapshots.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { treeTotal } from '../stacks/frame-sums.ts';
import { pathOf } from '../stacks/stack-tree.ts';
import { weighWindow } from '../stacks/weigh-window.ts';
import { traceFromText } from '../testing/trace-from-text.ts';
import { VptReader } from '../vpt/read-vpt.ts';
import { modelOf, TraceModelBuilder } from './build-model.ts';

test('modelOf sorts by time what was written when it ended', () => {
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

test('modelOf keeps sources and units apart', () => {
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

test('a snapshot stays as it was while the builder goes on', () => {
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

test('weighWindow gives the weights of a part of the time', () => {
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
