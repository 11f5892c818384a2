// How a process is pinned: how many descriptors it needs, what it reports, and what it rejects.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { whereOpenFails, whereReadFails } from '../../test/failing-files.ts';
import { within } from '../../test/within.ts';
import { StartError } from '../start-error.ts';
import { pagesOfOthers, pinProcess } from './pin-process.ts';

const openFiles = (): number => readdirSync('/proc/self/fd').length;

test('pinProcess uses three descriptors until release, and none after an error', (t) => {
  const before = openFiles();
  const pinned = pinProcess(process.pid);
  assert.equal(openFiles(), before + 3);
  pinned.release();
  pinned.release();
  assert.equal(openFiles(), before);
  const thread = readdirSync('/proc/self/task').find((id) => id !== String(process.pid));
  const rows: [number, string][] = [
    [Number(thread), 'no_such_process'],
    [2 ** 30, 'no_such_process'],
  ];
  for (const [pid, code] of rows) assert.throws(() => pinProcess(pid), { code });
  for (const file of ['/stat', '/statm', '/status', `/proc/${process.pid}`]) {
    for (const denied of ['EACCES', 'EPERM']) {
      whereOpenFails(t, file, denied, () => {
        assert.throws(() => pinProcess(process.pid), { code: 'process_forbidden' });
      });
    }
    for (const gone of ['ENOENT', 'ESRCH', 'ENOTDIR']) {
      whereOpenFails(t, file, gone, () => {
        assert.throws(() => pinProcess(process.pid), { code: 'no_such_process' });
      });
    }
    whereOpenFails(t, file, 'EMFILE', () => {
      assert.throws(
        () => pinProcess(process.pid),
        (error) => !(error instanceof StartError) && /EMFILE/.test(String(error)),
      );
    });
  }
  assert.equal(openFiles(), before);
});

test('pinProcess: the CPU time, the memory and the start of a process are in milliseconds, bytes and UTC', async () => {
  const spent = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  const pinned = pinProcess(process.pid);
  const least = spent();
  const reading = pinned.read();
  const most = spent();
  pinned.release();
  assert.ok(reading !== null);
  assert.equal(reading.cpuMs % 10, 0, 'a tick takes 10 ms');
  // The kernel counts ticks of 10 ms, for user and system time each.
  assert.ok(
    reading.cpuMs > least - 40 && reading.cpuMs < most + 40,
    `${least} to ${most}: ${reading.cpuMs}`,
  );
  const rss = process.memoryUsage.rss();
  assert.ok(reading.rssBytes > rss / 2 && reading.rssBytes < rss * 2, `${reading.rssBytes}`);
  const began = Date.now();
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  try {
    await within(once(child, 'spawn'), 'the target to run');
    const target = pinProcess(child.pid ?? 0);
    target.release();
    const startedAt = target.target.started_at;
    assert.equal(new Date(startedAt).toISOString(), startedAt);
    // The kernel reports its own start in whole seconds.
    assert.ok(Math.abs(Date.parse(startedAt) - began) < 30_000 + Date.now() - began, startedAt);
  } finally {
    child.kill('SIGKILL');
  }
});

test('pinProcess: a failed reading throws and is not an exit; a process that has exited is read as null', (t) => {
  const pinned = pinProcess(process.pid);
  t.after(() => pinned.release());
  assert.equal(pinned.exited(), false);
  whereReadFails(t, 'ENOMEM', () => {
    assert.throws(() => pinned.read(), { code: 'ENOMEM' });
    assert.equal(pinned.exited(), false);
  });
  whereReadFails(t, 'ESRCH', () => {
    assert.equal(pinned.read(), null);
    assert.equal(pinned.exited(), true);
  });
  assert.equal(pinned.exited(), false);
});

test("pinProcess: why PSS can't be read, if that is known", (t) => {
  const rows: [string, RegExp | null][] = [
    ['ESRCH', /^There is no memory map to read: /],
    ['ENOENT', /^This kernel has no smaps_rollup$/],
    ['EACCES', /does not let this user read .* \(EACCES\)$/],
    ['EPERM', /does not let this user read .* \(EPERM\)$/],
    ['EMFILE', null],
  ];
  for (const [code, wanted] of rows) {
    whereOpenFails(t, '/smaps_rollup', code, () => {
      const pinned = pinProcess(process.pid);
      pinned.release();
      if (wanted === null) assert.equal(pinned.pssDenied, null, code);
      else assert.match(pinned.pssDenied ?? '', wanted);
    });
  }
});

test('pagesOfOthers: skips the first thread and those that end meanwhile, and throws other failures', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-threads-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const addThread = (id: number, statm: string | null): void => {
    mkdirSync(join(folder, 'task', String(id)), { recursive: true });
    if (statm !== null) writeFileSync(join(folder, 'task', String(id), 'statm'), statm);
  };
  addThread(7, '0 0 0 0 0 0 0');
  assert.equal(pagesOfOthers(folder, 7), null);
  addThread(8, null);
  assert.equal(pagesOfOthers(folder, 7), null, 'a thread without the file has ended');
  addThread(9, '900 55 3 0 0 0 0');
  assert.equal(pagesOfOthers(folder, 7), 55);
  whereReadFails(t, 'ESRCH', () => assert.equal(pagesOfOthers(folder, 7), null));
  whereReadFails(t, 'EIO', () => assert.throws(() => pagesOfOthers(folder, 7), { code: 'EIO' }));
});
