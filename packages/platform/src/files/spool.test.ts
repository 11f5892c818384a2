import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isOwnerAlive, openSpool } from './spool.ts';

const HERE = hostname().replaceAll('~', '-');
/** A number that no process has: above the most that Linux gives. */
const NOBODY = 2 ** 22 + 1;

test('an owner may be alive where its process runs, or runs on another machine', () => {
  assert.equal(isOwnerAlive(`${HERE}~${process.ppid}~aa`), true);
  assert.equal(isOwnerAlive(`${HERE}~1~aa`), true, 'a process of somebody else');
  assert.equal(isOwnerAlive(`${HERE}~${NOBODY}~aa`), false);
  assert.equal(isOwnerAlive(`${HERE}~${process.pid}~aa`), false, 'an earlier process had the id');
  assert.equal(isOwnerAlive(`elsewhere~${NOBODY}~aa`), true);
  assert.equal(isOwnerAlive('no owner'), false);
});

test('a spool removes those of processes that have ended, and itself at its end', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-spool-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const root = join(dataDir, 'spool');
  const [dead, other] = [`${HERE}~${NOBODY}~aa`, `elsewhere~${NOBODY}~aa`];
  for (const name of [dead, other]) {
    mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, name, '1'), 'left');
  }
  {
    await using first = openSpool(dataDir);
    await using second = openSpool(dataDir);
    assert.notEqual(first.owner, second.owner);
    assert.deepEqual(readdirSync(root).sort(), [first.owner, other, second.owner].sort());
    assert.equal(isOwnerAlive(first.owner), true);
    let path = '';
    {
      await using folder = await first.openFolder();
      await using beside = await first.openFolder();
      path = folder.path;
      assert.notEqual(folder.path, beside.path);
      assert.notEqual(folder.newFile(), folder.newFile());
      writeFileSync(folder.newFile(), 'work');
    }
    assert.equal(existsSync(path), false);
  }
  assert.deepEqual(readdirSync(root), [other]);
});
