import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startOfIds } from '../src/database/new-id.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { expectError } from './expect-error.ts';
import { openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { runUpkeep } from './run-upkeep.ts';

const DAY_MS = 24 * 3600 * 1000;

test('the audit records who changed tokens, projects and releases with which token, and no secret', async () => {
  const start = Date.now();
  let now = start;
  await using platform = await openPlatform({ now: () => now });
  const ada = await platform.person('Ada');
  const { token, secret } = await ada.client.call('createToken', { body: { name: 'ci' } });
  const ci = platform.clientWith(secret);
  now += 1000;
  const { game } = await ci.call('createProject', { body: { title: 'Watched' } });
  const params = { id: game.id };
  await publishBuild(ci, game.id, '1', { 'index.html': 'one' });
  await publishBuild(ci, game.id, '2', { 'index.html': 'two' });
  await expectError(publishBuild(ci, game.id, '2', { 'index.html': 'two' }), 'version_exists');
  await ci.call('rollback', { params, body: { version: '1' } });
  await ada.client.call('deleteRelease', { params: { ...params, version: '2' } });
  await ci.call('unpublish', { params });
  await ci.call('rollback', { params, body: { version: '1' } });
  await ada.client.call('revokeToken', { params: { id: token.id } });
  await ada.client.call('deleteProject', { params });

  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  const rows = await db.selectFrom('audit').selectAll().orderBy('id').execute();
  await db.destroy();
  assert.deepEqual(
    rows.map(({ action, uid, token_id, subject, detail }) => [
      action,
      uid,
      token_id,
      subject,
      detail,
    ]),
    [
      ['developer.made', ada.uid, null, ada.uid, null],
      ['token.created', ada.uid, null, token.id, null],
      ['project.created', ada.uid, token.id, game.id, 'watched'],
      ['release.published', ada.uid, token.id, game.id, '1'],
      ['release.published', ada.uid, token.id, game.id, '2'],
      ['release.rolled_back', ada.uid, token.id, game.id, '1'],
      ['release.deleted', ada.uid, null, game.id, '2'],
      ['game.unpublished', ada.uid, token.id, game.id, null],
      ['game.published', ada.uid, token.id, game.id, '1'],
      ['token.revoked', ada.uid, null, token.id, null],
      ['project.deleted', ada.uid, null, game.id, 'watched'],
    ],
  );
  assert.equal(rows[0]?.at, start);
  assert.equal(rows.at(-1)?.at, now);
  const written = JSON.stringify(rows);
  assert.ok(!written.includes(secret) && !written.includes(ada.idToken));
});

test('records are kept for good, unless audit_days limits their age', async () => {
  await using platform = await openPlatform();
  const ada = await platform.person('Ada');
  await ada.client.call('createToken', { body: { name: 'ci' } });
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  const actions = async () => {
    const rows = await db.selectFrom('audit').select('action').orderBy('id').execute();
    return rows.map(({ action }) => action);
  };
  // More than one run deletes, made a year ago.
  const start = startOfIds(Date.now() - 365 * DAY_MS);
  const old = Array.from({ length: 2_001 }, (_, index) => ({
    ...{ id: `${start}-7000-8000-${String(index).padStart(12, '0')}`, at: 0, uid: ada.uid },
    ...{ action: 'old', subject: ada.uid },
  }));
  await db.insertInto('audit').values(old).execute();
  const recent = ['developer.made', 'token.created'];
  const upkeep = (days: number, audit_days?: number) =>
    runUpkeep(platform, Date.now() + days * DAY_MS, audit_days === undefined ? {} : { audit_days });
  await upkeep(36_500);
  await upkeep(0, 366);
  assert.equal((await actions()).length, old.length + recent.length);
  await upkeep(0, 364);
  assert.deepEqual(await actions(), ['old', ...recent]);
  await upkeep(0, 364);
  assert.deepEqual(await actions(), recent);
  await upkeep(29, 30);
  assert.deepEqual(await actions(), recent);
  await upkeep(31, 30);
  assert.deepEqual(await actions(), []);
  await db.destroy();
});
