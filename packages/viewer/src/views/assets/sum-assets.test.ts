import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssetReportEntry } from '@svc/trace';
import { sumAssets, sumsOf } from './sum-assets.ts';

test('sumAssets adds the known sizes of each kind, and counts assets without one', () => {
  const entry = (bytes: number | null, gpu_bytes: number | null, main_thread_ms: number | null) =>
    ({ bytes, gpu_bytes, main_thread_ms }) as AssetReportEntry;
  const entries = [
    entry(1, 20, 300),
    entry(2, null, null),
    entry(null, 40, 500),
    entry(null, null, 7),
  ];
  assert.deepEqual(sumAssets(entries), {
    bytes: 3,
    gpuBytes: 60,
    mainThreadMs: 807,
    unknownSizes: 1,
  });
  assert.deepEqual(sumAssets([]), { bytes: 0, gpuBytes: 0, mainThreadMs: 0, unknownSizes: 0 });
});

test('sumsOf uses the totals of a report, with 0 for unknown ones', () => {
  const totals = { bytes: 1, gpu_bytes: 2, main_thread_ms: 3, unknown_sizes: 4 };
  const expected = { bytes: 1, gpuBytes: 2, mainThreadMs: 3, unknownSizes: 4 };
  assert.deepEqual(sumsOf(totals as Parameters<typeof sumsOf>[0]), expected);
  const none = { bytes: null, gpu_bytes: null, main_thread_ms: null, unknown_sizes: 4 };
  assert.deepEqual(sumsOf(none as Parameters<typeof sumsOf>[0]), {
    bytes: 0,
    gpuBytes: 0,
    mainThreadMs: 0,
    unknownSizes: 4,
  });
});
