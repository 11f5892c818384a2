// Metrics in words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { METRIC_WORDS, metricText, ratioText } from './metric-text.ts';
import { METRIC_NAMES } from './trace-metrics.ts';

test('each metric has a name of its own that starts a sentence', () => {
  const names = METRIC_NAMES.map((metric) => METRIC_WORDS[metric]);
  assert.equal(new Set(names).size, METRIC_NAMES.length);
  for (const name of names) assert.match(name, /^The /);
});

test('a value has its unit, and is grouped and whole from 100 on', () => {
  assert.equal(metricText('max_ms', 16.666), '16.67 ms');
  assert.equal(metricText('over_ms_per_minute', 2857.14), '2,857 ms');
  assert.equal(metricText('average_fps', 60), '60.0');
  assert.equal(metricText('cpu_mean_percent', 12.34), '12.3 %');
  assert.equal(metricText('heap_max_bytes', 1_048_576), '1.0 MiB');
  assert.equal(metricText('heap_bytes_per_minute', -1024), '−1.0 KiB');
  assert.equal(metricText('asset_cost', 1.239), '1.24');
  assert.equal(metricText('max_ms', null), '?');
});

test('a ratio is a percentage', () => {
  assert.equal(ratioText(0.1249), '12.5 %');
  assert.equal(ratioText(18.06), '1,806 %');
});
