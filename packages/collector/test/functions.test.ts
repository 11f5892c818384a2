// The functions of a page by a fake profiler: their names, weights, losses and bounds, and the last profile, which arrives late.
import './fake-clock.ts';
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { readVpt } from '@svc/trace';
import * as svc from '../src/index.ts';
import { clock } from './fake-clock.ts';
import { type Line, Page, setGlobal } from './recorded.ts';

const OTHERS = {
  frames: false,
  longTasks: false,
  memory: false,
  resources: false,
  images: false,
  audio: false,
  webgl: false,
  webgpu: false,
} as const;
const URL_OF_GAME = 'https://play.example/game.js?v=3';

type Frame = { name: string; resourceId?: number; line?: number; column?: number };

class FakeProfiler extends EventTarget {
  readonly options: { sampleInterval: number; maxBufferSize: number };
  readonly sampleInterval = 10;
  readonly began = clock.ms;
  stopped = 0;
  readonly #result = Promise.withResolvers<unknown>();

  constructor(options: { sampleInterval: number; maxBufferSize: number }) {
    super();
    this.options = options;
  }

  stop(): Promise<unknown> {
    this.stopped++;
    return this.#result.promise;
  }

  /** Ends with samples: pairs of ms since the start of the profiler, and the functions from the outermost on. */
  async give(samples: readonly (readonly [number, ...Frame[]])[]): Promise<void> {
    const frames: Frame[] = [];
    const stacks: object[] = [];
    const given = samples.map(([at, ...functions]) => {
      let stackId: number | undefined;
      for (const frame of functions) {
        const parent = stackId === undefined ? {} : { parentId: stackId };
        stackId = stacks.push({ frameId: frames.push(frame) - 1, ...parent }) - 1;
      }
      return { timestamp: this.began + at, ...(stackId !== undefined && { stackId }) };
    });
    // The browser takes the first sample at once.
    const first = { timestamp: this.began, stackId: stacks.length };
    stacks.push({ frameId: frames.push({ name: 'collector' }) - 1 });
    await this.answer({ resources: [URL_OF_GAME], frames, stacks, samples: [first, ...given] });
  }

  async answer(profile: unknown): Promise<void> {
    this.#result.resolve(profile);
    await settle();
  }

  async fail(): Promise<void> {
    this.#result.reject(new Error('gone'));
    await settle();
  }
}

const settle = () => new Promise((done) => setImmediate(done));
const at = (name: string, line = 12, column = 5): Frame => ({ name, resourceId: 0, line, column });

type Options = Parameters<typeof svc.start>[0];

/** A recording of functions only, and its profilers. */
function record(t: TestContext, options: Options = {}) {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  t.after(() => svc.stop());
  const made: FakeProfiler[] = [];
  const state = { fails: false };
  setGlobal(t, 'document', new Page());
  setGlobal(
    t,
    'Profiler',
    class extends FakeProfiler {
      constructor(given: FakeProfiler['options']) {
        if (state.fails) throw new Error('too many');
        super(given);
        made.push(this);
      }
    },
  );
  svc.start({ ...options, parts: { ...OTHERS, functions: true, ...options?.parts } });
  const profiler = (index: number): FakeProfiler => {
    const found = made[index];
    assert.ok(found, `there are ${made.length} profilers`);
    return found;
  };
  /** Lets the time pass, with a write once per second. */
  const pass = (ms: number) => {
    for (let left = ms; left > 0; left -= 1_000) {
      clock.ms += Math.min(1_000, left);
      t.mock.timers.tick(Math.min(1_000, left));
    }
  };
  return { made, profiler, pass, state };
}

/** The records of the export, which must be a valid trace. */
function exported(): Line[] {
  return readVpt(svc.exportText()).lines.map((line) => ({ ...line }));
}

/** The samples of the export: time, weight in ms, and the functions from the outermost on. */
function samples(): [number, number, string][] {
  const names: string[] = [];
  const parents: number[] = [];
  const nodes: number[] = [];
  const rows: [number, number, string][] = [];
  const pathOf = (node: number): string => {
    const parent = parents[node] ?? -1;
    return `${parent < 0 ? '' : `${pathOf(parent)};`}${names[nodes[node] ?? -1]}`;
  };
  for (const line of readVpt(svc.exportText()).lines) {
    if (line.type !== 'stacks') continue;
    names.push(...line.names);
    parents.push(...line.parents);
    nodes.push(...line.node_names);
    assert.equal(line.unit, 'ms');
    for (const [i, node] of line.samples.node.entries()) {
      const weight = Number(line.samples.weight[i]) / Number(line.scale);
      rows.push([line.t + (line.samples.at_ms?.[i] ?? Number.NaN), weight, pathOf(node)]);
    }
  }
  return rows;
}

