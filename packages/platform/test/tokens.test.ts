import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isWellFormedToken, ROUTES } from '@svc/contracts/platform';
import { sql } from 'kysely';
import { Value } from 'typebox/value';
import { newId } from '../src/database/new-id.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { expectError, readErrorCode } from './expect-error.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';

const DAY_MS = 24 * 3600 * 1000;
let platform: OpenPlatform;
let ada: Person;
let now = Date.now();
before(async () => {
  platform = await openPlatform({ now: () => now });
  ada = await platform.person('Ada');
});
after(() => platform[Symbol.asyncDispose]());

test('POST /tokens returns the secret once; the database contains only its SHA-256', async () => {
  const made = await ada.client.call('createToken', { body: { name: 'laptop' } });
  assert.ok(Value.Check(ROUTES.createToken.answer, made));
  assert.ok(isWellFormedToken(made.secret));
  const hash = createHash('sha256').update(made.secret).digest('hex');
  assert.equal(made.token.hint, hash.slice(0, 8));
  assert.deepEqual(made.token.scopes, ['publish']);
  assert.equal(made.token.projects, null);
  assert.equal(
    Date.parse(made.token.expires_at ?? ''),
    Date.parse(made.token.created_at) + 365 * DAY_MS,
  );
  const { tokens } = await ada.client.call('tokens', {});
  assert.deepEqual(
    tokens.find((token) => token.id === made.token.id),
    made.token,
  );
  assert.ok(!JSON.stringify(tokens).includes(made.secret));
  const files =
    platform.settings.databaseUrl === null ? ['platform.sqlite', 'platform.sqlite-wal'] : [];
  for (const file of files) {
    const bytes = await readFile(join(platform.dataDir, file));
    assert.equal(bytes.includes(made.secret), false);
  }
});

test('GET /me returns the token of the request', async () => {
  const { secret, token } = await ada.client.call('createToken', {
    body: { name: 'ci', scopes: ['read'], expires_in_days: null },
  });
  const { user, auth } = await platform.clientWith(secret).call('me', {});
  assert.equal(user.uid, ada.uid);
  assert.deepEqual(auth, {
    kind: 'pat',
    token_id: token.id,
    name: 'ci',
    scopes: ['read'],
    projects: null,
    expires_at: null,
  });
  const { tokens } = await ada.client.call('tokens', {});
  assert.notEqual(tokens.find((one) => one.id === token.id)?.last_used_at, null);
});

test('GET /me returns the projects and expiry of the token, and its trimmed name', async () => {
  const { game } = await ada.client.call('createProject', { body: { title: 'Reported' } });
  const body = { name: '  spaced out ', projects: [game.id], expires_in_days: 30 };
  const { secret, token } = await ada.client.call('createToken', { body });
  const { auth } = await platform.clientWith(secret).call('me', {});
  assert.deepEqual(auth, {
    kind: 'pat',
    token_id: token.id,
    name: 'spaced out',
    scopes: ['publish'],
    projects: [game.id],
    expires_at: new Date(now + 30 * DAY_MS).toISOString(),
  });
});

test('GET /tokens lists the caller’s own, newest first', async () => {
  const eve = await platform.person('Eve');
  const start = now;
  const made: string[] = [];
  // The token that was created later is first, regardless of the ids.
  for (const ms of [0, 0, 0, 10_000, 5000]) {
    now = start + ms;
    made.unshift((await eve.client.call('createToken', { body: { name: `${ms}` } })).token.id);
  }
  now = start;
  const [at5, at10, ...at0] = made;
  const listed = async (person: Person) =>
    (await person.client.call('tokens', {})).tokens.map(({ id }) => id);
  assert.deepEqual(await listed(eve), [at10, at5, ...at0]);
  assert.ok(!(await listed(ada)).some((id) => made.includes(id)));
});

