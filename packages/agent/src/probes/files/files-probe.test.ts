// The reader of the files program, from lines to records, without a kernel. This process takes the
// place of the watched one.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { AssetRecord, TraceRecord } from '@svc/trace';
import type { LinuxProcess } from '../../target/pin-process.ts';
import { filesProbe } from './files-probe.ts';

function openReader(t: TestContext) {
  // The end waits for names only for a limited time, which must not depend on this machine.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const folder = mkdtempSync(join(tmpdir(), 'svc-files-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const records: TraceRecord[] = [];
  const process: Pick<LinuxProcess, 'folder' | 'target'> = {
    folder: '/proc/self',
    target: { pid: 7, name: 'game', started_at: '' },
  };
  const reader = filesProbe.open({
    process: process as LinuxProcess,
    frameThreads: new Set([7]),
    append: (record) => records.push(record),
    toTraceMs: (ns) => ns / 1e6,
  });
  return { folder, reader, records };
}

/** The lines of an open and of a read of it, as the kernel program prints them. */
function linesOf(path: string, name: string, bytes: number): string[] {
  const { ino } = statSync(path);
  return [
    `open 7 1000000 5000 266338304 ${ino} 1 ${bytes} 99 -100`,
    `name 7 1000000 ${name}`,
    `@read[7, 0]: (2000000, 3000000, 500000, ${bytes}, 1, 266338304, ${ino}, ${bytes})`,
  ];
}

test('files: an open and its reads become records of one asset, with its name once it is found', async (t) => {
  const { folder, reader, records } = openReader(t);
  const path = join(folder, 'rock');
  writeFileSync(path, 'DDS and so on');
  for (const line of linesOf(path, path, 13)) reader.line(line);
  await reader.end(10);
  const reported = records as AssetRecord[];
  assert.deepEqual(
    reported.map(({ name, kind, format, phase, read_bytes }) => [
      name,
      kind,
      format,
      phase,
      read_bytes,
    ]),
    [
      ['rock', 'texture', 'DDS', 'load', undefined],
      ['rock', 'texture', 'DDS', 'read', 13],
    ],
  );
});

test('files: the first bytes of another file that now has the name are not used', async (t) => {
  const { folder, reader, records } = openReader(t);
  for (const name of ['real', 'other.png']) writeFileSync(join(folder, name), 'DDS ');
  for (const line of linesOf(join(folder, 'real'), join(folder, 'other.png'), 4)) reader.line(line);
  await reader.end(10);
  const [reported] = records as AssetRecord[];
  assert.deepEqual([reported?.name, reported?.format], ['other.png', undefined]);
});

test('files: invalid lines of a hostile program are skipped', async (t) => {
  const { reader, records } = openReader(t);
  const lines = ['', '\0', 'name 7', '@read[', 'open 1 2 3', `name 7 1 ${'x'.repeat(8000)}`];
  for (const line of lines) reader.line(line);
  reader.tick(1000);
  await reader.end(2000);
  assert.deepEqual(records, []);
});

test('files: a file that is not on disk is left out, whatever was done with it', async (t) => {
  const { reader, records } = openReader(t);
  for (const line of linesOf('/proc/self/status', '/proc/self/status', 0)) reader.line(line);
  await reader.end(10);
  assert.deepEqual(records, []);
});

test('files: a warning of bpftrace does not explain its end, but an error does', (t) => {
  const { reader } = openReader(t);
  const reported = [
    'stdin:9:25-26: WARNING: Addrspace mismatch',
    '  if ((uint64)args->ret < (uint64)$table->max_fds) {',
    '                        ~',
    'ERROR: no such thing',
  ];
  assert.deepEqual(
    reported.map((text) => reader.complaint?.(text)),
    [true, true, true, false],
  );
});
