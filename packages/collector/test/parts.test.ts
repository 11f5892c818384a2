// The records of the parts of a recording, with fake browser objects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observe } from '../src/hooks/observe.ts';
import { frames } from '../src/page/frames.ts';
import { longTasks } from '../src/page/long-tasks.ts';
import { heap, pageMemory } from '../src/page/memory.ts';
import { visibility } from '../src/page/visibility.ts';
import { now } from '../src/sink/clock.ts';
import { begin, Frames, observers, Page, recorded, setGlobal } from './recorded.ts';

test('frames: each lasts until the next, and has the draws within it', (t) => {
  const raf = new Frames(t);
  const { sink, lines } = recorded();
  const stop = begin(frames, sink);
  sink.columns.draws = true;
  const { origin, work } = sink;
  raf.begin(origin - 5);
  work.draws = 3;
  work.triangles = 100.5;
  raf.begin(origin + 10);
  assert.deepEqual([work.draws, work.triangles], [0, 0]);
  raf.begin(origin + 30);
  work.draws = 4;
  work.triangles = 8;
  // Callbacks without a later time belong to the same frame, which keeps its draws.
  raf.begin(origin + 25, origin + 30);
  work.draws++;
  raf.begin(origin + 46.667);
  assert.equal(sink.frame, 4);
  assert.deepEqual(lines(), [
    {
      type: 'frames',
      t: 0,
      duration_ms: [10, 20, 16.667],
      draws: [3, 0, 5],
      triangles: [100, 0, 8],
    },
  ]);
  assert.deepEqual(lines(), [], 'nothing is written twice');
  sink.columns.draws = false;
  raf.begin(origin + 60);
  assert.deepEqual(lines(), [{ type: 'frames', t: 46.667, duration_ms: [13.333] }]);
  assert.equal(Math.round(sink.recent?.[2] ?? 0), 20);
  stop();
  assert.deepEqual(raf.cancelled, [raf.asked.length]);
  sink.on = false;
  const asked = raf.asked.length;
  raf.begin(origin + 80);
  assert.equal(raf.asked.length, asked);
  assert.deepEqual(lines(), []);
});

test('frames: the newest wait for their GPU times, which are assigned to their frames', (t) => {
  const raf = new Frames(t);
  const { sink, lines } = recorded();
  begin(frames, sink);
  sink.columns.gpu = true;
  const { origin } = sink;
  raf.begin(origin);
  for (let frame = 1; frame <= 14; frame++) raf.begin(origin + frame * 10);
  assert.equal(sink.frame, 15);
  sink.setGpuTime(2, 4.000_4);
  sink.setGpuTime(14, 7);
  sink.setGpuTime(15, 99);
  sink.setGpuTime(0, 99);
  assert.deepEqual(lines(), [{ type: 'frames', t: 0, duration_ms: [10, 10], gpu_ms: [null, 4] }]);
  sink.setGpuTime(3, 6);
  sink.setGpuTime(2, 99);
  assert.deepEqual(lines(true), [], 'an export also waits');
  sink.ending = true;
  const ten = Array.from({ length: 10 }, () => null);
  assert.deepEqual(lines(), [
    {
      type: 'frames',
      t: 20,
      duration_ms: Array.from({ length: 12 }, () => 10),
      gpu_ms: [6, ...ten, 7],
    },
  ]);
  raf.begin(origin + 150);
  assert.deepEqual(lines(), [{ type: 'frames', t: 140, duration_ms: [10] }]);
});

test('frames without room are recorded as lost', (t) => {
  const raf = new Frames(t);
  const { sink, lines } = recorded();
  begin(frames, sink);
  const { origin } = sink;
  for (let frame = 0; frame <= 1_027; frame++) raf.begin(origin + frame);
  const [line, loss, ...more] = lines();
  assert.deepEqual(
    line?.['duration_ms'],
    Array.from({ length: 1_024 }, () => 1),
  );
  assert.deepEqual(loss, {
    type: 'loss',
    t: 1_024,
    reason: 'buffer_full',
    count: 3,
    duration_ms: 3,
  });
  assert.deepEqual([more, sink.lost], [[], 3]);
  raf.begin(origin + 1_030);
  assert.deepEqual(lines(), [{ type: 'frames', t: 1_027, duration_ms: [3] }]);
});

