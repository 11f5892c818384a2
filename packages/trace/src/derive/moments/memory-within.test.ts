// The memory of a window of time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../model/build-model.ts';
import { traceFromText } from '../../testing/trace-from-text.ts';
import { memoryWithin } from './memory-within.ts';

const within = (text: string, from_ms: number, to_ms: number) =>
  memoryWithin(modelOf(traceFromText(text)), { from_ms, to_ms }).map(({ label, bytes, change }) => [
    ...[label, bytes, change],
  ]);

test('memory is that at the end of the window, with its change since the start', () => {
  const text = `browser
    1000 process cpu=1 rss=100 pss=90
    2000 process cpu=1 rss=130
    0 counter js_heap_bytes bytes 10 20 40
    100 counter gpu_bytes bytes 8
    1500 counter gpu_bytes bytes 12
    0 counter io_read_bytes bytes 5 6 7
    0 counter draws count 1 2 3
    300 counter pool bytes 3
    9000 end off`;
  assert.deepEqual(within(text, 1000, 2000), [
    ['RSS', 130, 30],
    ['PSS', 90, 0],
    ['JS heap', 40, 20],
    ['GPU memory', 12, 4],
    ['pool', 3, 0],
  ]);
});

test('a sample more than 750 ms away is no value, and a counter holds its value until the end', () => {
  const text = `browser
    1000 process cpu=1 rss=100
    1000 counter gpu_bytes bytes 8
    5000 end off`;
  assert.deepEqual(within(text, 1750, 5000), [
    ['RSS', 100, 0],
    ['GPU memory', 8, 0],
  ]);
  assert.deepEqual(within(text, 1751, 5000), [['GPU memory', 8, 0]]);
  assert.deepEqual(within(text, 250, 1000), [
    ['RSS', 100, 0],
    ['GPU memory', 8, null],
  ]);
  assert.deepEqual(within(text, 249, 1000), [
    ['RSS', 100, null],
    ['GPU memory', 8, null],
  ]);
  assert.deepEqual(within(text, 4900, 5001), [['GPU memory', 8, 0]]);
  assert.deepEqual(within(text, 0, 100), []);
});
