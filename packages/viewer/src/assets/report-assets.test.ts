import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AssetRecord, TraceModelBuilder } from '@svc/trace';
import { reportAssets } from './report-assets.ts';

function model(assets: readonly Omit<AssetRecord, 'type' | 'kind'>[]) {
  const builder = new TraceModelBuilder();
  builder.header({
    vpt: 1,
    producer: { name: 'test', version: '1' },
    started_at: null,
    sources: ['browser'],
  });
  for (const asset of assets) builder.record({ type: 'asset', kind: 'texture', ...asset });
  builder.record({ type: 'frames', t: 0, duration_ms: [16, 16, 68] });
  builder.record({ type: 'frames', t: 1000, duration_ms: [16, 60, 16] });
  return builder.snapshot();
}

const trace = model([
  { t: 0, id: 1, name: 'one.png', phase: 'load', duration_ms: 30, bytes: 1000 },
  { t: 40, id: 1, name: 'one.png', phase: 'upload', duration_ms: 20, main_thread_ms: 20 },
  { t: 60, id: 2, name: 'two.png', phase: 'decode', duration_ms: 5 },
  { t: 1020, id: 1, name: 'one.png', phase: 'upload', duration_ms: 40, main_thread_ms: 40 },
  { t: 1090, id: 1, name: 'one.png', phase: 'load', bytes: 5000 },
]);

test('a stretch of time reports the work of that stretch, with sizes as known at its end', () => {
  const { assets } = reportAssets(trace, 20, { from: 1000, to: 1080 });
  assert.deepEqual(
    assets.map(({ name, uses, bytes, load_ms, upload_ms, main_thread_ms, hitches }) => ({
      name,
      uses,
      bytes,
      load_ms,
      upload_ms,
      main_thread_ms,
      hitches,
    })),
    [
      {
        name: 'one.png',
        uses: 1,
        bytes: 1000,
        load_ms: null,
        upload_ms: 40,
        main_thread_ms: 40,
        hitches: 1,
      },
    ],
  );
});

test('a stretch without work on assets reports none; without a stretch all is reported', () => {
  assert.deepEqual(reportAssets(trace, 20, { from: 200, to: 900 }).assets, []);
  const all = reportAssets(trace, 20).assets;
  assert.deepEqual(all.map(({ name, bytes }) => [name, bytes]).sort(), [
    ['one.png', 5000],
    ['two.png', null],
  ]);
});