const losses = () =>
  exported()
    .filter(({ type }) => type === 'loss')
    .map(({ reason, t, duration_ms, probe, count }) => {
      assert.equal(probe, 'stacks');
      return [reason, t, duration_ms, ...(count === undefined ? [] : [count])];
    });

test('a sample weighs the time until the next one, at most ten intervals; a sample without a function weighs nothing', async (t) => {
  const { profiler } = record(t);
  clock.ms += 400;
  svc.stop();
  await profiler(0).give([
    [10, at('update'), at('fly', 20)],
    [11, at('update')],
    [11.5, at('update'), at('fly', 20)],
    [40],
    [60, at('update')],
    [300, at('update')],
    // Earlier than the one before.
    [290, at('fly', 20)],
  ]);
  assert.deepEqual(samples(), [
    [10, 1, 'update game.js:12;fly game.js:20'],
    [11, 0.5, 'update game.js:12'],
    [11.5, 28.5, 'update game.js:12;fly game.js:20'],
    [60, 100, 'update game.js:12'],
    [300, 100, 'update game.js:12'],
  ]);
  assert.deepEqual(losses(), [['late_sampler', 160, 140]]);
  assert.equal(exported().at(-1)?.['type'], 'end');
});

test('functions have the names, places and categories of an imported profile', async (t) => {
  const { profiler } = record(t);
  clock.ms += 100;
  svc.stop();
  const module = 'wasm://wasm/physics-0a1b2c3d';
  await profiler(0).answer({
    resources: [URL_OF_GAME, module],
    frames: [
      { name: '', resourceId: 0, line: 1, column: 4711 },
      { name: 'sort' },
      { name: 'step', resourceId: 1, line: 1, column: 77 },
    ],
    stacks: [{ frameId: 0 }, { frameId: 1, parentId: 0 }, { frameId: 2, parentId: 0 }],
    samples: [0, 10, 20, 30].map((ms, i) => ({
      timestamp: profiler(0).began + ms,
      ...(i > 0 && i < 3 && { stackId: i }),
    })),
  });
  const [stacks] = exported().filter(({ type }) => type === 'stacks');
  assert.deepEqual(
    [stacks?.['names'], stacks?.['places'], stacks?.['categories']],
    [
      ['(anonymous) game.js:1:4711', 'sort', 'step physics'],
      ['https://play.example/game.js:1:4711', '', `${module}:1:77`],
      ['js', '', 'wasm'],
    ],
  );
});

test('a profiler follows the other after ten seconds, so that no time between them is lost', async (t) => {
  const { made, profiler, pass } = record(t);
  assert.deepEqual(made[0]?.options, { sampleInterval: 10, maxBufferSize: 6_000 });
  pass(9_000);
  assert.deepEqual([made.length, made[0]?.stopped], [1, 0]);
  pass(1_000);
  assert.deepEqual([made.length, made[0]?.stopped, made[1]?.stopped], [2, 1, 0]);
  // The later one arrives first.
  clock.ms += 30;
  svc.stop();
  await profiler(1).give([[5, at('draw')]]);
  assert.deepEqual(samples(), []);
  await profiler(0).give([
    [9_980, at('update')],
    [9_990, at('draw')],
  ]);
  assert.deepEqual(samples(), [
    [9_980, 10, 'update game.js:12'],
    [9_990, 15, 'draw game.js:12'],
    [10_005, 25, 'draw game.js:12'],
  ]);
  assert.deepEqual(
    exported().flatMap(({ type, names }) => (type === 'stacks' ? [names] : [])),
    [['update game.js:12', 'draw game.js:12']],
  );
  assert.deepEqual(losses(), [['late_sampler', 100, 9_880]]);
});

test('a full buffer is followed by the next profiler at once, and the time between them is a loss', async (t) => {
  const { made, profiler } = record(t);
  clock.ms += 2_000;
  profiler(0).dispatchEvent(new Event('samplebufferfull'));
  assert.deepEqual([made.length, profiler(0).stopped], [2, 1]);
  profiler(0).dispatchEvent(new Event('samplebufferfull'));
  assert.equal(made.length, 2, 'only the running profiler counts');
  clock.ms += 50;
  svc.stop();
  profiler(1).dispatchEvent(new Event('samplebufferfull'));
  assert.deepEqual([made.length, profiler(1).stopped], [2, 1]);
  await profiler(0).give([[10], [20, at('load')], [30, at('load')]]);
  await profiler(1).give([[10, at('load')]]);
  assert.deepEqual(samples(), [
    [20, 10, 'load game.js:12'],
    [30, 100, 'load game.js:12'],
    [2_010, 40, 'load game.js:12'],
  ]);
  assert.deepEqual(losses(), [['buffer_full', 130, 1_880]]);
});

