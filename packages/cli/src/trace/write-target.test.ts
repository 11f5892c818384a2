// A file is written under a temporary name, and is on disk before it is renamed.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/svc.ts';
import type { Io } from '../process/io.ts';
import { openTarget } from './write-target.ts';

test('openTarget syncs the file before it is renamed, and leaves nothing if the file is not committed', async (t) => {
  const cwd = temporaryFolder(t);
  const io = { cwd, onSignal: () => () => {} } as unknown as Io;
  const out = join(cwd, 'b.vpt');
  const handle = await open(cwd);
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  const synced: string[][] = [];
  const { sync } = prototype;
  t.mock.method(prototype, 'sync', function (this: unknown) {
    synced.push(readdirSync(cwd));
    return sync.call(this);
  });
  {
    await using target = openTarget('b.vpt', io);
    target.write(Buffer.from('one '));
    await target.drain();
    target.write(Buffer.from('two'));
    assert.equal(await target.commit(), 7);
  }
  assert.equal(synced.length, 1);
  assert.match(synced[0]?.join() ?? '', /^b\.vpt\.[0-9a-f]{12}\.part$/);
  assert.equal(readFileSync(out, 'utf8'), 'one two');
  {
    await using target = openTarget('c.vpt', io);
    target.write(Buffer.from('half'));
    await target.drain();
    assert.equal(existsSync(join(cwd, 'c.vpt')), false);
  }
  assert.deepEqual(readdirSync(cwd), ['b.vpt']);
});

test('openTarget names the file that cannot be written, and the reason', async (t) => {
  const cwd = temporaryFolder(t);
  const io = { cwd, onSignal: () => () => {} } as unknown as Io;
  const handle = await open(cwd);
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  let code = '';
  t.mock.method(prototype, 'writeFile', () =>
    Promise.reject(Object.assign(new Error(code), { code })),
  );
  for (const [given, reason] of [
    ['ENOSPC', 'the disk is full'],
    ['EDQUOT', 'your disk quota is used up'],
    ['EROFS', 'the file system is read-only'],
    ['EACCES', 'you are not allowed to write there'],
    ['EPERM', 'you are not allowed to write there'],
    ['EIO', 'EIO'],
  ] as const) {
    code = given;
    await using target = openTarget('b.vpt', io);
    target.write(Buffer.from('one'));
    await assert.rejects(target.commit(), {
      exitCode: 1,
      code: 'unwritable_file',
      message: `Cannot write "${join(cwd, 'b.vpt')}": ${reason}.`,
    });
  }
  assert.deepEqual(readdirSync(cwd), []);
});

test('openTarget leaves no file if a signal comes while the file is opened', async (t) => {
  const cwd = temporaryFolder(t);
  let interrupt = (_signal: NodeJS.Signals): void => {};
  const raised: string[] = [];
  const io = {
    cwd,
    onSignal: (listener: typeof interrupt) => {
      interrupt = listener;
      return () => {};
    },
    raise: (signal: string) => raised.push(signal),
  } as unknown as Io;
  await using target = openTarget('b.vpt', io);
  target.write(Buffer.from('one'));
  const drained = target.drain().catch(() => {});
  interrupt('SIGTERM');
  await drained;
  assert.deepEqual(raised, ['SIGTERM']);
  assert.deepEqual(readdirSync(cwd), []);
});
