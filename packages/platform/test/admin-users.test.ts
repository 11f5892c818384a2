// What administrators do to users through the API, and what follows from it everywhere.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { PLATFORM_LIMITS, ROUTES, type RouteName, type RouteRow } from '@svc/contracts/platform';
import sharp from 'sharp';
import { openDatabase } from '../src/database/open-database.ts';
import { expectError } from './expect-error.ts';
import { giveRole, makeAdmin } from './make-admin.ts';
import { freshName, type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import { signIn } from './sign-in.ts';

let platform: OpenPlatform;
let root: Person;
before(async () => {
  platform = await openPlatform();
  root = await makeAdmin(platform, 'Root');
});
after(() => platform[Symbol.asyncDispose]());

const nobody = () => platform.clientWith(null);

async function publishGame(owner: Person, title: string) {
  const { game } = await owner.client.call('createProject', { body: { title } });
  await publishBuild(owner.client, game.id, '1', { 'index.html': 'one' });
  return game;
}

async function statusOf(url: string): Promise<number> {
  const answer = await fetch(url);
  await answer.arrayBuffer();
  return answer.status;
}

const playOf = ({ slug }: { slug: string }): string => `${platform.baseUrl}/play/${slug}/`;

/** Signs in again in the next second, because the times of ID tokens are in seconds. */
async function signInLater(name: string): Promise<Person> {
  await setTimeout(1001 - (Date.now() % 1000));
  return await platform.person(name);
}

async function auditOf(subject: string): Promise<[string, string | null][]> {
  const { records } = await root.client.call('audit', { query: { subject } });
  return records.map(({ action, detail }): [string, string | null] => [action, detail]).reverse();
}

test('only the session of an administrator may call a route of administrators, and it says so', async () => {
  const admin = await makeAdmin(platform, freshName('Token holder'));
  const { secret } = await admin.client.call('createToken', { body: { name: 'ci' } });
  const developer = await platform.person(freshName('Dev'));
  const player = await platform.person(freshName('Player'), 'player');
  const rows = Object.entries(ROUTES as Readonly<Record<RouteName, RouteRow>>).filter(
    ([, { path }]) => path.startsWith('/admin/'),
  );
  assert.equal(rows.length, 18);
  for (const [name, row] of rows) {
    assert.deepEqual([row.admin, row.auth], [true, 'session'], name);
    const send = async (credential: string | null) => {
      const answer = await fetch(platform.baseUrl + row.path.replaceAll(/:\w+/g, admin.uid), {
        method: row.method,
        headers: {
          ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
          ...(row.takes === 'json' ? { 'content-type': 'application/json' } : {}),
        },
        ...(row.takes === 'json' ? { body: '{}' } : {}),
      });
      const body = (await answer.json()) as { error?: { code: string } };
      return [answer.status, body.error?.code];
    };
    assert.deepEqual(await send(null), [401, 'unauthenticated'], name);
    assert.deepEqual(await send(secret), [403, 'session_only'], name);
    assert.deepEqual(await send(developer.idToken), [403, 'admin_required'], name);
    assert.deepEqual(await send(player.idToken), [403, 'admin_required'], name);
  }
});

test('roles are given and taken; the user cannot take back what an administrator has chosen', async () => {
  const name = freshName('Climber');
  const ada = await platform.person(name, 'player');
  const edit = (role: 'player' | 'developer' | 'admin', by = root) =>
    by.client.call('editUser', { params: { uid: ada.uid }, body: { role } });
  const create = () => ada.client.call('createProject', { body: { title: freshName('Game') } });
  await expectError(create(), 'developer_required');
  assert.equal((await edit('developer')).user.role, 'developer');
  const { game } = await create();
  await publishBuild(ada.client, game.id, '1', { 'index.html': 'one' });
  const found = async () =>
    (await nobody().call('search', { query: { q: name } })).developers.map(({ uid }) => uid);
  assert.deepEqual(await found(), [ada.uid]);
  assert.equal((await edit('admin')).user.role, 'admin');
  // An administrator may do everything that a developer may.
  await publishBuild(ada.client, game.id, '2', { 'index.html': 'two' });
  assert.equal((await ada.client.call('me', {})).user.role, 'admin');
  const { users } = await ada.client.call('adminUsers', { query: { q: name } });
  assert.deepEqual(
    users.map(({ uid, role, projects }) => [uid, role, projects]),
    [[ada.uid, 'admin', 1]],
  );
  await expectError(edit('player', ada), 'own_account');
  await edit('player');
  await expectError(create(), 'developer_required');
  await expectError(ada.client.call('adminUsers', {}), 'admin_required');
  const body = { id_token: ada.idToken, role: 'developer' } as const;
  await expectError(nobody().call('openSession', { body }), 'developer_signup_closed');
  assert.deepEqual(await found(), []);
  // The game stays public, and so does the page of its developer.
  assert.equal(await statusOf(playOf(game)), 200);
  const page = await nobody().call('developer', { params: { uid: ada.uid } });
  assert.deepEqual(
    page.games.map(({ id }) => id),
    [game.id],
  );
  await ada.client.call('me', {});
  assert.deepEqual(await auditOf(ada.uid), [
    ['user.role_changed', 'player to developer'],
    ['user.role_changed', 'developer to admin'],
    ['user.role_changed', 'admin to player'],
  ]);
});

test('a suspended user cannot sign in or use a token, and everything of theirs is hidden until the suspension is lifted', async () => {
  const name = freshName('Ada');
  const ada = await platform.person(name);
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#36c' } })
    .png()
    .toBuffer();
  const form = new FormData();
  form.append('avatar', new Blob([new Uint8Array(picture)]), 'me.png');
  const { user } = await ada.client.call('uploadAvatar', { form });
  const game = await publishGame(ada, freshName('Hidden'));
  const draft = (await ada.client.call('createProject', { body: { title: freshName('Draft') } }))
    .game;
  const { preview } = await ada.client.call('createPreview', {
    params: { id: game.id },
    body: { version: '1' },
  });
  const { secret, token } = await ada.client.call('createToken', { body: { name: 'ci' } });
  const revoked = await ada.client.call('createToken', { body: { name: 'old' } });
  await ada.client.call('revokeToken', { params: { id: revoked.token.id } });
  const ci = platform.clientWith(secret);
  const published = (await ci.call('project', { params: { id: game.id } })).game.published_at;
  const media = new URL(user.avatar ?? '').pathname;
  const cover = new FormData();
  cover.set('metadata', '{}');
  cover.set('cover', new Blob([new Uint8Array(picture)]), 'cover.png');
  await ada.client.call('updateStore', { params: { id: draft.id }, form: cover });
  const signed = (await ada.client.call('project', { params: { id: draft.id } })).game.cover_url;
  const seen = async () => ({
    play: await statusOf(playOf(game)),
    preview: await statusOf(preview.url),
    avatar: await statusOf(platform.baseUrl + media),
    signed: await statusOf(signed ?? ''),
    profile: await statusOf(`${platform.baseUrl}/users/${ada.uid}`),
    page: await statusOf(`${platform.baseUrl}/devs/${ada.uid}`),
    game: await statusOf(`${platform.baseUrl}/games/${game.slug}/page`),
    games: (await nobody().call('home', {})).games.filter(({ id }) => id === game.id).length,
    found: (await nobody().call('search', { query: { q: name } })).developers.length,
  });
  const everywhere = {
    play: 200,
    preview: 200,
    avatar: 200,
    signed: 200,
    profile: 200,
    page: 200,
    game: 200,
  };
  const nowhere = {
    play: 404,
    preview: 404,
    avatar: 404,
    signed: 404,
    profile: 404,
    page: 404,
    game: 404,
  };
  assert.deepEqual(await seen(), { ...everywhere, games: 1, found: 1 });

  const params = { uid: ada.uid };
  const suspend = (reason: string | null) =>
    root.client.call('suspendUser', { params, body: { reason } });
  const suspended = await suspend('Sends spam');
  assert.equal(suspended.user.suspended?.reason, 'Sends spam');
  assert.deepEqual(await seen(), { ...nowhere, games: 0, found: 0 });
  const refused = await expectError(ada.client.call('me', {}), 'account_suspended');
  assert.match(refused.message, /suspended the account\. Reason: Sends spam$/);
  await expectError(ci.call('me', {}), 'account_suspended');
  await expectError(publishBuild(ci, game.id, '2', { 'index.html': 'two' }), 'account_suspended');
  const idToken = await signIn(platform.running.issuer, platform.running.clientId, name);
  const session = () => nobody().call('openSession', { body: { id_token: idToken } });
  await expectError(session(), 'account_suspended');
  assert.equal((await suspend('Sends much spam')).user.suspended?.reason, 'Sends much spam');
  assert.equal(suspended.user.suspended?.at, (await suspend('Spam')).user.suspended?.at);

  const restored = await root.client.call('restoreUser', { params });
  assert.equal(restored.user.suspended, null);
  assert.deepEqual(await seen(), { ...everywhere, games: 1, found: 1 });
  // The sessions stay ended. Tokens work again, unless they were revoked.
  await expectError(ada.client.call('me', {}), 'session_ended');
  await expectError(session(), 'session_ended');
  const again = await signInLater(name);
  assert.equal(again.uid, ada.uid);
  await publishBuild(ci, game.id, '2', { 'index.html': 'two' });
  await expectError(platform.clientWith(revoked.secret).call('me', {}), 'token_revoked');
  const states = await again.client.call('projects', {});
  assert.deepEqual(
    states.games.map((one) => [one.id, one.status, one.published_at, one.taken_down]),
    [
      [draft.id, 'draft', null, null],
      [game.id, 'published', published, null],
    ],
  );
  await root.client.call('restoreUser', { params });
  assert.deepEqual(await auditOf(ada.uid), [
    ['developer.made', null],
    ['user.suspended', 'Sends spam'],
    ['user.suspended', 'Sends much spam'],
    ['user.suspended', 'Spam'],
    ['user.restored', null],
  ]);
  assert.equal(token.revoked_at, null);
});

test('a user who is suspended during an upload cannot complete it', async () => {
  const ada = await platform.person(freshName('Ada'));
  const { game } = await ada.client.call('createProject', { body: { title: freshName('Late') } });
  const { secret } = await ada.client.call('createToken', { body: { name: 'ci' } });
  const form = publishForm('1', { 'index.html': 'one' });
  const encoded = new Request('http://x', { method: 'POST', body: form });
  const bytes = new Uint8Array(await encoded.arrayBuffer());
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const sending = fetch(`${platform.baseUrl}/projects/${game.id}/publish`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': encoded.headers.get('content-type') ?? '',
    },
    body: readable,
    duplex: 'half',
  } as RequestInit);
  await writer.write(bytes.subarray(0, bytes.length - 40));
  await root.client.call('suspendUser', { params: { uid: ada.uid }, body: {} });
  await writer.write(bytes.subarray(bytes.length - 40));
  await writer.close();
  const answer = await sending;
  const { error } = (await answer.json()) as { error: { code: string } };
  assert.equal(error.code, 'account_suspended');
  await root.client.call('restoreUser', { params: { uid: ada.uid } });
  const { releases } = await platform
    .clientWith(secret)
    .call('releases', { params: { id: game.id } });
  assert.deepEqual(releases, []);
});

