// The numbers of a trace, whose values can be computed by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { memoryTrends } from '../overview/memory-trends.ts';
import { METRIC_NAMES, METRICS, traceMetrics } from './trace-metrics.ts';

const TOTALS = {
  ...{ assets: 1, bytes: 3000, gpu_bytes: null, unknown_sizes: 0, load_ms: null, decode_ms: null },
  ...{ upload_ms: null, main_thread_ms: null, hitch_ms: 0, cost: 1.5 },
};
const NO_ASSETS = { totals: { ...TOTALS, assets: 0, cost: 0, bytes: null } };

function metricsOf(text: string, totals = NO_ASSETS, budget_ms?: number) {
  return traceMetrics(modelOf(traceFromText(text)), totals, budget_ms);
}

const plain = (metrics: ReturnType<typeof traceMetrics>) =>
  Object.fromEntries(Object.entries(metrics).map(([name, { value }]) => [name, value]));

test('traceMetrics measures frames, with rates per minute of the counted frames', () => {
  // 97 frames of 10 ms and 3 of 80, 90 and 100 ms: 1240 ms. A hidden tab of a minute and its frame do not count.
  const text = `native browser
    0 native:frames 500
    0 browser:frames 10*97 80 90 100
    1240 browser:loss hidden_tab 60000
    1240 browser:frames 60000
  `;
  assert.deepEqual(plain(metricsOf(text, NO_ASSETS, 20)), {
    average_fps: 100_000 / 1240,
    low_1_percent_fps: 10,
    p50_ms: 10,
    p95_ms: 10,
    p99_ms: 90,
    max_ms: 100,
    hitches_per_minute: 3 / (1240 / 60_000),
    over_ms_per_minute: 210 / (1240 / 60_000),
  });
  assert.equal(metricsOf(text).over_ms_per_minute?.slope, null);
});

test('traceMetrics uses the budget of 60 frames per second by default', () => {
  const { hitches_per_minute } = metricsOf('browser\n0 frames 17 18\n');
  assert.equal(hitches_per_minute?.value, 60_000 / 35);
});

test('traceMetrics measures CPU and memory of the process with the most samples', () => {
  const text = `native browser
    0 browser:process cpu=900 rss=9
    0 native:process cpu=100 rss=1000 pss=700
    1000 native:process cpu=50 rss=2000
    2000 native:process rss=3000 pss=900
    3000 native:process cpu=30 rss=4000
  `;
  assert.deepEqual(metricsOf(text), {
    cpu_mean_percent: { value: 60, slope: null },
    cpu_max_percent: { value: 100, slope: null },
    rss_mean_bytes: { value: 2500, slope: null },
    rss_max_bytes: { value: 4000, slope: null },
    pss_mean_bytes: { value: 800, slope: null },
    pss_max_bytes: { value: 900, slope: null },
  });
});

test('traceMetrics measures the heap by its counter with the most values', () => {
  const text = `native browser
    0 native:counter js_heap_bytes bytes 5
    0 browser:counter js_heap_bytes bytes 100 300
    0 browser:counter other_bytes bytes 9 9 9
  `;
  assert.deepEqual(plain(metricsOf(text)), { heap_mean_bytes: 200, heap_max_bytes: 300 });
});

test('traceMetrics weighs memory of the GPU by how long it was held, but not its maximum', () => {
  const text = `browser
    0 counter gpu_bytes bytes 100
    100 counter gpu_bytes bytes 900
    200 counter gpu_bytes bytes 400
    4000 mark m
  `;
  assert.deepEqual(plain(metricsOf(text)), {
    gpu_mean_bytes: 340,
    gpu_max_bytes: 900,
  });
});

test('traceMetrics has the slope of memory that other views state, and whether it keeps growing', () => {
  const MIB = 1_048_576;
  const rising = Array.from({ length: 41 }, (_, i) => (i < 8 ? 900 : 100 + i) * MIB);
  const text = `native browser
    0 native:process rss ${rising.join(' ')}
    0 browser:counter js_heap_bytes bytes ${rising.map((_, i) => 100 * MIB + i).join(' ')}
    0 browser:counter gpu_bytes bytes ${rising.slice(0, 29).join(' ')}
  `;
  const model = modelOf(traceFromText(text));
  const metrics = metricsOf(text);
  assert.deepEqual(metrics.rss_bytes_per_minute, {
    value: 60 * MIB,
    slope: { low: 60 * MIB, high: 60 * MIB, grows: true },
  });
  assert.deepEqual(metrics.heap_bytes_per_minute?.slope, { low: 60, high: 60, grows: false });
  assert.equal(metrics.gpu_bytes_per_minute, undefined, 'too short');
  assert.deepEqual(
    memoryTrends(model).map(({ label, direction }) => [label, direction]),
    [
      ['RSS', 'rising'],
      ['JS heap', 'flat'],
      ['GPU memory', null],
    ],
  );
});

test('traceMetrics measures assets only if the trace has some, and leaves out unknown sizes', () => {
  assert.deepEqual(plain(metricsOf('browser\n', { totals: TOTALS as never })), {
    asset_cost: 1.5,
    asset_bytes: 3000,
  });
  const sized = { totals: { ...TOTALS, gpu_bytes: 5 } as never };
  assert.equal(metricsOf('browser\n', sized).asset_gpu_bytes?.value, 5);
  assert.deepEqual(plain(metricsOf('browser\n')), {});
  assert.deepEqual(plain(metricsOf('browser\n0 frames\n')), {});
});

test('METRICS names every metric once, with more being better only for frame rates', () => {
  assert.deepEqual(
    METRIC_NAMES.filter((name) => METRICS[name].better === 'more'),
    ['average_fps', 'low_1_percent_fps'],
  );
  assert.equal(METRIC_NAMES.length, 25);
});
