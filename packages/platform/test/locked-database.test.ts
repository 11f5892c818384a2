// A SQLite file that another program keeps locked.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { readSettings } from '../src/index.ts';
import { expectError } from './expect-error.ts';
import { openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';

test('while another program locks the SQLite file, changes are answered with 503 busy and Retry-After, and games are played', async () => {
  await using platform = await openPlatform({ settings: readSettings({}) });
  const { client } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Locked' } });
  await publishBuild(client, game.id, '1', { 'index.html': 'one' });
  using other = new DatabaseSync(join(platform.dataDir, 'platform.sqlite'));
  other.exec('begin immediate');
  const error = await expectError(client.call('unpublish', { params: { id: game.id } }), 'busy');
  assert.equal(error.retryAfterSeconds, 1);
  const play = await fetch(`${platform.baseUrl}/play/${game.slug}/`);
  assert.equal(await play.text(), 'one');
  other.exec('rollback');
  await client.call('unpublish', { params: { id: game.id } });
  assert.equal((await fetch(`${platform.baseUrl}/play/${game.slug}/`)).status, 404);
});
