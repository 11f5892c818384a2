import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf } from '../../../../test/build-trace.ts';
import { deriveTimeline } from '../derive-timeline.ts';
import { timelineRows } from './timeline-rows.ts';

const asset = { type: 'asset', id: 1, name: 'a.png', kind: 'texture', phase: 'load' } as const;
const timeline = deriveTimeline(
  modelOf(
    { type: 'process', t: 0, rss_bytes: 1024, pss_bytes: 512, source: 'native' },
    { type: 'process', t: 1000, rss_bytes: 2048, source: 'native' },
    { type: 'frames', t: 10, duration_ms: [20, 30] },
    { ...asset, t: 15, duration_ms: 4 },
    { type: 'mark', t: 40, name: 'boss' },
    { type: 'loss', t: 500, reason: 'hidden_tab', duration_ms: 100, source: 'browser' },
    { type: 'loss', t: 700, reason: 'storage_cap', count: 3 },
  ),
);

const rowTexts = (from: number, to: number): string[] =>
  timelineRows(timeline, { from, to }).map(({ t, track, source, what, value }) =>
    `${t} ${track} (${source}): ${what} ${value}`.trim(),
  );

test('the table lists every value of a range in the order of time, with its track and unit', () => {
  assert.deepEqual(rowTexts(0, 1000), [
    '0 Memory (native): RSS 1.0 KiB',
    '0 Memory (native): PSS 512 B',
    '10 Frame time (browser): frame 1 20.0 ms',
    '15 Assets (browser): load a.png 4.00 ms',
    '30 Frame time (browser): frame 2 30.0 ms',
    '40 Marks (browser): boss',
    '500 Lost (browser): hidden_tab 100 ms',
    '700 Lost (all): storage_cap 0 ms, 3 records',
    '1000 Memory (native): RSS 2.0 KiB',
    '1000 Memory (native): PSS not measured',
  ]);
});

test('a range includes both ends, and gaps that overlap it', () => {
  assert.deepEqual(rowTexts(15, 30), [
    '15 Assets (browser): load a.png 4.00 ms',
    '30 Frame time (browser): frame 2 30.0 ms',
  ]);
  assert.deepEqual(rowTexts(550, 560), ['500 Lost (browser): hidden_tab 100 ms']);
  assert.deepEqual(rowTexts(601, 699), []);
  assert.equal(rowTexts(450, 500).length, 1);
  assert.equal(rowTexts(600, 650).length, 1);
});

test('every row has a unique key', () => {
  const rows = timelineRows(timeline, { from: 0, to: 1000 });
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length);
  assert.equal(rows.length, 10);
});
