// Which lines of the files program belong to the same asset, and how long work waits for a name.
// This process takes the place of the watched one.
import assert from 'node:assert/strict';
import {
  closeSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { AssetRecord, TraceRecord } from '@svc/trace';
import type { LinuxProcess } from '../../target/pin-process.ts';
import { filesProbe } from './files-probe.ts';
import { listOpenFiles } from './look-up-file.ts';

const MAIN = 7;

/** A reader, and a file of 13 bytes that is open as `fd`. */
function openReader(t: TestContext, name = 'rock.png') {
  // The end waits for names only for a limited time, which must not depend on this machine.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-files-')));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  writeFileSync(path, 'DDS and so on');
  const fd = openSync(path, 'r');
  t.after(() => closeSync(fd));
  const records: TraceRecord[] = [];
  const target = { pid: MAIN, name: 'game', started_at: '' };
  const reader = filesProbe.open({
    process: { folder: '/proc/self', target } as LinuxProcess,
    frameThreads: new Set([MAIN]),
    append: (record) => records.push(record),
    toTraceMs: (ns) => ns / 1e6,
  });
  const inode = statSync(path).ino;
  const open = (ms: number, generation = 1, tid = MAIN) =>
    reader.line(`open ${tid} ${ms}000000 5000 26 ${inode} ${generation} 13 ${fd} -100`);
  const nameIs = (ms: number, given: string, tid = MAIN) =>
    reader.line(`name ${tid} ${ms}000000 ${given}`);
  return { folder, path, fd, inode, records, reader, open, nameIs };
}

function loadsOf(records: readonly TraceRecord[]) {
  return (records as AssetRecord[])
    .filter(({ phase }) => phase === 'load')
    .map(({ id, name, count }) => ({ id, name, count }));
}

test('files: a file that is opened again is the same asset, and one that replaced it at its inode is another', async (t) => {
  const { path, records, reader, open, nameIs } = openReader(t);
  for (const [ms, generation] of [
    [1, 1],
    [2, 1],
    [3, 2],
  ] as const) {
    open(ms, generation);
    nameIs(ms, path);
  }
  await reader.end(10);
  assert.deepEqual(loadsOf(records), [
    { id: 1, name: 'rock.png', count: 2 },
    { id: 2, name: 'rock.png', count: 1 },
  ]);
});

/** Lines about a file that can't be found, so that only its reported name is known. */
const goneOpen = (ms: number, tid = MAIN): string =>
  `open ${tid} ${ms}000000 5000 26 4000000001 1 13 9999 -100`;
const goneName = (ms: number, name: string, tid = MAIN): string =>
  `name ${tid} ${ms}000000 /nowhere/${name}`;
const goneRead = '@read[7, 0]: (9000000, 9500000, 500000, 13, 1, 26, 4000000001, 13)';

test('files: a name belongs to the open of the same thread and time, whichever line comes first', async (t) => {
  const { records, reader } = openReader(t);
  for (const line of [
    goneName(1, 'mine.ogg'),
    goneName(1, 'of-another-thread.ogg', 8),
    goneName(2, 'later.ogg'),
    goneOpen(1),
  ]) {
    reader.line(line);
  }
  await reader.end(10);
  assert.deepEqual(loadsOf(records), [{ id: 1, name: 'mine.ogg', count: 1 }]);
});

test('files: a name still belongs to an open of the second before', async (t) => {
  const { records, reader } = openReader(t);
  reader.line(goneOpen(1));
  reader.tick(1_000);
  reader.line(goneName(1, 'late.ogg'));
  await reader.end(2_000);
  assert.deepEqual(loadsOf(records), [{ id: 1, name: 'late.ogg', count: 1 }]);
});

test('files: a file that was read before its name was reported gets the name', async (t) => {
  const { records, reader } = openReader(t);
  for (const line of [goneRead, goneOpen(10), goneName(10, 'known.ogg')]) reader.line(line);
  await reader.end(2_000);
  const named = (records as AssetRecord[]).map(({ name, phase }) => `${phase} ${name}`);
  assert.deepEqual(named, ['read known.ogg', 'load known.ogg']);
});

test('files: a file without a reported name is looked for among the files that are open now', async (t) => {
  const { folder, records, reader } = openReader(t);
  await listOpenFiles('/proc/self');
  const path = join(folder, 'later.png');
  writeFileSync(path, '');
  const descriptor = openSync(path, 'r');
  t.after(() => closeSync(descriptor));
  reader.tick(1_000);
  reader.line(goneRead.replace('4000000001', String(statSync(path).ino)));
  await reader.end(2_000);
  assert.deepEqual(
    (records as AssetRecord[]).map(({ name }) => name),
    ['later.png'],
  );
});

test('files: the records of one second are in the order of their times', async (t) => {
  const { records, reader } = openReader(t);
  for (const [ms, inode] of [
    [5, 4_000_000_005],
    [3, 4_000_000_003],
    [4, 4_000_000_004],
  ] as const) {
    reader.line(`map ${MAIN} ${ms}000000 0 26 ${inode} 1 13 9999`);
  }
  await reader.end(10);
  assert.deepEqual(
    records.map((record) => record.t),
    [3, 4, 5],
  );
});

test('files: work on files beyond 65,536 is a loss with its number of lines', async (t) => {
  const { records, reader, open, nameIs, path } = openReader(t);
  for (let inode = 1; inode <= 65_536; inode++) {
    // A pseudo file is not looked up, which would take long here.
    reader.line(`open 7 ${inode}000 5000 26 ${inode}0000000 1 13 9999 -100`);
    reader.line(`name 7 ${inode}000 /dev/shm/${inode}`);
  }
  for (const ms of [1, 2]) {
    open(ms);
    nameIs(ms, path);
  }
  reader.tick(1_000);
  const loss = { type: 'loss', t: 1_000, reason: 'too_many_files', count: 2 };
  assert.deepEqual(records, [loss]);
  await reader.end(2_000);
  assert.deepEqual(records, [loss], 'it is reported once');
});

test('files: an open whose name was lost is recorded after a second, with the name of its descriptor', async (t) => {
  const { records, reader, open } = openReader(t);
  open(1);
  reader.tick(1_000);
  assert.deepEqual(records, [], 'the name may still come');
  reader.tick(2_000);
  await reader.end(3_000);
  assert.deepEqual(loadsOf(records), [{ id: 1, name: 'rock.png', count: 1 }]);
});

test('files: a name without its open is forgotten after a second', async (t) => {
  const { records, reader } = openReader(t);
  reader.line(goneName(1, 'of-an-earlier-open.png'));
  reader.tick(1_000);
  reader.tick(2_000);
  reader.line(goneOpen(1));
  await reader.end(3_000);
  assert.deepEqual(loadsOf(records), [{ id: 1, name: 'unknown file', count: 1 }]);
});

test('files: a file that is not found keeps the name that the program passed, and without one it is unknown', async (t) => {
  const { records, reader } = openReader(t);
  reader.line('open 7 1000000 5000 26 4000000001 1 13 9999 -100');
  reader.line('name 7 1000000 /nowhere/gone.ogg');
  reader.line('map 7 2000000 0 26 4000000002 1 13 9999');
  await reader.end(10);
  const found = (records as AssetRecord[]).map(({ name, kind }) => `${name} ${kind}`);
  assert.deepEqual(found, ['gone.ogg audio', 'unknown file other']);
});

test('files: whether the work blocked the main thread is decided by its thread', async (t) => {
  const { path, records, reader, open, nameIs } = openReader(t);
  for (const [ms, tid] of [
    [1, MAIN],
    [2, 8],
  ] as const) {
    open(ms, 1, tid);
    nameIs(ms, path, tid);
  }
  await reader.end(10);
  const main = (records as AssetRecord[]).map(({ main_thread_ms }) => main_thread_ms !== undefined);
  assert.deepEqual(main, [true, false]);
});

for (const [announced, transferred, cached] of [
  [true, true, false],
  [false, false, undefined],
] as const) {
  const what = announced ? 'announces' : 'does not announce';
  test(`files: pages from storage, if the kernel ${what} that it reports them`, async (t) => {
    const { path, inode, records, reader, open, nameIs } = openReader(t);
    if (announced) reader.line('reports_disk');
    open(1);
    nameIs(1, path);
    reader.line(`@disk[7, 0]: (1000000, 1500000, 0, 1, 1, 26, ${inode}, 0)`);
    reader.line(`@read[7, 0]: (2000000, 3000000, 500000, 13, 1, 26, ${inode}, 13)`);
    await reader.end(10);
    const read = (records as AssetRecord[]).find(({ phase }) => phase === 'read');
    assert.deepEqual([read?.transfer_bytes !== undefined, read?.cached], [transferred, cached]);
  });
}
