import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../../test/build-trace.ts';
import { deriveTimeline } from './derive-timeline.ts';
import type { Timeline } from './timeline-data.ts';

const idsOf = ({ tracks }: Timeline): string[] => tracks.map(({ id }) => id);

function trackOf<Kind extends Timeline['tracks'][number]['kind']>(
  timeline: Timeline,
  id: string,
  kind: Kind,
): Extract<Timeline['tracks'][number], { kind: Kind }> {
  const found = timeline.tracks.find((track) => track.id === id);
  assert.equal(found?.kind, kind, `${id} is among ${idsOf(timeline)}`);
  return found as Extract<Timeline['tracks'][number], { kind: Kind }>;
}

test('the tracks have a fixed order and are separated by source', () => {
  const timeline = deriveTimeline(
    modelOf(
      { type: 'log', t: 9, level: 'warn', text: 'low' },
      { type: 'mark', t: 8, name: 'boss' },
      { type: 'span', t: 7, duration_ms: 2, name: 'level', track: 'loading' },
      { type: 'span', t: 7, duration_ms: 2, name: 'tick' },
      { type: 'counter', t: 6, name: 'enemies', unit: 'count', value: 3 },
      { type: 'asset', t: 5, id: 1, name: 'a.png', kind: 'texture', phase: 'load' },
      { type: 'longtask', t: 4, duration_ms: 60 },
      { type: 'frames', t: 0, duration_ms: [16], gpu_ms: [4], draws: [7], triangles: [9] },
      { type: 'frames', t: 0, duration_ms: [8], source: 'native' },
      { type: 'process', t: 1, rss_bytes: 10, cpu_percent: 5, threads: 2, source: 'native' },
    ),
  );
  assert.deepEqual(idsOf(timeline), [
    'cpu/native',
    'memory/native',
    'threads/native',
    'frames/browser',
    'gpu/browser',
    'draws/browser',
    'triangles/browser',
    'frames/native',
    'longtask/browser',
    'asset/browser',
    'counter/enemies/count/browser',
    'span/loading/browser',
    'span//browser',
    'mark/browser',
    'log/browser',
  ]);
  assert.deepEqual(
    timeline.tracks.map(({ label }) => label),
    [
      'CPU',
      'Memory',
      'Threads',
      'Frame time',
      'GPU time',
      'Draw calls',
      'Triangles',
      'Frame time',
      'Long tasks',
      'Assets',
      'enemies',
      'loading',
      'Spans',
      'Marks',
      'Log',
    ],
  );
  assert.equal(timeline.duration, 64);
});

test('a value that was never measured has no track, and a missing value is not 0', () => {
  const timeline = deriveTimeline(
    modelOf(
      { type: 'process', t: 0, rss_bytes: 100, source: 'native' },
      { type: 'process', t: 1000, rss_bytes: 300, cpu_percent: 50, source: 'native' },
    ),
  );
  assert.deepEqual(idsOf(timeline), ['cpu/native', 'memory/native']);
  const memory = trackOf(timeline, 'memory/native', 'line');
  assert.equal(memory.unit, 'bytes');
  assert.deepEqual(
    memory.series.map(({ label, value }) => [label, ...value]),
    [['RSS', 100, 300]],
  );
  const cpu = trackOf(timeline, 'cpu/native', 'line');
  assert.equal(cpu.unit, 'percent');
  assert.deepEqual([...(cpu.series[0]?.value ?? [])], [Number.NaN, 50]);
  const both = deriveTimeline(modelOf({ type: 'process', t: 0, rss_bytes: 100, pss_bytes: 60 }));
  assert.deepEqual(
    trackOf(both, 'memory/browser', 'line').series.map(({ label, value }) => [label, ...value]),
    [
      ['RSS', 100],
      ['PSS', 60],
    ],
  );
});

