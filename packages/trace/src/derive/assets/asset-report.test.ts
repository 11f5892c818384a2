// The asset cost report on small traces whose numbers can be computed by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TraceError } from '../../format/errors.ts';
import type { KnownRecord, Source } from '../../format/records.ts';
import { formatHeader, formatRecord } from '../../vpt/format-record.ts';
import { AssetReportSink, assetReportOf } from './asset-report.ts';

async function reportOf(
  records: readonly KnownRecord[],
  budget = 10,
  sources: readonly Source[] = ['browser'],
) {
  const producer = { name: 't', version: '0' };
  const header = formatHeader({ vpt: 1, producer, started_at: null, sources });
  const text = header + records.map(formatRecord).join('');
  return await assetReportOf([new TextEncoder().encode(text)], budget);
}

test('assetReportOf returns an empty list for a trace without asset records', async () => {
  const report = await reportOf([{ type: 'mark', t: 1, name: 'a' }]);
  assert.deepEqual(report.assets, []);
  assert.equal(report.budget_ms, 10);
});

test('assetReportOf adds up times and uses the latest size of each kind', async () => {
  const { assets } = await reportOf([
    {
      type: 'asset',
      t: 30,
      id: 1,
      name: 'rock',
      kind: 'texture',
      phase: 'upload',
      gpu_bytes: 4000,
      duration_ms: 2,
      main_thread_ms: 2,
    },
    {
      type: 'asset',
      t: 10,
      id: 1,
      name: 'rock',
      kind: 'texture',
      phase: 'load',
      bytes: 100,
      duration_ms: 5,
    },
    {
      type: 'asset',
      t: 20,
      id: 1,
      name: 'rock',
      kind: 'texture',
      phase: 'load',
      bytes: 300,
      duration_ms: 6,
    },
  ]);
  assert.equal(assets.length, 1);
  const [rock] = assets;
  assert.deepEqual(
    [
      rock?.uses,
      rock?.bytes,
      rock?.gpu_bytes,
      rock?.load_ms,
      rock?.decode_ms,
      rock?.upload_ms,
      rock?.main_thread_ms,
    ],
    [3, 300, 4000, 11, null, 2, 2],
  );
  assert.equal(rock?.share, 1);
});

test('assetReportOf divides the time over budget by main-thread time within the frame', async () => {
  const { assets, totals } = await reportOf([
    { type: 'frames', t: 0, duration_ms: [10, 50, 10] },
    {
      type: 'asset',
      t: 15,
      id: 'a',
      name: 'a',
      kind: 'texture',
      phase: 'decode',
      main_thread_ms: 30,
    },
    {
      type: 'asset',
      t: 45,
      id: 'b',
      name: 'b',
      kind: 'texture',
      phase: 'decode',
      main_thread_ms: 10,
    },
    {
      type: 'asset',
      t: 62,
      id: 'c',
      name: 'c',
      kind: 'texture',
      phase: 'decode',
      main_thread_ms: 3,
    },
  ]);
  assert.deepEqual(
    assets.map(({ name, hitch_ms, hitches }) => ({ name, hitch_ms, hitches })),
    [
      { name: 'a', hitch_ms: 30, hitches: 1 },
      { name: 'b', hitch_ms: 10, hitches: 1 },
      { name: 'c', hitch_ms: 0, hitches: 0 },
    ],
  );
  assert.equal(totals.hitch_ms, 40);
});

test('assetReportOf divides work over several frames and ignores frames that overlap a loss', async () => {
  const frames: KnownRecord = { type: 'frames', t: 0, duration_ms: [20, 20, 20, 20] };
  const work: KnownRecord = {
    type: 'asset',
    t: 5,
    id: 'a',
    name: 'a',
    kind: 'mesh',
    phase: 'upload',
    main_thread_ms: 60,
  };
  const all = await reportOf([frames, work]);
  assert.deepEqual([all.assets[0]?.hitch_ms, all.assets[0]?.hitches], [40, 4]);
  const loss: KnownRecord = { type: 'loss', t: 25, reason: 'hidden_tab', duration_ms: 5 };
  const some = await reportOf([frames, work, loss]);
  assert.deepEqual([some.assets[0]?.hitch_ms, some.assets[0]?.hitches], [30, 3]);
});

test('assetReportOf divides a hitch completely, and counts at most the asset’s own time as cost', async () => {
  const upload = { type: 'asset', kind: 'mesh', phase: 'upload' } as const;
  const { assets, weights, budget_ms } = await reportOf([
    { type: 'frames', t: 0, duration_ms: [10, 100, 10] },
    { ...upload, t: 20, id: 'a', name: 'a', main_thread_ms: 2 },
    { ...upload, t: 30, id: 'b', name: 'b', main_thread_ms: 1 },
  ]);
  assert.deepEqual(
    assets.map(({ name, hitch_ms, hitches }) => ({ name, hitch_ms, hitches })),
    [
      { name: 'a', hitch_ms: 60, hitches: 1 },
      { name: 'b', hitch_ms: 30, hitches: 1 },
    ],
  );
  const each = (weights['hitch_per_budget'] ?? 0) + (weights['main_thread_per_budget'] ?? 0);
  assert.deepEqual(
    assets.map(({ cost }) => cost),
    [2, 1].map((ms) => Math.round(((ms * each) / budget_ms) * 1e6) / 1e6),
  );
});

