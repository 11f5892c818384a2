import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FileWork, type NamedFile } from './file-work.ts';
import type { RunPart } from './run-parts.ts';

const FILE: NamedFile = { id: 1, name: 'art/rock.png', kind: 'texture', format: null };
const MAIN = 7;
const PRESENTING = 9;

function newWork(): FileWork {
  return new FileWork({
    frameThreads: new Set([MAIN, PRESENTING]),
    pageBytes: 4096,
    toTraceMs: (ns) => ns / 1e6,
  });
}

/** A read of 1000 bytes in 2 ms, of a file of 2500. */
function read(atMs: number, changes: Partial<RunPart> = {}): RunPart {
  const [startNs, endNs] = [atMs * 1e6, (atMs + 2) * 1e6];
  const sums = { tookNs: 2e6, amount: 1000, count: 1 };
  return {
    line: 'read',
    tid: MAIN,
    startNs,
    endNs,
    ...sums,
    key: '26:99',
    bytes: 2500,
    ...changes,
  };
}

test('FileWork: reads without a pause are one record, and a pause starts another', () => {
  const work = newWork();
  for (const at of [10, 20, 200]) work.advanced(read(at));
  const reported = work.take(FILE, false);
  assert.deepEqual(reported, [
    {
      type: 'asset',
      t: 10,
      id: 1,
      name: 'art/rock.png',
      kind: 'texture',
      phase: 'read',
      bytes: 2000,
      encoded_bytes: 2500,
      duration_ms: 4,
      main_thread_ms: 4,
      count: 2,
      read_bytes: 2000,
    },
    {
      type: 'asset',
      t: 200,
      id: 1,
      name: 'art/rock.png',
      kind: 'texture',
      phase: 'read',
      bytes: 2500,
      encoded_bytes: 2500,
      duration_ms: 2,
      main_thread_ms: 2,
      count: 1,
      read_bytes: 1000,
    },
  ]);
  assert.deepEqual(work.take(FILE, false), []);
});

test('FileWork: only reads by threads that delay a frame have a time of the main thread', () => {
  const work = newWork();
  work.advanced(read(10));
  work.advanced(read(11, { tid: 8 }));
  work.advanced(read(200, { tid: PRESENTING }));
  const reported = work.take(FILE, false);
  assert.deepEqual(
    reported.map((record) => record.main_thread_ms),
    [2, undefined, 2],
  );
});

test('FileWork: page faults report whole pages, at most the size of the file, and no time', () => {
  const work = newWork();
  work.mapped({
    line: 'map',
    tid: 7,
    startNs: 1e6,
    key: '26:99',
    generation: '1',
    bytes: 5000,
    fd: 3,
  });
  work.advanced(read(10, { line: 'fault', amount: 2, tookNs: 0, bytes: 0 }));
  const [map, fault] = work.take(FILE, false);
  assert.deepEqual([map?.phase, map?.mapped, map?.count], ['load', true, 1]);
  assert.deepEqual([fault?.phase, fault?.mapped, fault?.read_bytes], ['read', true, 5000]);
  assert.equal(fault?.duration_ms, undefined);
});

test('FileWork: pages from storage are reported once, with the first work after them', () => {
  const work = newWork();
  work.advanced(read(9, { line: 'disk', amount: 1 }));
  assert.deepEqual(work.take(FILE, true), []);
  work.advanced(read(10));
  work.advanced(read(200));
  const reported = work
    .take(FILE, true)
    .map(({ transfer_bytes, cached }) => [transfer_bytes, cached]);
  assert.deepEqual(reported, [
    [4096, false],
    [0, true],
  ]);
});

test('FileWork: if the kernel does not report pages from storage, records say nothing about them', () => {
  const work = newWork();
  work.advanced(read(10));
  const [reported] = work.take(FILE, false);
  assert.deepEqual([reported?.transfer_bytes, reported?.cached], [undefined, undefined]);
});

test('FileWork: opens are one record with their total time', () => {
  const work = newWork();
  const open = {
    line: 'open',
    tid: MAIN,
    key: '26:99',
    generation: '1',
    fd: 3,
    folderFd: -100,
  } as const;
  work.opened({ ...open, startNs: 5e6, tookNs: 1e6, bytes: 2500 });
  work.opened({ ...open, startNs: 9e6, tookNs: 2e6, bytes: 2600 });
  const reported = work.take(FILE, false);
  assert.equal(reported.length, 1);
  const { t, phase, count, duration_ms, main_thread_ms, encoded_bytes } = reported[0] ?? {};
  assert.deepEqual(
    { t, phase, count, duration_ms, main_thread_ms, encoded_bytes },
    { t: 5, phase: 'load', count: 2, duration_ms: 3, main_thread_ms: 3, encoded_bytes: 2600 },
  );
});
