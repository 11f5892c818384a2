import assert from 'node:assert/strict';
import fs, { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeDataDir } from '@svc/serve';

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-data-dir-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

const mode = (path: string): number => statSync(path).mode & 0o777;

test('makeDataDir creates all missing folders, for their owner alone', (t) => {
  const folder = folderFor(t);
  makeDataDir(join(folder, 'a', 'b', 'c'));
  assert.deepEqual(
    ['a', 'a/b', 'a/b/c'].map((part) => mode(join(folder, part))),
    [0o700, 0o700, 0o700],
  );
});

test('makeDataDir does not change an existing folder', (t) => {
  const folder = folderFor(t);
  chmodSync(folder, 0o750);
  makeDataDir(folder);
  makeDataDir(folder);
  assert.equal(mode(folder), 0o750);
});

test('makeDataDir throws with a reason', (t) => {
  const folder = folderFor(t);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
  assert.throws(
    () => makeDataDir(file),
    /^Error: Cannot create the folder .*file: a file with this name exists$/,
  );
  assert.throws(() => makeDataDir(join(file, 'below')), /: a part of the path is a file$/);
  assert.throws(() => makeDataDir(join(folder, 'dangling')), /: no folder can be created there$/);
  assert.throws(() => makeDataDir(join(folder, 'x'.repeat(300))), /: its name is too long$/);
});

test('makeDataDir returns on a file system without folders', {
  skip: process.platform !== 'linux' && 'only Linux has /proc',
}, () => {
  assert.throws(() => makeDataDir('/proc/svc/data'), /: no folder can be created there$/);
});

test('makeDataDir accepts a folder that another process creates at the same time', (t) => {
  const folder = join(folderFor(t), 'shared', 'data');
  replaceMkdir(t, (make, path) => {
    make(path);
    return make(path);
  });
  makeDataDir(folder);
  assert.ok(statSync(folder).isDirectory());
});

test("makeDataDir explains the system's error in words, and keeps it as the cause", (t) => {
  const folder = folderFor(t);
  const reasons = {
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
    EIO: 'EIO: broken',
  };
  for (const [code, reason] of Object.entries(reasons)) {
    const cause = Object.assign(new Error(`${code}: broken`), { code });
    const restore = replaceMkdir(t, () => {
      throw cause;
    });
    const message = `Cannot create the folder ${join(folder, 'data')}: ${reason}`;
    assert.throws(() => makeDataDir(join(folder, 'data')), { message, cause });
    restore();
  }
});

/** Replaces the system's mkdir until the end of the test or until it is restored. */
function replaceMkdir(
  t: TestContext,
  replacement: (make: (path: string) => void, path: string) => void,
): () => void {
  const make = fs.mkdirSync;
  const mocked = t.mock.method(fs, 'mkdirSync', (path: string, options: object) =>
    replacement((path) => void make(path, options), path),
  );
  const restore = (): void => {
    mocked.mock.restore();
    syncBuiltinESMExports();
  };
  syncBuiltinESMExports();
  t.after(restore);
  return restore;
}
