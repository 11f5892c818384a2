// The values that the overlay shows: frames of its own ring or of the recording, the costliest assets, formatted numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recorded } from '../../test/recorded.ts';
import { type Asset, Assets } from '../assets/assets.ts';
import { costOf, formatMs, heaviest, RecentFrames } from './readings.ts';

test('frames from a recording are the newest, and replace all earlier ones', () => {
  const frames = new RecentFrames(4);
  frames.add(99);
  const recent = new Float64Array(8);
  for (let frame = 1; frame < 11; frame++) recent[frame % 8] = frame;
  frames.take(recent, 11);
  assert.equal(frames.count, 4);
  assert.deepEqual(
    [0, 1, 2, 3].map((back) => frames.at(back)),
    [10, 9, 8, 7],
  );
  assert.equal(frames.percentile(0.99), 10);
  assert.equal(frames.fps(), 4000 / 34);
});

test('a recording that has just started has fewer frames', () => {
  const frames = new RecentFrames(4);
  frames.take(new Float64Array([0, 5, 7, 0]), 3);
  assert.equal(frames.count, 2);
  assert.equal(frames.at(0), 7);
  frames.take(new Float64Array(4), 0);
  assert.equal(frames.count, 0);
  assert.equal(frames.fps(), 0);
});

test('measured frames fill the ring, then replace the oldest', () => {
  const frames = new RecentFrames(3);
  assert.equal(frames.percentile(0.99), 0);
  for (const [at, ms] of [10, 20, 30, 40, 50].entries()) {
    frames.add(ms);
    assert.equal(frames.count, Math.min(3, at + 1));
    assert.equal(frames.at(0), ms);
  }
  assert.deepEqual(
    [0, 1, 2].map((back) => frames.at(back)),
    [50, 40, 30],
  );
  assert.equal(frames.fps(), 3000 / 120);
});

test('percentile returns the nearest rank', () => {
  const frames = new RecentFrames(200);
  for (let ms = 100; ms >= 1; ms--) frames.add(ms);
  const rows = [
    [0, 1],
    [0.01, 1],
    [0.5, 50],
    [0.501, 51],
    [0.99, 99],
    [1, 100],
  ] as const;
  for (const [share, ms] of rows) assert.equal(frames.percentile(share), ms, String(share));
  assert.equal(frames.at(0), 1, 'the frames stay in their order');
});

const MIB = 1_048_576;

function assetOf(id: number, mainMs: number, bytes = 0, gpuBytes = 0): Asset {
  return {
    ...new Assets(recorded().sink).unnamed('texture', 'texture'),
    id,
    mainMs,
    bytes,
    gpuBytes,
  };
}

test('an asset costs half a budget for each budget of main-thread time, and a little for its memory', () => {
  const rows: readonly (readonly [Asset, number])[] = [
    [assetOf(1, 0), 0],
    [assetOf(1, 20), 1],
    [assetOf(1, 0, 50 * MIB), 0.5],
    [assetOf(1, 0, 0, 50 * MIB), 1],
    [assetOf(1, 10, MIB, MIB), 0.53],
  ];
  for (const [asset, cost] of rows) {
    assert.equal(Math.round(costOf(asset, 10) * 1e6) / 1e6, cost);
  }
});

test('the costliest assets come first, equal ones in their order, and assets without cost are omitted', () => {
  const assets = [5, 0, 20, 5, 10, 20, 1].map((ms, at) => assetOf(at + 1, ms));
  const ids = (most: number): number[] => heaviest(assets, most, 10).map(({ id }) => id);
  assert.deepEqual(ids(10), [3, 6, 5, 1, 4, 7]);
  assert.deepEqual(ids(4), [3, 6, 5, 1]);
  assert.deepEqual(ids(1), [3]);
  const later = [10, 9, 1, 5, 9.5].map((ms, at) => assetOf(at + 1, ms));
  assert.deepEqual(
    heaviest(later, 3, 10).map(({ id }) => id),
    [1, 5, 2],
    'a later one replaces the one with the lowest cost',
  );
  assert.deepEqual(
    heaviest(later.slice(0, 4), 3, 10).map(({ id }) => id),
    [1, 2, 4],
  );
  assert.deepEqual(heaviest([], 5, 10), []);
  assert.equal(assets.length, 7);
});

test('times are formatted in a fitting unit', () => {
  for (const [ms, text] of [
    [0, '0.0 ms'],
    [7.26, '7.3 ms'],
    [99.9, '99.9 ms'],
    [100, '100 ms'],
    [999, '999 ms'],
    [1_000, '1.0 s'],
    [1_250, '1.3 s'],
  ] as const) {
    assert.equal(formatMs(ms), text);
  }
});
