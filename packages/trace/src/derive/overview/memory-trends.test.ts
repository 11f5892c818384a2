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
      ['Page memory', 'browser', 5],
      ['JS heap', 'browser', 4],
      ['GPU memory', 'browser', 3],
    ],
  );
  assert.deepEqual(memoryTrends(modelOf(traceFromText('browser\n0 frames 10'))), []);
});

test('memory that rises steadily grows, and memory that falls steadily falls', () => {
  assert.equal(
    textOf(seconds(61, (i) => (100 + i) * MIB)),
    'JS heap grows by 60.0 MiB a minute (95 % interval 60.0 MiB to 60.0 MiB).',
  );
  assert.equal(
    textOf(seconds(61, (i) => (200 - i) * MIB)),
    'JS heap falls by 60.0 MiB a minute (95 % interval 60.0 MiB to 60.0 MiB).',
  );
});

test('a trend whose interval holds zero is steady', () => {
  const sawtooth = seconds(60, (i) => (100 + (i % 2) * 50) * MIB);
  assert.equal(heap(sawtooth)?.direction, 'steady');
  assert.equal(textOf(sawtooth), 'JS heap is steady: 125 MiB on average.');
});

test('a small change is steady: below 1 MiB, or below 2 % of the average', () => {
  const rising = (count: number, from: number, by: number) =>
    heap(seconds(count, (i) => from + (i * by) / (count - 1)))?.direction;
  assert.equal(rising(21, 10 * MIB, 1.1 * MIB), 'grows');
  assert.equal(rising(21, 10 * MIB, 0.9 * MIB), 'steady');
  assert.equal(rising(21, 1000 * MIB, 19 * MIB), 'steady');
  assert.equal(rising(21, 1000 * MIB, 22 * MIB), 'grows');
});

test('a series below ten seconds or four values has no trend', () => {
  assert.equal(heap(seconds(10, (i) => (100 + i) * MIB))?.direction, 'unknown');
  assert.equal(heap(seconds(11, (i) => (100 + i) * MIB))?.direction, 'grows');
  assert.equal(
    textOf([3 * MIB, 2 * MIB]),
    'JS heap is 3.0 MiB at most. The trace is too short for a trend.',
  );
});