test('assetReportOf weighs main-thread time, background time and memory', async () => {
  const mib = 1_048_576;
  const { assets, totals, weights } = await reportOf([
    {
      type: 'asset',
      t: 1,
      id: 1,
      name: 'all',
      kind: 'texture',
      phase: 'load',
      duration_ms: 30,
      bytes: 50 * mib,
      gpu_bytes: 100 * mib,
    },
    {
      type: 'asset',
      t: 2,
      id: 1,
      name: 'all',
      kind: 'texture',
      phase: 'decode',
      duration_ms: 20,
      main_thread_ms: 12,
    },
    { type: 'asset', t: 3, id: 1, name: 'all', kind: 'texture', phase: 'upload', duration_ms: 2 },
    {
      type: 'asset',
      t: 4,
      id: 2,
      name: 'main thread alone',
      kind: 'mesh',
      phase: 'decode',
      duration_ms: 5,
      main_thread_ms: 20,
    },
    { type: 'asset', t: 5, id: 3, name: 'gpu', kind: 'mesh', phase: 'upload', gpu_bytes: 10 * mib },
    { type: 'asset', t: 6, id: 4, name: 'none', kind: 'mesh', phase: 'load' },
  ]);
  assert.deepEqual(
    assets.map(({ name, cost, share }) => ({ name, cost, share })),
    [
      // 1.2 × 0.5 + (5.2 − 1.2) × 0.05 + 50 × 0.01 + 100 × 0.02
      { name: 'all', cost: 3.3, share: 0.733333 },
      { name: 'main thread alone', cost: 1, share: 0.222222 },
      { name: 'gpu', cost: 0.2, share: 0.044444 },
      { name: 'none', cost: 0, share: 0 },
    ],
  );
  assert.deepEqual(totals, {
    assets: 4,
    bytes: 50 * mib,
    gpu_bytes: 110 * mib,
    unknown_sizes: 2,
    load_ms: 30,
    decode_ms: 25,
    upload_ms: 2,
    main_thread_ms: 32,
    hitch_ms: 0,
    cost: 4.5,
  });
  assert.deepEqual(weights, {
    hitch_per_budget: 1,
    main_thread_per_budget: 0.5,
    background_per_budget: 0.05,
    memory_per_mib: 0.01,
    gpu_memory_per_mib: 0.02,
  });
});

test('assetReportOf orders assets of the same cost by name, source and id, by code unit', async () => {
  const rows = [
    { id: 'b', name: 'same', source: 'native' },
    { id: 'a', name: 'same', source: 'native' },
    { id: 10, name: 'same', source: 'browser' },
    { id: 9, name: 'same', source: 'browser' },
    { id: 1, name: 'Zebra', source: 'native' },
    { id: 2, name: 'ant', source: 'native' },
  ] as const;
  const { assets } = await reportOf(
    rows.map((row) => ({ type: 'asset', t: 1, kind: 'data', phase: 'load', ...row })),
    10,
    ['browser', 'native'],
  );
  assert.deepEqual(
    assets.map(({ name, source, id }) => `${name} ${source} ${id}`),
    [
      'Zebra native 1',
      'ant native 2',
      'same browser 10',
      'same browser 9',
      'same native a',
      'same native b',
    ],
  );
});

test('assetReportOf orders by cost and ties by name', async () => {
  const same = { type: 'asset', t: 1, kind: 'data', phase: 'load', duration_ms: 10 } as const;
  const { assets } = await reportOf([
    { ...same, id: 1, name: 'zebra' },
    { ...same, id: 2, name: 'ant' },
    { ...same, id: 3, name: 'heavy', duration_ms: 500 },
  ]);
  assert.deepEqual(
    assets.map((asset) => asset.name),
    ['heavy', 'ant', 'zebra'],
  );
});

test('assetReportOf uses a budget of 1000/60 ms by default, and a frame of exactly that is within it', async () => {
  const header = { vpt: 1, producer: { name: 't', version: '0' }, started_at: null } as const;
  const work = { type: 'asset', id: 1, name: 'a', kind: 'mesh', phase: 'upload' } as const;
  const sink = new AssetReportSink();
  sink.header({ ...header, sources: ['browser'] });
  sink.record({ type: 'frames', t: 0, duration_ms: [1000 / 60, 100] });
  sink.record({ ...work, t: 0, main_thread_ms: 5 });
  assert.equal(sink.report().budget_ms, 16.667);
  assert.equal(sink.report().assets[0]?.hitches, 0);
  sink.record({ ...work, t: 20, main_thread_ms: 5 });
  assert.deepEqual(
    sink.report().assets.map(({ hitches, hitch_ms }) => [hitches, hitch_ms]),
    [[1, 83.333]],
  );
  const { assets, budget_ms } = await reportOf([
    { type: 'frames', t: 0, duration_ms: [10, 10.1] },
    { ...work, t: 0, main_thread_ms: 15 },
  ]);
  assert.deepEqual([assets[0]?.hitches, assets[0]?.hitch_ms, budget_ms], [1, 0.1, 10]);
  const text = formatHeader({ ...header, sources: ['browser'] });
  const whole = await assetReportOf([new TextEncoder().encode(text)]);
  assert.equal(whole.budget_ms, 16.667);
});