test('an export before the last profile has a loss, and later exports have its functions before the end', async (t) => {
  const { profiler, made } = record(t);
  clock.ms += 500;
  assert.deepEqual(losses(), [['stacks_lost', 0, 500]]);
  svc.stop();
  clock.ms += 1_000;
  assert.deepEqual(losses(), [['stacks_lost', 0, 500]]);
  let isSettled = false;
  const settled = svc.settled().then(() => {
    isSettled = true;
  });
  await settle();
  assert.equal(isSettled, false);
  await profiler(0).give([[450], [490, at('update')], [495, at('update')]]);
  await settled;
  assert.deepEqual(samples(), [
    [490, 5, 'update game.js:12'],
    [495, 5, 'update game.js:12'],
  ]);
  assert.deepEqual(losses(), [['late_sampler', 100, 350]]);
  assert.deepEqual(exported().at(-1), { type: 'end', t: 500, reason: 'stopped' });
  assert.equal(made.length, 1);
});

test('settled waits at most two seconds, and resolves at once without functions', async (t) => {
  const { made, profiler } = record(t);
  let isSettled = false;
  const waiting = svc.settled().then(() => {
    isSettled = true;
  });
  assert.deepEqual([made.length, profiler(0).stopped], [2, 1], 'the running profiler is replaced');
  t.mock.timers.tick(1_999);
  await settle();
  assert.equal(isSettled, false);
  t.mock.timers.tick(1);
  await waiting;
  svc.stop();
  svc.start({ parts: { ...OTHERS, functions: false } });
  await svc.settled();
  assert.equal(made.length, 2);
});

test('a download waits for the functions until now, and a start before they arrive saves the trace without them', async (t) => {
  const { profiler } = record(t);
  const saved: Blob[] = [];
  const names: string[] = [];
  const createElement = () => ({
    download: '',
    click(): void {
      names.push(this.download);
    },
  });
  Object.assign(document, { createElement });
  t.mock.method(URL, 'createObjectURL', (blob: Blob) => `blob:${saved.push(blob)}`);
  t.mock.method(URL, 'revokeObjectURL', () => {});
  clock.ms += 30;
  svc.download('one.vpt');
  assert.deepEqual(names, []);
  await profiler(0).give([[10, at('update')], [20]]);
  assert.deepEqual(names, ['one.vpt']);
  assert.match((await saved[0]?.text()) ?? '', /update game\.js:12/);
  svc.mark('of the first recording');
  svc.stop();
  svc.download('two.vpt');
  svc.download('three.vpt');
  assert.deepEqual(names, ['one.vpt', 'two.vpt'], 'a second download saves the first one now');
  svc.start({ parts: { ...OTHERS, functions: true } });
  assert.deepEqual(names, ['one.vpt', 'two.vpt', 'three.vpt']);
  assert.match((await saved[2]?.text()) ?? '', /of the first recording/);
  await profiler(1).give([[10, at('late')]]);
  assert.equal(names.length, 3, 'nothing is saved twice');
  assert.ok(
    !svc.exportText().includes('late'),
    'the recording before has no effect on the next one',
  );
});

test('a profile that fails or is malformed is a loss, and the recording goes on', async (t) => {
  const { made, profiler, pass, state } = record(t);
  pass(10_000);
  await profiler(0).fail();
  pass(10_000);
  await profiler(1).answer({ samples: 3 });
  state.fails = true;
  pass(10_000);
  assert.equal(made.length, 3);
  await profiler(2).answer({
    resources: [],
    frames: [{ name: 'loop' }],
    // A circle of parents, and a parent, a frame and a time that do not exist.
    stacks: [
      { frameId: 0, parentId: 1 },
      { frameId: 7, parentId: 0 },
      { frameId: 0, parentId: 99 },
    ],
    samples: [
      { timestamp: clock.ms - 50 },
      { timestamp: clock.ms - 40, stackId: 0 },
      { timestamp: Number.NaN, stackId: 0 },
      { timestamp: clock.ms - 30, stackId: 1 },
      { timestamp: clock.ms - 20, stackId: 2 },
      { timestamp: clock.ms - 10, stackId: 99 },
    ],
  });
  state.fails = false;
  pass(10_000);
  assert.equal(made.length, 4, 'a profiler that could not start is tried again');
  svc.stop();
  await profiler(3).give([[0]]);
  assert.deepEqual(
    samples().map(([, weight]) => weight),
    [10, 10, 10],
  );
  const [[reason, from, duration] = []] = losses();
  assert.deepEqual([reason, from, Number(duration) > 29_000], ['late_sampler', 100, true]);
});

