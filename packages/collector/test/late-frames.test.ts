// Frames that wait for their GPU times while others are written or lost, and values at the limits of the format.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frames } from '../src/page/frames.ts';
import { longTasks } from '../src/page/long-tasks.ts';
import { heap, pageMemory } from '../src/page/memory.ts';
import { begin, Frames, observers, recorded, setGlobal } from './recorded.ts';

test('frames that wait for their GPU times keep their draws', (t) => {
  const raf = new Frames(t);
  const { sink, lines } = recorded();
  begin(frames, sink);
  Object.assign(sink.columns, { gpu: true, draws: true });
  raf.begin(sink.origin);
  for (let frame = 1; frame <= 14; frame++) {
    Object.assign(sink.work, { draws: frame, triangles: frame === 14 ? 1e300 : 100 * frame });
    raf.begin(sink.origin + frame * 10);
  }
  sink.setGpuTime(1, 3);
  const written = () => lines().map(({ draws, triangles }) => [draws, triangles]);
  assert.deepEqual(written(), [
    [
      [1, 2],
      [100, 200],
    ],
  ]);
  sink.ending = true;
  assert.deepEqual(written(), [
    [
      Array.from({ length: 12 }, (_, at) => at + 3),
      [...Array.from({ length: 11 }, (_, at) => 100 * (at + 3)), Number.MAX_SAFE_INTEGER],
    ],
  ]);
});

test('frames before a loss are written with it, and later ones start after it', (t) => {
  const raf = new Frames(t);
  const { sink, lines } = recorded();
  begin(frames, sink);
  sink.columns.gpu = true;
  const { origin } = sink;
  for (let frame = 0; frame <= 1_025; frame++) raf.begin(origin + frame);
  const [line, ...more] = lines();
  assert.deepEqual(
    [line?.['t'], line?.['duration_ms']],
    [0, Array.from({ length: 1_024 }, () => 1)],
  );
  assert.deepEqual(more, [
    { type: 'loss', t: 1_024, reason: 'buffer_full', count: 1, duration_ms: 1 },
  ]);
  raf.begin(origin + 1_028);
  sink.setGpuTime(sink.frame - 1, 2);
  sink.ending = true;
  assert.deepEqual(lines(), [{ type: 'frames', t: 1_025, duration_ms: [3], gpu_ms: [2] }]);
});

test('a long animation frame that blocked nothing is recorded with a blocking time of 0', (t) => {
  const made = observers(t, 'long-animation-frame');
  const { sink, lines } = recorded();
  begin(longTasks, sink);
  made[0]?.tell([{ startTime: sink.origin + 5, duration: 70, blockingDuration: 0 }]);
  assert.deepEqual(lines(), [{ type: 'longtask', t: 5, duration_ms: 70, blocking_ms: 0 }]);
});

test('heap: the size is read again for each record, because a browser returns a copy of it', (t) => {
  let size = 5_000;
  Object.defineProperty(performance, 'memory', {
    get: () => ({ usedJSHeapSize: size }),
    configurable: true,
  });
  t.after(() => Reflect.deleteProperty(performance, 'memory'));
  const { sink, lines } = recorded();
  begin(heap, sink);
  const values = () => lines().map(({ value }) => value);
  assert.deepEqual(values(), [5_000]);
  size = 6_000;
  assert.deepEqual(values(), [6_000]);
});

test('page memory: an exception of the browser is not visible', (t) => {
  setGlobal(t, 'crossOriginIsolated', true);
  const measure = () => {
    throw new Error('not allowed');
  };
  Object.defineProperty(performance, 'measureUserAgentSpecificMemory', {
    value: measure,
    configurable: true,
  });
  t.after(() => Reflect.deleteProperty(performance, 'measureUserAgentSpecificMemory'));
  const { sink, lines } = recorded();
  begin(pageMemory, sink)();
  assert.deepEqual(lines(), []);
});
