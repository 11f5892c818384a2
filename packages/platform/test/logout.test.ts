// The end of sessions: by an identity provider (back-channel logout), and by the user everywhere.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JWTPayload } from 'jose';
import { readAudit } from '../src/admin/read-audit.ts';
import { expectError } from './expect-error.ts';
import { asOperator, giveRole } from './make-admin.ts';
import { chooseDatabase, type OpenPlatform, openPlatform } from './open-platform.ts';
import { type OutsideProvider, startOutsideProvider } from './outside-provider.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const SECOND_MS = 1000;

let provider: OutsideProvider;
let other: OutsideProvider;
let platform: OpenPlatform;
let beside: OpenPlatform;

before(async () => {
  provider = await startOutsideProvider();
  other = await startOutsideProvider();
  const chosen = provider.settings({
    SVC_OIDC_2_ISSUER: other.issuer,
    SVC_OIDC_2_AUDIENCE: 'svc-client',
    SVC_LIMIT_RATE_LOGOUTS_PER_MINUTE: '10000',
  });
  const settings = { ...chosen, databaseUrl: await chooseDatabase() };
  platform = await openPlatform({ dev: false, settings });
  // Its clock is behind.
  const now = () => Date.now() - 40_000;
  beside = await openPlatform({ dev: false, settings, dataDir: platform.dataDir, now });
});
after(async () => {
  await beside[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

/** The time in seconds since 1970, `ago` seconds before now. */
function seconds(ago = 0): number {
  return Math.floor(Date.now() / SECOND_MS) - ago;
}

/** Signs in with an ID token of a minute ago. */
async function signIn(claims: JWTPayload, at: OutsideProvider = provider) {
  const idToken = await at.sign({ iat: seconds(60), ...claims });
  const { user } = await platform
    .clientWith(null)
    .call('openSession', { body: { id_token: idToken } });
  return { uid: user.uid, client: platform.clientWith(idToken), idToken };
}

let tokens = 0;

/** A logout token. A claim that is undefined is missing. */
function logoutToken(claims: Record<string, unknown>, at: OutsideProvider = provider) {
  const usual = { sub: undefined, jti: `logout-${tokens++}`, events: { [EVENT]: {} } };
  return at.sign({ ...usual, exp: seconds(-120), ...claims });
}

function send(form: Record<string, string>, at = platform): Promise<Response> {
  const body = new URLSearchParams(form);
  return fetch(`${at.baseUrl}/auth/backchannel-logout`, { method: 'POST', body });
}

async function logOut(token: string): Promise<void> {
  const answer = await send({ logout_token: token });
  assert.equal(answer.status, 200, await answer.clone().text());
  assert.match(answer.headers.get('cache-control') ?? '', /no-store/);
}

async function auditOf(subject: string) {
  const { records } = await asOperator(platform, (admin) => readAudit(admin, { subject }));
  return records.map(({ action, actor, detail }) => [action, actor, detail]);
}

test('a logout token with a session id ends that session, on every process and also for renewed ID tokens', async () => {
  const one = await signIn({ sub: 'sid', sid: 's1' });
  const two = await signIn({ sub: 'sid', sid: 's2' });
  const plain = await signIn({ sub: 'sid' });
  // Other parameters are ignored.
  const token = await logoutToken({ sub: 'sid', sid: 's1' });
  assert.equal((await send({ logout_token: token, state: 'x' })).status, 200);
  const ended = await expectError(one.client.call('me', {}), 'session_ended');
  assert.equal(ended.message, 'The identity provider has ended your session. Sign in again');
  await expectError(beside.clientWith(one.idToken).call('me', {}), 'session_ended');
  await expectError(signIn({ sub: 'sid', sid: 's1', iat: seconds(-30) }), 'session_ended');
  await two.client.call('me', {});
  await plain.client.call('me', {});
  await signIn({ sub: 'sid', sid: 's3' });
  // Another token for the session changes nothing.
  await logOut(await logoutToken({ sid: 's1' }));
  await expectError(one.client.call('me', {}), 'session_ended');
  assert.deepEqual(await auditOf(one.uid), []);
});

test('the same session id at another provider is another session', async () => {
  const here = await signIn({ sub: 'both', sid: 'same' });
  const there = await signIn({ sub: 'both', sid: 'same' }, other);
  await logOut(await logoutToken({ sid: 'same' }, other));
  await here.client.call('me', {});
  await expectError(there.client.call('me', {}), 'session_ended');
});

test('a logout token with a subject only ends all sessions of the user, who can sign in again', async () => {
  const one = await signIn({ sub: 'all', sid: 'a1' });
  const two = await signIn({ sub: 'all' });
  const stranger = await signIn({ sub: 'stranger' });
  await logOut(await logoutToken({ sub: 'all' }));
  for (const { client } of [one, two]) await expectError(client.call('me', {}), 'session_ended');
  await expectError(beside.clientWith(two.idToken).call('me', {}), 'session_ended');
  await stranger.client.call('me', {});
  const again = await signIn({ sub: 'all', iat: seconds(-30) });
  assert.equal(again.uid, one.uid);
  // A token that arrives late ends what was issued before it.
  const fresh = await signIn({ sub: 'late', iat: seconds(10) });
  await logOut(await logoutToken({ sub: 'late', iat: seconds(300) }));
  await fresh.client.call('me', {});
  await logOut(await logoutToken({ sub: 'late', iat: seconds(10) }));
  await expectError(fresh.client.call('me', {}), 'session_ended');
  assert.deepEqual(await auditOf(one.uid), [
    ['user.sessions_ended', null, 'by the identity provider'],
  ]);
  // Nobody has this subject.
  await logOut(await logoutToken({ sub: 'nobody' }));
});

test('a logout token has an effect once, also if two processes get it together', async () => {
  const { uid } = await signIn({ sub: 'once' });
  const token = await logoutToken({ sub: 'once', exp: undefined });
  const answers = [platform, beside, platform, beside].map((at) =>
    send({ logout_token: token }, at),
  );
  for (const answer of await Promise.all(answers)) assert.equal(answer.status, 200);
  const later = await signIn({ sub: 'once', iat: seconds(-30) });
  await logOut(token);
  await later.client.call('me', {});
  assert.equal((await auditOf(uid)).length, 1);
  // Without an id, the signed text identifies it.
  const bare = await logoutToken({ sub: 'once', jti: undefined, iat: seconds(5) });
  await logOut(bare);
  await logOut(bare);
  assert.equal((await auditOf(uid)).length, 2);
});

test('a token that is no valid logout token ends nothing', async () => {
  const { client, idToken } = await signIn({ sub: 'kept', sid: 'k' });
  const invalid: (string | Promise<string>)[] = [
    'garbage',
    idToken,
    logoutToken({ sub: 'kept', events: undefined }),
    logoutToken({ sub: 'kept', events: {} }),
    logoutToken({ sub: 'kept', events: [EVENT] }),
    logoutToken({ sub: 'kept', events: { [EVENT]: null } }),
    logoutToken({ sub: 'kept', events: { [EVENT]: 'x' } }),
    logoutToken({ sub: 'kept', events: EVENT }),
    logoutToken({ sub: 'kept', events: null }),
    logoutToken({ sub: 'kept', nonce: 'x' }),
    logoutToken({}),
    logoutToken({ sub: '' }),
    logoutToken({ sub: 'kept', sid: '' }),
    logoutToken({ sub: 'kept', sid: 5 }),
    logoutToken({ sub: 'kept', iat: seconds(665) }),
    logoutToken({ sub: 'kept', iat: seconds(-120) }),
    logoutToken({ sub: 'kept', exp: seconds(120) }),
    logoutToken({ sub: 'kept', aud: 'another' }),
    logoutToken({ sub: 'kept', iss: 'https://another.example' }),
    other.sign({ iss: provider.issuer, sub: 'kept', events: { [EVENT]: {} } }),
  ];
  for (const [index, token] of invalid.entries()) {
    const answer = await send({ logout_token: await token });
    assert.equal(answer.status, 400, `token ${index}`);
    const { error } = (await answer.json()) as { error: { code: string; message: string } };
    assert.equal(error.code, 'invalid_input');
    assert.match(error.message, /^The logout token is not valid on this server\. [A-Z]/);
  }
  assert.equal((await send({})).status, 400);
  const json = await fetch(`${platform.baseUrl}/auth/backchannel-logout`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ logout_token: await logoutToken({ sub: 'kept' }) }),
  });
  assert.equal(json.status, 415);
  assert.match(await json.text(), /Send it with Content-Type: application\/x-www-form-urlencoded/);
  await client.call('me', {});
});

