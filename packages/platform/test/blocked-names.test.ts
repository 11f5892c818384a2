// Blocked words in titles, slugs and names of users: which changes are rejected, and what keeps its name.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readSettings, startPlatform } from '../src/index.ts';
import { expectError } from './expect-error.ts';
import { openWithSettings } from './open-hook.ts';
import type { OpenPlatform, Person } from './open-platform.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-words-'));
const file = join(folder, 'words.txt');
writeFileSync(file, '# A list\n\nzwurk\nBlood Moon\n');

let platform: OpenPlatform;
let ada: Person;
before(async () => {
  platform = await openWithSettings({ SVC_BLOCKED_WORDS: file, SVC_RATE_LIMIT: 'off' });
  ada = await platform.person('Ada');
});
after(async () => {
  await platform[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

type Field = 'title' | 'slug' | 'name';

/** Expects the call to be rejected because of a field. The message must not repeat the word. */
async function expectBlocked(call: Promise<unknown>, field: Field): Promise<void> {
  const { message, details } = await expectError(call, 'invalid_input');
  const wanted = `The ${field} contains a word that this platform does not allow. Choose another ${field}`;
  assert.deepEqual([message, details], [wanted, [{ path: `/${field}`, message: wanted }]]);
}

/** Changes names as the operator's list did not have these words yet. */
async function changeDatabase(table: 'games' | 'users', id: string, name: string): Promise<void> {
  const { openDatabase } = await import('../src/database/open-database.ts');
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  if (table === 'games') {
    await db.updateTable('games').set({ title: name }).where('id', '=', id).execute();
  } else {
    await db.updateTable('users').set({ name }).where('uid', '=', id).execute();
  }
  await db.destroy();
}

test('a project cannot get a title or slug with a blocked word', async () => {
  const create = (title: string, slug?: string) =>
    ada.client.call('createProject', { body: { title, ...(slug === undefined ? {} : { slug }) } });
  for (const title of ['Zwurk', 'My ZWUUURK', 'Zwúrk!', 'z.w.u.r.k', 'The blood-moon']) {
    await expectBlocked(create(title), 'title');
  }
  for (const slug of ['zwurk', 'my-zwurk-2', 'z-w-u-r-k', 'bloodmoon-blood-moon']) {
    await expectBlocked(create('Fine', slug), 'slug');
  }
  const { game } = await create('Zwurkel', 'zwurkel-bloodmoon');
  assert.equal(game.slug, 'zwurkel-bloodmoon');
  const params = { id: game.id };
  await expectBlocked(
    ada.client.call('editProject', { params, body: { title: 'Zwurk' } }),
    'title',
  );
  await expectBlocked(ada.client.call('changeSlug', { params, body: { slug: 'a-zwurk' } }), 'slug');
  const { game: kept } = await ada.client.call('project', { params });
  assert.deepEqual([kept.title, kept.slug], ['Zwurkel', 'zwurkel-bloodmoon']);
});

test('a slug that is made from a title has no blocked word', async () => {
  // The slug lacks the letters that make it a part of another word.
  const { game } = await ada.client.call('createProject', { body: { title: '日zwurk日' } });
  assert.match(game.slug, /^game-[0-9a-f]{6}$/);
});

test('a title from before the word was blocked stays until it is changed', async () => {
  const { game } = await ada.client.call('createProject', { body: { title: 'Old' } });
  await changeDatabase('games', game.id, 'Old zwurk');
  const params = { id: game.id };
  const body = { title: 'Old zwurk', tagline: 'New' };
  const edited = await ada.client.call('editProject', { params, body });
  assert.deepEqual([edited.game.title, edited.game.tagline], ['Old zwurk', 'New']);
  await expectBlocked(
    ada.client.call('editProject', { params, body: { title: 'New zwurk' } }),
    'title',
  );
});

test('a user cannot choose a name with a blocked word, and keeps one from before', async () => {
  const bob = await platform.person('Bob');
  await expectBlocked(bob.client.call('editProfile', { body: { name: 'Bob Zwurk' } }), 'name');
  await changeDatabase('users', bob.uid, 'Zwurk');
  const { user } = await bob.client.call('editProfile', { body: { name: 'Zwurk', mail: {} } });
  assert.equal(user.name, 'Zwurk');
});

test('a name of the identity provider with a blocked word is not used', async () => {
  const user = await platform.person('Zwurk');
  assert.equal((await user.client.call('me', {})).user.name, 'Player');
  const { user: named } = await user.client.call('editProfile', { body: { name: 'Zoe' } });
  assert.equal(named.name, 'Zoe');
  // A user who has signed in before keeps the name from then.
  const eve = await platform.person('Eve Zwurk');
  await changeDatabase('users', eve.uid, 'Eve');
  const again = await platform.person('Eve Zwurk');
  assert.equal(again.uid, eve.uid);
  assert.equal((await again.client.call('me', {})).user.name, 'Eve');
});

test('a server with an invalid file does not start, and says which line', async () => {
  const wrong = join(folder, 'wrong.txt');
  writeFileSync(wrong, 'fine\n---\n');
  await assert.rejects(
    startPlatform({
      ...{ dev: true, dataDir: join(folder, 'data'), port: 0 },
      settings: readSettings({ SVC_BLOCKED_WORDS: wrong }),
    }),
    /^Error: Cannot start with the blocked words in ".*wrong\.txt" \(SVC_BLOCKED_WORDS\):\n {2}line 2: has no letter or digit$/,
  );
});
