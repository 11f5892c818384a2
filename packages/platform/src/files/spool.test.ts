import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { isOwnerAlive, openSpool } from './spool.ts';

const HERE = hostname().replaceAll('~', '-');
/** A pid that no process has: above the maximum of Linux. */
const NOBODY = 2 ** 22 + 1;

test('an owner may be alive if its process runs or is on another machine', () => {
  assert.equal(isOwnerAlive(`${HERE}~${process.ppid}~aa`), true);
  assert.equal(isOwnerAlive(`${HERE}~1~aa`), true, 'a process of somebody else');
  assert.equal(isOwnerAlive(`${HERE}~${NOBODY}~aa`), false);
  assert.equal(isOwnerAlive(`${HERE}~${process.pid}~aa`), false, 'an earlier process had the id');
  assert.equal(isOwnerAlive(`elsewhere~${NOBODY}~aa`), true);
  assert.equal(isOwnerAlive('no owner'), false);
});

test('a process that may not be signalled is alive; one with an invalid id is not', (t) => {
  const refuse = (code: string) => () => {
    throw Object.assign(new Error(code), { code });
  };
  const kill = t.mock.method(process, 'kill', refuse('EPERM'));
  assert.equal(isOwnerAlive(`${HERE}~${process.ppid}~aa`), true);
  assert.deepEqual(
    kill.mock.calls[0]?.arguments,
    [process.ppid, 0],
    'only its existence is checked',
  );
  for (const code of ['ESRCH', 'EINVAL']) {
    kill.mock.mockImplementation(refuse(code));
    assert.equal(isOwnerAlive(`${HERE}~${process.ppid}~aa`), false, code);
  }
});

test('only the owner can read the folder of the spools', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-spool-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  await using _spool = openSpool(dataDir);
  assert.equal(statSync(join(dataDir, 'spool')).mode & 0o777, 0o700);
});

test('a spool removes those of processes that have ended, and itself when it closes', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-spool-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  const root = join(dataDir, 'spool');
  const [dead, other] = [`${HERE}~${NOBODY}~aa`, `elsewhere~${NOBODY}~aa`];
  for (const name of [dead, other]) {
    mkdirSync(join(root, name), { recursive: true });
    writeFileSync(join(root, name, '1'), 'left');
  }
  const owners: string[] = [];
  {
    await using first = openSpool(dataDir);
    await using second = openSpool(dataDir);
    assert.notEqual(first.owner, second.owner);
    assert.deepEqual(readdirSync(root).sort(), [first.owner, other, second.owner].sort());
    assert.equal(isOwnerAlive(first.owner), true);
    let path = '';
    const modeOf = (folder: string): number => statSync(folder).mode & 0o777;
    {
      await using folder = await first.openFolder();
      await using beside = await first.openFolder();
      path = folder.path;
      assert.notEqual(folder.path, beside.path);
      assert.equal(dirname(path), join(root, first.owner));
      assert.notEqual(folder.newFile(), folder.newFile());
      assert.equal(dirname(folder.newFile()), path);
      writeFileSync(folder.newFile(), 'work');
      for (const one of [dirname(path), path]) assert.equal(modeOf(one), 0o700, one);
    }
    assert.equal(existsSync(path), false);
    // Unfinished work is removed too.
    writeFileSync((await second.openFolder()).newFile(), 'work');
    owners.push(first.owner, second.owner);
  }
  assert.deepEqual(readdirSync(root), [other]);
  assert.deepEqual(owners.map(isOwnerAlive), [false, false], 'an owner ends with its spool');
});
