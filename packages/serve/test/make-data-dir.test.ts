import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
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

test('makeDataDir makes all that is missing, for its owner alone', (t) => {
  const folder = folderFor(t);
  makeDataDir(join(folder, 'a', 'b', 'c'));
  assert.deepEqual(
    ['a', 'a/b', 'a/b/c'].map((part) => mode(join(folder, part))),
    [0o700, 0o700, 0o700],
  );
});

test('makeDataDir leaves a folder that exists as it is', (t) => {
  const folder = folderFor(t);
  chmodSync(folder, 0o750);
  makeDataDir(folder);
  makeDataDir(folder);
  assert.equal(mode(folder), 0o750);
});

test('makeDataDir says why it can make none', (t) => {
  const folder = folderFor(t);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
  assert.throws(
    () => makeDataDir(file),
    /^Error: Cannot make the folder .*file: a file has its name$/,
  );
  assert.throws(() => makeDataDir(join(file, 'below')), /: a part of its path is a file$/);
  assert.throws(() => makeDataDir(join(folder, 'dangling')), /: nothing can be made there$/);
  assert.throws(() => makeDataDir(join(folder, 'x'.repeat(300))), /: its name is too long$/);
});

test('makeDataDir comes back from a file system that takes no folders', {
  skip: process.platform !== 'linux' && 'only Linux has /proc',
}, () => {
  assert.throws(() => makeDataDir('/proc/svc/data'), /: nothing can be made there$/);
});
