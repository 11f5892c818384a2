import assert from 'node:assert/strict';
import { test } from 'node:test';
import { divideTime } from './divide-time.ts';

function parts(...intervals: (readonly [from: number, to: number])[]): string[] {
  const found: string[] = [];
  const list = { from: intervals.map(([from]) => from), to: intervals.map(([, to]) => to) };
  divideTime(list, (index, from, to) => found.push(`${index}: ${from}-${to}`));
  return found;
}

test('the inner interval has its time, and the outer one the rest', () => {
  assert.deepEqual(parts([0, 100], [10, 40], [20, 30], [60, 70]), [
    '0: 0-10',
    '1: 10-20',
    '2: 20-30',
    '1: 30-40',
    '0: 40-60',
    '3: 60-70',
    '0: 70-100',
  ]);
});

test('intervals may be apart, equal, empty, in any order, and overlap in part', () => {
  assert.deepEqual(parts([50, 60], [0, 10]), ['1: 0-10', '0: 50-60']);
  assert.deepEqual(parts([0, 10], [0, 10]), ['1: 0-10']);
  assert.deepEqual(parts([5, 5]), []);
  assert.deepEqual(parts([0, 20], [10, 30]), ['0: 0-10', '1: 10-30']);
  assert.deepEqual(parts([0, 30], [10, 20], [15, 40]), ['0: 0-10', '1: 10-15', '2: 15-40']);
  assert.deepEqual(parts(), []);
});

test('no time is divided twice, and none is left out', () => {
  const intervals = Array.from({ length: 200 }, (_, i) => {
    const from = (i * 7919) % 1000;
    return [from, from + ((i * 104_729) % 90)] as const;
  });
  const counts = new Uint8Array(1100);
  const list = { from: intervals.map(([from]) => from), to: intervals.map(([, to]) => to) };
  divideTime(list, (index, from, to) => {
    const [start = 0, end = 0] = intervals[index] ?? [];
    assert.ok(start <= from && to <= end);
    for (let ms = from; ms < to; ms++) counts[ms] = (counts[ms] ?? 0) + 1;
  });
  for (const [ms, count] of counts.entries()) {
    assert.equal(count, intervals.some(([from, to]) => from <= ms && ms < to) ? 1 : 0, `${ms} ms`);
  }
});