test('frames: a hidden page has none, and the first frame afterwards excludes the hidden time', (t) => {
  const page = new Page();
  setGlobal(t, 'document', page);
  const raf = new Frames(t);
  const { sink, lines } = recorded();
  const stop = begin(frames, sink);
  const { origin } = sink;
  raf.begin(origin, origin + 10);
  page.turn(true);
  raf.begin(origin + 1_000, origin + 2_000);
  page.turn(false);
  raf.begin(origin + 3_000, origin + 3_020);
  assert.deepEqual(lines(), [
    { type: 'frames', t: 0, duration_ms: [10] },
    { type: 'frames', t: 3_000, duration_ms: [20] },
  ]);
  stop();
  page.turn(true);
  raf.begin(origin + 3_040);
  assert.deepEqual(lines(), [{ type: 'frames', t: 3_020, duration_ms: [20] }]);
});

test('frames: a page that is hidden at the start has none until it is shown', (t) => {
  const page = new Page();
  page.hidden = true;
  setGlobal(t, 'document', page);
  const raf = new Frames(t);
  const { sink, lines } = recorded();
  begin(frames, sink);
  const { origin } = sink;
  raf.begin(origin, origin + 10, origin + 20);
  assert.deepEqual(lines(), []);
  page.turn(false);
  raf.begin(origin + 30, origin + 45);
  assert.deepEqual(lines(), [{ type: 'frames', t: 30, duration_ms: [15] }]);
});

test('frames: a page whose own requestAnimationFrame throws is not affected', (t) => {
  let fail = false;
  let latest = (_time: number): void => {};
  setGlobal(t, 'requestAnimationFrame', (tick: (time: number) => void) => {
    if (fail) throw new Error('of the page');
    latest = tick;
    return 1;
  });
  setGlobal(t, 'cancelAnimationFrame', () => {
    throw new Error('of the page');
  });
  const { sink } = recorded();
  const stop = begin(frames, sink);
  latest(sink.origin);
  fail = true;
  latest(sink.origin + 10);
  stop();
});

test('frames: the durations of the last 256 are kept for the overlay', (t) => {
  const raf = new Frames(t);
  const { sink } = recorded();
  begin(frames, sink);
  for (let frame = 0; frame <= 300; frame++) raf.begin(sink.origin + (frame * (frame + 1)) / 2);
  assert.equal(sink.frame, 301);
  const kept = Array.from(sink.recent ?? [], Math.round);
  assert.equal(kept.length, 256);
  for (let frame = 45; frame <= 300; frame++) assert.equal(kept[frame % 256], frame);
});

test('frames: a time that differs by a minute from the page’s is from another clock', (t) => {
  for (const [off, foreign] of [
    [-50_000, false],
    [50_000, false],
    [-70_000, true],
    [70_000, true],
  ] as const) {
    const raf = new Frames(t);
    const { sink, lines } = recorded();
    begin(frames, sink);
    const base = now() + off;
    raf.begin(base, Math.max(base, sink.origin) + 1_000);
    const long = lines().some(({ duration_ms }) => Number(Object(duration_ms)[0]) > 900);
    assert.equal(long, !foreign, String(off));
  }
});

test('frames: times of another clock are ignored', (t) => {
  const raf = new Frames(t);
  const { sink, lines } = recorded();
  begin(frames, sink);
  raf.begin(1e12);
  const begun = now();
  while (now() === begun);
  raf.begin(1e12 + 1e9);
  const [{ duration_ms = [] } = {}] = lines() as { duration_ms: number[] }[];
  assert.equal(duration_ms.length, 1);
  assert.ok((duration_ms[0] ?? 0) <= sink.now() + 0.001);
});

