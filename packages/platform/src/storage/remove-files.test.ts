import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { PLATFORM_LIMITS } from '@svc/contracts/platform';
import { logTo } from '@svc/observe/testing';
import { openDatabase } from '../database/open-database.ts';
import type { AttemptsTable, RemovalsTable } from '../database/schema.ts';
import { failure } from '../failure.ts';
import type { FileStore } from '../files/file-store.ts';
import { createFolderStore } from '../files/folder-store.ts';
import type { Platform } from '../platform.ts';
import { doRemovals } from './remove-files.ts';
import { startUpkeep } from './upkeep.ts';

async function platformFor(t: TestContext, change: (files: FileStore) => FileStore = (f) => f) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-removals-'));
  const database = await openDatabase(folder, null);
  const { db } = database;
  t.after(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  const root = join(folder, 'projects');
  const lines: string[] = [];
  return {
    platform: {
      ...{ db, database, now: Date.now, log: logTo((line) => lines.push(line)) },
      files: change(createFolderStore(root)),
      attemptLeaseMs: 12_000,
      limits: PLATFORM_LIMITS,
    } as unknown as Platform,
    ...{ db, lines, root },
    async write(key: string): Promise<void> {
      await mkdir(join(root, key, '..'), { recursive: true });
      await writeFile(join(root, key), 'x');
    },
    insertAttempt: (id: string, state: AttemptsTable['state']) =>
      db
        .insertInto('attempts')
        .values({ id, game_id: 'game', kind: 'media', state, beat_at: Date.now() })
        .execute(),
    insertRemoval: (id: string, kind: RemovalsTable['kind'], game_id = 'game') =>
      db.insertInto('removals').values({ id, game_id, kind, created_at: 1 }).execute(),
    removals: async () =>
      (await db.selectFrom('removals').select('id').orderBy('id').execute()).map((row) => row.id),
    attempts: async () =>
      (await db.selectFrom('attempts').select('id').orderBy('id').execute()).map((row) => row.id),
  };
}

test('all removals of a kind that were scheduled are done at once, and a kind that must be repeated stays', async (t) => {
  const { platform, insertAttempt, insertRemoval, removals } = await platformFor(t);
  await insertAttempt('open', 'open');
  await insertRemoval('1', 'unused');
  await insertRemoval('2', 'project');
  await insertRemoval('3', 'unused');
  await insertRemoval('4', 'unused', 'other');
  await doRemovals(platform, 'game');
  assert.deepEqual(await removals(), ['2', '4']);
});

test('a removal that is scheduled during the work is not counted as done', async (t) => {
  const rig = await platformFor(t, (files) => ({
    ...files,
    async removeFolder(folder) {
      await files.removeFolder(folder);
      await rig.insertRemoval('2', 'project');
    },
  }));
  await rig.insertRemoval('1', 'project');
  await doRemovals(rig.platform, 'game');
  assert.deepEqual(await rig.removals(), ['2']);
});

test('a deleted project loses the rows of committed attempts; places that are swept later keep theirs', async (t) => {
  const { platform, insertAttempt, insertRemoval, attempts, write, root } = await platformFor(t);
  for (const state of ['committed', 'unused', 'abandoned', 'swept'] as const) {
    await insertAttempt(state, state);
  }
  for (const key of ['game/committed/a', 'other/place/a']) await write(key);
  await insertRemoval('1', 'project');
  await doRemovals(platform, 'game');
  assert.deepEqual(await attempts(), ['abandoned', 'swept', 'unused']);
  assert.deepEqual(await readdir(root), ['other']);
});

test('a folder into which a publish stores files meanwhile is removed later, without a warning', async (t) => {
  let code: string | null = 'ENOTEMPTY';
  const { platform, insertAttempt, insertRemoval, removals, attempts, lines } = await platformFor(
    t,
    (files) => ({
      ...files,
      async removeFolder(folder) {
        if (code !== null) throw Object.assign(new Error(code), { code });
        await files.removeFolder(folder);
      },
    }),
  );
  await insertAttempt('committed', 'committed');
  await insertRemoval('1', 'project');
  await using upkeep = startUpkeep(platform);
  await upkeep.run();
  assert.deepEqual([await removals(), await attempts(), lines], [['1'], ['committed'], []]);
  code = 'EBUSY';
  await upkeep.run();
  assert.deepEqual([await removals(), lines.length], [['1'], 1]);
  code = null;
  await upkeep.run();
  assert.deepEqual([await removals(), await attempts()], [[], []]);
});

test('a removal that fails for another reason is logged again, and one that conflicts with other work is not logged', async (t) => {
  let error: Error = failure('busy', 'Another request is changing the same data');
  const { platform, insertRemoval, removals, lines } = await platformFor(t, (files) => ({
    ...files,
    removeFolder: () => Promise.reject(error),
  }));
  await insertRemoval('1', 'project');
  await using upkeep = startUpkeep(platform);
  await upkeep.run();
  assert.equal(lines.length, 0);
  for (const reason of ['first', 'first', 'second', 'first']) {
    error = new Error(reason);
    await upkeep.run();
  }
  assert.deepEqual(
    lines.map((line) => line.split(': ').at(-1)),
    ['first', 'second', 'first'],
  );
  assert.deepEqual(await removals(), ['1']);
});

test('the upkeep removes the files of projects in the order in which their removals were scheduled', async (t) => {
  const removed: string[] = [];
  const { platform, insertRemoval } = await platformFor(t, (files) => ({
    ...files,
    async removeFolder(folder) {
      removed.push(folder);
    },
  }));
  await insertRemoval('3', 'project', 'a');
  await insertRemoval('2', 'project', 'b');
  await insertRemoval('1', 'project', 'c');
  await insertRemoval('4', 'project', 'c');
  await using upkeep = startUpkeep(platform);
  await upkeep.run();
  assert.deepEqual(removed, ['c', 'b', 'a']);
});
