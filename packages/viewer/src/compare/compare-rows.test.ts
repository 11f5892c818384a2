import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Timeline } from '../timeline/timeline-data.ts';
import { compareLines } from './compare-rows.ts';

function timeline(t: number[], value: number[], unit = 'bytes'): Timeline {
  const series = [{ label: 'RSS', t: Float64Array.from(t), value: Float64Array.from(value) }];
  const track = { kind: 'line', id: 'm', label: 'Memory', source: 'native', unit, series } as const;
  return { duration: 10, tracks: [track], gaps: [] };
}

const told = (rows: ReturnType<typeof compareLines>): unknown[] =>
  rows.map(({ what, before, after }) => [what, before, after]);

test('compareLines gives mean and peak of what was measured, of the stretch of each trace', () => {
  const before = timeline([0, 1000, 2000], [10, 20, 60]);
  const after = timeline([0, 1000, 2000], [1, Number.NaN, 3]);
  assert.deepEqual(told(compareLines(before, after)), [
    ['RSS, mean', 30, 2],
    ['RSS, peak', 60, 3],
  ]);
  const stretches = { before: { from: 0, to: 2000 }, after: { from: 500, to: 1500 } };
  assert.deepEqual(told(compareLines(before, after, stretches)), [
    ['RSS, mean', 15, null],
    ['RSS, peak', 20, null],
  ]);
});

test('compareLines calls less better only of what a game has too little of', () => {
  const better = (unit: string): unknown =>
    compareLines(timeline([0], [1], unit), timeline([0], [2], unit))[0]?.better;
  assert.deepEqual(['bytes', 'percent', 'ms', 'count'].map(better), ['less', 'less', 'less', null]);
});
