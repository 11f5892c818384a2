import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Gap, Timeline } from '../timeline/timeline-data.ts';
import { type CurvePair, curveRows, pairCurves } from './pair-curves.ts';

type Line = { unit?: string; gaps?: Gap[] };

function timeline(id: string, t: number[], value: number[], line: Line = {}): Timeline {
  const { unit = 'bytes', gaps = [] } = line;
  const series = [{ label: 'RSS', t: Float64Array.from(t), value: Float64Array.from(value) }];
  const track = { kind: 'line', id, label: 'Memory', source: 'native', unit, series } as const;
  return { duration: 10, tracks: [track], gaps };
}

const lost = (t: number, duration: number, source: string | null = null): Gap => {
  return { t, duration, reason: 'late_sampler', source, count: null };
};

const told = (pair: CurvePair | undefined): (number | null)[][] =>
  pair === undefined ? [] : curveRows(pair).map(({ t, before, after }) => [t, before, after]);

test('lines in bytes are paired by what they are, and one that a single trace has stands alone', () => {
  const pairs = pairCurves(timeline('memory/native', [0], [1]), timeline('other', [0], [1]));
  assert.deepEqual(
    pairs.map(({ id, before, after }) => [id, before !== null, after !== null]),
    [
      ['other/RSS', false, true],
      ['memory/native/RSS', true, false],
    ],
  );
  const percent = timeline('cpu/native', [0], [1], { unit: 'percent' });
  assert.deepEqual(pairCurves(percent, percent), []);
});

test('at each moment stand the latest values until then; none before the first or after the last', () => {
  const [pair] = pairCurves(
    timeline('memory', [0, 1000], [5, 7]),
    timeline('memory', [500, 1000, 2000], [50, Number.NaN, 90]),
  );
  assert.deepEqual(told(pair), [
    [0, 5, null],
    [500, 5, 50],
    [1000, 7, null],
    [2000, null, 90],
  ]);
});

test('a stretch of each trace is cut out, and both begin at its start', () => {
  const [pair] = pairCurves(
    timeline('memory', [0, 1000, 2000], [1, 2, 3]),
    timeline('memory', [5000, 6000, 7000], [10, 20, 30]),
    { before: { from: 1000, to: 3000 }, after: { from: 6000, to: 6500 } },
  );
  assert.deepEqual(told(pair), [
    [0, 2, 20],
    [1000, 3, null],
  ]);
});

test('no value is carried over a loss of its own source', () => {
  const after = timeline('memory', [0, 1000, 4000], [1, 1, 1]);
  const rowsWith = (gap: Gap): (number | null)[][] =>
    told(pairCurves(timeline('memory', [0, 5000], [9, 9], { gaps: [gap] }), after)[0]);
  assert.deepEqual(rowsWith(lost(500, 2000)), [
    [0, 9, 1],
    [1000, null, 1],
    [4000, null, 1],
    [5000, 9, null],
  ]);
  assert.deepEqual(rowsWith(lost(500, 2000, 'browser'))[1], [1000, 9, 1]);
});
