// When perf can sample a process, and what its reader does at the end.
import assert from 'node:assert/strict';
import fs, { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { TraceRecord } from '@svc/trace';
import type { LinuxProcess } from '../../target/pin-process.ts';
import type { ProbeContext, ProbeKind } from '../probe-kind.ts';
import { bpfStacks } from './bpf-stacks.ts';
import { perfCommand, perfObstacle, perfStacks } from './perf-stacks.ts';

const OWN_USER = process.getuid?.() ?? 0;
/** A user without rights: this one, or another one if the tests run as root. */
const USER = OWN_USER === 0 ? 1_000 : OWN_USER;

/** A folder in place of the `/proc/PID` of a process of that user, with a `perf` that is first in PATH. */
function processOf(t: TestContext, perf: string): LinuxProcess {
  const folder = mkdtempSync(join(tmpdir(), 'svc-perf-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'perf'), `#!/bin/sh\n${perf}\n`);
  chmodSync(join(folder, 'perf'), 0o755);
  if (OWN_USER === 0) chownSync(folder, USER, USER);
  const { PATH = '' } = process.env;
  process.env['PATH'] = `${folder}:${PATH}`;
  t.after(() => {
    process.env['PATH'] = PATH;
  });
  return { folder } as LinuxProcess;
}

/** What `perfObstacle` returns to this user, at this level of the kernel's setting. */
function obstacleFor(t: TestContext, user: number, level: string | null, target: LinuxProcess) {
  const { readFileSync } = fs;
  const euid = t.mock.method(process as { geteuid(): number }, 'geteuid', () => user);
  const read = t.mock.method(fs, 'readFileSync', (...given: Parameters<typeof readFileSync>) => {
    if (given[0] !== '/proc/sys/kernel/perf_event_paranoid') return readFileSync(...given);
    if (level === null) throw new Error('there is no such setting');
    return `${level}\n`;
  });
  syncBuiltinESMExports();
  try {
    return perfObstacle(target);
  } finally {
    euid.mock.restore();
    read.mock.restore();
    syncBuiltinESMExports();
  }
}

test('perfObstacle: the setting of the kernel, the owner of the process and the program decide', (t) => {
  const target = processOf(t, 'exit 0');
  const rows: [user: number, level: string | null, obstacle: RegExp | null][] = [
    [USER, '-1', null],
    [USER, '2', null],
    [USER, null, null],
    [USER, '3', /only root may use perf here \(kernel.perf_event_paranoid is 3; 2 allows /],
    [USER, '4', /paranoid is 4/],
    [USER + 1, '2', /^perf samples only your own processes$/],
    [0, '3', null],
  ];
  for (const [user, level, wanted] of rows) {
    const obstacle = obstacleFor(t, user, level, target);
    if (wanted === null) assert.equal(obstacle, null, `${user} at level ${level}`);
    else assert.match(obstacle ?? '', wanted);
  }
  const gone = { folder: join(target.folder, 'gone') } as LinuxProcess;
  assert.match(obstacleFor(t, USER, '2', gone) ?? '', /only your own processes/);
});

test('perfObstacle: a perf that is missing or does not run is not used', (t) => {
  const target = processOf(t, 'exit 1');
  assert.equal(obstacleFor(t, 0, '2', target), 'perf is not installed');
  process.env['PATH'] = '/nowhere';
  assert.equal(obstacleFor(t, 0, '2', target), 'perf is not installed');
});

test('perfCommand starts the program of svc for this process, without the environment of the agent', () => {
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
  const args = ['--norc', '-c', 'exit 3', 'svc-perf', '7'];
  const command = { file: '/bin/bash', args, env, announces: false };
  assert.deepEqual(perfCommand({ text: 'exit 3', path: null }, 7), command);
});

function readerOf(kind: ProbeKind) {
  const records: TraceRecord[] = [];
  const target = { pid: process.pid, name: 'game', started_at: '' };
  const context: ProbeContext = {
    process: { folder: '/proc/self', target } as LinuxProcess,
    frameThreads: new Set([process.pid]),
    append: (record) => records.push(record),
    toTraceMs: (ns) => ns / 1e6,
  };
  return { reader: kind.open(context), records, frameThreads: context.frameThreads };
}

test('perf: the last sample is recorded although no empty line follows it', async () => {
  const { reader, records } = readerOf(perfStacks);
  reader.ready?.(100);
  reader.line(`game ${process.pid}/${process.pid} `);
  reader.line('\t            1000 update (/games/engine)');
  await reader.end(400);
  const [record] = records;
  assert.ok(record?.type === 'stacks', JSON.stringify(records));
  assert.deepEqual([record.t, record.duration_ms, record.samples.weight], [100, 300, [10_101]]);
  assert.equal(record.names.at(-1), 'update');
});

test('bpftrace: a stack that the kernel could not keep is a lost sample, not an error', async () => {
  const { reader, records } = readerOf(bpfStacks);
  reader.ready?.(100);
  const collision = 'WARNING: failed to look up stack id 12 (pid 7): -1';
  assert.deepEqual([reader.complaint?.(collision), reader.complaint?.('ERROR: x')], [true, false]);
  reader.tick(1_100);
  reader.tick(2_100);
  await reader.end(3_000);
  const loss = { type: 'loss', reason: 'stacks_lost', probe: 'stacks', t: 100, count: 1 };
  assert.deepEqual(records, [loss]);
});

/** The lines of a stack of one function, and of further samples of it. Times are in ms. */
function printed(tid: number, [first, ...more]: readonly number[], map = 'a'): string[] {
  return [
    `@${map}[${tid}, `,
    '\t1000 update (/games/engine)',
    `, ]: ${Number(first) * 1e6}`,
    ...more.map((ms) => `@${map}_at[${tid}, ${ms * 1e6}]: ${Number(first) * 1e6}`),
  ];
}

const stacksIn = (records: readonly TraceRecord[]) =>
  records.filter((record) => record.type === 'stacks');

test('bpftrace: a sample is centred on its time, and none starts before the trace or after its second', async () => {
  const { reader, records } = readerOf(bpfStacks);
  reader.ready?.(0);
  for (const line of printed(process.pid, [2, 500, 999.5, 99_000])) reader.line(line);
  reader.tick(1_000);
  const [record] = stacksIn(records);
  assert.deepEqual(
    [record?.t, record?.duration_ms, record?.samples.at_ms],
    [0, 1005.051, [0, 494.95, 994.45, 994.95]],
  );
  assert.deepEqual([record?.unit, record?.scale], ['ms', 1000]);
  for (const line of printed(process.pid, [1_001], 'b')) reader.line(line);
  await reader.end(1_500);
  assert.equal(
    stacksIn(records)[1]?.t,
    995.95,
    'a sample starts before the second in which it is taken',
  );
});

test('bpftrace: the root of a thread whose work delays frames has the category main, from the next second on', async () => {
  const { reader, records, frameThreads } = readerOf(bpfStacks);
  const other = process.pid + 1;
  for (const line of [...printed(process.pid, [10]), ...printed(other, [11])]) reader.line(line);
  reader.tick(1_000);
  assert.deepEqual(stacksIn(records)[0]?.categories, ['main', '', '', '']);
  frameThreads.add(other);
  for (const line of printed(other, [1_010])) reader.line(line);
  await reader.end(2_000);
  assert.deepEqual(stacksIn(records)[1]?.categories, ['main', '']);
});

test('bpftrace: samples whose stack was not printed are a loss', async () => {
  const { reader, records } = readerOf(bpfStacks);
  reader.ready?.(0);
  for (const line of ['@a_at[7, 500]: 100', '@a_at[7, 600]: 100']) reader.line(line);
  await reader.end(1_000);
  const loss = { type: 'loss', reason: 'stacks_lost', probe: 'stacks', t: 0, count: 2 };
  assert.deepEqual(records, [loss]);
});

test('perf: samples have times of their own', async () => {
  const { reader, records } = readerOf(perfStacks);
  reader.ready?.(0);
  reader.line(`game ${process.pid}/${process.pid} 0.500000000: `);
  reader.line('\t            1000 update (/games/engine)');
  await reader.end(900);
  const [record] = stacksIn(records);
  assert.deepEqual([record?.t, record?.samples.at_ms], [494.95, [0]]);
});
