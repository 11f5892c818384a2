// svc keeps its compiled code where only the user can write, because Node runs what it finds there.
import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runSvc, temporaryFolder } from './svc.ts';

/** Runs svc with an empty cache and an empty folder for temporary files. */
function newCache(t: TestContext) {
  const home = temporaryFolder(t);
  const temporary = join(home, 'tmp');
  mkdirSync(temporary);
  const cache = join(home, 'cache');
  const run = (value = cache) =>
    runSvc(t, ['help'], {
      cwd: home,
      env: { HOME: join(home, 'user'), XDG_CACHE_HOME: value, TMPDIR: temporary },
    });
  return { home, temporary, folder: join(cache, 'svc/compiled'), run };
}

test('the folder is private, in the cache of the user', { skip: isWindows() }, async (t) => {
  const { temporary, folder, run } = newCache(t);
  assert.equal((await run()).code, 0);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(readdirSync(folder).length, 1);
  assert.deepEqual(readdirSync(temporary), []);
});

test('the folder is not used if others can write to it', { skip: isWindows() }, async (t) => {
  const { folder, run } = newCache(t);
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  assert.equal((await run()).code, 0);
  assert.deepEqual(readdirSync(folder), []);
});

test('the folder is not used if it belongs to another user', {
  skip: process.getuid?.() === 0 ? false : 'only root can give folders away',
}, async (t) => {
  const { folder, run } = newCache(t);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chownSync(folder, 65_534, 65_534);
  assert.equal((await run()).code, 0);
  assert.deepEqual(readdirSync(folder), []);
});

test('without an absolute folder for caches, nothing is kept', async (t) => {
  const { home, run } = newCache(t);
  assert.equal((await run('cache')).code, 0);
  assert.deepEqual(readdirSync(home), ['tmp']);
});

function isWindows(): boolean {
  return process.platform === 'win32';
}
