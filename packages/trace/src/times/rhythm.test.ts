// Rhythms in series that can be computed, and none in noise.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rhythmOf } from './rhythm.ts';

const series = (count: number, valueAt: (i: number) => number, step = 1000) => ({
  t: Array.from({ length: count }, (_, i) => i * step),
  value: Array.from({ length: count }, (_, i) => valueAt(i)),
});
const find = ({ t, value }: ReturnType<typeof series>) => rhythmOf(t, value);

/** A sequence from −1 to 1 that is the same in each run. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return (state / 2147483647) * 2 - 1;
  };
}

test('rhythmOf finds the period of a wave, with an agreement near 1', () => {
  for (const period of [4, 5, 8, 20, 40, 79]) {
    const found = find(series(400, (i) => Math.sin((i / period) * 2 * Math.PI)));
    assert.ok(Math.abs((found?.period ?? 0) / period - 1000) < 10, `${period} ${found?.period}`);
    assert.ok((found?.agreement ?? 0) > 0.94, `${period} ${found?.agreement}`);
  }
});

test('a period that is no whole number of samples is found from its multiples', () => {
  const found = find(series(400, (i) => Math.sin((i / 13.66) * 2 * Math.PI)));
  assert.ok(Math.abs((found?.period ?? 0) - 13_666) < 10, `${found?.period}`);
});

test('the shortest of several multiples is the period', () => {
  assert.equal(find(series(400, (i) => (i % 10 === 0 ? 90 : 5)))?.period, 10_000);
  const slower = find(series(400, (i) => (i % 20 === 0 ? 90 : i % 10 === 0 ? 20 : 5)));
  assert.equal(slower?.period, 20_000);
});

test('noise lowers the agreement, and a trend does not', () => {
  const random = noise(3);
  const wave = (i: number): number => Math.sin((i / 20) * 2 * Math.PI);
  const noisy = find(series(400, (i) => wave(i) + random()));
  assert.ok((noisy?.agreement ?? 0) > 0.65 && (noisy?.agreement ?? 1) < 0.95);
  const rising = find(series(400, (i) => wave(i) + i));
  assert.ok((rising?.agreement ?? 0) > 0.95);
  assert.equal(rising?.period, 20_000);
});

test('an event that is a sample early or late still agrees', () => {
  const value = new Array<number>(400).fill(5);
  for (let i = 10; i < 400; i += 30) value[i + ((i / 10) % 3 === 0 ? 1 : 0)] = 90;
  const found = find(series(400, (i) => value[i] ?? 0));
  assert.ok(Math.abs((found?.period ?? 0) - 30_000) <= 334 && (found?.agreement ?? 0) > 0.6);
});

test('a rhythm repeats five times in at least 90 points, and its period has at least four', () => {
  const wave = (count: number, period: number) =>
    find(series(count, (i) => Math.sin((i / period) * 2 * Math.PI)));
  assert.equal(wave(100, 20)?.period, 20_000);
  assert.equal(wave(99, 20), null);
  assert.equal(wave(90, 9)?.period, 9000);
  assert.equal(wave(89, 9), null);
  assert.equal(find(series(400, (i) => i % 2)), null);
  assert.equal(find(series(400, (i) => i % 3)), null);
});

test('a constant, a line and a step have no rhythm', () => {
  assert.equal(find(series(400, () => 7)), null);
  assert.equal(find(series(400, (i) => 3 * i)), null);
  assert.equal(find(series(400, (i) => (i < 200 ? 1 : 9))), null);
  assert.equal(rhythmOf([], []), null);
  assert.equal(rhythmOf([5, 5], [1, 2]), null);
});

test('missing values and gaps up to a fifth of the time are allowed', () => {
  const { t, value } = series(300, (i) => Math.sin((i / 20) * 2 * Math.PI));
  const some = value.map((one, i) => (i % 10 === 3 ? Number.NaN : one));
  assert.ok((rhythmOf(t, some)?.agreement ?? 0) > 0.8);
  const without = (from: number, to: number) => {
    const kept = [...t.keys()].filter((i) => i < from || i >= to);
    return rhythmOf(
      kept.map((i) => t[i] ?? 0),
      kept.map((i) => value[i] ?? 0),
    );
  };
  assert.notEqual(without(100, 160), null);
  assert.equal(without(100, 161), null);
});

test('a long series is averaged, and its period is found', () => {
  const { t, value } = series(20_000, (i) => Math.sin((i / 600) * 2 * Math.PI));
  const found = rhythmOf(t, value);
  assert.ok(Math.abs((found?.period ?? 0) / 600_000 - 1) < 0.01, `${found?.period}`);
  assert.ok((found?.agreement ?? 0) > 0.95);
});

test('random series, drifting ones included, agree less than a rhythm', () => {
  const seed = Number(process.env['FC_SEED'] ?? 20_260_301);
  const random = noise(seed || 1);
  for (let run = 0; run < 400; run++) {
    const keep = [0, 0.5, 0.9, 0.99][run % 4] ?? 0;
    let value = 0;
    const found = find(
      series([120, 400][run % 2] ?? 120, () => {
        value = keep * value + random();
        return value;
      }),
    );
    assert.ok((found?.agreement ?? 0) < 0.65, `FC_SEED=${seed} run ${run}: ${found?.agreement}`);
  }
});
