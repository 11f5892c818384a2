import assert from 'node:assert/strict';
import { test } from 'node:test';
import { macosSampler } from './macos-sampler.ts';

/** A line of the sampler: the structure with these times in ticks, and bytes. */
function lineOf({ user = 0n, system = 0n, resident = 0n, start = 7n, exit = 0n }): string {
  const info = Buffer.alloc(96, 0xee);
  info.writeBigUInt64LE(user, 16);
  info.writeBigUInt64LE(system, 24);
  info.writeBigUInt64LE(resident, 64);
  info.writeBigUInt64LE(start, 80);
  info.writeBigUInt64LE(exit, 88);
  return info.toString('base64');
}

const ABOUT = 'Fri Nov 27 05:07:59 2026     /Applications/My Game.app/Contents/MacOS/My Game';

/** A reader that has read the first lines. */
function started(frequency: number) {
  const read = macosSampler.reader();
  const about = read(ABOUT);
  assert.equal(read(String(frequency)), null);
  return { read, about };
}

test('macosSampler: the start in the time zone of the machine, and readings in its ticks', () => {
  const { read, about } = started(24_000_000);
  assert.deepEqual(about, {
    ...{ kind: 'about', name: 'My Game' },
    startedAt: new Date(2026, 10, 27, 5, 7, 59).toISOString(),
  });
  const line = lineOf({ user: 36_000_000n, system: 12_000_000n, resident: 52_428_800n });
  assert.deepEqual(read(line), {
    ...{ kind: 'reading', cpuMs: 2_000, rssBytes: 52_428_800, threads: null },
  });
  assert.deepEqual(read('exited'), { kind: 'exited' });
});

test('macosSampler: a process that does not exist, or that this user may not read', () => {
  const refused = (line: string) => macosSampler.reader()(line);
  assert.deepEqual(refused('missing'), { kind: 'refused', code: 'no_such_process' });
  assert.deepEqual(refused('forbidden'), { kind: 'refused', code: 'process_forbidden' });
});

test('macosSampler: on processors of Intel a tick is a nanosecond, and days have one digit', () => {
  const read = macosSampler.reader();
  assert.equal(read('Thu Jan  1 00:00:01 2026 game')?.kind, 'about');
  assert.equal(read('1000000000'), null);
  const reading = read(lineOf({ user: 5_000_000n }));
  assert.deepEqual(reading, { kind: 'reading', cpuMs: 5, rssBytes: 0, threads: null });
});

test('macosSampler: another process with the same id is the exit', () => {
  const { read } = started(1_000_000_000);
  assert.equal(read(lineOf({}))?.kind, 'reading');
  assert.deepEqual(read(lineOf({ start: 8n })), { kind: 'exited' });
});

test('macosSampler: a process whose parent has not asked for its exit code has exited', () => {
  const { read } = started(1_000_000_000);
  assert.equal(read(lineOf({}))?.kind, 'reading');
  assert.deepEqual(read(lineOf({ exit: 1n })), { kind: 'exited' });
});

test('macosSampler: other lines mean nothing', () => {
  const fresh = macosSampler.reader();
  for (const line of ['', '0', '-1', 'hw.tbfrequency: 1', 'Fri Nov 27 2026 game', lineOf({})]) {
    assert.equal(fresh(line), null, line);
  }
  const { read } = started(1_000_000_000);
  for (const line of [
    '',
    'x',
    Buffer.alloc(95).toString('base64'),
    Buffer.alloc(97).toString('base64'),
  ]) {
    assert.equal(read(line), null, line);
  }
});

test('macosSampler: the id and the script are arguments, and not a part of the shell’s text', () => {
  const { file, args } = macosSampler.command(4242);
  assert.deepEqual([file, args[0], args[2], args[3]], ['/bin/sh', '-c', 'sh', '4242']);
  assert.ok(!args[1]?.includes('4242'));
  assert.match(args[4] ?? '', /proc_pid_rusage/);
});
