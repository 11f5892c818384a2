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

const valuesOf = (pair: CurvePair | undefined): (number | null)[][] =>
  pair === undefined ? [] : curveRows(pair).map(({ t, before, after }) => [t, before, after]);

test('lines in bytes are paired, and a line of only one trace has no partner', () => {
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

test('each row has the latest values, and none before the first or after the last one', () => {
  const [pair] = pairCurves(
    timeline('memory', [0, 1000], [5, 7]),
    timeline('memory', [500, 1000, 2000], [50, Number.NaN, 90]),
  );
  assert.deepEqual(valuesOf(pair), [
    [0, 5, null],
    [500, 5, 50],
    [1000, 7, null],
    [2000, null, 90],
  ]);
});

test('each trace is cut to its range, and both begin at 0', () => {
  const [pair] = pairCurves(
    timeline('memory', [0, 1000, 2000], [1, 2, 3]),
    timeline('memory', [5000, 6000, 7000], [10, 20, 30]),
    { before: { from: 1000, to: 3000 }, after: { from: 6000, to: 6500 } },
  );
  assert.deepEqual(valuesOf(pair), [
    [0, 2, 20],
    [1000, 3, null],
  ]);
});

test('a value does not hold across a gap of its source', () => {
  const after = timeline('memory', [0, 1000, 4000], [1, 1, 1]);
  const rowsWith = (gap: Gap): (number | null)[][] =>
    valuesOf(pairCurves(timeline('memory', [0, 5000], [9, 9], { gaps: [gap] }), after)[0]);
  assert.deepEqual(rowsWith(lost(500, 2000)), [
    [0, 9, 1],
    [1000, null, 1],
    [4000, null, 1],
    [5000, 9, null],
  ]);
  assert.deepEqual(rowsWith(lost(500, 2000, 'browser'))[1], [1000, 9, 1]);
  assert.deepEqual(rowsWith(lost(-500, 600))[1], [1000, null, 1]);
  assert.deepEqual(rowsWith(lost(-500, 500))[1], [1000, 9, 1]);
  assert.deepEqual(rowsWith(lost(1000, 500))[1], [1000, 9, 1]);
});

test('a holding value from before a range is known up to the end of the range', () => {
  const held = (heldTo: number): Timeline => {
    const one = timeline('gpu', [0, 1000, 4000], [1, 2, 3]);
    const [track] = one.tracks;
    const [series] = track?.kind === 'line' ? track.series : [];
    assert.ok(track?.kind === 'line' && series !== undefined);
    return { ...one, tracks: [{ ...track, series: [{ ...series, heldTo }] }] };
  };
  const [pair] = pairCurves(held(9000), timeline('gpu', [0, 500, 2500], [7, 8, 9]), {
    before: { from: 1500, to: 3500 },
    after: null,
  });
  assert.deepEqual([...(pair?.before?.t ?? [])], [0]);
  assert.equal(pair?.before?.heldTo, 2000);
  assert.deepEqual(valuesOf(pair), [
    [0, 2, 7],
    [500, 2, 8],
    [2500, null, 9],
  ]);
  const [from] = pairCurves(held(9000), held(9000), {
    before: { from: 1000, to: 9000 },
    after: { from: 1000, to: 5000 },
  });
  assert.deepEqual(
    [...(from?.before?.t ?? [])],
    [0, 3000],
    'a value at the start replaces earlier ones',
  );
  assert.deepEqual([from?.before?.heldTo, from?.after?.heldTo], [8000, 4000]);
  const [begun] = pairCurves(held(9000), held(9000), {
    before: null,
    after: { from: -500, to: 500 },
  });
  assert.deepEqual([...(begun?.after?.value ?? [])], [1], 'there is no value before the first one');
  const [short] = pairCurves(held(4500), held(9000));
  assert.deepEqual([short?.before?.heldTo, short?.after?.heldTo], [4500, 9000]);
});

test('gaps are shifted with the range, and gaps outside of it are omitted', () => {
  const gaps = [lost(500, 100), lost(1000, 500), lost(2500, 1000), lost(3500, 10)];
  const memory = timeline('memory', [0, 2000, 3000], [1, 2, 3], { gaps });
  const [pair] = pairCurves(memory, memory, { before: { from: 1200, to: 3000 }, after: null });
  assert.deepEqual(
    pair?.before?.gaps.map(({ t, duration }) => [t, duration]),
    [
      [-200, 500],
      [1300, 1000],
    ],
  );
  assert.equal(pair?.after?.gaps.length, 4);
});

test('a line without values in the range is omitted', () => {
  const memory = timeline('memory', [0, 1000], [1, 2]);
  const range = { from: 1001, to: 2000 };
  assert.deepEqual(pairCurves(memory, memory, { before: range, after: range }), []);
});