test('ended sessions need another sign-in, at once and everywhere; tokens stay', async () => {
  const name = freshName('Ada');
  const ada = await platform.person(name);
  const { secret } = await ada.client.call('createToken', { body: { name: 'ci' } });
  const { user } = await root.client.call('endSessions', { params: { uid: ada.uid } });
  assert.notEqual(user.sessions_ended_at, null);
  const ended = await expectError(ada.client.call('me', {}), 'session_ended');
  assert.match(ended.message, /Sign in again/);
  assert.equal((await platform.clientWith(secret).call('me', {})).user.uid, ada.uid);
  const again = await signInLater(name);
  const me = await again.client.call('me', {});
  assert.equal(me.user.sessions_ended_at, user.sessions_ended_at);
  assert.deepEqual((await auditOf(ada.uid)).at(-1), ['user.sessions_ended', null]);
});

test('administrators cannot suspend themselves, but another one can', async () => {
  const admin = await makeAdmin(platform, freshName('Second'));
  const params = { uid: admin.uid };
  await expectError(admin.client.call('suspendUser', { params, body: {} }), 'own_account');
  await root.client.call('suspendUser', { params, body: {} });
  await expectError(admin.client.call('adminUsers', {}), 'account_suspended');
});

test('two administrators who suspend each other at once do not block each other', async () => {
  const one = await makeAdmin(platform, freshName('One'));
  const other = await makeAdmin(platform, freshName('Other'));
  const outcomes = await Promise.allSettled([
    one.client.call('suspendUser', { params: { uid: other.uid }, body: {} }),
    other.client.call('suspendUser', { params: { uid: one.uid }, body: {} }),
  ]);
  // The later one is suspended already when the act is written.
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
});

