// The records of uploads and releases of assets, and the counter of all GPU memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assets } from '../src/assets/assets.ts';
import { Uploads } from '../src/gpu/uploads.ts';
import { recorded } from './recorded.ts';

function uploadsOf() {
  const { sink, lines } = recorded();
  const assets = new Assets(sink);
  return { sink, lines, assets, uploads: new Uploads(assets) };
}

test('uploads of an asset are one record per write, and one that takes longer has a record of its own', () => {
  const { assets, uploads, sink, lines } = uploadsOf();
  const { origin } = sink;
  const rock = assets.ofName('rock', 'texture');
  rock.format = 'RGBA8';
  rock.dims = [4, 4];
  const reported = { type: 'asset', id: 1, name: 'rock', kind: 'texture', phase: 'upload' };
  const shape = { dims: [4, 4], format: 'RGBA8' };
  const read = (all = false) =>
    lines(all).map(({ t, ...line }) => (line['type'] === 'counter' ? line : { t, ...line }));
  const total = (value: number) => ({ type: 'counter', name: 'gpu_bytes', unit: 'bytes', value });
  uploads.add(rock, origin + 1, 0.1, 64);
  uploads.add(rock, origin + 2, 0.1, 36);
  sink.frame = 1;
  uploads.add(rock, origin + 3, 0.1, 0);
  assert.deepEqual(read(), [
    { ...reported, t: 3, gpu_bytes: 100, duration_ms: 0.3, main_thread_ms: 0.3, ...shape },
    total(100),
  ]);
  assert.deepEqual(read(), [total(100)], 'nothing new but the total');
  uploads.add(rock, origin + 4, 0.25, 0);
  sink.frame = 2;
  uploads.add(rock, origin + 5, 0.05, -100);
  assert.deepEqual(read(), [
    { ...reported, t: 4, gpu_bytes: 100, duration_ms: 0.25, main_thread_ms: 0.25, ...shape },
    { ...reported, t: 5, gpu_bytes: 0, duration_ms: 0.05, main_thread_ms: 0.05, ...shape },
    total(0),
  ]);
  assert.equal(Math.round(rock.mainMs * 100), 60);
  uploads.add(rock, origin + 6, 0.04, 0);
  assert.deepEqual(read(), [total(0)], 'too short for a record yet');
  assert.deepEqual(read(true), [
    { ...reported, t: 6, gpu_bytes: 0, duration_ms: 0.04, main_thread_ms: 0.04, ...shape },
    total(0),
  ]);
});

test('uploads that change no memory are recorded from 0.05 ms on, and an asset without a shape has none', () => {
  const { assets, uploads, sink, lines } = uploadsOf();
  const buffer = assets.ofName('level', 'mesh');
  uploads.add(buffer, sink.origin + 1, 0.04, 0);
  assert.deepEqual(lines(), []);
  uploads.add(buffer, sink.origin + 2, 0.01, 0);
  const reported = { type: 'asset', id: 1, name: 'level', kind: 'mesh', phase: 'upload' };
  assert.deepEqual(lines(), [
    { ...reported, t: 1, gpu_bytes: 0, duration_ms: 0.05, main_thread_ms: 0.05 },
  ]);
});

test('bytes move from one asset to another, and also the time of a numbered asset without a record', () => {
  const { assets, uploads, sink, lines } = uploadsOf();
  const at = sink.origin + 1;
  const spare = assets.unnamed('texture', 'texture');
  const rock = assets.ofName('rock', 'texture');
  uploads.add(spare, at, 0.5, 64);
  uploads.move(spare, rock, 64);
  assert.deepEqual([spare.gpuBytes, rock.gpuBytes, assets.gpuBytes], [0, 64, 64]);
  assert.deepEqual([spare.mainMs, rock.mainMs], [0, 0.5]);
  const written = lines(true).filter(({ type }) => type === 'asset');
  assert.deepEqual(
    written.map(({ id, gpu_bytes, main_thread_ms }) => [id, gpu_bytes, main_thread_ms]),
    [[2, 64, 0.5]],
  );
  uploads.move(rock, spare, 64);
  assert.deepEqual([spare.mainMs, rock.mainMs], [0, 0.5], 'a named asset keeps its time');
  const tree = assets.ofName('tree', 'texture');
  uploads.add(tree, at, 0.5, 8);
  uploads.move(tree, rock, 8);
  assert.equal(tree.mainMs, 0.5, 'a numbered asset without a record');
  const other = assets.unnamed('texture', 'texture');
  uploads.add(other, at, 0.5, 16);
  lines();
  uploads.add(other, at, 0.25, 16);
  uploads.move(other, rock, 32);
  assert.equal(other.mainMs, 0.75, 'a numbered asset with a record');
});

