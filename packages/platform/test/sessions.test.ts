// Sessions with an outside provider: its keys, and the stored users.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '@svc/contracts/platform';
import { UnsecuredJWT } from 'jose';
import { openDatabase } from '../src/database/open-database.ts';
import { expectError } from './expect-error.ts';
import { type OpenPlatform, openPlatform } from './open-platform.ts';
import { startOutsideProvider } from './outside-provider.ts';

const DISCOVERY = '/.well-known/openid-configuration';

async function openSession(
  platform: OpenPlatform,
  idToken: string,
  role: 'player' | 'developer' = 'player',
): Promise<Account> {
  const body = { id_token: idToken, role };
  return (await platform.clientWith(null).call('openSession', { body })).user;
}

test('a token that no key could verify causes no request to the provider, and its keys are requested once', async () => {
  await using provider = await startOutsideProvider();
  await using platform = await openPlatform({ dev: false, settings: provider.settings() });
  const { iss = '', ...claims } = { iss: provider.issuer, aud: 'svc-client', sub: 'u1' };
  const hmac = await provider.sign({}).then((token) => {
    const [, payload = '', signature = ''] = token.split('.');
    const head = Buffer.from('{"alg":"HS256","kid":"key-1"}').toString('base64url');
    return `${head}.${payload}.${signature}`;
  });
  const hopeless = [
    'garbage',
    'gar.ba.ge',
    new UnsecuredJWT({ ...claims }).setIssuer(iss).setExpirationTime('5m').setIssuedAt().encode(),
    hmac,
    await provider.sign({ iss: 'https://other.example' }),
    await provider.sign({ iss: `${provider.issuer}/` }),
  ];
  for (const token of hopeless) {
    await expectError(openSession(platform, token), 'unauthenticated');
    await expectError(platform.clientWith(token).call('me', {}), 'unauthenticated');
  }
  assert.deepEqual(provider.asked, []);
  for (const sub of ['a', 'b', 'c']) {
    const token = await provider.sign({ sub });
    await openSession(platform, token);
    await platform.clientWith(token).call('me', {});
  }
  assert.deepEqual(provider.asked, [DISCOVERY, '/keys']);
});

test('a new key of the provider is found, and unknown keys cause at most one request in 30 seconds', async (t) => {
  await using provider = await startOutsideProvider();
  await using platform = await openPlatform({ dev: false, settings: provider.settings() });
  const known = await openSession(platform, await provider.sign({}));
  await provider.rotate();
  for (let tries = 0; tries < 3; tries++) {
    await expectError(openSession(platform, await provider.sign({})), 'unauthenticated');
  }
  assert.deepEqual(provider.asked, [DISCOVERY, '/keys']);
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 31_000 });
  assert.equal((await openSession(platform, await provider.sign({}))).uid, known.uid);
  assert.deepEqual(provider.asked, [DISCOVERY, '/keys', '/keys']);
});

test('missing, invalid or delayed keys are 503, and accepted when they are correct', async (t) => {
  const { timeout } = AbortSignal;
  const asked: number[] = [];
  t.mock.method(AbortSignal, 'timeout', (ms: number) => {
    asked.push(ms);
    return timeout.call(AbortSignal, 100);
  });
  await using provider = await startOutsideProvider();
  await using platform = await openPlatform({ dev: false, settings: provider.settings() });
  const token = await provider.sign({});
  const faults = [
    { status: 500, body: '{}' },
    { status: 200, body: 'no JSON' },
    { status: 200, body: '{}' },
    { status: 200, body: '{"keys":5}' },
    'silence',
  ] as const;
  for (const path of [DISCOVERY, '/keys']) {
    for (const fault of faults) {
      provider.replies.set(path, fault);
      await expectError(openSession(platform, token), 'identity_unavailable');
    }
    provider.replies.delete(path);
  }
  assert.equal((await openSession(platform, token)).role, 'player');
  assert.deepEqual(new Set(asked), new Set([5000]));
});

test('an issuer may end with a slash, as in its document and tokens', async () => {
  await using provider = await startOutsideProvider('/tenant/');
  await using platform = await openPlatform({ dev: false, settings: provider.settings() });
  assert.equal((await openSession(platform, await provider.sign({}))).name, 'Player');
  assert.deepEqual(provider.asked, [`/tenant${DISCOVERY}`, '/keys']);
  const bare = await provider.sign({ iss: provider.issuer.slice(0, -1) });
  await expectError(openSession(platform, bare), 'unauthenticated');
  const config = await platform.clientWith(null).call('authConfig', {});
  assert.deepEqual([config.issuer, config.client_id], [provider.issuer, 'svc-client']);
});

