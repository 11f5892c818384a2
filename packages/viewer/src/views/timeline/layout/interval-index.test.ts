import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IntervalTrack } from '../timeline-data.ts';
import { countTouching, lastTouching } from './interval-index.ts';

function intervals(list: readonly (readonly [t: number, duration: number])[]): IntervalTrack {
  return {
    kind: 'intervals',
    record: 'asset',
    id: 'asset/browser',
    label: 'Assets',
    source: 'browser',
    t: Float64Array.from(list, ([t]) => t),
    duration: Float64Array.from(list, ([, duration]) => duration),
    lane: new Uint8Array(list.length),
    lanes: 1,
    names: list.map((_, index) => String(index)),
  };
}

test('both ends of an interval and of the range count', () => {
  const track = intervals([[10, 5]]);
  const at = (from: number, to: number): number[] => [
    lastTouching(track, from, to),
    countTouching(track, from, to),
  ];
  for (const [from, to] of [
    [0, 10],
    [10, 10],
    [12, 12],
    [15, 15],
    [15, 99],
  ] as const) {
    assert.deepEqual(at(from, to), [0, 1], `${from} to ${to}`);
  }
  assert.deepEqual(at(0, 9.9), [-1, 0]);
  assert.deepEqual(at(15.1, 99), [-1, 0]);
});

test('without intervals nothing is found', () => {
  const none = intervals([]);
  assert.deepEqual([lastTouching(none, 0, 9), countTouching(none, 0, 9)], [-1, 0]);
});

test('an index finds the same as a look at every interval, for any number of them', () => {
  let state = 7;
  const next = (most: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  for (let count = 1; count <= 40; count++) {
    const list = Array.from({ length: count }, () => [next(100), next(next(60) + 1)] as const);
    list.sort(([a], [b]) => a - b);
    const track = intervals(list);
    for (let from = -2; from <= 102; from += 2) {
      const to = from + next(5);
      const touching = [...list.keys()].filter((index) => {
        const [t, duration] = list[index] ?? [0, 0];
        return t <= to && t + duration >= from;
      });
      const found = [lastTouching(track, from, to), countTouching(track, from, to)];
      assert.deepEqual(found, [touching.at(-1) ?? -1, touching.length], `${list}: ${from}, ${to}`);
    }
  }
});
