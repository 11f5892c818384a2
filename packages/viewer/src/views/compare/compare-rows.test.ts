import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../../test/build-trace.ts';
import { deriveFrames } from '../frames/derive-frames.ts';
import type { Timeline } from '../timeline/timeline-data.ts';
import { compareFrames, compareLines, judgeRow, memoryOf } from './compare-rows.ts';

function timeline(t: number[], value: number[], unit = 'bytes'): Timeline {
  const series = [{ label: 'RSS', t: Float64Array.from(t), value: Float64Array.from(value) }];
  const track = { kind: 'line', id: 'm', label: 'Memory', source: 'native', unit, series } as const;
  return { duration: 10, tracks: [track], gaps: [] };
}

const summaries = (rows: ReturnType<typeof compareLines>): unknown[] =>
  rows.map(({ what, before, after }) => [what, before, after]);

test('compareLines returns mean and peak of each trace in its range', () => {
  const before = timeline([0, 1000, 2000], [10, 20, 60]);
  const after = timeline([0, 1000, 2000], [1, Number.NaN, 3]);
  assert.deepEqual(summaries(compareLines(before, after)), [
    ['RSS, mean', 30, 2],
    ['RSS, peak', 60, 3],
  ]);
  const comparedRanges = { before: { from: 0, to: 2000 }, after: { from: 500, to: 1500 } };
  assert.deepEqual(summaries(compareLines(before, after, comparedRanges)), [
    ['RSS, mean', 15, null],
    ['RSS, peak', 20, null],
  ]);
});

test('compareLines rates less as better only for bytes, percent and ms', () => {
  const better = (unit: string): unknown =>
    compareLines(timeline([0], [1], unit), timeline([0], [2], unit))[0]?.better;
  assert.deepEqual(['bytes', 'percent', 'ms', 'count'].map(better), ['less', 'less', 'less', null]);
});

test('compareLines keeps lines of only one trace, with their source', () => {
  const [mean, peak] = compareLines(timeline([0], [4096]), { duration: 0, tracks: [], gaps: [] });
  assert.deepEqual(
    [mean?.id, mean?.source, mean?.before, mean?.after, mean?.format(4096.4)],
    ['m/RSS/mean', 'native', 4096, null, '4.0 KiB'],
  );
  assert.equal(peak?.id, 'm/RSS/peak');
  const [draws] = compareLines(timeline([0], [1], 'count'), timeline([0], [2], 'count'));
  assert.deepEqual(
    [1.2345, 99.994, 1234.56].map((value) => draws?.format(value)),
    ['1.23', '99.99', '1\u202f235'],
  );
  assert.deepEqual(compareLines(timeline([0], [Number.NaN]), timeline([], [])), []);
  assert.equal(compareLines(timeline([0], [-5]), timeline([0], [1]))[1]?.before, -5);
});

test('compareFrames compares each source with itself, in a fixed order, and states what is better', () => {
  const frames = (source: 'browser' | 'native', ...duration_ms: number[]) =>
    deriveFrames(modelOf({ type: 'frames', t: 0, source, duration_ms }), null, 20);
  const rows = compareFrames(frames('browser', 10, 10, 10, 50), frames('browser', 20, 20));
  assert.deepEqual(
    rows.map(({ what, before, after, better, format }) => [
      what,
      before === null ? null : format(before),
      after === null ? null : format(after),
      better,
    ]),
    [
      ['Average fps', '50.0 fps', '50.0 fps', 'more'],
      ['1 % low fps', '20.0 fps', '50.0 fps', 'more'],
      ['Frame time p50', '10.0 ms', '20.0 ms', 'less'],
      ['Frame time p90', '50.0 ms', '20.0 ms', 'less'],
      ['Frame time p95', '50.0 ms', '20.0 ms', 'less'],
      ['Frame time p99', '50.0 ms', '20.0 ms', 'less'],
      ['Frame time p99.9', '50.0 ms', '20.0 ms', 'less'],
      ['Longest frame', '50.0 ms', '20.0 ms', 'less'],
      ['Frames', '4', '2', null],
      ['Frames over budget by more than 5 %', '25.0 %', '0.00 %', 'less'],
      ['Hitches per minute', '750', '0', 'less'],
      ['Time over budget per minute', '22.5 s', '0 ms', 'less'],
    ],
  );
  const apart = compareFrames(frames('browser', 10), frames('native', 20));
  assert.deepEqual(
    apart
      .filter(({ what }) => what === 'Longest frame')
      .map((row) => [row.source, row.before, row.after]),
    [
      ['browser', 10, null],
      ['native', null, 20],
    ],
  );
  const none = compareFrames(frames('browser'), frames('browser', 20));
  assert.deepEqual(none.at(-1)?.before, null, 'no rate of no frames');
});

test('each percentile has its own row', () => {
  const duration_ms = Array.from({ length: 1000 }, (_, i) => i + 1);
  const frames = deriveFrames(modelOf({ type: 'frames', t: 0, duration_ms }), null, 20);
  const rows = compareFrames(frames, []).filter(({ what }) => / p[\d.]+$/.test(what));
  assert.deepEqual(
    rows.map(({ before }) => before),
    [500, 900, 950, 990, 999],
  );
});

test('memoryOf adds main memory and GPU memory, and an unknown size is not 0', () => {
  const rows: [bytes: number | null, gpu_bytes: number | null, expected: number | null][] = [
    [100, 50, 150],
    [null, 7, 7],
    [8, null, 8],
    [0, null, 0],
    [null, null, null],
  ];
  for (const [bytes, gpu_bytes, expected] of rows) {
    assert.equal(memoryOf({ bytes, gpu_bytes }), expected);
  }
  assert.equal(memoryOf(null), null);
});

test('a change of one percent is noise, as in the headline, and a larger one is judged by its direction', () => {
  const judge = (before: number | null, after: number | null, better: 'more' | 'less' | null) =>
    judgeRow({ id: 'a', what: 'a', source: 'browser', before, after, better, format: String });
  assert.deepEqual(
    [
      judge(100, 101, 'less'),
      judge(100, 99, 'more'),
      judge(100, 150, null),
      judge(null, 1, 'less'),
    ],
    [null, null, null, null],
  );
  assert.deepEqual(
    [judge(100, 102, 'less'), judge(100, 102, 'more'), judge(100, 98, 'less'), judge(0, 1, 'less')],
    ['worse', 'better', 'better', 'worse'],
  );
});
