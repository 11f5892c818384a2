// The first rows equal those of a complete sort, for any number of rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { firstRows } from './rank-rows.ts';

const RUNS = 500;

test('firstRows returns the same rows as a complete sort, in the same order', () => {
  let bounded = 0;
  let withTies = 0;
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 20 }), { maxLength: 60, size: 'max' }),
      fc.nat({ max: 70 }),
      (costs, most) => {
        // As the report orders: by cost, then by a name, here the row's number backwards.
        const order = (a: number, b: number) => (costs[b] ?? 0) - (costs[a] ?? 0) || b - a;
        const sorted = costs.map((_, row) => row).sort(order);
        assert.deepEqual([...firstRows(costs.length, most, order)], sorted.slice(0, most));
        if (most > 0 && most < costs.length) bounded++;
        if (new Set(costs).size < costs.length) withTies++;
      },
    ),
    { numRuns: RUNS },
  );
  assert.ok(bounded >= RUNS / 5, `${bounded} cut the order`);
  assert.ok(withTies >= RUNS / 2, `${withTies} have rows of the same cost`);
});
