// Processes that /proc shows in an unusual way: names that are not ASCII, a main thread that has
// ended.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pinProcess } from '../src/target/pin-process.ts';
import { readPss } from '../src/target/pss-thread.ts';
import { startTarget, temporaryFolder, until, within } from './harness.ts';

test("pinProcess: its folder is the opened one of the process, and can't be read after the exit", async () => {
  await using target = await startTarget();
  const pinned = pinProcess(target.pid);
  using _ = { [Symbol.dispose]: () => pinned.release() };
  assert.match(pinned.folder, /^\/proc\/self\/fd\/\d+$/);
  assert.equal(readlinkSync(pinned.folder), `/proc/${target.pid}`);
  assert.equal(readPss(pinned.folder).outcome, 'read');
  await target[Symbol.asyncDispose]();
  assert.throws(() => readFileSync(`${pinned.folder}/stat`), /ENOENT|ESRCH/);
  assert.deepEqual(readPss(pinned.folder), { outcome: 'gone' });
});

const SOURCE = join(import.meta.dirname, 'targets', 'no-first-thread.c');

test('pinProcess: a name in UTF-8, and the memory of a process whose main thread has ended', async () => {
  using folder = temporaryFolder();
  const program = join(folder.path, 'target');
  execFileSync('cc', ['-pthread', '-o', program, SOURCE], { stdio: 'inherit' });
  const child = spawn(program, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  try {
    await within(once(child.stdout, 'data'), 'the target to run');
    const { pid = 0 } = child;
    await until(
      () => readFileSync(`/proc/${pid}/stat`, 'utf8'),
      (stat) => /\) Z \d+ /.test(stat),
      'the first thread to end',
    );
    const pinned = pinProcess(pid);
    assert.equal(pinned.target.name, 'Spiél) R 11 (');
    assert.equal(pinned.exited(), false);
    const rssBytes = pinned.read()?.rssBytes ?? 0;
    assert.ok(rssBytes > 32e6 && rssBytes < 1e9, `RSS of the threads that live: ${rssBytes}`);
    child.kill('SIGKILL');
    await within(exit, 'the target to exit');
    assert.equal(pinned.exited(), true);
    assert.equal(pinned.read(), null);
    pinned.release();
  } finally {
    child.kill('SIGKILL');
  }
});
