// The asset cost report on small traces whose numbers can be worked out by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KnownRecord } from '../records.ts';
import { formatHeader, formatRecord } from '../vpt/format-record.ts';
import { assetReportOf } from './asset-report.ts';

const HEADER = formatHeader({
  vpt: 1,
  producer: { name: 't', version: '0' },
  started_at: null,
  sources: ['browser'],
});

async function reportOf(records: readonly KnownRecord[], budget = 10) {
  const text = HEADER + records.map(formatRecord).join('');
  return await assetReportOf([new TextEncoder().encode(text)], budget);
}

test('assetReportOf gives an empty list for a trace without asset records', async () => {
  const report = await reportOf([{ type: 'mark', t: 1, name: 'a' }]);
  assert.deepEqual(report.assets, []);
  assert.equal(report.budget_ms, 10);
});

test('assetReportOf adds times up and takes the latest size of each kind', async () => {
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
  const { assets } = await reportOf([
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
});

test('assetReportOf follows work over several frames and leaves frames under a loss out', async () => {
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

test('assetReportOf divides all of a hitch, and counts no more of it as cost than the own time', async () => {
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
