// Joining the assets of two traces by name and content, and the order of the changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssetReportEntry } from './asset-report.ts';
import { compareAssets } from './compare-assets.ts';

function entry(name: string, cost: number, more: Partial<AssetReportEntry> = {}): AssetReportEntry {
  return {
    ...{ id: name, name, kind: 'texture', source: 'browser', uses: 1, cost, share: 0, advice: [] },
    ...{ bytes: null, gpu_bytes: null, load_ms: null, decode_ms: null, upload_ms: null },
    ...{ main_thread_ms: null, hitch_ms: 0, hitches: 0 },
    ...more,
  };
}

type Contents = Readonly<Record<string, string>>;
const contentsOf = (before: Contents, after: Contents) => ({
  before: (name: string) => before[name] ?? null,
  after: (name: string) => after[name] ?? null,
});

const joined = (
  before: readonly AssetReportEntry[],
  after: readonly AssetReportEntry[],
  contents: ReturnType<typeof contentsOf> | null = null,
) =>
  compareAssets(before, after, contents).map(({ old_name, name, state, cost_change }) => [
    old_name,
    name,
    state,
    cost_change,
  ]);

test('compareAssets joins by name, and orders by the rise of cost, then by name', () => {
  const before = [entry('b', 10), entry('z', 5), entry('a', 5), entry('gone', 20)];
  const after = [entry('b', 13.25), entry('z', 5), entry('a', 5), entry('new', 30)];
  assert.deepEqual(joined(before, after), [
    [null, 'new', 'new', 30],
    [null, 'b', 'kept', 3.25],
    [null, 'a', 'kept', 0],
    [null, 'z', 'kept', 0],
    [null, 'gone', 'gone', -20],
  ]);
});

test('compareAssets never joins assets of another kind or source', () => {
  const after = [entry('b', 1, { kind: 'mesh' }), entry('b', 2, { source: 'native' })];
  assert.deepEqual(
    compareAssets([entry('b', 4)], after).map(({ state, kind, source }) => [state, kind, source]),
    [
      ['new', 'texture', 'native'],
      ['new', 'mesh', 'browser'],
      ['gone', 'texture', 'browser'],
    ],
  );
});

test('compareAssets joins a renamed asset by its content, and reports whether contents differ', () => {
  const before = [entry('old.png', 1), entry('kept.png', 1), entry('new.png', 4)];
  const after = [entry('moved.png', 2), entry('kept.png', 1), entry('new.png', 5)];
  const contents = contentsOf(
    { 'old.png': 'A', 'kept.png': 'B', 'new.png': 'C' },
    { 'moved.png': 'A', 'kept.png': 'B', 'new.png': 'D' },
  );
  assert.deepEqual(joined(before, after, contents), [
    ['old.png', 'moved.png', 'same', 1],
    [null, 'new.png', 'changed', 1],
    [null, 'kept.png', 'same', 0],
  ]);
  assert.deepEqual(joined(before, after), [
    [null, 'moved.png', 'new', 2],
    [null, 'new.png', 'kept', 1],
    [null, 'kept.png', 'kept', 0],
    [null, 'old.png', 'gone', -1],
  ]);
  const half = contentsOf({ 'kept.png': 'B' }, {});
  assert.equal(joined([entry('kept.png', 1)], [entry('kept.png', 1)], half)[0]?.[2], 'kept');
});

test('compareAssets does not guess which of several assets with one content is meant', () => {
  const before = [entry('a.png', 1)];
  const after = [entry('b.png', 1), entry('c.png', 1)];
  const contents = contentsOf({ 'a.png': 'A' }, { 'b.png': 'A', 'c.png': 'A' });
  assert.deepEqual(
    joined(before, after, contents).map(([, , state]) => state),
    ['new', 'new', 'gone'],
  );
});

test('compareAssets joins names that differ in a content hash or in the address of the game', () => {
  const same: [before: string, after: string][] = [
    ['assets/comet-DkZ3xQ9p.png', 'assets/comet-Ab1Cd2Ef.png'],
    ['a1b2c3d4.chunk.js', 'a1b2c3d4.chunk.js'],
    ['game.0123456789abcdef.data.br', 'game.fedcba9876543210.data.br'],
    ['play/goats/art/comet.png', 'play/3f2a91/art/comet.png'],
    ['/play/goats/art/comet.png', 'art/comet.png'],
  ];
  for (const [was, is] of same) {
    const hasOtherName = !was.endsWith('comet.png') && was !== is;
    assert.deepEqual(
      joined([entry(was, 1)], [entry(is, 2)]),
      [[hasOtherName ? was : null, is, 'kept', 1]],
      `${was} ${is}`,
    );
  }
  const others: [before: string, after: string][] = [
    ['big-elephant.png', 'big-dinosaur.png'],
    ['level-1.json', 'level-2.json'],
    ['take-20260101.ogg', 'take-20260102.ogg'],
    ['a/comet.png', 'b/comet.png'],
  ];
  for (const [was, is] of others) {
    assert.equal(joined([entry(was, 1)], [entry(is, 2)]).length, 2, `${was} ${is}`);
  }
  const two = [entry('c-DkZ3xQ9p.png', 1), entry('c-Ab1Cd2Ef.png', 1)];
  assert.equal(joined([entry('c-Xy9Zw8Vu.png', 1)], two).length, 3, 'not unique');
});

test('assets of one name are added up; an unknown value is not 0', () => {
  const before = [
    entry('a', 0.1, { bytes: 10, load_ms: 1.1, hitch_ms: 2, hitches: 1, uses: 2 }),
    entry('a', 0.2, { gpu_bytes: 7, load_ms: 2.2, hitch_ms: 0.5, hitches: 1, uses: 3 }),
  ];
  const [change] = compareAssets(before, []);
  assert.deepEqual(change?.before, {
    ...{ bytes: 10, gpu_bytes: 7, load_ms: 3.3, decode_ms: null, upload_ms: null },
    ...{ main_thread_ms: null, hitch_ms: 2.5, hitches: 2, cost: 0.3, uses: 5 },
  });
  assert.deepEqual([change?.after, change?.cost_change], [null, -0.3]);
});

test('tens of thousands of assets are compared', () => {
  const many = (offset: number) =>
    Array.from({ length: 20_000 }, (_, i) => entry(`asset ${i + offset}`, i));
  const changes = compareAssets(many(0), many(10_000));
  assert.equal(changes.length, 30_000);
  assert.equal(changes.filter(({ state }) => state === 'kept').length, 10_000);
});
