// Every call to the file store fails once, in a publish, a deletion, a page update and a repair: before it takes effect, after it
// has taken effect, and with a write that takes effect after the call was given up. The release that is live stays whole, the
// same change succeeds afterwards, and what is left in the end is exactly what rows refer to.
import assert from 'node:assert/strict';
import { mkdtempDisposable, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { PlatformError } from '@svc/contracts/platform';
import { NO_LOG } from '@svc/observe';
import sharp from 'sharp';
import { checkStore } from '../src/check/check-store.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { failure } from '../src/failure.ts';
import type { Batch, FileStore } from '../src/files/file-store.ts';
import { createFolderStore } from '../src/files/folder-store.ts';
import { placeOf } from '../src/files/keys.ts';
import { openSpool } from '../src/files/spool.ts';
import { isErrno } from '../src/files/storage-error.ts';
import { usedFiles } from '../src/storage/collect-unused.ts';
import { openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { storedKeys } from './read-state.ts';
import { runUpkeep } from './run-upkeep.ts';

const LATE_MS = 30;
const MODES = ['before', 'after', 'late'] as const;
type Mode = (typeof MODES)[number];

/** A store whose calls are counted, and of which one fails. Each file of a batch is one call. */
function createFaultyStore() {
  let calls = 0;
  let fault: { readonly call: number; readonly mode: Mode } | null = null;
  let late: Promise<unknown> = Promise.resolve();
  const refuse = () => failure('unavailable', 'Cannot reach the file store. Try again later');
  const read = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (++calls === fault?.call) throw refuse();
    return work();
  };
  const write = async (work: () => Promise<void>): Promise<void> => {
    if (++calls !== fault?.call) return work();
    if (fault.mode === 'after') await work();
    // It has no effect if its folder is removed meanwhile.
    if (fault.mode === 'late') late = setTimeout(LATE_MS).then(work).catch(ignoreMissing);
    throw refuse();
  };
  const wrapBatch = (store: FileStore): Batch => ({
    async put(key, writtenFile) {
      // A call that takes effect late still has its bytes, also while the spool is removed.
      const bytes = await readFile(writtenFile);
      await rm(writtenFile);
      await write(async () => {
        await using sent = await mkdtempDisposable(join(tmpdir(), 'svc-sent-'));
        const copy = join(sent.path, 'file');
        await writeFile(copy, bytes);
        await store.create(key, copy);
      });
    },
    settle: () => read(async () => {}),
    stop: async () => {},
  });
  return {
    wrap: (store: FileStore): FileStore => ({
      ...store,
      startBatch: () => wrapBatch(store),
      open: (key) => read(() => store.open(key)),
      async *list(folder) {
        await read(async () => {});
        yield* store.list(folder);
      },
      remove: (keys) => write(() => store.remove(keys)),
      removeFolder: (folder) => write(() => store.removeFolder(folder)),
    }),
    /** Runs the work and returns the number of its calls. */
    async count(work: () => Promise<unknown>): Promise<number> {
      calls = 0;
      await work();
      return calls;
    },
    /** Runs the work while one of its calls fails. Returns its error, or null. */
    async fail(at: number, mode: Mode, work: () => Promise<unknown>): Promise<unknown> {
      calls = 0;
      fault = { call: at, mode };
      const error = await work().then(
        () => null,
        (thrown: unknown) => thrown,
      );
      fault = null;
      await late;
      return error;
    },
  };
}

function ignoreMissing(error: unknown): void {
  if (!isErrno(error, 'ENOENT')) throw error;
}

const text = (name: string): string => `${name} `.repeat(300);
const buildOf = (version: number) => ({
  'index.html': `<title>${version}</title>`,
  'same.txt': text('same'),
  'changed.txt': text(`changed ${version}`),
});

async function openGame() {
  const store = createFaultyStore();
  const platform = await openPlatform({ changeFiles: store.wrap });
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Faults' } });
  const { db, ...database } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  const publish = (version: number) =>
    publishBuild(ada.client, game.id, String(version), buildOf(version));
  await publish(1);
  return {
    ...{ store, platform, ada, game, publish, db, database: { db, ...database } },
    /** Players get the whole release. */
    async expectLive(version: number, what: string): Promise<void> {
      for (const [path, expected] of Object.entries(buildOf(version))) {
        const answer = await fetch(`${platform.baseUrl}/play/${game.slug}/${path}`);
        assert.equal(await answer.text(), expected, `${what}: ${path}`);
      }
    },
    /** After an hour, the stored files are exactly those that rows refer to. */
    async expectTidy(what: string): Promise<void> {
      const ended = ['swept', 'unused'] as const;
      await db.updateTable('attempts').set({ beat_at: 1 }).where('state', 'in', ended).execute();
      await runUpkeep(platform);
      const { keys } = await usedFiles({ db }, game.id);
      assert.deepEqual(await storedKeys(platform, game.id), [...keys].sort(), what);
      const committed = await db
        .selectFrom('attempts')
        .select('id')
        .where('state', '=', 'committed')
        .execute();
      const places = new Set([...keys].map(placeOf));
      assert.deepEqual(committed.map(({ id }) => id).sort(), [...places].sort(), what);
    },
    async [Symbol.asyncDispose]() {
      await db.destroy();
      await platform[Symbol.asyncDispose]();
    },
  };
}

test('every call of a publish may fail', async () => {
  await using rig = await openGame();
  let version = 2;
  const calls = await rig.store.count(() => rig.publish(version));
  assert.ok(calls >= 7, `${calls} calls`);
  for (const mode of MODES) {
    for (let at = 1; at <= calls; at++) {
      const what = `call ${at} of ${calls} fails ${mode}`;
      const live = version++;
      const error = await rig.store.fail(at, mode, () => rig.publish(version));
      assert.ok(
        error instanceof PlatformError && error.code === 'unavailable',
        `${what}: ${error}`,
      );
      await rig.expectLive(live, what);
      await rig.publish(version);
      await rig.expectLive(version, `${what}, and the next publish`);
      const { releases } = await rig.ada.client.call('releases', { params: { id: rig.game.id } });
      for (const release of releases.filter((one) => !one.live)) {
        const params = { id: rig.game.id, version: release.version };
        await rig.ada.client.open('deleteRelease', { params });
      }
      await rig.expectTidy(what);
    }
  }
});

test('a rollback and an unpublish do not need the store', async () => {
  await using rig = await openGame();
  await rig.publish(2);
  const params = { id: rig.game.id };
  const calls = await rig.store.count(async () => {
    await rig.ada.client.call('rollback', { params, body: { version: '1' } });
    await rig.ada.client.call('unpublish', { params });
    await rig.ada.client.call('rollback', { params, body: { version: '2' } });
  });
  assert.equal(calls, 0);
  await rig.expectLive(2, 'after the rollbacks');
});

test('every call of a deletion may fail: the deletion is answered, and its files are removed later', async () => {
  await using rig = await openGame();
  const remove = async (version: number): Promise<void> => {
    const params = { id: rig.game.id, version: String(version) };
    const { status } = await rig.ada.client.open('deleteRelease', { params });
    assert.equal(status, 204);
  };
  await rig.publish(2);
  const calls = await rig.store.count(() => remove(1));
  assert.ok(calls >= 2, `${calls} calls`);
  let version = 2;
  for (const mode of MODES) {
    for (let at = 1; at <= calls; at++) {
      const what = `call ${at} of ${calls} fails ${mode}`;
      await rig.publish(++version);
      assert.equal(await rig.store.fail(at, mode, () => remove(version - 1)), null, what);
      await rig.expectLive(version, what);
      await rig.expectTidy(what);
    }
  }
});

test('every call of a page update may fail', async () => {
  await using rig = await openGame();
  const create = { width: 60, height: 40, channels: 3, background: '#3366cc' } as const;
  const image = new Uint8Array(await sharp({ create }).png().toBuffer());
  const update = (tagline: string) => {
    const form = new FormData();
    form.set('metadata', JSON.stringify({ tagline }));
    form.set('cover', new Blob([image]), 'cover.png');
    return rig.ada.client.call('updateStore', { params: { id: rig.game.id }, form });
  };
  await update('first');
  const calls = await rig.store.count(() => update('second'));
  for (const mode of MODES) {
    for (let at = 1; at <= calls; at++) {
      const what = `call ${at} of ${calls} fails ${mode}`;
      const tagline = `${at} ${mode}`;
      const before = await rig.ada.client.call('project', { params: { id: rig.game.id } });
      const error = await rig.store.fail(at, mode, () => update(tagline));
      const { page } = await rig.ada.client.call('project', { params: { id: rig.game.id } });
      // The last call removes the replaced files. The update is committed before.
      if (at === calls) assert.equal(error, null, what);
      else assert.ok(error instanceof PlatformError && error.code === 'unavailable', what);
      assert.equal(page.tagline, at === calls ? tagline : before.page.tagline, what);
      for (const { url } of [page.cover, ...(page.cover?.variants ?? [])].filter(
        (one) => one !== null,
      )) {
        assert.equal((await fetch(url ?? '')).status, 200, what);
      }
      await rig.expectTidy(what);
    }
  }
});

test('every call of a repair may fail, and the next repair completes it', async () => {
  await using rig = await openGame();
  const root = join(rig.platform.dataDir, 'projects');
  await using spool = openSpool(join(rig.platform.dataDir, 'repairs'));
  const context = {
    ...{ db: rig.db, database: rig.database, spool, log: NO_LOG },
    files: rig.store.wrap(createFolderStore(root)),
    attemptLeaseMs: 12_000,
  };
  const damage = async (): Promise<void> => {
    const stored = await storedKeys(rig.platform, rig.game.id);
    const contents = stored.filter((key) => !key.endsWith('build.zip'));
    await rm(join(root, contents[0] ?? ''));
    await writeFile(join(root, contents.at(-1) ?? ''), 'damaged');
  };
  const repair = () =>
    checkStore(context, { repair: true, sizesOnly: false, graceMs: 3_600_000 }, () => {});
  await damage();
  const calls = await rig.store.count(repair);
  assert.ok(calls >= 10, `${calls} calls`);
  for (const mode of MODES) {
    for (let at = 1; at <= calls; at++) {
      const what = `call ${at} of ${calls} fails ${mode}`;
      await rig.expectTidy(what);
      await damage();
      await rig.store.fail(at, mode, repair);
      const { left } = await repair();
      assert.equal(left, 0, what);
      await rig.expectLive(1, what);
    }
  }
});

test('a repair that cannot read a ZIP reports the store, and does not claim that no ZIP has the file', async () => {
  await using rig = await openGame();
  const root = join(rig.platform.dataDir, 'projects');
  await using spool = openSpool(join(rig.platform.dataDir, 'repairs'));
  const files = createFolderStore(root);
  const open = async (key: string) => {
    if (key.endsWith('build.zip')) throw failure('unavailable', 'Cannot reach the file store');
    return files.open(key);
  };
  const context = {
    ...{ db: rig.db, database: rig.database, spool, log: NO_LOG },
    ...{ files: { ...files, open }, attemptLeaseMs: 12_000 },
  };
  const [content = ''] = (await storedKeys(rig.platform, rig.game.id)).filter(
    (key) => !key.endsWith('build.zip'),
  );
  await rm(join(root, content));
  const reasons: (string | null)[] = [];
  const options = { repair: true, sizesOnly: true, graceMs: 3_600_000 };
  await checkStore(context, options, (report) => reasons.push(report.reason));
  assert.deepEqual(reasons, ['Cannot reach the file store']);
  const { left } = await checkStore({ ...context, files }, options, () => {});
  assert.equal(left, 0, 'the next repair succeeds');
});