test('functions have a quarter of the budget: the oldest samples are dropped, and stacks without room are lost', async (t) => {
  const { profiler } = record(t, { budgetBytes: 65_536 });
  clock.ms += 2_000;
  svc.stop();
  await profiler(0).give(
    Array.from({ length: 2_000 }, (_, i) => [
      i + 1,
      at(i % 2 === 0 || i > 1_900 ? 'update' : `f${i}`),
    ]),
  );
  assert.ok(svc.status().bytes <= 16_384, String(svc.status().bytes));
  const rows = samples();
  assert.ok(rows.length >= 128 && rows.length <= 256, String(rows.length));
  assert.ok(rows.every(([, , name]) => name === 'update game.js:12'));
  assert.deepEqual(rows.at(-1), [1_999, 1, 'update game.js:12']);
  const [[first = 0] = []] = rows;
  const found = losses();
  const dropped = found.find(([reason]) => reason === 'storage_cap');
  const unknown = found.filter(([reason]) => reason === 'stacks_lost');
  // The oldest entry that was kept is a sample, or the loss of one without room.
  const oldest = Math.min(first, Number(unknown[0]?.[1]));
  assert.deepEqual(dropped?.slice(0, 3), ['storage_cap', 0, oldest]);
  assert.ok(unknown.length > 10, 'samples without room are lost one by one');
  const count = Number(dropped?.[3]);
  assert.ok(count > 700 && svc.status().lost > count, `${count} of ${svc.status().lost}`);
});

test('samples without room that follow each other are one loss', async (t) => {
  const { profiler } = record(t, { budgetBytes: 65_536 });
  clock.ms += 200;
  svc.stop();
  await profiler(0).give(Array.from({ length: 200 }, (_, i) => [i, at(`f${i}`)]));
  const rows = samples();
  const [[reason, from, duration] = [], ...more] = losses();
  assert.deepEqual(
    [reason, from, duration, more],
    ['stacks_lost', rows.length, 200 - rows.length, []],
  );
  assert.equal(svc.status().lost, 200 - rows.length);
});

test('a write reads profiles for a millisecond, unless many wait, and an export reads all', async (t) => {
  const { profiler, pass } = record(t);
  const give = (index: number) =>
    profiler(index).give(
      Array.from({ length: 200 }, (_, i) => [(i + 1) * 10, at(`f${index}-${i}`)]),
    );
  pass(10_000);
  await give(0);
  let ms = clock.ms;
  // Each look at the clock takes a twentieth of a millisecond.
  Object.defineProperty(clock, 'ms', {
    configurable: true,
    get: () => (ms += 0.05),
    set: (value: number) => {
      ms = value;
    },
  });
  t.after(() =>
    Object.defineProperty(clock, 'ms', { value: ms, writable: true, configurable: true }),
  );
  /** The number of functions that were read, by their estimated size. */
  const read = () => svc.status().bytes / 250;
  pass(1_000);
  assert.ok(read() > 5 && read() < 40, String(read()));
  assert.equal(samples().length, 199);
  const whole = read();
  pass(40_000);
  for (const index of [1, 2, 3, 4]) await give(index);
  pass(1_000);
  assert.ok(read() > 4 * whole, `${read()} of ${whole}`);
});

test('without a profiler, a page that does not announce it and a worker state the reason', (t) => {
  const { made } = record(t, { parts: { functions: undefined as never } });
  assert.equal(made.length, 0);
  const reasons = (): string[] =>
    svc.status().absent.flatMap(({ what, why }) => (what === 'functions' ? [why] : []));
  assert.match(reasons()[0] ?? '', /announce/);
  const announce = (name: string) =>
    t.mock.method(performance, 'getEntriesByType', () => [{ serverTiming: [{ name }] }]);
  const parts = OTHERS;
  svc.stop();
  announce('db');
  svc.start({ parts });
  assert.match(reasons()[0] ?? '', /announce/);
  svc.stop();
  announce('js-profiling');
  svc.start({ parts });
  assert.deepEqual([reasons(), made.length], [[], 1]);
  svc.stop();
  setGlobal(t, 'Profiler', function Profiler() {
    throw new DOMException('disabled', 'NotAllowedError');
  });
  svc.start({ parts });
  assert.match(reasons()[0] ?? '', /without the header "Document-Policy: js-profiling"/);
  svc.stop();
  setGlobal(t, 'Profiler', function Profiler() {
    throw new Error('out of memory');
  });
  svc.start({ parts });
  assert.deepEqual(reasons(), ['out of memory']);
  svc.stop();
  setGlobal(t, 'Profiler', undefined);
  svc.start({ parts });
  assert.deepEqual(reasons(), ['this browser or context has no Profiler']);
});