test('the reason of a rejection names what to check', async () => {
  const rows: [Promise<string>, string][] = [
    [
      logoutToken({ sub: 'x', iss: 'https://x.example' }),
      'It names no identity provider of this server',
    ],
    [logoutToken({ sub: 'x', aud: 'another' }), 'Its audience is another client'],
    [logoutToken({ sub: 'x', iat: seconds(665) }), 'It is too old'],
    [logoutToken({ sub: 'x', exp: seconds(120) }), 'It is too old'],
    [logoutToken({ sub: 'x', iat: seconds(-120) }), 'Its signature or its times are not valid'],
    [logoutToken({ sub: 'x', nonce: 'x' }), 'It is a token of another kind'],
    [logoutToken({}), 'It names no subject and no session'],
  ];
  for (const [token, reason] of rows) {
    const answer = await send({ logout_token: await token });
    const { error } = (await answer.json()) as { error: { message: string } };
    assert.equal(error.message, `The logout token is not valid on this server. ${reason}`);
  }
  // Within the age and the tolerance for clocks; times may have fractions.
  for (const iat of [seconds(655), seconds() - 0.5]) {
    await logOut(await logoutToken({ sub: 'x', iat }));
  }
});

test('a logout token opens no session', async () => {
  const token = await logoutToken({ sub: 'confused' });
  const { message } = await expectError(
    platform.clientWith(null).call('openSession', { body: { id_token: token } }),
    'unauthenticated',
  );
  assert.equal(message, 'The ID token is not valid on this server');
  await signIn({ sub: 'confused', iat: seconds(60) - 0.25, exp: seconds(-60) + 0.25 });
});

