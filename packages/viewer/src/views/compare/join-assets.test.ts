import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssetReportEntry } from '@svc/trace';
import { joinAssets } from './join-assets.ts';

function entry(name: string, cost: number, more: Partial<AssetReportEntry> = {}): AssetReportEntry {
  const base = { source: 'browser', kind: 'texture', name, cost, bytes: null, gpu_bytes: null };
  return { ...base, ...more } as AssetReportEntry;
}

const joined = (before: AssetReportEntry[], after: AssetReportEntry[]): unknown[] =>
  joinAssets(before, after).map((row) => [
    row.name,
    row.state,
    row.costBefore,
    row.costAfter,
    row.bytesBefore,
    row.bytesAfter,
  ]);

test('assets are joined by source, kind and name, and sorted by change of cost, then by name', () => {
  const before = [entry('b', 10), entry('same', 5), entry('gone', 20), entry('a', 10)];
  const after = [entry('b', 13), entry('same', 5), entry('new', 30), entry('a', 7)];
  assert.deepEqual(joined(before, after), [
    ['new', 'new', null, 30, null, null],
    ['gone', 'gone', 20, null, null, null],
    ['a', 'same', 10, 7, null, null],
    ['b', 'same', 10, 13, null, null],
    ['same', 'same', 5, 5, null, null],
  ]);
  const other = [entry('b', 1, { kind: 'mesh' }), entry('b', 1, { source: 'native' })];
  assert.deepEqual(
    joinAssets([entry('b', 1)], other).map(({ kind, state }) => [kind, state]),
    [
      ['texture', 'gone'],
      ['mesh', 'new'],
      ['texture', 'new'],
    ],
  );
});

test('sizes in main memory and on the GPU are added, and an unknown size is not 0', () => {
  const sizes = (bytes: number | null, gpu_bytes: number | null) => ({ bytes, gpu_bytes });
  assert.deepEqual(joined([entry('a', 1, sizes(100, 50))], [entry('a', 1, sizes(null, 7))]), [
    ['a', 'same', 1, 1, 150, 7],
  ]);
  assert.deepEqual(joined([], [entry('a', 1, sizes(8, null))]), [['a', 'new', null, 1, null, 8]]);
});

test('several assets of one name are added', () => {
  const twice = [
    entry('a', 1, { bytes: null }),
    entry('a', 2, { bytes: 10 }),
    entry('a', 4, { bytes: null }),
    entry('a', 8, { gpu_bytes: 5 }),
  ];
  assert.deepEqual(joined(twice, []), [['a', 'gone', 15, null, 15, null]]);
});
