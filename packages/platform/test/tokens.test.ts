import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isWellFormedToken, ROUTES } from '@svc/contracts/platform';
import { Value } from 'typebox/value';
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

test('POST /tokens gives the secret once; the database keeps its SHA-256 alone', async () => {
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

test('GET /me tells which token asked', async () => {
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

test('a token limited to projects lists its own, creates nothing and is refused elsewhere', async () => {
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

test('DELETE /tokens/:id revokes at once, again is 204, and others do not see it', async () => {
  const { secret, token } = await ada.client.call('createToken', { body: { name: 'gone' } });
  const bob = await platform.person('Bob');
  await expectError(bob.client.call('revokeToken', { params: { id: token.id } }), 'not_found');
  await platform.clientWith(secret).call('me', {});
  for (let round = 0; round < 2; round++) {
    const answer = await ada.client.open('revokeToken', { params: { id: token.id } });
    assert.equal(answer.status, 204);
    assert.equal(await answer.text(), '');
    await expectError(platform.clientWith(secret).call('me', {}), 'token_revoked');
  }
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

test('an expired token is 401 token_expired from its last moment on', async () => {
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

test('POST /tokens refuses what does not fit', async () => {
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

test('a refusal of the projects of a token lists twenty at most', async () => {
  const ada = await platform.person('Ada');
  const projects = Array.from({ length: 100 }, (_, index) => `none-${index}`);
  const { details } = await expectError(
    ada.client.call('createToken', { body: { name: 'many', projects } }),
    'invalid_input',
  );
  assert.equal(details.length, 20);
  assert.equal(details[19]?.path, '/projects/19');
});