test('frames: a context without animation frames is reported', (t) => {
  setGlobal(t, 'requestAnimationFrame', undefined);
  assert.equal(frames(recorded().sink), 'this context has no requestAnimationFrame');
});

test('visibility: a hidden tab is recorded as a loss when it becomes visible, or at an export', (t) => {
  const page = new Page();
  setGlobal(t, 'document', page);
  page.hidden = true;
  const { sink, lines } = recorded();
  const stop = begin(visibility, sink);
  assert.deepEqual(lines(), [], 'it has not ended');
  const before = sink.now();
  const [first, ...none] = lines(true);
  assert.deepEqual([first?.['type'], first?.['reason'], none], ['loss', 'hidden_tab', []]);
  assert.ok(Number(first?.['t']) + Number(first?.['duration_ms']) >= before - 0.002);
  page.turn(false);
  const [rest] = lines();
  const end = Number(first?.['t']) + Number(first?.['duration_ms']);
  assert.equal(rest?.['reason'], 'hidden_tab');
  assert.ok(Number(rest?.['t']) >= end - 0.002, 'no time is recorded twice');
  page.turn(false);
  assert.deepEqual(lines(true), [], 'a visible tab has no loss');
  page.turn(true);
  stop();
  page.turn(false);
  assert.deepEqual(lines(), []);
  setGlobal(t, 'document', undefined);
  assert.equal(visibility(sink), 'this context has no document');
});

test('heap: its size is recorded at every write, if the browser reports it', (t) => {
  const { sink, lines } = recorded();
  assert.equal(heap(sink), 'the browser does not report the JS heap');
  const memory = { usedJSHeapSize: 5_000 };
  Object.defineProperty(performance, 'memory', { value: memory, configurable: true });
  t.after(() => Reflect.deleteProperty(performance, 'memory'));
  begin(heap, sink);
  const reported = (): unknown[] => lines().map(({ t: _, ...line }) => line);
  const counter = { type: 'counter', name: 'js_heap_bytes', unit: 'bytes' };
  assert.deepEqual(reported(), [{ ...counter, value: 5_000 }]);
  memory.usedJSHeapSize = 6_000;
  assert.deepEqual(reported(), [{ ...counter, value: 6_000 }]);
  assert.equal(sink.heapBytes, 6_000);
  memory.usedJSHeapSize = Number.NaN;
  assert.deepEqual(reported(), []);
});

test('page memory: it is requested every ten seconds until the recording ends', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { sink, lines } = recorded();
  assert.equal(pageMemory(sink), 'the page is not cross-origin isolated');
  setGlobal(t, 'crossOriginIsolated', true);
  assert.equal(pageMemory(sink), 'the browser has no measureUserAgentSpecificMemory');
  let asked = 0;
  const measure = async (): Promise<{ bytes: number }> => ({ bytes: ++asked });
  Object.defineProperty(performance, 'measureUserAgentSpecificMemory', {
    value: measure,
    configurable: true,
  });
  t.after(() => Reflect.deleteProperty(performance, 'measureUserAgentSpecificMemory'));
  const settled = () => new Promise((done) => setImmediate(done));
  const stop = begin(pageMemory, sink);
  await settled();
  t.mock.timers.tick(9_999);
  await settled();
  assert.equal(asked, 1);
  t.mock.timers.tick(1);
  await settled();
  assert.deepEqual(
    lines().map(({ name, unit, value }) => [name, unit, value]),
    [
      ['page_memory_bytes', 'bytes', 1],
      ['page_memory_bytes', 'bytes', 2],
    ],
  );
  stop();
  t.mock.timers.tick(20_000);
  await settled();
  assert.equal(asked, 2);
  begin(pageMemory, sink);
  sink.on = false;
  await settled();
  t.mock.timers.tick(20_000);
  await settled();
  assert.deepEqual([asked, lines()], [3, []], 'an answer after the end is ignored');
});

