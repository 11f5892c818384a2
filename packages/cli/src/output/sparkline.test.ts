// Values over time in one line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sparkline } from './sparkline.ts';

const SHAPE = { columns: 8, to: 8000, fold: 'mean', floor: 'zero' } as const;
const bySecond = (...value: number[]) => ({ t: value.map((_, i) => i * 1000), value });

test('sparkline draws one block per column, from the lowest to the highest value', () => {
  assert.equal(sparkline(bySecond(0, 1, 2, 3, 4, 5, 6, 7), SHAPE), '▁▂▃▄▅▆▇█');
  assert.equal(sparkline(bySecond(7, 6, 5, 4, 3, 2, 1, 0), SHAPE), '█▇▆▅▄▃▂▁');
});

test('the floor is zero or the lowest value', () => {
  const curve = bySecond(50, 60, 70, 80, 90, 100, 100, 100);
  assert.equal(sparkline(curve, SHAPE), '▅▅▆▇████');
  assert.equal(sparkline(curve, { ...SHAPE, floor: 'lowest' }), '▁▂▄▅▇███');
  assert.equal(sparkline(bySecond(-4, 0, 4, 4, 4, 4, 4, 4), SHAPE), '▁▁██████');
});

test('a range below 2 % of the highest value is a level line', () => {
  const lowest = { ...SHAPE, floor: 'lowest' } as const;
  assert.equal(sparkline(bySecond(98, 98, 98, 98, 98, 98, 98, 100), lowest), '▄▄▄▄▄▄▄▄');
  assert.equal(sparkline(bySecond(97, 97, 97, 97, 97, 97, 97, 100), lowest), '▁▁▁▁▁▁▁█');
  assert.equal(sparkline(bySecond(0, 0, 0), { ...SHAPE, to: 3000 }), '▁▁▁');
});

test('a column shows the average or the highest of its values', () => {
  const curve = bySecond(0, 8, 8, 8, 8, 8, 8, 8);
  const two = { ...SHAPE, columns: 2 } as const;
  assert.equal(sparkline(curve, two), '▇█');
  assert.equal(sparkline(curve, { ...two, fold: 'max' }), '██');
  const lowest = { ...two, to: 4000, fold: 'max', floor: 'lowest' } as const;
  assert.equal(sparkline(bySecond(-9, -2, -8, -9), lowest), '█▁');
});

test('a curve is at most as wide as the shape, and not wider than its number of values', () => {
  assert.equal(sparkline(bySecond(0, 1), { ...SHAPE, to: 2000 }).length, 2);
  const long = bySecond(...Array.from({ length: 1000 }, (_, i) => i));
  assert.equal(sparkline(long, { ...SHAPE, to: 1_000_000 }).length, 8);
  assert.equal(sparkline(long, { ...SHAPE, to: 1_000_000, columns: 0 }).length, 1);
  assert.equal(sparkline({ t: [], value: [] }, SHAPE), '');
});

test('a time without values is blank, and a short one has the value before', () => {
  const t = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((second) => second * 1000);
  const value = t.map(() => 5);
  const shape = { ...SHAPE, columns: 10, to: 20_000 };
  assert.equal(sparkline({ t, value }, shape), '█████     ');
  const jittered = { t: [0, 1900, 3000, 3900], value: [5, 5, 5, 5] };
  assert.equal(sparkline(jittered, { ...SHAPE, columns: 4, to: 4000 }), '████');
  const late = { t: [7500, 8000, 9000, 9500], value: [5, 5, 5, 5] };
  assert.equal(sparkline(late, { ...SHAPE, columns: 4, to: 10_000 }), '   █');
});

test('values at the end of the time axis or beyond it are in the last column', () => {
  assert.equal(sparkline({ t: [0, 8000, 9000], value: [0, 8, 8] }, { ...SHAPE, columns: 2 }), '▁█');
  assert.equal(sparkline({ t: [0, 0], value: [4, 4] }, { ...SHAPE, to: 0 }), '█ ');
});
