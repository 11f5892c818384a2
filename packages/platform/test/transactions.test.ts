// A change is complete or not made: if one of its rows cannot be written, no row and no file remains.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_LOG } from '@svc/observe';
import { sql } from 'kysely';
import sharp from 'sharp';
import { openDatabase } from '../src/database/open-database.ts';
import { expectError } from './expect-error.ts';
import { openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { openAttempts, readState, spooledFiles } from './read-state.ts';

/** The table that a change writes last. Without it, the change fails after all other writes. */
type Table = 'audit' | 'search_terms' | 'game_tags' | 'avatars';

const OLD = 'assets/old-DkZ3xQ9p.js';
const build = (version: string) => ({ 'index.html': version, [`${version}.txt`]: version });

test('a change of which one row cannot be written changes nothing, and succeeds completely later', async () => {
  await using platform = await openPlatform({ log: NO_LOG });
  const ada = await platform.person('Ada');
  const pia = await platform.person('Pia', 'player');
  const { client } = ada;
  const { game } = await client.call('createProject', { body: { title: 'Whole', tags: ['one'] } });
  const params = { id: game.id };
  await publishBuild(client, game.id, '1', build('1'));
  await publishBuild(client, game.id, '2', { ...build('2'), [OLD]: 'old()' });
  const { token } = await client.call('createToken', { body: { name: 'ci' } });
  const image = { width: 40, height: 40, channels: 3, background: '#3366cc' } as const;
  const picture = new Blob([new Uint8Array(await sharp({ create: image }).png().toBuffer())]);
  const page = () => {
    const form = new FormData();
    form.set('metadata', '{"tagline":"Changed","category":"racing"}');
    form.set('cover', picture, 'cover.png');
    return form;
  };
  const avatar = () => {
    const form = new FormData();
    form.set('avatar', picture, 'face.png');
    return form;
  };
  const session = { id_token: pia.idToken, role: 'developer' as const };
  const rollback = { params, body: { version: '1' } };
  const changes: [what: string, Table, () => Promise<unknown>][] = [
    ['openSession', 'audit', () => client.call('openSession', { body: session })],
    ['createToken', 'audit', () => client.call('createToken', { body: { name: 'more' } })],
    ['revokeToken', 'audit', () => client.open('revokeToken', { params: { id: token.id } })],
    ['createProject', 'audit', () => client.call('createProject', { body: { title: 'New' } })],
    [
      'editProject',
      'game_tags',
      () => client.call('editProject', { params, body: { title: 'X' } }),
    ],
    ['updateStore', 'game_tags', () => client.call('updateStore', { params, form: page() })],
    ['editProfile', 'search_terms', () => client.call('editProfile', { body: { name: 'Eda' } })],
    ['uploadAvatar', 'avatars', () => client.call('uploadAvatar', { form: avatar() })],
    ['removeAvatar', 'avatars', () => client.open('removeAvatar', {})],
    ['publish', 'audit', () => publishBuild(client, game.id, '3', build('3'))],
    ['rollback', 'audit', () => client.call('rollback', rollback)],
    ['unpublish', 'audit', () => client.call('unpublish', { params })],
    ['rollback of a draft', 'audit', () => client.call('rollback', rollback)],
    [
      'deleteRelease',
      'audit',
      () => client.open('deleteRelease', { params: { ...params, version: '2' } }),
    ],
    ['deleteProject', 'audit', () => client.open('deleteProject', { params })],
    ['restoreProject', 'game_tags', () => client.call('restoreProject', { params })],
    ['deletion of a restored game', 'game_tags', () => client.open('deleteProject', { params })],
    ['removeDeletedGame', 'audit', () => client.open('removeDeletedGame', { params })],
  ];
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  const rename = (from: string, to: string) =>
    sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(db);
  try {
    for (const [what, table, change] of changes) {
      const before = await readState(platform, db);
      await rename(table, 'away');
      await expectError(change(), 'internal').finally(() => rename('away', table));
      assert.deepEqual(await readState(platform, db), before, what);
      assert.deepEqual(await spooledFiles(platform), [], what);
      assert.deepEqual(await openAttempts(db), [], what);
      await change();
      assert.notDeepEqual(await readState(platform, db), before, what);
    }
  } finally {
    await db.destroy();
  }
});
