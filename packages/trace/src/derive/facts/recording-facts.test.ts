// The series, frame times and counts of records that TraceInfoReader reports.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { memoryTrends } from '../overview/memory-trends.ts';
import { COUNTERS_FOLLOWED } from './recording-facts.ts';
import { type TraceInfo, TraceInfoReader } from './trace-info.ts';

function infoOf(text: string): TraceInfo {
  const reader = new TraceInfoReader();
  reader.push(new TextEncoder().encode(traceFromText(text)));
  return reader.finish();
}

const named = (info: TraceInfo, name: string) =>
  info.series.find((one) => one.name === name) ?? assert.fail(name);

test('TraceInfoReader counts records by type', () => {
  const info = infoOf(`native browser
    0 native:process cpu 1 2 3
    0 browser:frames 10*5
    9 browser:mark level
    20 end off`);
  assert.deepEqual(info.record_counts, { process: 3, frames: 1, mark: 1, end: 1 });
});

test('TraceInfoReader describes each process series of each source, then the counters', () => {
  const info = infoOf(`native browser
    0 browser:counter fps fps 60
    0 native:process cpu=10 rss=100 threads=4
    1000 native:process cpu=30 rss=300 pss=50 threads=4
    0 browser:process rss=7`);
  assert.deepEqual(
    info.series.map(({ record, source, name, unit, count, mean }) =>
      [record, source, name, unit, count, mean].join(' '),
    ),
    [
      'process native cpu_percent % 2 20',
      'process native rss_bytes bytes 2 200',
      'process native pss_bytes bytes 1 50',
      'process native threads count 2 4',
      'process browser rss_bytes bytes 1 7',
      'counter browser fps fps 1 60',
    ],
  );
  assert.deepEqual(named(info, 'cpu_percent'), {
    record: 'process',
    source: 'native',
    name: 'cpu_percent',
    unit: '%',
    count: 2,
    min: 10,
    mean: 20,
    p95: 30,
    max: 30,
    last: 30,
    slope_per_minute: null,
    trend: null,
    values_per_bucket: 1,
  });
  assert.deepEqual([...(info.curves.series[0]?.value ?? [])], [10, 30]);
});

test('a record without a source belongs to the first source of the header', () => {
  const info = infoOf('browser\n0 process rss=7\n0 frames 10');
  assert.deepEqual([info.series[0]?.source, info.frame_times[0]?.source], ['browser', 'browser']);
});

test('a trend is flat if its interval contains 0 or if the change is below 2 % of the average', () => {
  const trendOf = (values: readonly number[]) =>
    named(infoOf(`native\n0 process threads ${values.join(' ')}`), 'threads').trend;
  const line = (from: number, step: number) =>
    Array.from({ length: 101 }, (_, i) => from + i * step);
  assert.equal(trendOf(line(1000, 10)), 'rising');
  assert.equal(trendOf(line(9000, -10)), 'falling');
  assert.equal(trendOf(line(1000, 0)), 'flat');
  assert.equal(trendOf(line(4960, 1)), 'flat');
  assert.equal(trendOf(line(4950, 1)), 'rising');
  // The change is that of the recorded time, whenever it begins.
  const late = infoOf(`native\n600000 process threads ${line(4960, 1).join(' ')}`);
  assert.equal(named(late, 'threads').trend, 'flat');
  assert.equal(trendOf(line(5050, -1)), 'falling');
  assert.equal(trendOf([5, 900, 4, 800, 3, 700, 900, 20]), 'flat');
  assert.equal(trendOf([1, 2, 3]), null);
});

test('a heap of thousands of values that fills and empties is judged by its values, as in the overview', () => {
  const MIB = 1_048_576;
  const heap = Array.from({ length: 8503 }, (_, i) => (100 + i * 0.02 + (i % 40) * 3) * MIB);
  const text = `browser\n0 counter js_heap_bytes bytes ${heap.map(Math.round).join(' ')}`;
  const [overview] = memoryTrends(modelOf(traceFromText(text)));
  const { trend, slope_per_minute, values_per_bucket, p95 } = named(infoOf(text), 'js_heap_bytes');
  assert.equal(values_per_bucket, 1);
  assert.deepEqual(
    [trend, slope_per_minute, p95],
    [overview?.direction, overview?.slope_per_minute, overview?.stats.p95],
  );
});

test('the trend and the slope of memory are those of the overview', () => {
  const MIB = 1_048_576;
  const line = (from: number, step: number) =>
    Array.from({ length: 60 }, (_, i) => Math.round((from + i * step) * MIB));
  const one_step = line(100, 0).map((one, i) => one + (i < 30 ? 0 : 50 * MIB));
  for (const values of [line(100, 1), line(100, -1), line(1000, 0.5), one_step, [1, 2, 3, 4, 5]]) {
    const counter = (name: string) => `0 browser:counter ${name} bytes ${values.join(' ')}`;
    const text = `native browser
      0 native:process rss ${values.join(' ')}
      ${counter('js_heap_bytes')}
      ${counter('gpu_bytes')}`;
    const info = infoOf(text);
    const [rss] = memoryTrends(modelOf(traceFromText(text)));
    for (const name of ['rss_bytes', 'js_heap_bytes', 'gpu_bytes']) {
      const { trend, slope_per_minute } = named(info, name);
      assert.deepEqual([trend, slope_per_minute], [rss?.direction, rss?.slope_per_minute], name);
    }
  }
  assert.equal(
    named(infoOf(`native\n0 counter other_bytes bytes 1 2 3 4 5`), 'other_bytes').trend,
    'rising',
  );
});

test('TraceInfoReader describes the frames of each source without those in a loss', () => {
  const info = infoOf(`native browser
    0 browser:frames 10*9 40
    0 native:frames 20
    95 browser:loss hidden_tab 5
    96 browser:loss stacks_lost 5 probe=stacks`);
  assert.deepEqual(
    info.frame_times.map(({ source, count, left_out, hitches }) => [
      source,
      count,
      left_out,
      hitches,
    ]),
    [
      ['browser', 9, 1, 0],
      ['native', 1, 0, 1],
    ],
  );
  assert.deepEqual([...(info.curves.frame_times[1]?.value ?? [])], [20]);
});

test('TraceInfoReader follows a limited number of counters, and counts the records of others', () => {
  const counters = Array.from({ length: COUNTERS_FOLLOWED }, (_, i) => `0 counter c${i} x ${i}`);
  const text = `native\n${counters.join('\n')}`;
  assert.deepEqual([infoOf(text).series.length, infoOf(text).counters_left_out], [64, 0]);
  const more = infoOf(`${text}\n0 counter d x 1 2\n9000 counter c0 x 5\n0 counter c0 other 5`);
  assert.deepEqual([more.series.length, more.counters_left_out], [64, 3]);
  assert.equal(named(more, 'c0').count, 2);
});
