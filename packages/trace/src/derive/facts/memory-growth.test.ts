// Memory series of a trace, and their growth after the start.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { directionOf, memoryGrowth, memorySeries } from './memory-growth.ts';

const MIB = 1_048_576;

test('memorySeries returns RSS and PSS of each source, and the counters of memory', () => {
  const model = modelOf(
    traceFromText(`native browser
      0 native:process rss=1 pss=2
      0 browser:counter js_heap_bytes bytes 3
      0 browser:counter page_memory_bytes bytes 4
      0 browser:counter gpu_bytes bytes 5
      0 browser:counter constructor bytes 6`),
  );
  assert.deepEqual(
    memorySeries(model).map(({ label, source, value }) => [label, source, value[0]]),
    [
      ['RSS', 'native', 1],
      ['PSS', 'native', 2],
      ['JS heap', 'browser', 3],
      ['page memory', 'browser', 4],
      ['GPU memory', 'browser', 5],
    ],
  );
});

test('memoryGrowth ignores unknown values and the first fifth of the known ones', () => {
  const t = Float64Array.from({ length: 80 }, (_, i) => i * 1000);
  const value = t.map((_, i) => (i % 2 === 1 ? Number.NaN : i < 16 ? 900 * MIB : (i - 16) * MIB));
  const growth = memoryGrowth({ t, value });
  const minute = 60 * MIB;
  assert.deepEqual(growth, {
    from_ms: 16_000,
    span_ms: 62_000,
    middle_bytes: 31 * MIB,
    slope_per_minute: { slope: minute, low: minute, high: minute },
    bytes: 62 * MIB,
    grows: true,
  });
});

test('memoryGrowth returns null for a short series, and falling memory does not keep growing', () => {
  const series = (length: number, step: number, slope: number) => ({
    t: Float64Array.from({ length }, (_, i) => i * step),
    value: Float64Array.from({ length }, (_, i) => 500 * MIB + i * slope * MIB),
  });
  assert.equal(memoryGrowth(series(28, 5000, 1)), null, '23 values are left');
  assert.notEqual(memoryGrowth(series(30, 5000, 1)), null, '24 values are left');
  assert.equal(memoryGrowth(series(40, 900, 1)), null, '27.9 s are left');
  assert.notEqual(memoryGrowth(series(40, 1000, 1)), null, '31 s are left');
  const falling = memoryGrowth(series(60, 1000, -1));
  assert.deepEqual([falling?.grows, falling?.slope_per_minute.slope], [false, -60 * MIB]);
});

test('directionOf has one word for a growth, and a small change is flat', () => {
  const word = (values: readonly number[]) => {
    const value = Float64Array.from(values, (one) => one * MIB);
    return directionOf(memoryGrowth({ t: value.map((_, i) => i * 1000), value }));
  };
  // After the first fifth, 48 s are left: 47 steps.
  const line = (from: number, step: number) =>
    Array.from({ length: 60 }, (_, i) => from + i * step);
  assert.equal(word(line(0, 1)), 'rising');
  assert.equal(word(line(60, -1)), 'falling');
  assert.equal(word(line(50, 0)), 'flat');
  assert.equal(word(line(50, 7.9 / 47)), 'flat', 'less than 8 MiB');
  assert.equal(word(line(50, 8.1 / 47)), 'rising');
  assert.equal(word(line(50, -7.9 / 47)), 'flat', 'less than 8 MiB');
  assert.equal(word(line(50, -8.1 / 47)), 'falling');
  assert.equal(word(line(1000, -0.08 * 20)), 'flat', 'less than 8 % of the median');
  assert.equal(word(line(50, 1).map((one, i) => one * (i % 2))), 'flat', 'up and down');
  assert.equal(word(line(50, 1).map((one) => (one < 80 ? 50 : 90))), 'flat', 'one step');
  assert.equal(word([1, 2, 3]), null);
});
