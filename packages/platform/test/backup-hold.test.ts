// What a backup keeps from being removed while it runs, and for how long. Runs on SQLite and on PostgreSQL.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { NO_LOG } from '@svc/observe';
import sharp from 'sharp';
import { checkStore } from '../src/check/check-store.ts';
import type { FileStore } from '../src/files/file-store.ts';
import { openStores } from '../src/start/open-stores.ts';
import { holdRemovals } from '../src/storage/removal-hold.ts';
import { backUp, newPlace, newTarget, openRestored, playFiles, restoreTo } from './backup-rig.ts';
import { openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { storedKeys } from './read-state.ts';
import { removeProject } from './remove-project.ts';
import { runUpkeep } from './run-upkeep.ts';

const DAY_MS = 24 * 3600 * 1000;

/** A platform with a game of two versions, and the stores of a process beside it. */
async function openSite(t: TestContext) {
  const platform = await openPlatform();
  t.after(() => platform[Symbol.asyncDispose]());
  const { client } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Held' } });
  for (const version of ['1', '2']) {
    await publishBuild(client, game.id, version, { 'index.html': `version ${version}` });
  }
  const { dataDir, settings } = platform;
  const stores = await openStores({ dataDir, settings, log: NO_LOG });
  t.after(() => stores[Symbol.asyncDispose]());
  const keys = () => storedKeys(platform, game.id);
  return { platform, client, game, stores, keys, params: { id: game.id } };
}

async function cover(colour: string): Promise<FormData> {
  const create = { width: 320, height: 320, channels: 3, background: colour } as const;
  const form = new FormData();
  form.set('metadata', '{}');
  form.set('cover', new Blob([new Uint8Array(await sharp({ create }).png().toBuffer())]));
  return form;
}

test('while a backup runs, no file of a release, a page or a game is removed; afterwards all are', async (t) => {
  const { platform, client, stores, keys, params } = await openSite(t);
  await client.call('updateStore', { params, form: await cover('#336699') });
  const before = await keys();
  {
    await using _ = await holdRemovals(stores);
    await client.call('deleteRelease', { params: { ...params, version: '1' } });
    await client.call('updateStore', { params, form: await cover('#993366') });
    await runUpkeep(platform);
    const held = await keys();
    assert.deepEqual(
      before.filter((key) => !held.includes(key)),
      [],
    );
    const options = { repair: true, sizesOnly: false, graceMs: 0 };
    const reasons: (string | null)[] = [];
    await checkStore(stores, options, ({ reason }) => reasons.push(reason));
    assert.ok(reasons.length > 0);
    assert.ok(reasons.every((reason) => /^A backup that is running/.test(reason ?? '')));
    assert.deepEqual(await keys(), held);
  }
  await runUpkeep(platform);
  const { removed, left } = await compare(before, keys);
  assert.ok(removed.length > 0 && left.length > 0);
  const held = await holdRemovals(stores);
  await removeProject(client, params.id);
  await runUpkeep(platform, Date.now() + 100 * DAY_MS);
  assert.deepEqual(await keys(), left);
  await held[Symbol.asyncDispose]();
  await runUpkeep(platform, Date.now() + 100 * DAY_MS);
  assert.deepEqual(await keys(), []);
});

async function compare(before: readonly string[], keys: () => Promise<string[]>) {
  const left = await keys();
  return { left, removed: before.filter((key) => !left.includes(key)) };
}

test('a hold that has expired holds nothing, and its backup cannot end', async (t) => {
  const { platform, client, stores, keys, params } = await openSite(t);
  const before = await keys();
  await using hold = await holdRemovals(stores);
  await hold.confirm();
  await stores.db
    .updateTable('removal_holds')
    .set({ until: Date.now() - 1000 })
    .execute();
  await client.call('deleteRelease', { params: { ...params, version: '1' } });
  await runUpkeep(platform);
  assert.ok((await compare(before, keys)).removed.length > 0);
  await assert.rejects(hold.confirm(), /was stopped for too long/);
  await using next = await holdRemovals(stores);
  await next.confirm();
  const rows = await stores.db.selectFrom('removal_holds').select('id').execute();
  assert.equal(rows.length, 1, 'the next hold removes those that have expired');
});

test('what is deleted while a backup copies is whole in the backup', async (t) => {
  const { platform, client, game, params } = await openSite(t);
  const target = await newTarget(t);
  let isDeleted = false;
  const changeFiles = (files: FileStore): FileStore => ({
    ...files,
    async open(key) {
      if (!isDeleted) {
        isDeleted = true;
        await client.call('deleteRelease', { params: { ...params, version: '1' } });
        await runUpkeep(platform);
      }
      return files.open(key);
    },
  });
  const { lost } = await backUp(platform, target.store, { changeFiles });
  assert.deepEqual([isDeleted, lost], [true, []]);
  const place = await newPlace(t);
  assert.deepEqual((await restoreTo(place, target.store)).faults, []);
  await using restored = await openRestored(place);
  const { client: again } = await restored.person('Ada');
  await again.call('rollback', { params, body: { version: '1' } });
  const played = await playFiles(restored, game.slug, ['index.html']);
  assert.match(played['index.html'] ?? '', /^200 /);
  await again.call('deleteRelease', { params: { ...params, version: '2' } });
  await runUpkeep(restored);
});
