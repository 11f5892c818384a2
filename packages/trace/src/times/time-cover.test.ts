// The union of intervals, and the part of a window that it covers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TimeCover } from './time-cover.ts';

test('a cover is the union of its intervals, in any order', () => {
  const cover = new TimeCover(
    { from: [50, 10, 20, 30], to: [60, 20, 25, 30] },
    { from: [5], to: [12] },
  );
  assert.deepEqual(
    [[...cover.from], [...cover.to]],
    [
      [5, 50],
      [25, 60],
    ],
  );
});

test('an interval inside another one does not shorten it', () => {
  const cover = new TimeCover({ from: [0, 10, 80], to: [100, 20, 90] });
  assert.deepEqual([[...cover.from], [...cover.to]], [[0], [100]]);
});

test('within returns the covered time of a window, with its edges', () => {
  const cover = new TimeCover({ from: [10, 30], to: [20, 40] });
  const windows = [
    [0, 100, 20],
    [0, 10, 0],
    [15, 35, 10],
    [20, 30, 0],
    [12, 18, 6],
    [30, 30, 0],
    [40, 50, 0],
    [50, 40, 0],
  ] as const;
  for (const [from, to, expected] of windows) assert.equal(cover.within(from, to), expected);
  assert.equal(new TimeCover().within(0, 10), 0);
});

test('within equals the count of covered units, for all sets of intervals', () => {
  const time = fc.nat({ max: 60 });
  const list = fc.array(fc.tuple(time, time), { maxLength: 12 });
  fc.assert(
    fc.property(list, list, time, time, (first, second, from, to) => {
      const [one, two] = [first, second].map((pairs) => ({
        from: pairs.map(([start]) => start),
        to: pairs.map(([, end]) => end),
      }));
      const cover = new TimeCover(one ?? assert.fail(), two ?? assert.fail());
      const isCovered = (at: number): boolean =>
        [...first, ...second].some(([start, end]) => at >= start && at < end);
      let expected = 0;
      for (let at = from; at < to; at++) if (isCovered(at)) expected++;
      assert.equal(cover.within(from, to), expected);
    }),
  );
});