test('assetReportOf gives each asset a share of 0 if no asset has a cost', async () => {
  const { assets, totals } = await reportOf([
    { type: 'asset', t: 1, id: 1, name: 'a', kind: 'data', phase: 'load' },
    { type: 'asset', t: 1, id: 2, name: 'b', kind: 'data', phase: 'named' },
  ]);
  assert.deepEqual(
    assets.map(({ uses, cost, share }) => [uses, cost, share]),
    [
      [1, 0, 0],
      [0, 0, 0],
    ],
  );
  assert.deepEqual(
    [totals.cost, totals.bytes, totals.main_thread_ms, totals.unknown_sizes],
    [0, null, null, 2],
  );
});

test('assetReportOf uses the latest value by time, then by line, and prefers a given name', async () => {
  const rock = { type: 'asset', id: 1, kind: 'texture', phase: 'upload' } as const;
  const { assets } = await reportOf([
    { ...rock, t: 9, name: 'first', gpu_bytes: 1, bytes: 11 },
    { ...rock, t: 9, name: 'second', gpu_bytes: 2 },
    { ...rock, t: 8, name: 'earlier', gpu_bytes: 3, bytes: 33 },
    { type: 'asset', id: 1, t: 5, kind: 'mesh', phase: 'named', name: 'given first' },
    { type: 'asset', id: 1, t: 5, kind: 'audio', phase: 'named', name: 'given second' },
    { type: 'asset', id: 1, t: 4, kind: 'font', phase: 'named', name: 'given earlier' },
    { ...rock, t: 9, id: 2, name: 'seen first' },
    { ...rock, t: 9, id: 2, kind: 'video', name: 'seen second' },
  ]);
  assert.deepEqual(
    assets.map(({ name, kind, uses, bytes, gpu_bytes }) => [name, kind, uses, bytes, gpu_bytes]),
    [
      ['given second', 'audio', 3, 11, 2],
      ['seen second', 'video', 2, null, null],
    ],
  );
});

test('a report distinguishes tens of thousands of assets', () => {
  const sink = new AssetReportSink();
  const count = 40_000;
  sink.header({
    vpt: 1,
    producer: { name: 't', version: '0' },
    started_at: null,
    sources: ['browser'],
  });
  for (let id = 0; id < count; id++) {
    const name = `${100_000 + id}`;
    sink.record({ type: 'asset', t: 1, id, name, kind: 'data', phase: 'load', bytes: 1 + id });
  }
  const { assets, totals, left_out } = sink.report(count - 1);
  assert.deepEqual([assets.length, left_out, totals.assets], [count - 1, 1, count]);
  assert.equal(totals.bytes, (count * (count + 1)) / 2);
  const wrong = assets.filter(
    ({ id, name, bytes }) => bytes !== 1 + Number(id) || name !== `${100_000 + Number(id)}`,
  );
  assert.deepEqual(wrong, []);
  assert.equal(new Set(assets.map(({ id }) => id)).size, count - 1);
});

test('more than 16,777,216 frames over budget are rejected', () => {
  const sink = new AssetReportSink(10);
  const frames = { type: 'frames', t: 0, duration_ms: Array.from({ length: 65_536 }, () => 20) };
  for (let i = 0; i < 256; i++) sink.record({ ...frames, type: 'frames' });
  sink.record({ type: 'frames', t: 0, duration_ms: [10] });
  assert.throws(
    () => sink.record({ type: 'frames', t: 0, duration_ms: [10.1] }),
    (error) => error instanceof TraceError && error.code === 'too_large',
  );
});

test('a limited report leaves out the assets of lowest cost; equal costs are ordered by name', () => {
  const names = ['d', 'b', 'f', 'a', 'e', 'c'];
  for (const order of [
    names,
    names.toReversed(),
    names.toSorted(),
    names.toSorted().toReversed(),
  ]) {
    const sink = new AssetReportSink();
    const producer = { name: 't', version: '0' };
    sink.header({ vpt: 1, producer, started_at: null, sources: ['browser'] });
    for (const [id, name] of order.entries()) {
      sink.record({ type: 'asset', t: 1, id, name, kind: 'data', phase: 'load' });
    }
    for (const most of [1, 2, 3, 5]) {
      const { assets, left_out } = sink.report(most);
      const listed = assets.map((asset) => asset.name);
      assert.deepEqual([listed, left_out], [['a', 'b', 'c', 'd', 'e'].slice(0, most), 6 - most]);
    }
  }
});
