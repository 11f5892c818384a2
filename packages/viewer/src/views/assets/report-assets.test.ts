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

test('a range reports its own work, with sizes as known at its end', () => {
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

test('a range without work reports no assets, and no range reports all', () => {
  assert.deepEqual(reportAssets(trace, 20, { from: 200, to: 900 }).assets, []);
  const all = reportAssets(trace, 20).assets;
  assert.deepEqual(all.map(({ name, bytes }) => [name, bytes]).sort(), [
    ['one.png', 5000],
    ['two.png', null],
  ]);
});

/** The report of the range from 1,000 to 1,100 ms, for these assets and one slow frame at `frame`. */
function reported(frame: number, assets: Parameters<typeof model>[0], lost = false) {
  const builder = new TraceModelBuilder();
  builder.header({
    vpt: 1,
    producer: { name: 'test', version: '1' },
    started_at: null,
    sources: ['browser'],
  });
  for (const asset of assets) builder.record({ type: 'asset', kind: 'texture', ...asset });
  builder.record({ type: 'frames', t: frame, duration_ms: [60] });
  if (lost) builder.record({ type: 'loss', t: frame, reason: 'hidden_tab', duration_ms: 60 });
  return reportAssets(builder.snapshot(), 20, { from: 1000, to: 1100 }).assets.map(
    ({ name, hitches }) => [name, hitches],
  );
}

test('a range includes work at its start and excludes work at its end', () => {
  const upload = (t: number) =>
    ({ t, id: 1, name: 'a', phase: 'upload', duration_ms: 30, main_thread_ms: 30 }) as const;
  assert.deepEqual(reported(1000, [upload(1010)]), [['a', 1]]);
  assert.deepEqual(reported(999, [upload(1010)]), [['a', 0]]);
  assert.deepEqual(reported(1100, [upload(1090)]), [['a', 0]]);
  const load = { t: 0, id: 1, name: 'a', phase: 'load', duration_ms: 5 } as const;
  assert.deepEqual(reported(1000, [load, upload(1100)]), []);
  assert.deepEqual(reported(1000, [upload(970)]), []);
  assert.deepEqual(reported(1000, [upload(1010)], true), [['a', 0]], 'a frame under a loss');
});

test('work is in a range by its longest duration, or by its time if it has none', () => {
  const asset = { id: 1, name: 'a' } as const;
  assert.deepEqual(reported(1000, [{ ...asset, t: 1000, phase: 'load' }]).length, 1);
  assert.deepEqual(reported(1000, [{ ...asset, t: 999, phase: 'load' }]).length, 0);
  const upload = {
    ...asset,
    t: 900,
    phase: 'upload',
    duration_ms: 5,
    main_thread_ms: 150,
  } as const;
  assert.deepEqual(reported(1000, [upload]).length, 1);
});

test('a numeric id differs from the same id as text', () => {
  const assets = [
    { t: 0, id: '1', name: 'text', phase: 'load', duration_ms: 5 },
    { t: 1010, id: 1, name: 'number', phase: 'load', duration_ms: 5 },
  ] as const;
  assert.deepEqual(reported(0, assets), [['number', 0]]);
});

test('the list is limited to the requested number', () => {
  assert.equal(reportAssets(trace, 20, null, 1).assets.length, 1);
});
