// Where the records of a followed trace are in the recording, and what is left out of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TraceRecord } from '@svc/trace';
import { RecordPlacer } from './place-records.ts';

/** Places records of a trace that began `beganMs` after the recording, which is 10 s long so far. */
function placed(beganMs: number, ...records: TraceRecord[]): TraceRecord[] {
  const found: TraceRecord[] = [];
  const placer = new RecordPlacer({
    ...{ name: 'game.vpt', offsetMs: beganMs, generation: 2 },
    now: () => 10_000,
    append: (record) => found.push(record),
  });
  for (const record of records) placer.place(record);
  placer.flush();
  return found;
}

test('records are moved to the times of the recording, and keep their values', () => {
  const found = placed(
    250,
    { type: 'frames', t: 0.125, duration_ms: [16, 17], draws: [3, null] },
    { type: 'span', t: 1, duration_ms: 2, name: 'physics', track: 'GameThread' },
    { type: 'mark', t: 2, name: 'boss' },
    { type: 'counter', t: 3, name: 'enemies', unit: 'count', value: -1.5 },
    { type: 'log', t: 4, level: 'warn', text: 'slow' },
    { type: 'loss', t: 5, reason: 'buffer_full', count: 3 },
    { type: 'longtask', t: 6, duration_ms: 60, scripts: [{ name: 'main', duration_ms: 50 }] },
  );
  assert.deepEqual(found, [
    { type: 'frames', t: 250.125, duration_ms: [16, 17], draws: [3, null] },
    { type: 'span', t: 251, duration_ms: 2, name: 'physics', track: 'GameThread' },
    { type: 'mark', t: 252, name: 'boss' },
    { type: 'counter', t: 253, name: 'enemies', unit: 'count', value: -1.5 },
    { type: 'log', t: 254, level: 'warn', text: 'slow' },
    { type: 'loss', t: 255, reason: 'buffer_full', count: 3 },
    { type: 'longtask', t: 256, duration_ms: 60, scripts: [{ name: 'main', duration_ms: 50 }] },
  ]);
});

