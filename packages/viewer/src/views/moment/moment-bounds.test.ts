import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '@svc/trace';
import { traceFromText } from '@svc/trace/testing';
import type { TimeRange } from '../../draw/time-axis.ts';
import { momentBounds } from './moment-bounds.ts';

const BUDGET = 10;
const boundsOf = (text: string, range: TimeRange) =>
  momentBounds(modelOf(traceFromText(text)), range, BUDGET);

/** The parts of the only hitch in the range, as `[name, ms]`. */
function partsOf(text: string, range: TimeRange): (readonly [string, number | null])[] {
  const bounds = boundsOf(text, range);
  assert.equal(bounds?.kind, 'hitch');
  return bounds.parts.map(({ name, ms }) => [name, ms]);
}

const STACKS = `import gpu=SwiftShader software=
  0 frames 10 80 10 60 main_ms=9,76,9,12 gpu_ms=-,20,-,-
  0 stacks m_[M];run_[S] 58000@10 | m_[M];(program) 6000@68 | m_[M];run_[S] 1000@160
  80 span 10 layout rendering
  20 span 2 minor gc`;

test('a hitch has its bound in words, and parts that add up to its duration', () => {
  const bounds = boundsOf(STACKS, { from: 10, to: 90 });
  assert.equal(bounds?.kind, 'hitch');
  assert.equal(bounds.text, 'Bound by script: 56 of 80 ms on the main thread.');
  assert.deepEqual(
    bounds.parts.map(({ name, ms, share }) => [name, ms, share]),
    [
      ['script', 56, 0.7],
      ['rendering', 10, 0.125],
      ['loading', 0, 0],
      ['garbage collection', 2, 0.025],
      ['other work', 8, 0.1],
      ['idle', 4, 0.05],
      ['GPU', 20, 0.25],
    ],
  );
  assert.ok(bounds.parts.every(({ isLeast }) => !isLeast));
});

test('a hitch in which the main thread waited has the remark on software graphics', () => {
  const bounds = boundsOf(STACKS, { from: 100, to: 160 });
  assert.equal(bounds?.kind, 'hitch');
  assert.match(
    bounds.text,
    /^Not bound by the main thread, .* rendered in software \(SwiftShader\)/,
  );
});

test('without the time of the main thread, known parts are lower bounds and the others are not measured', () => {
  const text = 'browser\n0 frames 80\n10 span 20 layout rendering';
  const bounds = boundsOf(text, { from: 0, to: 80 });
  assert.equal(bounds?.kind, 'hitch');
  assert.match(bounds.text, /^Unknown bound: .* For a browser game, svc record/);
  assert.deepEqual(
    bounds.parts.map(({ name, ms, isLeast }) => [name, ms, isLeast]),
    [
      ['script', null, false],
      ['rendering', 20, true],
      ['loading', null, false],
      ['garbage collection', null, false],
      ['other work', null, false],
      ['idle', null, false],
      ['GPU', null, false],
    ],
  );
});

test('the GPU process is a part only if the trace has it', () => {
  const text = `import\n0 frames 80 main_ms=9`;
  assert.deepEqual(partsOf(text, { from: 0, to: 80 }).at(-1), ['GPU', null]);
  const span = { type: 'span', t: 5, duration_ms: 60, name: 'GPU process', track: 'gpu process' };
  const model = modelOf(`${traceFromText(text)}${JSON.stringify(span)}\n`);
  const bounds = momentBounds(model, { from: 0, to: 80 }, BUDGET);
  assert.equal(bounds?.kind, 'hitch');
  assert.deepEqual(bounds.parts.at(-1), {
    name: 'GPU process',
    ms: 60,
    share: 0.75,
    isLeast: false,
  });
  assert.equal(bounds.parts.length, 7);
});

test('a range that is near one hitch, or inside of it, shows that hitch', () => {
  const text = 'browser\n0 frames 10 80.5 60 10 main_ms=10,80,60,10';
  const idle = (from: number, to: number) => {
    const bounds = boundsOf(text, { from, to });
    return bounds?.kind === 'hitch' ? bounds.parts.find(({ name }) => name === 'idle')?.ms : bounds;
  };
  assert.equal(idle(10, 91), 0.5, 'the next hitch begins 0.5 ms before the end');
  assert.equal(idle(30, 40), 0.5);
  assert.equal(idle(0, 30), 0.5, 'two thirds of the range');
  assert.equal(idle(90, 151), 0);
});

test('a range without a hitch has no bounds', () => {
  const text =
    'browser\n0 frames 10 80 10 main_ms=10,80,10\n200 loss hidden_tab 100\n200 frames 90';
  for (const [from, to] of [
    [0, 10],
    [0, 19],
    [90, 100],
    [200, 290],
    [500, 600],
  ] as const) {
    assert.equal(boundsOf(text, { from, to }), null, `${from} to ${to}`);
  }
});

test('a range with several hitches has the time over budget by bound', () => {
  const text = 'browser\n0 frames 10 80 40 30 main_ms=10,6,40,30\n90 span 70 layout rendering';
  assert.deepEqual(boundsOf(text, { from: 0, to: 170 }), {
    kind: 'hitches',
    count: 3,
    source: 'browser',
    shares: [
      { bound: 'unknown', hitches: 1, over_ms: 70, share: 70 / 120 },
      { bound: 'rendering', hitches: 2, over_ms: 50, share: 50 / 120 },
    ],
  });
});

test('of the hitches of two sources, the one with the times of the range is shown', () => {
  const text = `native browser
    0 browser:frames 10 80 10 main_ms=10,75,10
    0 native:frames 12 76 12`;
  const idle = (from: number, to: number) =>
    partsOf(text, { from, to }).find(([name]) => name === 'idle')?.[1];
  assert.deepEqual([idle(10, 90), idle(12, 88)], [5, null]);
  assert.equal(boundsOf(text, { from: 0, to: 100 })?.kind, 'hitches');
});
