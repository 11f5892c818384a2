import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
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

test('a file that cannot be opened is an error, not a lock that somebody has', () => {
  assert.throws(() => lockFile('/nothing/lock'), { code: 'ERR_SQLITE_ERROR' });
});