test('quotas of a user replace the limits of the server, and null restores these', async () => {
  const ada = await platform.person(freshName('Ada'));
  const params = { uid: ada.uid };
  const edit = (quota: { projects?: number | null; project_bytes?: number | null }) =>
    root.client.call('editUser', { params, body: { quota } });
  const create = () => ada.client.call('createProject', { body: { title: freshName('Game') } });
  const { user } = await edit({ projects: 1 });
  assert.deepEqual(user.quota, { projects: 1, project_bytes: null });
  const { game } = await create();
  await expectError(create(), 'quota_exceeded');
  await edit({ project_bytes: 10 });
  const full = await expectError(
    publishBuild(ada.client, game.id, '1', { 'index.html': 'one' }),
    'quota_exceeded',
  );
  assert.match(full.details[0]?.message ?? '', /^\d+ bytes of 10$/);
  assert.deepEqual((await ada.client.call('me', {})).user.quota, {
    projects: 1,
    project_bytes: 10,
  });
  await edit({ projects: null, project_bytes: null });
  await edit({ projects: null, project_bytes: null });
  await publishBuild(ada.client, game.id, '1', { 'index.html': 'one' });
  await create();
  assert.deepEqual((await ada.client.call('me', {})).user.quota, {
    projects: PLATFORM_LIMITS.projects_per_developer,
    project_bytes: PLATFORM_LIMITS.project_bytes,
  });
  assert.deepEqual((await auditOf(ada.uid)).slice(1), [
    ['user.quota_changed', 'projects 1, bytes of a project default'],
    ['user.quota_changed', 'projects 1, bytes of a project 10'],
    ['user.quota_changed', 'projects default, bytes of a project default'],
  ]);
  await expectError(edit({ projects: -1 }), 'invalid_input');
});

