// The memory of a trace: its series, their trend, and the sentence on it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { memoryTrends, memoryTrendText } from './memory-trends.ts';

const MIB = 1_048_576;

/** A counter with one value per second. */
function heap(values: readonly number[], name = 'js_heap_bytes') {
  const text = `browser\n0 counter ${name} bytes ${values.join(' ')}`;
  const [trend] = memoryTrends(modelOf(traceFromText(text)));
  return trend;
}

function textOf(values: readonly number[]): string {
  const trend = heap(values);
  assert.ok(trend !== undefined);
  return memoryTrendText(trend);
}

const seconds = (count: number, value: (i: number) => number): number[] =>
  Array.from({ length: count }, (_, i) => value(i));

test('the series are RSS, PSS, then the counters of memory under their known names', () => {
  const model = modelOf(
    traceFromText(`native browser
      0 native:process cpu=1 rss=1000 pss=900
      0 browser:counter page_memory_bytes bytes 5
      0 browser:counter js_heap_bytes bytes 4
      0 browser:counter io_read_bytes bytes 4
      0 browser:counter gpu_bytes bytes 3`),
  );
  assert.deepEqual(
    memoryTrends(model).map(({ label, source, stats }) => [label, source, stats.last]),
    [
      ['RSS', 'native', 1000],
      ['PSS', 'native', 900],
      ['page memory', 'browser', 5],
      ['JS heap', 'browser', 4],
      ['GPU memory', 'browser', 3],
    ],
  );
  assert.deepEqual(memoryTrends(modelOf(traceFromText('browser\n0 frames 10'))), []);
});

test('memory that keeps growing grows, and memory that falls evenly falls', () => {
  assert.equal(
    textOf(seconds(61, (i) => (100 + i) * MIB)),
    'JS heap grows by 60.0 MiB a minute (95 % interval 60.0 MiB to 60.0 MiB).',
  );
  assert.equal(
    textOf(seconds(61, (i) => (200 - i) * MIB)),
    'JS heap falls by 60.0 MiB a minute (95 % interval 60.0 MiB to 60.0 MiB).',
  );
});

test('memory that fills and empties, or changes little, does not keep growing', () => {
  const sawtooth = seconds(60, (i) => (100 + (i % 2) * 50) * MIB);
  assert.equal(heap(sawtooth)?.direction, 'flat');
  assert.equal(textOf(sawtooth), 'JS heap does not keep growing: 100 MiB to 150 MiB.');
  assert.equal(heap(seconds(60, (i) => 100 * MIB + i))?.direction, 'flat');
  assert.equal(heap(seconds(60, () => 100 * MIB))?.direction, 'flat');
});

test('a series that is too short has no trend', () => {
  assert.equal(heap(seconds(20, (i) => (100 + i) * MIB))?.direction, null);
  assert.equal(
    textOf([3 * MIB, 2 * MIB]),
    'JS heap is 3.0 MiB at most. The trace is too short for a trend.',
  );
});

test('the name of a series begins a sentence', () => {
  const trend = heap([3 * MIB], 'page_memory_bytes');
  assert.ok(trend !== undefined);
  assert.match(memoryTrendText(trend), /^Page memory is 3\.0 MiB at most\./);
});
