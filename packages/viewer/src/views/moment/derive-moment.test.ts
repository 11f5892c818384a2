import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf as modelOfText } from '@svc/trace';
import { traceFromText } from '@svc/trace/testing';
import { modelOf, stacksAt } from '../../../test/build-trace.ts';
import { deriveMoment } from './derive-moment.ts';

const BUDGET = 1000 / 60;

test('the longest frames come first, including frames that overlap the edges of the range', () => {
  const frames = { type: 'frames', t: 0 } as const;
  const model = modelOf(
    { ...frames, duration_ms: [10, 20, 30, 40, 50, 60, 70], gpu_ms: [1, 2, 3, 4, 5, 6, null] },
    { ...frames, t: 5, duration_ms: [11], source: 'native', draws: [7], triangles: [8] },
  );
  const { frames: listed, frameCount } = deriveMoment(model, { from: 10, to: 150 }, BUDGET);
  assert.deepEqual(
    listed.map(({ start_ms, duration_ms }) => [start_ms, duration_ms]),
    [
      [100, 50],
      [60, 40],
      [30, 30],
      [10, 20],
      [5, 11],
    ],
  );
  assert.equal(frameCount, 5, 'frames that end at its start or begin at its end are not counted');
  assert.deepEqual(listed[4], {
    source: 'native',
    start_ms: 5,
    duration_ms: 11,
    gpu_ms: null,
    draws: 7,
    triangles: 8,
  });
  const all = deriveMoment(model, { from: 0, to: 1000 }, BUDGET);
  assert.equal(all.frameCount, 8);
  assert.deepEqual(
    all.frames.map(({ duration_ms, gpu_ms }) => [duration_ms, gpu_ms]),
    [
      [70, null],
      [60, 6],
      [50, 5],
      [40, 4],
      [30, 3],
    ],
  );
});

test('records that overlap the range are listed by kind', () => {
  const asset = { type: 'asset', name: 'a', kind: 'texture', phase: 'load' } as const;
  const moment = deriveMoment(
    modelOf(
      { ...asset, t: 90, id: 1, duration_ms: 20 },
      { ...asset, t: 300, id: 2, duration_ms: 20 },
      { type: 'longtask', t: 100, duration_ms: 60 },
      { type: 'span', t: 120, duration_ms: 10, name: 'spawn' },
      { type: 'mark', t: 130, name: 'boss' },
      { type: 'log', t: 140, level: 'warn', text: 'low' },
      { type: 'log', t: 141, level: 'warn', text: 'lower' },
      { type: 'loss', t: 150, reason: 'late_sampler', duration_ms: 5 },
    ),
    { from: 100, to: 200 },
    BUDGET,
  );
  assert.deepEqual(moment.counts, {
    assets: 1,
    longtasks: 1,
    spans: 1,
    marks: 1,
    logs: 2,
    losses: 1,
  });
  assert.deepEqual(
    moment.assets.map(({ item, within_ms }) => [item.id, within_ms]),
    [[1, 10]],
  );
  assert.equal(moment.longtasks[0]?.within_ms, 60);
  assert.equal(moment.spans[0]?.item.name, 'spawn');
  assert.equal(moment.marks[0]?.name, 'boss');
  assert.equal(moment.logs[0]?.text, 'low');
  assert.equal(moment.losses[0]?.reason, 'late_sampler');
  assert.deepEqual(moment.stacks, []);
});

test('only the first thousand records of a kind are listed, and all are counted', () => {
  const marks = Array.from({ length: 1001 }, (_, t) => ({ type: 'mark', t, name: 'm' }) as const);
  const { marks: listed, counts } = deriveMoment(modelOf(...marks), { from: 0, to: 5000 }, BUDGET);
  assert.deepEqual([listed.length, listed[999]?.t, counts.marks], [1000, 999, 1001]);
});

test('the stacks of a range are those of whole groups, with the time of these groups', () => {
  const known = { names: [], nodes: [] };
  const model = modelOf(
    stacksAt(0, 100, [['a', 1]], known),
    stacksAt(100, 100, [['a', 1]], known),
    stacksAt(200, 100, [['a;b', 1]], known),
    stacksAt(300, 100, [['a', 1]], known),
  );
  assert.deepEqual(deriveMoment(model, { from: 150, to: 250 }, BUDGET).stacks, [
    {
      group: 'browser/ms',
      source: 'browser',
      unit: 'ms',
      of: { from: 100, to: 300 },
      functions: [
        { name: 'a', category: '', self: 1, total: 2 },
        { name: 'b', category: '', self: 1, total: 1 },
      ],
    },
  ]);
  const [exact] = deriveMoment(model, { from: 100, to: 200 }, BUDGET).stacks;
  assert.deepEqual(exact?.of, { from: 100, to: 200 });
  assert.deepEqual(deriveMoment(model, { from: 500, to: 600 }, BUDGET).stacks, []);
});

test('a moment lists the functions of the main thread in its range, the most time of their own first', () => {
  const text = traceFromText(`import
    0 frames 16 80 16
    0 stacks main thread_[M];frame_[S];stall_[S] 60000@20 | worker;busy_[S] 80000@16 | main thread_[M];frame_[S] 5000@80
    0 stacks main thread_[M];frame_[S];later_[S] 9000@100
  `);
  const [stacks] = deriveMoment(modelOfText(text), { from: 16, to: 96 }, BUDGET).stacks;
  assert.deepEqual(stacks?.functions, [
    { name: 'stall', category: 'js', self: 60, total: 60 },
    { name: 'frame', category: 'js', self: 5, total: 65 },
  ]);
  assert.deepEqual(stacks.of, { from: 16, to: 96 });
});

test('a moment has the causes of its hitch that took at least a tenth of it, the most costly first', () => {
  const text = traceFromText(`import
    0 frames 16 100 16
    0 stacks main thread_[M];frame_[S];show_[S];texImage2D 70000@16 | main thread_[M];frame_[S];show_[S] 20000@86 | main thread_[M];frame_[S];play_[S] 10000@106
    0 stacks main thread_[M];frame_[S] 1000@130
    20 asset 7 comet.png texture upload main_thread_ms=60 dims=4096x4096 format=RGBA8
    90 span 9 layout rendering`);
  const clausesOf = (from: number, to: number) => {
    const { bounds } = deriveMoment(modelOfText(text), { from, to }, BUDGET);
    return bounds?.kind === 'hitch' ? bounds.causes : null;
  };
  const causes = [
    ['uploading ', 'comet.png', ' (4096×4096 RGBA8) took 60 ms'],
    ['', 'show', ' ran for 21 ms'],
    ['', 'play', ' ran for 10 ms'],
  ];
  assert.deepEqual(clausesOf(16, 116), causes);
  assert.deepEqual(clausesOf(60, 116), causes, 'of the whole hitch, also for a part of it');
  assert.equal(clausesOf(0, 16), null);
});

test('a range with several hitches has no causes', () => {
  const text = traceFromText(`browser
    0 frames 16 100 90
    20 asset 7 comet.png texture upload main_thread_ms=60`);
  const { bounds } = deriveMoment(modelOfText(text), { from: 0, to: 206 }, BUDGET);
  assert.equal(bounds?.kind, 'hitches');
  assert.ok(!('causes' in bounds));
});
