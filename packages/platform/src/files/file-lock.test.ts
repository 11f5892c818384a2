import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockFile } from './file-lock.ts';

test('a lock excludes others until it is released, and writes nothing beside its file', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lock-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'lock');
  {
    using first = lockFile(path);
    assert.notEqual(first, null);
    assert.equal(lockFile(path), null);
    assert.deepEqual(readdirSync(folder), ['lock']);
  }
  using again = lockFile(path);
  assert.notEqual(again, null);
});

test('a file that cannot be locked is an error, and not a lock of another process', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lock-'));
  t.after(() => rmSync(folder, { recursive: true }));
  assert.throws(() => lockFile(join(folder, 'none/lock')), { code: 'ERR_SQLITE_ERROR' });
  const notes = join(folder, 'notes.txt');
  writeFileSync(notes, 'notes '.repeat(200));
  assert.throws(() => lockFile(notes), /not a database/);
});
