import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryWithin } from '@svc/trace';
import { modelOf } from '../../../../test/build-trace.ts';
import { deriveTimeline } from '../derive-timeline.ts';
import { memoryAt } from './memory-at.ts';

const model = modelOf(
  { type: 'process', t: 0, rss_bytes: 100, pss_bytes: 50, cpu_percent: 5 },
  { type: 'process', t: 1000, rss_bytes: 130, pss_bytes: 45, cpu_percent: 5 },
  { type: 'counter', t: 1000, name: 'js_heap_bytes', unit: 'bytes', value: 7 },
  { type: 'counter', t: 0, name: 'gpu_bytes', unit: 'bytes', value: 9 },
  { type: 'counter', t: 1000, name: 'io_read_bytes', unit: 'bytes', value: 3 },
  { type: 'mark', t: 9000, name: 'end' },
);
const timeline = deriveTimeline(model);
const rowsAt = (from: number, to: number): unknown[] =>
  memoryAt(timeline, { from, to }).map(({ label, bytes, change }) => [label, bytes, change]);

test('memory is that of the end of the range, with its change from the start', () => {
  assert.deepEqual(rowsAt(0, 1000), [
    ['RSS', 130, 30],
    ['PSS', 45, -5],
    ['JS heap', 7, null],
    ['GPU memory', 9, 0],
  ]);
});

test('after the last sample its value is shown, and later only what holds', () => {
  assert.deepEqual(rowsAt(1000, 2000).slice(0, 2), [
    ['RSS', 130, 0],
    ['PSS', 45, 0],
  ]);
  assert.deepEqual(rowsAt(3000, 4000), [['GPU memory', 9, 0]]);
});

test('the memory of a range is the same as in a terminal', () => {
  for (const [from, to] of [
    [0, 1000],
    [1000, 2000],
    [1750, 2750],
    [3000, 4000],
    [8500, 9500],
  ] as const) {
    const printed = memoryWithin(model, { from_ms: from, to_ms: to });
    assert.deepEqual(
      rowsAt(from, to),
      printed.map(({ label, bytes, change }) => [label, bytes, change]),
    );
  }
});
