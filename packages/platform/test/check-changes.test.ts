// Checks, repairs and removals while a project changes: a release that is committed or deleted meanwhile is not a problem, and
// keeps its files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '../src/database/schema.ts';
import type { Batch, FileStore } from '../src/files/file-store.ts';
import { collectUnused } from '../src/storage/collect-unused.ts';
import { openRig, text } from './check-rig.ts';
import { publishBuild } from './publish-build.ts';
import { openUpload, sendParts } from './publish-parts.ts';
import { storedKeys } from './read-state.ts';

const BUILD = { 'index.html': text('3'), 'new.js': text('new') };

/** A store whose next batch waits, when all its files are stored, until the gate is opened. */
function createGate() {
  const stored = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let isArmed = false;
  const wrapBatch = (batch: Batch): Batch => ({
    ...batch,
    async settle() {
      await batch.settle();
      stored.resolve();
      await gate.promise;
    },
  });
  return {
    wrap: (files: FileStore): FileStore => ({
      ...files,
      startBatch: () => (isArmed ? wrapBatch(files.startBatch()) : files.startBatch()),
    }),
    arm: () => {
      isArmed = true;
    },
    stored: stored.promise,
    open: () => gate.resolve(),
  };
}

/** Does the work once, after the given list of files was read and the next query was answered. */
function afterNextQuery(db: Db, files: FileStore, work: () => Promise<unknown>) {
  let isNext = false;
  return {
    db: db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (isNext) {
          isNext = false;
          await work();
        }
        return result;
      },
    }),
    files: {
      ...files,
      async *list(folder: string) {
        yield* files.list(folder);
        isNext = true;
      },
    },
  };
}

/** A publish of the first project whose files are stored, and which is committed when `commit` is called. */
async function openPublish() {
  const gate = createGate();
  const rig = await openRig(gate.wrap);
  gate.arm();
  const published = publishBuild(rig.client, rig.first, '3', BUILD);
  published.catch(() => {});
  await gate.stored;
  return {
    rig,
    async commit(): Promise<void> {
      gate.open();
      await published;
    },
    async expectWhole(): Promise<void> {
      assert.deepEqual((await rig.check({}, false)).reports, []);
    },
  };
}

test('a release that is committed during a repair is not orphaned', async () => {
  const { rig, commit, expectWhole } = await openPublish();
  await using _rig = rig;
  const changed = afterNextQuery(rig.db, rig.files, commit);
  const { reports } = await rig.check(changed, true, false, 0);
  assert.deepEqual(reports, []);
  await expectWhole();
});

test('a release that is committed before its files are listed is not orphaned', async () => {
  const { rig, commit, expectWhole } = await openPublish();
  await using _rig = rig;
  let isCommitted = false;
  const files: FileStore = {
    ...rig.files,
    async *list(folder) {
      if (!isCommitted) await commit();
      isCommitted = true;
      yield* rig.files.list(folder);
    },
  };
  const { reports } = await rig.check({ files }, true, false, 0);
  assert.deepEqual(reports, []);
  await expectWhole();
});

test('a release that is committed while unused files are removed keeps its files, and the removal is repeated', async () => {
  const { rig, commit, expectWhole } = await openPublish();
  await using _rig = rig;
  const { db, files } = afterNextQuery(rig.db, rig.files, commit);
  assert.equal(await collectUnused({ db, database: rig.database, files }, rig.first), false);
  await expectWhole();
  assert.equal(await collectUnused(rig, rig.first), true);
  await expectWhole();
});

test('a release that is deleted during a check is not a problem', async () => {
  await using rig = await openRig();
  const before = await storedKeys(rig.platform, rig.first);
  let isDeleted = false;
  const files: FileStore = {
    ...rig.files,
    async open(key) {
      if (!isDeleted) {
        isDeleted = true;
        const params = { id: rig.first, version: '1' };
        await rig.client.open('deleteRelease', { params });
      }
      return rig.files.open(key);
    },
  };
  const { reports, summary } = await rig.check({ files }, true);
  assert.deepEqual([reports, summary.left, summary.repaired], [[], 0, 0]);
  assert.ok((await storedKeys(rig.platform, rig.first)).length < before.length);
});

test('the parts of an open upload are no problem, and a repair leaves them', async () => {
  await using rig = await openRig();
  const { client, first } = rig;
  const upload = await openUpload(client, first, BUILD);
  await sendParts(client, first, upload, BUILD);
  const { reports } = await rig.check({}, true, false, 0);
  assert.deepEqual(reports, []);
  const params = { id: first, upload: upload.id };
  await client.call('publishUpload', { params, body: { version: '3' } });
});