test('GET /tokens lists the newest thousand, those of one millisecond by their ids', async () => {
  const max = await platform.person('Max');
  const { token } = await max.client.call('createToken', { body: { name: 'first' } });
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  const row = await db
    .selectFrom('tokens')
    .selectAll()
    .where('id', '=', token.id)
    .executeTakeFirstOrThrow();
  // Two of each millisecond.
  const rows = Array.from({ length: 1000 }, (_, index) => ({ index, id: newId() })).map(
    ({ index, id }) => ({ ...row, id, hash: id, created_at: row.created_at + 1 + (index >> 1) }),
  );
  for (let start = 0; start < rows.length; start += 100) {
    await db
      .insertInto('tokens')
      .values(rows.slice(start, start + 100))
      .execute();
  }
  // The order must not depend on an index.
  await sql`drop index tokens_of_user`.execute(db);
  await db.destroy();
  const { tokens } = await max.client.call('tokens', {});
  assert.deepEqual(
    tokens.map(({ id }) => id),
    rows.map(({ id }) => id).reverse(),
  );
});

test('lifetimes and names are limited by the limits of the server', async () => {
  const limits = { token_default_days: 10, token_maximum_days: 20, name_characters: 5 };
  await using small = await openPlatform({ limits, now: () => now });
  const { client } = await small.person('Ada');
  const make = (body: { name: string; expires_in_days?: number }) =>
    client.call('createToken', { body });
  const { token } = await make({ name: 'five5' });
  assert.equal(token.expires_at, new Date(now + 10 * DAY_MS).toISOString());
  const { token: longest } = await make({ name: 'most', expires_in_days: 20 });
  assert.equal(longest.expires_at, new Date(now + 20 * DAY_MS).toISOString());
  await expectError(make({ name: 'more', expires_in_days: 21 }), 'invalid_input');
  await expectError(make({ name: 'longer' }), 'invalid_input');
});

test('projects that are not the caller’s are named by their index', async () => {
  const { game } = await ada.client.call('createProject', { body: { title: 'Placed' } });
  const bob = await platform.person('Bob');
  const other = await bob.client.call('createProject', { body: { title: 'Bob’s' } });
  const projects = [game.id, 'none', other.game.id];
  const call = ada.client.call('createToken', { body: { name: 'mixed', projects } });
  const { details } = await expectError(call, 'invalid_input');
  assert.deepEqual(
    details.map(({ path }) => path),
    ['/projects/1', '/projects/2'],
  );
});

test('a token is not accepted for tokens, profile and deletion', async () => {
  const { secret, token } = await ada.client.call('createToken', { body: { name: 'x' } });
  const pat = platform.clientWith(secret);
  await expectError(pat.call('tokens', {}), 'session_only');
  await expectError(pat.call('createToken', { body: { name: 'y' } }), 'session_only');
  await expectError(pat.call('revokeToken', { params: { id: token.id } }), 'session_only');
  await expectError(pat.call('editProfile', { body: { name: 'y' } }), 'session_only');
  await expectError(pat.call('deleteProject', { params: { id: token.id } }), 'session_only');
});

test('a read token reads projects and changes nothing', async () => {
  const { secret } = await ada.client.call('createToken', {
    body: { name: 'r', scopes: ['read'] },
  });
  const pat = platform.clientWith(secret);
  assert.ok(await pat.call('projects', {}));
  const { game } = await ada.client.call('createProject', { body: { title: 'Readable' } });
  assert.equal((await pat.call('project', { params: { id: game.id } })).game.id, game.id);
  await expectError(pat.call('createProject', { body: { title: 'T' } }), 'scope_missing');
  const edit = pat.call('editProject', { params: { id: game.id }, body: { title: 'T' } });
  await expectError(edit, 'scope_missing');
});

test('a token limited to projects lists only those, creates none, and is rejected for others', async () => {
  const mine = await ada.client.call('createProject', { body: { title: 'In the token' } });
  const other = await ada.client.call('createProject', { body: { title: 'Not in the token' } });
  const { secret } = await ada.client.call('createToken', {
    body: { name: 'one', projects: [mine.game.id] },
  });
  const pat = platform.clientWith(secret);
  const { games } = await pat.call('projects', {});
  assert.deepEqual(
    games.map((game) => game.id),
    [mine.game.id],
  );
  await expectError(pat.call('createProject', { body: { title: 'T' } }), 'project_not_in_token');
  const there = pat.call('project', { params: { id: other.game.id } });
  await expectError(there, 'project_not_in_token');
  const bob = await platform.person('Bob');
  const foreign = bob.client.call('createToken', {
    body: { name: 'x', projects: [mine.game.id] },
  });
  await expectError(foreign, 'invalid_input');
});

