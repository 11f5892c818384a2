import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { RunLine } from './parse-file-line.ts';
import { RunParts } from './run-parts.ts';

function run(startNs: number, endNs: number, count: number): RunLine {
  const sums = { tookNs: count * 10, amount: count * 4096, count };
  return { line: 'read', tid: 7, startNs, endNs, ...sums, key: '26:99', bytes: 9000 };
}

test('RunParts: a repeated run adds only its growth', () => {
  const runs = new RunParts();
  assert.equal(runs.advance(run(100, 200, 2))?.amount, 8192);
  const part = runs.advance(run(100, 500, 5));
  assert.deepEqual(part, { ...run(200, 500, 3), startNs: 200 });
});

test('RunParts: totals that were reported before add nothing, even if they arrive late', () => {
  const runs = new RunParts();
  runs.advance(run(100, 500, 5));
  assert.equal(runs.advance(run(100, 500, 5)), null);
  assert.equal(runs.advance(run(100, 200, 2)), null);
});

test('RunParts: a run is remembered while every tick reports it, and forgotten after that', () => {
  const runs = new RunParts();
  runs.advance(run(100, 500, 5));
  for (let tick = 0; tick < 10; tick++) {
    runs.tick();
    assert.equal(runs.advance(run(100, 500, 5)), null);
  }
  for (let tick = 0; tick < 3; tick++) runs.tick();
  assert.equal(runs.advance(run(100, 500, 5))?.count, 5);
});

test('RunParts: the sum of the parts is the run, however it is reported', () => {
  const reported = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(reported, (counts) => {
      const runs = new RunParts();
      const bytes = counts
        .map((count) => runs.advance(run(100, 100 + count, count))?.amount ?? 0)
        .reduce((sum, amount) => sum + amount, 0);
      assert.equal(bytes, Math.max(...counts) * 4096);
    }),
  );
});
