// A check and a repair while the disk cannot read files, or the spool is full.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { ApiError } from '@svc/serve';
import { failure } from '../src/failure.ts';
import type { FileStore } from '../src/files/file-store.ts';
import type { Spool } from '../src/files/spool.ts';
import { openRig, text } from './check-rig.ts';
import { publishBuild } from './publish-build.ts';
import { filesIn } from './read-state.ts';

function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: cannot ${syscall}`), { code, syscall });
}

/** The store with a disk that cannot open the files of `closed`, and cannot read those of `bad`. */
function onBadDisk(
  files: FileStore,
  { closed = [], bad = [] }: { readonly closed?: string[]; readonly bad?: string[] },
): FileStore {
  return {
    ...files,
    async open(key) {
      if (closed.includes(key)) throw systemError('EACCES', 'open');
      const file = await files.open(key);
      if (!bad.includes(key)) return file;
      return { ...file, read: () => Promise.reject(systemError('EIO', 'read')) };
    },
  };
}

test('files that the disk cannot read are damaged, with the reason, and the check continues', async () => {
  await using rig = await openRig();
  const content = await rig.keyOf(rig.first, text('1'));
  const variant = `${await rig.keyOf(rig.first, text('a'))}.br`;
  const [zip = ''] = await rig.zips(rig.first);
  const lost = await rig.keyOf(rig.second, text('a'));
  await rm(rig.pathOf(lost));
  const files = onBadDisk(rig.files, { closed: [content], bad: [variant, zip] });
  const { reports, summary } = await rig.check({ files }, false);
  const found = reports.map((one) => [one.key, `${one.kind} ${one.outcome} ${one.reason}`]);
  const unread = (error: string) => `damaged found The file could not be read: ${error}`;
  assert.deepEqual(Object.fromEntries(found), {
    [content]: unread('EACCES: cannot open'),
    [variant]: unread('EIO: cannot read'),
    [zip]: unread('EIO: cannot read'),
    [lost]: 'missing found null',
  });
  assert.deepEqual([summary.projects, summary.left], [2, 4]);
});

test('a repair skips a ZIP that the disk cannot read, and restores an unreadable file from another one', async () => {
  await using rig = await openRig();
  const content = await rig.keyOf(rig.first, text('a'));
  const only = await rig.keyOf(rig.first, text('2'));
  const [, newest = ''] = await rig.zips(rig.first);
  const files = onBadDisk(rig.files, { closed: [only], bad: [content, newest] });
  const { reports, summary } = await rig.check({ files }, true);
  const outcomes = Object.fromEntries(reports.map((one) => [one.key, one.outcome]));
  assert.deepEqual(outcomes, { [content]: 'restored', [only]: 'failed', [newest]: 'failed' });
  const why = reports.find((one) => one.key === only)?.reason;
  assert.equal(
    why,
    'The file could not be read: EACCES: cannot open. No stored ZIP of this project contains the file. Publish the build again',
  );
  assert.deepEqual([summary.projects, summary.repaired, summary.left], [2, 1, 2]);
});

test('a store that cannot be reached, and a process without descriptors, end the check: no file is damaged', async () => {
  await using rig = await openRig();
  for (const error of [
    failure('unavailable', 'The store is away'),
    ...['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'].map((code) => systemError(code, 'open')),
  ]) {
    const files = { ...rig.files, open: () => Promise.reject(error) };
    await assert.rejects(rig.check({ files }, false), error);
  }
  await rm(rig.pathOf(await rig.keyOf(rig.first, text('a'))));
  const error = systemError('EMFILE', 'open');
  const open: FileStore['open'] = async (key) => {
    if (key.endsWith('build.zip')) throw error;
    return rig.files.open(key);
  };
  const files = { ...rig.files, open };
  await assert.rejects(rig.check({ files }, true, true), error, 'a repair ends too');
});

test('a repair keeps in the spool only the ZIP at hand and what it restores', async () => {
  await using rig = await openRig();
  // Larger than what is kept in memory while it is unpacked.
  const large = () => randomBytes(3 * 1024 * 1024);
  const lost = await rig.keyOf(rig.first, text('1'));
  for (const version of ['3', '4']) {
    const build = { 'index.html': text(version), 'large.bin': large() };
    await publishBuild(rig.client, rig.first, version, build);
  }
  await rm(rig.pathOf(lost));
  const spooled = async (): Promise<number> =>
    (await filesIn(rig.platform, 'checks')).filter((path) => !path.endsWith('/lock')).length;
  const [opened, settled]: [number[], number[]] = [[], []];
  const files: FileStore = {
    ...rig.files,
    async open(key) {
      opened.push(await spooled());
      return rig.files.open(key);
    },
    startBatch() {
      const batch = rig.files.startBatch();
      const settle = async (): Promise<void> => {
        await batch.settle();
        settled.push(await spooled());
      };
      return { ...batch, settle };
    },
  };
  const { summary } = await rig.check({ files }, true, true);
  assert.deepEqual([summary.repaired, summary.left], [1, 0]);
  // The missing file, and four ZIPs.
  assert.deepEqual(opened, [0, 0, 0, 0, 0]);
  assert.deepEqual(settled, [1, 1, 1, 1]);
});

test('a full spool is storage_full: a check ends, and a repair says so and continues', async () => {
  await using rig = await openRig();
  const spool: Spool = {
    ...rig.spool,
    openFolder: () => Promise.reject(systemError('ENOSPC', 'mkdir')),
  };
  const isFull = (error: unknown): boolean =>
    error instanceof ApiError &&
    error.code === 'storage_full' &&
    /SVC_SPOOL_DIR/.test(error.message);
  await assert.rejects(rig.check({ spool }, false), isFull);
  for (const id of [rig.first, rig.second]) await rm(rig.pathOf(await rig.keyOf(id, text('a'))));
  const { reports } = await rig.check({ spool }, true, true);
  assert.deepEqual(
    reports.map(({ outcome }) => outcome),
    ['failed', 'failed'],
  );
  for (const { reason } of reports) assert.match(reason ?? '', /SVC_SPOOL_DIR$/);
  assert.equal((await rig.check({}, true)).summary.left, 0);
});
