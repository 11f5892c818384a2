// Changes of one project do not affect others: their rows, their files, and what players and visitors get.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { openDatabase } from '../src/database/open-database.ts';
import type { Db } from '../src/database/schema.ts';
import { makeMp4 } from './make-trailer.ts';
import { openPlatform, type Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { filesIn } from './read-state.ts';
import { removeProject } from './remove-project.ts';

const OLD = 'assets/old-DkZ3xQ9p.js';
/** Compresses well. */
const TEXT = 'the same in both '.repeat(100);

/** A game with releases, kept files, media, tags and search terms. They are equal in all games. */
async function makeGame({ client }: Person, image: Buffer): Promise<string> {
  const body = { title: 'Twin', tags: ['twins', 'same'] };
  const { game } = await client.call('createProject', { body });
  await publishBuild(client, game.id, '1', { 'index.html': 'one', 'only-1.txt': 'x' });
  await publishBuild(client, game.id, '2', { 'index.html': 'two', [OLD]: TEXT });
  await publishBuild(client, game.id, '3', { 'index.html': 'three', 'text.txt': TEXT });
  await client.call('updateStore', { params: { id: game.id }, form: storeForm({}, image) });
  return game.id;
}

function storeForm(metadata: object, image: Buffer | null): FormData {
  const form = new FormData();
  form.set('metadata', JSON.stringify(metadata));
  if (image === null) return form;
  for (const name of ['banner', 'cover', 'screenshots']) {
    form.append(name, new Blob([new Uint8Array(image)]), 'image.png');
  }
  form.set('trailer', new Blob([new Uint8Array(makeMp4())]), 'trailer.mp4');
  return form;
}

/** All rows of the game, by table. */
async function rowsOf(db: Db, id: string): Promise<Record<string, string[]>> {
  const releases = db.selectFrom('releases').select('id').where('game_id', '=', id);
  const of = (table: 'releases' | 'kept_manifests' | 'media' | 'game_tags') =>
    db.selectFrom(table).selectAll().where('game_id', '=', id).execute();
  const rows: Record<string, readonly object[]> = {
    games: await db.selectFrom('games').selectAll().where('id', '=', id).execute(),
    releases: await of('releases'),
    kept_manifests: await of('kept_manifests'),
    media: await of('media'),
    game_tags: await of('game_tags'),
    manifests: await db
      .selectFrom('manifests')
      .selectAll()
      .where('release_id', 'in', releases)
      .execute(),
    search_terms: await db
      .selectFrom('search_terms')
      .selectAll()
      .where('subject_id', '=', id)
      .execute(),
  };
  return Object.fromEntries(
    Object.entries(rows).map(([table, list]) => [
      table,
      list.map((row) => JSON.stringify(row)).sort(),
    ]),
  );
}

test('changes of a project do not affect other projects of the developer', async (t) => {
  await using platform = await openPlatform();
  const ada = await platform.person('Ada');
  const { client } = ada;
  const create = { width: 50, height: 30, channels: 3, background: '#3366cc' } as const;
  const image = await sharp({ create }).png().toBuffer();
  const ids = [await makeGame(ada, image), await makeGame(ada, image), await makeGame(ada, image)];
  // The middle one: neither the first nor the last row of any table.
  const [first = '', id = '', last = ''] = ids;
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  t.after(() => db.destroy());
  const state = async (other: string) => ({
    rows: await rowsOf(db, other),
    files: (await filesIn(platform, 'projects')).filter((path) => path.includes(other)),
  });
  const before = [await state(first), await state(last)];
  for (const { rows, files } of before) {
    for (const [table, list] of Object.entries(rows)) assert.ok(list.length > 0, table);
    assert.ok(files.length > 15, `${files.length} files`);
  }
  const params = { id };
  const version = (number: string) => ({ params: { ...params, version: number } });
  const changes: [what: string, change: () => Promise<unknown>][] = [
    ['edit', () => client.call('editProject', { params, body: { title: 'One', tags: ['one'] } })],
    ['publish', () => publishBuild(client, id, '4', { 'index.html': 'four', 'a.txt': 'a' })],
    ['deletion of a release', () => client.open('deleteRelease', version('2'))],
    [
      'store page',
      () => client.call('updateStore', { params, form: storeForm({ category: 'rpg' }, image) }),
    ],
    [
      'clearing of the store page',
      () => {
        const none = { banner: null, cover: null, trailer: null, screenshots: [], tags: null };
        return client.call('updateStore', { params, form: storeForm(none, null) });
      },
    ],
    ['rollback', () => client.call('rollback', { params, body: { version: '3' } })],
    ['unpublish', () => client.call('unpublish', { params })],
    ['deletion', () => client.open('deleteProject', { params })],
    ['restoration', () => client.call('restoreProject', { params })],
    ['removal', () => removeProject(client, id)],
  ];
  for (const [what, change] of changes) {
    const own = await state(id);
    await change();
    assert.notDeepEqual(await state(id), own, what);
    assert.deepEqual([await state(first), await state(last)], before, what);
  }
  const gone = await state(id);
  for (const [table, list] of Object.entries(gone.rows)) assert.deepEqual(list, [], table);
  assert.deepEqual(gone.files, []);
});