test('a logout token with a new key of the provider can be sent again', async () => {
  await using turning = await startOutsideProvider();
  await using other = await openPlatform({ dev: false, settings: turning.settings() });
  await send({ logout_token: await logoutToken({ sub: 'x' }, turning) }, other);
  await turning.rotate();
  const answer = await send({ logout_token: await logoutToken({ sub: 'x' }, turning) }, other);
  assert.equal(answer.status, 503);
  assert.match(await answer.text(), /identity_unavailable.*Try again later/);
});

test('a request that began before the session ended changes nothing', async () => {
  const { uid, client, idToken } = await signIn({ sub: 'held', sid: 'h1' });
  await giveRole(platform, uid, 'developer');
  const begun = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(Buffer.from('{"name":'));
      await begun.promise;
      controller.enqueue(Buffer.from('"late"}'));
      controller.close();
    },
  });
  const headers = { authorization: `Bearer ${idToken}`, 'content-type': 'application/json' };
  const sending = fetch(`${platform.baseUrl}/tokens`, {
    ...{ method: 'POST', headers, body, duplex: 'half' },
  } as RequestInit);
  // The server admits the request by its head. Later ones are answered after that.
  for (let others = 0; others < 5; others++) await client.call('me', {});
  await logOut(await logoutToken({ sub: 'held', sid: 'h1' }));
  begun.resolve();
  assert.equal((await sending).status, 401);
  await expectError(client.call('tokens', {}), 'session_ended');
});

test('logout tokens are limited for each network, and wait for keys that are not available', async () => {
  await using outage = await startOutsideProvider();
  outage.replies.set('/keys', { status: 500, body: '{}' });
  const settings = outage.settings({ SVC_LIMIT_RATE_LOGOUTS_PER_MINUTE: '2' });
  await using limited = await openPlatform({ dev: false, settings });
  const token = await logoutToken({ sub: 'x' }, outage);
  assert.equal((await send({ logout_token: token }, limited)).status, 503);
  outage.replies.clear();
  assert.equal((await send({ logout_token: token }, limited)).status, 200);
  assert.equal((await send({ logout_token: token }, limited)).status, 429);
});

test('a user ends all of their own sessions; tokens stay valid', async () => {
  const one = await signIn({ sub: 'own' });
  const two = await signIn({ sub: 'own', sid: 'o' });
  await giveRole(platform, one.uid, 'developer');
  const { secret } = await one.client.call('createToken', { body: { name: 'ci' } });
  const ci = platform.clientWith(secret);
  await expectError(ci.call('endOwnSessions', {}), 'session_only');
  await one.client.call('endOwnSessions', {});
  for (const { client } of [one, two]) await expectError(client.call('me', {}), 'session_ended');
  await expectError(one.client.call('endOwnSessions', {}), 'session_ended');
  await expectError(beside.clientWith(two.idToken).call('me', {}), 'session_ended');
  await ci.call('me', {});
  // A process whose clock is behind does not revive them.
  const again = await signIn({ sub: 'own', iat: seconds(-10) });
  await beside.clientWith(again.idToken).call('endOwnSessions', {});
  for (const { client } of [one, two, again]) {
    await expectError(client.call('me', {}), 'session_ended');
  }
  const [[action, actor, detail] = []] = await auditOf(one.uid);
  assert.deepEqual(
    [action, actor, detail],
    ['user.sessions_ended', { uid: one.uid, name: 'Player', token_id: null }, null],
  );
});
