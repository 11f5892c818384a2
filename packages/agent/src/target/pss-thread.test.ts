import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { whereOpenFails, whereReadFails } from '../../test/failing-files.ts';
import { readPss } from './pss-thread.ts';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pss-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('readPss: kB are 1024 bytes; a file without PSS means that the process has exited', (t) => {
  const folder = folderOf(t);
  const file = join(folder, 'smaps_rollup');
  assert.deepEqual(readPss(folder), { outcome: 'gone' });
  writeFileSync(file, '5500-7ffd ---p 00000000 00:00 0 [rollup]\nSwapPss:  7 kB\nPss:   12 kB\n');
  const open = readdirSync('/proc/self/fd').length;
  const before = performance.now();
  const reading = readPss(folder);
  const elapsedMs = performance.now() - before;
  assert.ok(reading.outcome === 'read');
  assert.equal(reading.pssBytes, 12 * 1024);
  assert.ok(reading.costMs >= 0 && reading.costMs <= elapsedMs, `${reading.costMs} ms`);
  assert.equal(readdirSync('/proc/self/fd').length, open, 'the file is closed');
  writeFileSync(file, '');
  assert.deepEqual(readPss(folder), { outcome: 'gone' });
  rmSync(file);
  mkdirSync(file);
  assert.deepEqual(readPss(folder), {
    outcome: 'failed',
    reason: 'The latest reading of PSS failed: EISDIR; svc tries again',
  });
});

test('readPss: a refused reading is denied, one without resources has failed, and the process may have exited', (t) => {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'smaps_rollup'), 'Pss: 1 kB\n');
  const denied = (code: string) => ({
    outcome: 'denied',
    reason: `The kernel does not let this user read the memory map of the process (${code})`,
  });
  const failed = (cause: string) => ({
    outcome: 'failed',
    reason: `The latest reading of PSS failed: ${cause}; svc tries again`,
  });
  const rows: [string, object][] = [
    ['EACCES', denied('EACCES')],
    ['EPERM', denied('EPERM')],
    ['ESRCH', { outcome: 'gone' }],
    ['EMFILE', failed('the agent has too many files open (EMFILE)')],
    ['ENFILE', failed('the system has too many files open (ENFILE)')],
    ['ENOMEM', failed('the kernel has no memory for it (ENOMEM)')],
  ];
  const open = readdirSync('/proc/self/fd').length;
  for (const [code, wanted] of rows) {
    whereOpenFails(t, '/smaps_rollup', code, () => assert.deepEqual(readPss(folder), wanted));
    whereReadFails(t, code, () => assert.deepEqual(readPss(folder), wanted));
  }
  assert.equal(readdirSync('/proc/self/fd').length, open, 'each file is closed');
});