test('the same subject at another provider is another user', async () => {
  await using one = await startOutsideProvider();
  await using two = await startOutsideProvider();
  await using first = await openPlatform({ dev: false, settings: one.settings() });
  const { dataDir } = first;
  await using second = await openPlatform({ dev: false, dataDir, settings: two.settings() });
  const here = await one.sign({ sub: 'same', name: 'One' });
  const there = await two.sign({ sub: 'same', name: 'Two' });
  const { uid } = await openSession(first, here);
  await expectError(second.clientWith(there).call('me', {}), 'session_required');
  await expectError(second.clientWith(here).call('me', {}), 'unauthenticated');
  const other = await openSession(second, there);
  assert.notEqual(other.uid, uid);
  assert.equal(other.name, 'Two');
  const me = async (platform: OpenPlatform, token: string) =>
    (await platform.clientWith(token).call('me', {})).user;
  assert.deepEqual([(await me(first, here)).uid, (await me(first, here)).name], [uid, 'One']);
  assert.deepEqual(await me(second, there), { ...other, unread_notices: 0 });
});

test('an edited name is kept, while the e-mail address comes from the provider', async () => {
  let now = Date.now();
  const created_at = new Date(now).toISOString();
  await using provider = await startOutsideProvider();
  const settings = provider.settings();
  await using platform = await openPlatform({ dev: false, settings, now: () => now });
  const sign = (name: string, email: string, email_verified = true) =>
    provider.sign({ name, email, email_verified });
  const first = await sign('Before', 'before@x.example');
  assert.deepEqual((await openSession(platform, first)).created_at, created_at);
  now += 1000;
  const body = { name: '  Chosen ' };
  const edited = await platform.clientWith(first).call('editProfile', { body });
  assert.equal(edited.user.name, 'Chosen', 'without the spaces around it');
  const unchanged = await platform.clientWith(first).call('editProfile', { body: {} });
  assert.deepEqual(unchanged, edited);
  const rows: [email: string, verified: boolean, expected: string | null][] = [
    ['after@x.example', true, 'after@x.example'],
    ['after@x.example', false, null],
  ];
  for (const [email, verified, expected] of rows) {
    const token = await sign('After', email, verified);
    const reported = { ...edited.user, email: expected };
    assert.deepEqual(await openSession(platform, token), reported);
    const me = await platform.clientWith(token).call('me', {});
    assert.deepEqual(me.user, { ...reported, unread_notices: 0 });
  }
});

test('a form that sends the name unchanged leaves it to the provider', async () => {
  await using provider = await startOutsideProvider();
  await using platform = await openPlatform({ dev: false, settings: provider.settings() });
  const first = await provider.sign({ name: 'Before' });
  await openSession(platform, first);
  const body = { name: 'Before ', mail: { releases: false } };
  await platform.clientWith(first).call('editProfile', { body });
  assert.equal((await openSession(platform, await provider.sign({ name: 'After' }))).name, 'After');
});

test('an invisible name from the provider counts as missing', async () => {
  await using provider = await startOutsideProvider();
  await using platform = await openPlatform({ dev: false, settings: provider.settings() });
  for (const [index, name] of ['', '  ', '\u200b\u200b', '\u202e', 5, null].entries()) {
    const token = await provider.sign({ sub: `s${index}`, name });
    assert.equal((await openSession(platform, token)).name, 'Player', JSON.stringify(name));
  }
});

test('SVC_DEVELOPER_SIGNUP opens and closes sign-up; developers stay developers, and are found by a new name', async () => {
  await using provider = await startOutsideProvider();
  const settings = provider.settings({ SVC_DEVELOPER_SIGNUP: 'open' });
  await using open = await openPlatform({ dev: false, settings });
  const ada = await openSession(
    open,
    await provider.sign({ sub: 'ada', name: 'Ada' }),
    'developer',
  );
  assert.equal(ada.role, 'developer');
  const { dataDir } = open;
  const closedSettings = provider.settings({ SVC_DEVELOPER_SIGNUP: 'closed' });
  await using closed = await openPlatform({ dev: false, dataDir, settings: closedSettings });
  const renamed = await provider.sign({ sub: 'ada', name: 'Grace' });
  assert.deepEqual(await openSession(closed, renamed, 'developer'), { ...ada, name: 'Grace' });
  const bob = await provider.sign({ sub: 'bob' });
  await expectError(openSession(closed, bob, 'developer'), 'developer_signup_closed');
  assert.equal((await openSession(closed, bob)).role, 'player');
  const find = async (q: string) =>
    (await closed.clientWith(null).call('search', { query: { q } })).developers;
  assert.deepEqual(
    [await find('ada'), (await find('grace')).map(({ uid }) => uid)],
    [[], [ada.uid]],
  );
  const { db } = await openDatabase(dataDir, null);
  const audit = await db.selectFrom('audit').select(['action', 'uid']).execute();
  await db.destroy();
  assert.deepEqual(
    audit.map((row) => ({ ...row })),
    [{ action: 'developer.made', uid: ada.uid }],
  );
});

test('--dev uses an outside provider and a closed sign-up if the settings say so', async () => {
  await using provider = await startOutsideProvider();
  const settings = provider.settings({ SVC_DEVELOPER_SIGNUP: 'closed' });
  await using platform = await openPlatform({ dev: true, settings });
  const { issuer, client_id } = await platform.clientWith(null).call('authConfig', {});
  assert.deepEqual([issuer, client_id], [provider.issuer, 'svc-client']);
  const token = await provider.sign({});
  await expectError(openSession(platform, token, 'developer'), 'developer_signup_closed');
  assert.equal((await openSession(platform, token)).role, 'player');
});