test('page memory: a failed request ends the requests, and the error is not visible', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { sink, lines } = recorded();
  setGlobal(t, 'crossOriginIsolated', true);
  const rejected: unknown[] = [];
  const hear = (fault: unknown) => rejected.push(fault);
  process.on('unhandledRejection', hear);
  t.after(() => process.off('unhandledRejection', hear));
  const measure = t.mock.fn(() => Promise.reject(new Error('no answer')));
  Object.defineProperty(performance, 'measureUserAgentSpecificMemory', {
    value: measure,
    configurable: true,
  });
  t.after(() => Reflect.deleteProperty(performance, 'measureUserAgentSpecificMemory'));
  begin(pageMemory, sink);
  const settled = () => new Promise((done) => setImmediate(done));
  await settled();
  t.mock.timers.tick(20_000);
  await settled();
  assert.deepEqual([measure.mock.callCount(), lines(), rejected], [1, [], []]);
});

type Entry = { readonly startTime: number; readonly duration: number };

test('observe: every entry is handled, also those pending at the stop, even if the handler throws', (t) => {
  const made = observers(t, 'resource');
  const taken: unknown[] = [];
  const missed: number[] = [];
  const take = (entry: PerformanceEntry): void => {
    taken.push(entry);
    throw new Error('of the handler');
  };
  const stop = observe('resource', true, take, (count) => missed.push(count));
  assert.ok(typeof stop === 'function');
  const [observer] = made;
  assert.deepEqual(observer?.options, { type: 'resource', buffered: true });
  observer?.tell([1, 2], 7);
  observer?.tell([3], 0);
  observer?.tell([4]);
  observer?.waiting.push(5);
  stop();
  assert.deepEqual([taken, missed, observer?.connected], [[1, 2, 3, 4, 5], [7], false]);
  assert.equal(observe('paint', true, take), 'the browser has no "paint" entries');
  setGlobal(t, 'PerformanceObserver', undefined);
  assert.equal(observe('resource', true, take), 'the browser has no "resource" entries');
});

test('long tasks: long animation frames are preferred to tasks, and only the part since the start counts', (t) => {
  const made = observers(t, 'longtask', 'long-animation-frame');
  const { sink, lines } = recorded();
  const { origin } = sink;
  begin(longTasks, sink);
  assert.deepEqual(made[0]?.options, { type: 'long-animation-frame', buffered: false });
  const script = (duration: number, sourceFunctionName: string) => ({
    duration,
    sourceURL: 'https://example.com/game.js?v=1',
    sourceFunctionName,
    invoker: 'Window.onload',
  });
  const entries: Entry[] = [
    { startTime: origin - 100, duration: 99 },
    { startTime: origin - 100, duration: 160 },
    {
      startTime: origin + 5,
      duration: 70.000_4,
      blockingDuration: 20.123_4,
      scripts: [
        script(1, 'a'),
        script(9.000_4, 'b'),
        ...Array.from({ length: 15 }, () => script(2, 'c')),
      ],
    } as Entry,
  ];
  made[0]?.tell(entries);
  const scripts = [
    { name: 'b example.com/game.js', duration_ms: 9 },
    ...Array.from({ length: 15 }, () => ({ name: 'c example.com/game.js', duration_ms: 2 })),
  ];
  assert.deepEqual(lines(), [
    { type: 'longtask', t: 0, duration_ms: 60 },
    { type: 'longtask', t: 5, duration_ms: 70, blocking_ms: 20.123, scripts },
  ]);
});

test('long tasks are recorded in browsers without long animation frames, and the reason in browsers without both', (t) => {
  const made = observers(t, 'longtask');
  begin(longTasks, recorded().sink);
  assert.deepEqual(made[0]?.options, { type: 'longtask', buffered: false });
  observers(t);
  assert.match(String(longTasks(recorded().sink)), /the browser has no "longtask" entries/);
});