test('the tokens of a user are listed without secrets and revoked, one or all', async () => {
  const ada = await platform.person(freshName('Ada'));
  const made = [];
  for (const name of ['one', 'two', 'three']) {
    made.push(await ada.client.call('createToken', { body: { name } }));
  }
  const params = { uid: ada.uid };
  const first = made[0]?.token.id ?? '';
  await root.client.call('revokeUserToken', { params: { ...params, token: first } });
  await root.client.call('revokeUserToken', { params: { ...params, token: first } });
  const { tokens } = await root.client.call('userTokens', { params });
  assert.deepEqual(
    tokens.map(({ name, revoked_at }) => [name, revoked_at === null]),
    [
      ['three', true],
      ['two', true],
      ['one', false],
    ],
  );
  assert.ok(made.every(({ secret }) => !JSON.stringify(tokens).includes(secret)));
  assert.deepEqual(await root.client.call('revokeUserTokens', { params }), { revoked: 2 });
  assert.deepEqual(await root.client.call('revokeUserTokens', { params }), { revoked: 0 });
  assert.deepEqual((await auditOf(ada.uid)).slice(-2), [
    ['user.tokens_revoked', '1'],
    ['user.tokens_revoked', '2'],
  ]);
  for (const { secret, token } of made) {
    await expectError(platform.clientWith(secret).call('me', {}), 'token_revoked');
    assert.deepEqual((await auditOf(token.id)).at(-1), ['token.revoked', ada.uid]);
  }
  // The token of another user, and unknown users.
  const other = await platform.person(freshName('Other'));
  const { token } = await other.client.call('createToken', { body: { name: 'theirs' } });
  const wrong = { params: { ...params, token: token.id } };
  await expectError(root.client.call('revokeUserToken', wrong), 'not_found');
  const nobodys = { params: { uid: 'nobody' } };
  await expectError(root.client.call('userTokens', nobodys), 'not_found');
  await expectError(root.client.call('revokeUserTokens', nobodys), 'not_found');
  await expectError(root.client.call('adminUser', nobodys), 'not_found');
  await expectError(root.client.call('endSessions', nobodys), 'not_found');
  await expectError(root.client.call('restoreUser', nobodys), 'not_found');
});

