// Statistics of series whose values can be computed by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { cpuSamples, seriesStats } from './series-stats.ts';

const NONE = Number.NaN;

test('seriesStats returns the range, the average, the 95th percentile, the last value and the slope per minute', () => {
  const t = Array.from({ length: 20 }, (_, i) => i * 1000);
  const value = t.map((_, i) => 20 - i);
  assert.deepEqual(seriesStats(t, value), {
    count: 20,
    min: 1,
    mean: 10.5,
    p95: 19,
    max: 20,
    last: 1,
    slope_per_minute: { slope: -60, low: -60, high: -60 },
  });
});

test('seriesStats ignores unknown values, also at the ends', () => {
  const stats = seriesStats([0, 1000, 2000, 3000], [NONE, 4, 2, NONE]);
  assert.deepEqual(stats, {
    count: 2,
    min: 2,
    mean: 3,
    p95: 4,
    max: 4,
    last: 2,
    slope_per_minute: null,
  });
});

test('seriesStats returns null if no value is known', () => {
  assert.equal(seriesStats([], []), null);
  assert.equal(seriesStats([0, 1], [NONE, NONE]), null);
});

test('cpuSamples are those of the source with the most known values of CPU use', () => {
  const of = (text: string) =>
    cpuSamples(modelOf(traceFromText(`native import\n${text}`)))?.cpu_percent.length;
  const process = (source: string, values: string) => `0 ${source}:process cpu_percent ${values}`;
  assert.equal(of(`${process('native', '1 2')}\n${process('import', '1 2 3')}`), 3);
  assert.equal(of(`${process('native', '1 2 3 4')}\n${process('import', '1 2 3')}`), 4);
  assert.equal(of('0 native:mark a'), undefined);
  const model = modelOf(traceFromText(`native import\n${process('native', '1 2 3')}`));
  const unknown = model.process.map((columns) => ({
    ...columns,
    cpu_percent: columns.cpu_percent.map(() => NONE),
  }));
  assert.equal(cpuSamples({ process: unknown }), undefined);
  const [known] = modelOf(traceFromText(`native\n${process('native', '7')}`)).process;
  assert.equal(cpuSamples({ process: [...unknown, ...(known ? [known] : [])] }), known);
});