/** The fields of the releases and uploads since the last call, without those that a test does not set. */
function eventsOf(lines: readonly Readonly<Record<string, unknown>>[]): unknown[] {
  return lines
    .filter(({ type }) => type !== 'counter')
    .map(({ type, t, id, gpu_bytes, count }) => [
      type === 'release' ? 'release' : 'upload',
      t,
      id,
      gpu_bytes,
      ...(count === undefined ? [] : [count]),
    ]);
}

test('a release states what the asset still has, and replaces the record of an upload', () => {
  const { assets, uploads, sink, lines } = uploadsOf();
  const { origin } = sink;
  const rock = assets.ofName('rock', 'texture');
  uploads.add(rock, origin + 1, 0, 64);
  uploads.add(rock, origin + 1, 0, 36);
  assert.deepEqual(eventsOf(lines()), [['upload', 1, 1, 100]]);
  uploads.release(rock, origin + 5, 0.01, 64);
  assert.deepEqual(eventsOf(lines()), [['release', 5, 1, 36]]);
  assert.deepEqual([rock.gpuBytes, assets.gpuBytes], [36, 36]);
  uploads.release(rock, origin + 7, 0, 30);
  uploads.release(rock, origin + 8, 0, 6);
  assert.deepEqual(eventsOf(lines()), [['release', 8, 1, 0, 2]], 'one record per write');
  assert.deepEqual(eventsOf(lines()), [], 'only once');
});

test('an asset that gets memory after a release has the record of both', () => {
  const { assets, uploads, sink, lines } = uploadsOf();
  const { origin } = sink;
  const rock = assets.ofName('rock', 'texture');
  uploads.add(rock, origin + 1, 0, 100);
  lines();
  uploads.release(rock, origin + 5, 0, 100);
  sink.frame = 1;
  uploads.add(rock, origin + 6, 0, 70);
  assert.deepEqual(eventsOf(lines()), [
    ['upload', 6, 1, 70],
    ['release', 5, 1, 0],
  ]);
  uploads.release(rock, origin + 8, 0, 70);
  sink.frame = 2;
  uploads.add(rock, origin + 9, 0, 70);
  assert.deepEqual(
    eventsOf(lines()),
    [
      ['upload', 9, 1, 70],
      ['release', 8, 1, 0],
    ],
    'also if it has the same memory as before',
  );
});

test('a release among uploads of one frame states the memory after all of them', () => {
  const { assets, uploads, sink, lines } = uploadsOf();
  const { origin } = sink;
  const rock = assets.ofName('rock', 'texture');
  uploads.add(rock, origin + 1, 1, 100);
  uploads.release(rock, origin + 2, 0, 100);
  uploads.add(rock, origin + 3, 0, 40);
  assert.deepEqual(eventsOf(lines()), [
    ['upload', 1, 1, 40],
    ['release', 2, 1, 40],
  ]);
});

test('an asset that appears and vanishes between two writes has no record', () => {
  const { assets, uploads, sink, lines } = uploadsOf();
  const rock = assets.ofName('rock', 'texture');
  uploads.add(rock, sink.origin + 1, 0, 64);
  uploads.release(rock, sink.origin + 2, 0, 64);
  assert.deepEqual(lines(), []);
});

test('the release of an asset without a size has none', () => {
  const { assets, uploads, sink, lines } = uploadsOf();
  const shader = assets.ofName('sky', 'shader');
  assets.record(shader, 'compile', sink.origin + 1, { duration_ms: 2 });
  lines();
  uploads.release(shader, sink.origin + 3, 0, 0);
  assert.deepEqual(lines(), [{ type: 'release', t: 3, id: 1 }]);
});

test('the GPU memory of all assets is written with every write, from the first memory on', () => {
  const { assets, uploads, sink, lines } = uploadsOf();
  const totals = () => lines().flatMap(({ type, value }) => (type === 'counter' ? [value] : []));
  assert.deepEqual(totals(), []);
  const rock = assets.ofName('rock', 'texture');
  uploads.add(rock, sink.origin, 0, 64);
  assert.deepEqual(totals(), [64]);
  assert.deepEqual(totals(), [64]);
  uploads.release(rock, sink.origin, 0, 64);
  assert.deepEqual([totals(), totals()], [[0], [0]]);
});