test('users are found by a part of the name or address, by id, role and state, in pages', async () => {
  const stem = freshName('100%_sure');
  const people = [];
  for (const number of [1, 2, 3]) people.push(await platform.person(`${stem} ${number}`));
  const [first, second, third] = people.map(({ uid }) => uid);
  const find = async (query: object) =>
    (await root.client.call('adminUsers', { query })).users.map(({ uid }) => uid);
  assert.deepEqual(await find({ q: stem.toUpperCase() }), [third, second, first]);
  assert.deepEqual(await find({ q: '100%_SURE ' }), [third, second, first]);
  assert.deepEqual(await find({ q: '100_%sure' }), []);
  assert.deepEqual(await find({ q: first }), [first]);
  await root.client.call('suspendUser', { params: { uid: second ?? '' }, body: {} });
  assert.deepEqual(await find({ q: stem, suspended: 'true' }), [second]);
  assert.deepEqual(await find({ q: stem, suspended: 'false' }), [third, first]);
  await giveRole(platform, third ?? '', 'player');
  assert.deepEqual(await find({ q: stem, role: 'developer' }), [second, first]);
  const { uid: ivan } = await platform.person(freshName('Иван Élodie'));
  assert.deepEqual(await find({ q: 'Иван É' }), [ivan]);
  const page = await root.client.call('adminUsers', { query: { q: stem, limit: '2' } });
  assert.equal(page.users.length, 2);
  assert.deepEqual(await find({ q: stem, limit: '2', cursor: page.next_cursor }), [first]);
});

test('records of the audit trail name the actor, and are found by subject, user and action, in pages', async () => {
  const admin = await makeAdmin(platform, freshName('Auditor'));
  const name = freshName('Ada');
  const ada = await platform.person(name);
  const game = await publishGame(ada, freshName('Watched'));
  const { secret, token } = await ada.client.call('createToken', { body: { name: 'ci' } });
  await publishBuild(platform.clientWith(secret), game.id, '2', { 'index.html': 'two' });
  const params = { uid: ada.uid };
  await admin.client.call('suspendUser', { params, body: { reason: 'Why' } });
  await admin.client.call('restoreUser', { params });
  const read = async (query: object) => (await root.client.call('audit', { query })).records;
  const [latest] = await read({ subject: game.id });
  assert.deepEqual(
    { ...latest, id: '', at: '' },
    {
      ...{ id: '', at: '', action: 'release.published', subject: game.id, subject_name: game.slug },
      actor: { uid: ada.uid, name, token_id: token.id },
      detail: '2',
    },
  );
  const acts = await read({ uid: admin.uid });
  assert.deepEqual(
    acts.map(({ action, subject }) => [action, subject]),
    [
      ['user.restored', ada.uid],
      ['user.suspended', ada.uid],
      ['developer.made', admin.uid],
    ],
  );
  const [made] = await read({ subject: admin.uid, action: 'user.role_changed' });
  assert.deepEqual(made?.actor, { uid: null, name: 'root', token_id: null });
  const prefixed = await read({ subject: ada.uid, action: 'user.' });
  assert.equal(prefixed.length, 2);
  const first = await root.client.call('audit', { query: { uid: admin.uid, limit: '2' } });
  const query = { uid: admin.uid, limit: '2', cursor: first.next_cursor ?? '' };
  const second = await root.client.call('audit', { query });
  assert.deepEqual([...first.records, ...second.records], acts);
  assert.equal(second.next_cursor, null);
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  const { count } = await db
    .selectFrom('audit')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('uid', '=', admin.uid)
    .executeTakeFirstOrThrow();
  await db.destroy();
  assert.equal(Number(count), 3);
});