test('DELETE /tokens/:id revokes at once, can be repeated, and is 404 for other users', async () => {
  const { secret, token } = await ada.client.call('createToken', { body: { name: 'gone' } });
  const bob = await platform.person('Bob');
  await expectError(bob.client.call('revokeToken', { params: { id: token.id } }), 'not_found');
  await platform.clientWith(secret).call('me', {});
  const start = now;
  for (let round = 0; round < 2; round++) {
    const answer = await ada.client.open('revokeToken', { params: { id: token.id } });
    assert.equal(answer.status, 204);
    assert.equal(await answer.text(), '');
    await expectError(platform.clientWith(secret).call('me', {}), 'token_revoked');
    const { tokens } = await ada.client.call('tokens', {});
    const { revoked_at } = tokens.find(({ id }) => id === token.id) ?? {};
    assert.equal(revoked_at, new Date(start).toISOString(), 'the first time');
    now += 1000;
  }
  now = start;
  await expectError(ada.client.call('revokeToken', { params: { id: 'nothing' } }), 'not_found');
});

test('the last use of a token is noted, at most every 30 seconds', async () => {
  const { secret, token } = await ada.client.call('createToken', { body: { name: 'used' } });
  const start = now;
  const useAt = async (seconds: number): Promise<number> => {
    now = start + seconds * 1000;
    await platform.clientWith(secret).call('me', {});
    const { tokens } = await ada.client.call('tokens', {});
    const used = tokens.find((one) => one.id === token.id)?.last_used_at;
    return (Date.parse(used ?? '') - start) / 1000;
  };
  assert.deepEqual([await useAt(5), await useAt(34), await useAt(35)], [5, 5, 35]);
  now = start;
});

test('a token is 401 token_expired from the moment of its expiry', async () => {
  const { secret } = await ada.client.call('createToken', {
    body: { name: 'day', expires_in_days: 1 },
  });
  const start = now;
  now = start + DAY_MS - 1;
  await platform.clientWith(secret).call('me', {});
  now = start + DAY_MS;
  await expectError(platform.clientWith(secret).call('me', {}), 'token_expired');
  now = start;
});

test('POST /tokens rejects invalid input', async () => {
  const bodies: unknown[] = [
    {},
    { name: '' },
    { name: 'x'.repeat(81) },
    { name: 'a', scopes: [] },
    { name: 'a', scopes: ['admin'] },
    { name: 'a', scopes: ['read', 'read'] },
    { name: 'a', scopes: 'publish' },
    { name: 'a', expires_in_days: 0 },
    { name: 'a', expires_in_days: 3651 },
    { name: 'a', expires_in_days: '5' },
    { name: 'a', expires_in_days: 1.5 },
    { name: 'a', projects: [] },
    { name: 'a', projects: ['nope'] },
    { name: 'a', secret: 'svc_x' },
  ];
  for (const body of bodies) {
    const answer = await fetch(`${platform.baseUrl}/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.idToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.equal(await readErrorCode(answer), 'invalid_input', JSON.stringify(body));
  }
});

test('an error about the projects of a token lists at most twenty', async () => {
  const ada = await platform.person('Ada');
  const projects = Array.from({ length: 100 }, (_, index) => `none-${index}`);
  const { details } = await expectError(
    ada.client.call('createToken', { body: { name: 'many', projects } }),
    'invalid_input',
  );
  assert.equal(details.length, 20);
  assert.equal(details[19]?.path, '/projects/19');
  assert.match(details[19]?.message ?? '', /^Project 20 "none-19" is not one of yours/);
});