test('each value of a frame is in the line of its name', () => {
  const frames = { type: 'frames', t: 5, duration_ms: [16, 20] } as const;
  const timeline = deriveTimeline(
    modelOf({ ...frames, gpu_ms: [4, 5], draws: [70, null], triangles: [900, 901] }),
  );
  const strip = trackOf(timeline, 'frames/browser', 'frames');
  assert.deepEqual(
    [[...strip.t], [...strip.duration]],
    [
      [5, 21],
      [16, 20],
    ],
  );
  const found = ['gpu', 'draws', 'triangles'].map((id) => {
    const { unit, series } = trackOf(timeline, `${id}/browser`, 'line');
    return [unit, ...(series[0]?.value ?? [])];
  });
  assert.deepEqual(found, [
    ['ms', 4, 5],
    ['count', 70, Number.NaN],
    ['count', 900, 901],
  ]);
});

test('a counter holds its value until the next record, except sampled counters', () => {
  const at = { type: 'counter', t: 10, unit: 'bytes', value: 7 } as const;
  const timeline = deriveTimeline(
    modelOf(
      { ...at, name: 'js_heap_bytes' },
      { ...at, name: 'page_memory_bytes' },
      { ...at, name: 'io_read_bytes' },
      { ...at, name: 'gpu_bytes' },
      { ...at, name: 'enemies', unit: 'count' },
      { ...at, name: 'enemies', unit: 'meshes' },
      { type: 'mark', t: 500, name: 'last' },
    ),
  );
  assert.deepEqual(
    timeline.tracks.flatMap((track) =>
      track.kind === 'line' ? [[track.id, track.label, track.unit, track.series[0]?.heldTo]] : [],
    ),
    [
      ['counter/js_heap_bytes/bytes/browser', 'JS heap', 'bytes', undefined],
      ['counter/page_memory_bytes/bytes/browser', 'Page memory', 'bytes', undefined],
      ['counter/io_read_bytes/bytes/browser', 'Read from disk', 'bytes', undefined],
      ['counter/gpu_bytes/bytes/browser', 'GPU memory', 'bytes', 500],
      ['counter/enemies/count/browser', 'enemies', 'count', 500],
      ['counter/enemies/meshes/browser', 'enemies', 'meshes', 500],
    ],
  );
});

test('a long task is named after its longest script, and an asset after its phase and name', () => {
  const asset = { type: 'asset', id: 1, name: 'a.png', kind: 'texture' } as const;
  const scripts = [
    { name: 'short.js', duration_ms: 10 },
    { name: 'long.js', duration_ms: 40 },
  ];
  const timeline = deriveTimeline(
    modelOf(
      { type: 'longtask', t: 0, duration_ms: 60, scripts },
      { type: 'longtask', t: 100, duration_ms: 70 },
      { ...asset, t: 0, phase: 'named' },
      { ...asset, t: 10, phase: 'load', duration_ms: 50 },
      { ...asset, t: 30, phase: 'upload', duration_ms: 5 },
      { type: 'mark', t: 1, name: 'boss' },
      { type: 'log', t: 2, level: 'warn', text: 'low' },
    ),
  );
  const tasks = trackOf(timeline, 'longtask/browser', 'intervals');
  assert.deepEqual(tasks.names, ['long.js', 'long task']);
  assert.deepEqual(
    [[...tasks.t], [...tasks.duration]],
    [
      [0, 100],
      [60, 70],
    ],
  );
  const assets = trackOf(timeline, 'asset/browser', 'intervals');
  assert.deepEqual(assets.names, ['load a.png', 'upload a.png']);
  assert.deepEqual([[...assets.lane], assets.lanes], [[0, 1], 2]);
  assert.deepEqual(trackOf(timeline, 'mark/browser', 'points').names, ['boss']);
  assert.deepEqual(trackOf(timeline, 'log/browser', 'points').names, ['warn: low']);
});

test('every loss becomes a gap of one source or of all', () => {
  const { gaps } = deriveTimeline(
    modelOf(
      { type: 'loss', t: 50, reason: 'hidden_tab', duration_ms: 10, source: 'browser' },
      { type: 'loss', t: 5, reason: 'storage_cap', count: 3 },
    ),
  );
  assert.deepEqual(gaps, [
    { t: 5, duration: 0, reason: 'storage_cap', source: null, count: 3 },
    { t: 50, duration: 10, reason: 'hidden_tab', source: 'browser', count: null },
  ]);
});

test('a trace without a time has no duration and no tracks', () => {
  assert.deepEqual(deriveTimeline(modelOf()), { duration: 0, tracks: [], gaps: [] });
});
