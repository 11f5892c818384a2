// Where the records of a followed trace are in the recording, and what is left out of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TraceRecord } from '@svc/trace';
import { RecordPlacer } from './place-records.ts';

const MANY_DIMS = Array.from({ length: 100_000 }, () => 1);

/** Places records of a trace that began `beganMs` after the recording, which is 10 s long so far. */
function placed(beganMs: number, ...records: TraceRecord[]): TraceRecord[] {
  const found: TraceRecord[] = [];
  const placer = new RecordPlacer({
    ...{ name: 'game.vpt', offsetMs: beganMs, generation: 2 },
    now: () => 10_000,
    append: (record) => found.push(record),
    note: (record) => found.push(record),
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

test('what the format does not know is left out, and every text is clean', () => {
  const path = '/home/me/secret.txt';
  const extra = { path, url: 'https://u:p@h/?k=1' };
  const record = (fields: object): TraceRecord => JSON.parse(JSON.stringify(fields));
  const found = placed(
    0,
    record({ type: 'mark', t: 1, source: 'native', name: 'a', ...extra }),
    record({ type: 'counter', t: 1, name: 'a', unit: path, value: 1, ...extra }),
    record({ type: 'log', t: 1, level: path, text: '/assets/a.png was not found', ...extra }),
    record({ type: 'loss', t: 1, reason: path, probe: path, ...extra }),
    record({
      ...{ type: 'longtask', t: 1, duration_ms: 1, ...extra },
      scripts: [{ name: path, duration_ms: 1, ...extra }],
    }),
    record({
      ...{ type: 'asset', t: 1, id: 1, name: 'a', kind: 'data', phase: 'load', format: path },
      ...extra,
    }),
  );
  assert.deepEqual(found, [
    { type: 'mark', t: 1, name: 'a' },
    { type: 'counter', t: 1, name: 'a', unit: 'secret.txt', value: 1 },
    { type: 'log', t: 1, level: 'secret.txt', text: 'a.png was not found' },
    { type: 'loss', t: 1, reason: 'secret.txt', probe: 'follow' },
    { type: 'longtask', t: 1, duration_ms: 1, scripts: [{ name: 'secret.txt', duration_ms: 1 }] },
    {
      ...{ type: 'asset', t: 1, id: '2:1', name: 'a', kind: 'data', phase: 'load' },
      format: 'secret.txt',
    },
  ]);
});

test('what happened before the start is left out; what reaches into the recording begins at 0', () => {
  const found = placed(
    -1000,
    { type: 'frames', t: 980, duration_ms: [10, 15, 20] },
    { type: 'span', t: 400, duration_ms: 700.5, name: 'level 1' },
    { type: 'span', t: 400, duration_ms: 600, name: 'menu' },
    { type: 'counter', t: 500, name: 'enemies', unit: 'count', value: 1 },
    { type: 'counter', t: 600, name: 'enemies', unit: 'count', value: 2 },
    { type: 'mark', t: 998, name: 'long before' },
    { type: 'mark', t: 999.999, name: 'before' },
    { type: 'mark', t: 1000, name: 'at the start' },
    {
      ...{ type: 'asset', t: 900, id: 1, name: 'a', kind: 'data', phase: 'load' },
      ...{ duration_ms: 160, main_thread_ms: 110 },
    },
    {
      ...{ type: 'longtask', t: 950, duration_ms: 90, blocking_ms: 40 },
      scripts: [{ name: 'main', duration_ms: 90 }],
    },
    { type: 'log', t: 500, level: 'info', text: 'before' },
    { type: 'loss', t: 900, reason: 'buffer_full', duration_ms: 200 },
  );
  assert.deepEqual(found, [
    { type: 'frames', t: 5, duration_ms: [20] },
    { type: 'span', t: 0, duration_ms: 100.5, name: 'level 1' },
    { type: 'counter', t: 0, name: 'enemies', unit: 'count', value: 2 },
    { type: 'mark', t: 0, name: 'before' },
    { type: 'mark', t: 0, name: 'at the start' },
    {
      type: 'asset',
      t: 0,
      id: '2:1',
      name: 'a',
      kind: 'data',
      phase: 'load',
      duration_ms: 60,
      main_thread_ms: 10,
    },
    { type: 'longtask', t: 0, duration_ms: 40 },
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

test('a release that is written after the start, of a time before it, has an effect at the start', () => {
  const asset = { id: 1, name: 'a', kind: 'texture', phase: 'load', gpu_bytes: 64 } as const;
  const found = placed(
    -1000,
    { type: 'asset', t: 10, ...asset },
    { type: 'mark', t: 1001, name: 'start' },
    { type: 'release', t: 999, id: 1, gpu_bytes: 0 },
  );
  assert.deepEqual(found, [
    { type: 'asset', t: 0, ...asset, id: '2:1', phase: 'named' },
    { type: 'mark', t: 1, name: 'start' },
    { type: 'release', t: 0, id: '2:1', gpu_bytes: 0 },
  ]);
});

test('what is kept of before the start has a limit, and the rest is counted', () => {
  const name = 'a'.repeat(1000);
  const assets = Array.from(
    { length: 8000 },
    (_, id): TraceRecord => ({
      ...{ type: 'asset', t: 0, id, name, kind: 'data', phase: 'load' },
      dims: MANY_DIMS,
    }),
  );
  const found = placed(-1, ...assets);
  const kept = Math.floor((16 * 1024 * 1024) / (256 + 2 * name.length));
  assert.equal(found.length, kept + 1);
  assert.deepEqual(found[0], {
    ...{ type: 'asset', t: 0, id: '2:0', name, kind: 'data', phase: 'named' },
  });
  assert.deepEqual(found.at(-1), {
    ...{ type: 'loss', t: 0, reason: 'too_many_assets', count: 8000 - kept, probe: 'follow' },
  });
});

test('released assets leave their room to others', () => {
  const name = 'a'.repeat(1000);
  const records = Array.from({ length: 20_000 }, (_, id): TraceRecord[] => [
    { type: 'asset', t: 0, id, name, kind: 'data', phase: 'load', bytes: 1 },
    { type: 'release', t: 0, id, bytes: 0 },
  ]);
  const alive = { type: 'asset', t: 0, kind: 'data', phase: 'load', bytes: 1 } as const;
  const found = placed(-1, ...records.flat(), { ...alive, id: 'alive', name: 'alive' });
  assert.deepEqual(
    found.map((record) => record.type === 'asset' && record.name),
    ['alive'],
  );
});

test('of marks and counters of before the start, only later ones replace those that are recorded', () => {
  const counter = { type: 'counter', name: 'level', unit: 'count' } as const;
  const found = placed(
    -1000,
    { ...counter, t: 500, value: 2 },
    { type: 'mark', t: 500, name: 'two' },
    { type: 'mark', t: 1000, name: 'start' },
    { type: 'mark', t: 400, name: 'one' },
    { ...counter, t: 400, value: 1 },
    { ...counter, t: 600, value: 3 },
  );
  assert.deepEqual(found, [
    { ...counter, t: 0, value: 2 },
    { type: 'mark', t: 0, name: 'two' },
    { type: 'mark', t: 0, name: 'start' },
    { ...counter, t: 0, value: 3 },
  ]);
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

test('records in the future are counted and left out', () => {
  const found: TraceRecord[] = [];
  const placer = new RecordPlacer({
    ...{ name: 'game.vpt', offsetMs: 0, generation: 1 },
    now: () => 10_000,
    append: (record) => found.push(record),
    note: (record) => found.push(record),
  });
  placer.place({ type: 'mark', t: 11_000, name: 'late' });
  placer.place({ type: 'mark', t: 11_000.001, name: 'too late' });
  placer.place({ type: 'frames', t: 10_000, duration_ms: [500, 500] });
  placer.place({ type: 'frames', t: 10_000, duration_ms: [500, 500.001] });
  // A game may state a duration before it is over.
  placer.place({ type: 'span', t: 9_000, duration_ms: 9e12, name: 'fade' });
  placer.place({ type: 'span', t: 10_500, duration_ms: 1000, name: 'soon' });
  const upload = { type: 'asset', id: 1, name: 'a', kind: 'data', phase: 'upload' } as const;
  placer.place({ ...upload, t: 9_000, duration_ms: 5000, main_thread_ms: 3000 });
  assert.deepEqual(found.slice(2), [
    { type: 'span', t: 9_000, duration_ms: 1000, name: 'fade' },
    { type: 'span', t: 10_500, duration_ms: 0, name: 'soon' },
    { ...upload, id: '1:1', t: 9_000, duration_ms: 1000, main_thread_ms: 1000 },
  ]);
  assert.deepEqual([found.length, placer.fromFuture], [5, 2]);
});