test('assets have ids of their own, in which 1 and "1" differ, and private parts of names are removed', () => {
  const asset = { type: 'asset', t: 0, kind: 'texture', phase: 'load' } as const;
  const [first, second, path, release, span, log] = placed(
    0,
    { ...asset, id: 1, name: '/home/me/game/rock.png' },
    { ...asset, id: '1', name: 'tree.png' },
    { ...asset, id: '/home/me/x', name: 'x' },
    { type: 'release', t: 1, id: '1', bytes: 0 },
    { type: 'span', t: 1, duration_ms: 1, name: 'load /home/me/a.png', track: '/home/me/t' },
    { type: 'log', t: 1, level: 'info', text: 'opened https://me:secret@example.org/a?key=1' },
  );
  assert.ok(first?.type === 'asset' && second?.type === 'asset' && path?.type === 'asset');
  assert.deepEqual([first.id, first.name], ['2:1', 'rock.png']);
  assert.match(String(second.id), /^2#[0-9a-f]{16}$/);
  assert.match(String(path.id), /^2#[0-9a-f]{16}$/);
  assert.notEqual(second.id, path.id);
  assert.ok(release?.type === 'release');
  assert.equal(release.id, second.id);
  assert.ok(span?.type === 'span' && log?.type === 'log');
  assert.deepEqual([span.name, span.track], ['load a.png', 't']);
  assert.equal(log.text, 'opened https://example.org/a');
});

test('what happened before the start is left out; what reaches into the recording begins at 0', () => {
  const found = placed(
    -1000,
    { type: 'frames', t: 980, duration_ms: [10, 15, 20] },
    { type: 'span', t: 400, duration_ms: 700.5, name: 'level 1' },
    { type: 'span', t: 400, duration_ms: 600, name: 'menu' },
    { type: 'mark', t: 999.999, name: 'before' },
    { type: 'mark', t: 1000, name: 'at the start' },
    { type: 'counter', t: 500, name: 'enemies', unit: 'count', value: 1 },
    { type: 'log', t: 500, level: 'info', text: 'before' },
    { type: 'loss', t: 900, reason: 'buffer_full', duration_ms: 200 },
  );
  assert.deepEqual(found, [
    { type: 'frames', t: 5, duration_ms: [20] },
    { type: 'span', t: 0, duration_ms: 100.5, name: 'level 1' },
    { type: 'mark', t: 0, name: 'at the start' },
    { type: 'loss', t: 0, reason: 'buffer_full', duration_ms: 100 },
  ]);
});

test('assets that are there at the start are recorded with their sizes, before anything else', () => {
  const texture = { kind: 'texture', phase: 'load', duration_ms: 5, main_thread_ms: 5 } as const;
  const asset = (id: number, t: number, bytes: number, gpu_bytes: number): TraceRecord => ({
    ...{ type: 'asset', t, id, name: `${id}.png`, ...texture },
    ...{ bytes, gpu_bytes, dims: [4, 4], format: 'rgba8' },
  });
  const found = placed(
    -1000,
    asset(1, 10, 100, 400),
    asset(2, 20, 100, 400),
    asset(3, 30, 100, 400),
    { type: 'asset', t: 40, id: 1, name: 'one', kind: 'texture', phase: 'upload', gpu_bytes: 800 },
    { type: 'release', t: 50, id: 2, bytes: 0, gpu_bytes: 0 },
    { type: 'release', t: 60, id: 3, bytes: 0 },
    { type: 'release', t: 70, id: 4, bytes: 0 },
    { type: 'release', t: 1500, id: 1, gpu_bytes: 0 },
  );
  const kept = { kind: 'texture', dims: [4, 4], format: 'rgba8' };
  assert.deepEqual(found, [
    {
      ...{ type: 'asset', t: 0, id: '2:1', phase: 'named', name: 'one', ...kept },
      bytes: 100,
      gpu_bytes: 800,
    },
    {
      ...{ type: 'asset', t: 0, id: '2:3', phase: 'named', name: '3.png', ...kept },
      bytes: 0,
      gpu_bytes: 400,
    },
    { type: 'release', t: 500, id: '2:1', gpu_bytes: 0 },
  ]);
});

test('more assets than are kept are counted', () => {
  const assets = Array.from(
    { length: 65_539 },
    (_, id): TraceRecord => ({ type: 'asset', t: 0, id, name: 'a', kind: 'data', phase: 'load' }),
  );
  const found = placed(-1, ...assets);
  assert.equal(found.length, 65_537);
  assert.deepEqual(found.at(-1), {
    ...{ type: 'loss', t: 0, reason: 'too_many_assets', count: 3, probe: 'follow' },
  });
});

test('records that svc has itself, and notes, are left out, which is stated once for each type', () => {
  const found = placed(
    0,
    { type: 'process', t: 1, rss_bytes: 1 },
    { type: 'process', t: 2, rss_bytes: 1 },
    { type: 'note', t: 1, id: 1, text: 'mine' },
    { type: 'unknown', t: 1, fields: { type: 'gamepad', t: 1 } },
    { type: 'unknown', t: 1, fields: { type: 'other', t: 1 } },
    { type: 'end', t: 2, reason: 'closed' },
  );
  const log = (text: string): TraceRecord => ({ type: 'log', t: 10_000, level: 'info', text });
  assert.deepEqual(found, [
    log('Records of the type process in game.vpt are left out.'),
    log('Records of the type note in game.vpt are left out.'),
    log('Records of unknown types in game.vpt are left out.'),
  ]);
});

test('records that end more than a second in the future are counted and left out', () => {
  const found: TraceRecord[] = [];
  const placer = new RecordPlacer({
    ...{ name: 'game.vpt', offsetMs: 0, generation: 1 },
    now: () => 10_000,
    append: (record) => found.push(record),
  });
  placer.place({ type: 'mark', t: 11_000, name: 'late' });
  placer.place({ type: 'mark', t: 11_000.001, name: 'too late' });
  placer.place({ type: 'span', t: 5, duration_ms: 9e12, name: 'endless' });
  placer.place({ type: 'frames', t: 10_000, duration_ms: [500, 501] });
  assert.deepEqual([found.length, placer.fromFuture], [1, 3]);
});
