// Who may write files of a project: a row that its owner left hinders nobody, one that is held does.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../src/database/open-database.ts';
import type { Db } from '../src/database/schema.ts';
import { expectError } from './expect-error.ts';
import { openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';

const LONG_AGO_MS = 3600 * 1000;

async function claims(db: Db, gameId: string) {
  const rows = await db.selectFrom('claims').selectAll().where('game_id', '=', gameId).execute();
  return rows.map(({ kind, owner }) => `${kind} ${owner}`);
}

test('a claim that could not be given back is taken up by the next publish and store update', async () => {
  await using platform = await openPlatform();
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Left' } });
  const [owner = ''] = await readdir(join(platform.dataDir, 'spool'));
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  try {
    // As after a disk that was full when the row should have gone.
    for (const kind of ['publish', 'media'] as const) {
      const row = { game_id: game.id, kind, owner, beat_at: Date.now() };
      await db.insertInto('claims').values(row).execute();
    }
    await publishBuild(ada.client, game.id, '1', { 'index.html': 'x' });
    const form = new FormData();
    form.set('metadata', '{"tagline":"Taken up"}');
    const { page } = await ada.client.call('updateStore', { params: { id: game.id }, form });
    assert.equal(page.tagline, 'Taken up');
    assert.deepEqual(await claims(db, game.id), []);
  } finally {
    await db.destroy();
  }
});

test('a claim of another server holds while it beats, and is taken over after', async () => {
  await using platform = await openPlatform();
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Held' } });
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  const publish = (version: string) =>
    publishBuild(ada.client, game.id, version, { 'index.html': version });
  try {
    // A beat in the future: however slow this machine is, it does not grow stale under the test.
    const beat_at = Date.now() + LONG_AGO_MS;
    const row = { game_id: game.id, kind: 'publish', owner: 'elsewhere~1~aa', beat_at } as const;
    await db.insertInto('claims').values(row).execute();
    await expectError(publish('1'), 'publish_in_progress');
    assert.deepEqual(await claims(db, game.id), ['publish elsewhere~1~aa']);
    await db
      .updateTable('claims')
      .set({ beat_at: Date.now() - LONG_AGO_MS })
      .where('game_id', '=', game.id)
      .execute();
    assert.equal((await publish('1')).release.version, '1');
    assert.deepEqual(await claims(db, game.id), []);
  } finally {
    await db.destroy();
  }
});

test('a publish beside the deletion of an old release is published: the removal of files is no publish', async () => {
  await using platform = await openPlatform();
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Beside' } });
  const params = { id: game.id };
  const texts = (round: number) =>
    Array.from({ length: 100 }, (_, file) => [`${file}.txt`, `${round} ${file}`]);
  for (let round = 0; round < 5; round++) {
    const files = Object.fromEntries([['index.html', 'old'], ...texts(round)]);
    await publishBuild(ada.client, game.id, `old-${round}`, files);
    await publishBuild(ada.client, game.id, `live-${round}`, { 'index.html': 'live' });
    const [deleted, published] = await Promise.all([
      ada.client.open('deleteRelease', { params: { ...params, version: `old-${round}` } }),
      publishBuild(ada.client, game.id, `new-${round}`, { 'index.html': `new ${round}` }),
    ]);
    assert.equal(deleted.status, 204);
    assert.equal(published.release.live, true);
    const play = await fetch(`${platform.baseUrl}/play/${game.slug}/`);
    assert.equal(await play.text(), `new ${round}`);
  }
});
