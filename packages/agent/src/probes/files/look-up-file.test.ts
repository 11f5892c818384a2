// Which names of a hostile program are followed, with this process in the place of the watched one.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { within } from '../../../test/within.ts';
import { HEAD_BYTES } from './guess-kind.ts';
import { type FileHint, listOpenFiles, lookUpFile } from './look-up-file.ts';

const HERE = '/proc/self';
const NO_FD = { fd: null, folderFd: -100 };

/** A folder with a file of 100 letters. */
function folderOf(t: TestContext) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-look-')));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'level.pak');
  writeFileSync(path, 'x'.repeat(100));
  return { folder, path };
}

function inodeOf(path: string): string {
  return String(statSync(path).ino);
}

function openHere(t: TestContext, path: string): number {
  const descriptor = openSync(path, 'r');
  t.after(() => closeSync(descriptor));
  return descriptor;
}

/** The number of descriptors of this process that lead to the file. */
function descriptorsOf(path: string): number {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ''; // the one that listed the folder
    }
  });
  return links.filter((link) => link === path).length;
}

/** Looks a file up, with its first bytes. Rejects if that blocks. */
function lookUp(hint: FileHint, wantsHead = true) {
  return within(
    lookUpFile(HERE, hint, () => wantsHead),
    'the lookup',
    10_000,
  );
}

test('lookUpFile finds a file by an absolute name, by a name in the working folder and in an open folder', async (t) => {
  const { folder, path } = folderOf(t);
  const inode = inodeOf(path);
  const head = Buffer.alloc(HEAD_BYTES, 'x');
  const folderFd = openHere(t, folder);
  for (const hint of [
    { ...NO_FD, inode, name: path },
    { ...NO_FD, inode, name: relative(process.cwd(), path) },
    { inode, fd: null, name: 'level.pak', folderFd },
    { inode, fd: openHere(t, path), name: null, folderFd: -1 },
  ]) {
    const found = await lookUp(hint);
    assert.equal(found?.path, path, JSON.stringify(hint));
    assert.deepEqual(Buffer.from(found?.head ?? []), head);
  }
  const withoutHead = await lookUp({ ...NO_FD, inode, name: path }, false);
  assert.deepEqual(withoutHead, { path, head: null });
  assert.equal(descriptorsOf(path), 1, 'only the one of this test is open');
});

test('lookUpFile uses the descriptor if the name leads to another file, and the path that the file has now', async (t) => {
  const { folder, path } = folderOf(t);
  const other = join(folder, 'other');
  writeFileSync(other, 'secret');
  const inode = inodeOf(path);
  const fd = openHere(t, path);
  const found = await lookUp({ inode, fd, name: other, folderFd: -100 });
  assert.equal(found?.path, path);
  const link = join(folder, 'link');
  symlinkSync(path, link);
  assert.equal((await lookUp({ ...NO_FD, inode, name: link }))?.path, path);
  assert.equal(await lookUp({ ...NO_FD, inode, name: other }), null, 'no other path is tried');
  assert.equal(await lookUp({ ...NO_FD, inode, name: join(folder, 'gone') }), null);
});

test('lookUpFile opens neither a pipe nor a folder, even if its inode was reported', async (t) => {
  const { folder } = folderOf(t);
  const pipe = join(folder, 'pipe');
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  mkdirSync(join(folder, 'sub'));
  for (const name of [pipe, join(folder, 'sub'), '/dev/null']) {
    assert.equal(await lookUp({ ...NO_FD, inode: inodeOf(name), name }), null, name);
  }
});

test('listOpenFiles maps inodes to the paths of open and mapped files, and is empty for a process that has exited', async (t) => {
  const { path } = folderOf(t);
  openHere(t, path);
  const files = await listOpenFiles(HERE);
  assert.equal(files.get(inodeOf(path)), path);
  const program = realpathSync(process.execPath);
  assert.equal(files.get(inodeOf(program)), program, 'it is mapped');
  for (const name of files.values()) assert.ok(name.startsWith('/'), name);
  assert.equal((await listOpenFiles('/proc/4194305')).size, 0);
});
