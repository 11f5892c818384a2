// Several identity providers on one platform: their clients, and users that do not mix.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readSettings } from '../src/index.ts';
import { expectError } from './expect-error.ts';
import { type OpenPlatform, openPlatform } from './open-platform.ts';
import { type OutsideProvider, startOutsideProvider } from './outside-provider.ts';

let one: OutsideProvider;
let two: OutsideProvider;
let platform: OpenPlatform;

before(async () => {
  one = await startOutsideProvider();
  two = await startOutsideProvider('/realms/games');
  const settings = one.settings({
    SVC_OIDC_NAME: 'Acme',
    SVC_OIDC_CLI_CLIENT_ID: 'svc-cli',
    SVC_OIDC_2_ISSUER: two.issuer,
    SVC_OIDC_2_AUDIENCE: 'games',
    SVC_OIDC_2_OFFLINE_ACCESS: 'off',
  });
  platform = await openPlatform({ dev: false, settings });
});
after(async () => {
  await platform[Symbol.asyncDispose]();
  await one[Symbol.asyncDispose]();
  await two[Symbol.asyncDispose]();
});

async function open(token: Promise<string>) {
  const body = { id_token: await token };
  return (await platform.clientWith(null).call('openSession', { body })).user;
}

test('GET /auth/config lists the providers in their order; the first is also the one for older clients', async () => {
  const config = await platform.clientWith(null).call('authConfig', {});
  assert.deepEqual(config, {
    ...{ issuer: one.issuer, client_id: 'svc-client' },
    providers: [
      {
        ...{ issuer: one.issuer, name: 'Acme', client_id: 'svc-client', cli_client_id: 'svc-cli' },
        offline_access: true,
      },
      {
        ...{ issuer: two.issuer, name: new URL(two.issuer).host },
        ...{ client_id: 'games', cli_client_id: 'games', offline_access: false },
      },
    ],
  });
});

test('the same subject at two providers is two users', async () => {
  const first = await open(one.sign({ sub: 'same', email: 'a@x.example', email_verified: true }));
  const second = await open(
    two.sign({ sub: 'same', aud: 'games', email: 'a@x.example', email_verified: true }),
  );
  assert.notEqual(first.uid, second.uid);
  assert.equal((await open(one.sign({ sub: 'same' }))).uid, first.uid);
  assert.equal((await open(two.sign({ sub: 'same', aud: 'games' }))).uid, second.uid);
});

test('the clients of the store and of the command line sign in to one account', async () => {
  const { uid } = await open(one.sign({ sub: 'both' }));
  const more: Record<string, unknown>[] = [
    { aud: 'svc-cli' },
    { aud: 'svc-cli', azp: 'svc-cli' },
    { aud: ['svc-cli', 'svc-client'], azp: 'svc-cli' },
    { aud: ['svc-client', 'another'], azp: 'svc-client' },
  ];
  for (const claims of more) {
    assert.equal((await open(one.sign({ sub: 'both', ...claims }))).uid, uid);
  }
});

test('a token for another client, or with the key or the issuer of another provider, is rejected', async () => {
  const invalid = [
    one.sign({ aud: 'games' }),
    two.sign({ aud: 'svc-client' }),
    two.sign({ aud: 'svc-cli' }),
    two.sign({ iss: one.issuer }),
    one.sign({ iss: two.issuer, aud: 'games' }),
    one.sign({ aud: ['svc-cli', 'svc-client'] }),
    one.sign({ aud: 'svc-cli', azp: 'games' }),
  ];
  for (const [index, token] of invalid.entries()) {
    const { message } = await expectError(open(token), 'unauthenticated');
    assert.equal(message, 'The ID token is not valid on this server', `token ${index}`);
  }
});

test('a provider whose keys are not available does not stop the others', async () => {
  await using broken = await startOutsideProvider();
  broken.replies.set('/keys', { status: 500, body: '{}' });
  const settings = one.settings({
    SVC_OIDC_3_ISSUER: broken.issuer,
    SVC_OIDC_3_AUDIENCE: 'svc-client',
  });
  await using other = await openPlatform({ dev: false, settings });
  const session = async (token: Promise<string>) =>
    other.clientWith(null).call('openSession', { body: { id_token: await token } });
  await expectError(session(broken.sign({})), 'identity_unavailable');
  assert.equal((await session(one.sign({ name: 'Ada' }))).user.name, 'Ada');
  broken.replies.clear();
  assert.equal((await session(broken.sign({ name: 'Bo' }))).user.name, 'Bo');
});

test('games may not run on the origin of any provider', async () => {
  const settings = readSettings({
    SVC_WEB_ORIGIN: 'https://www.example',
    SVC_PLAY_ORIGIN: 'https://id.example',
    SVC_OIDC_ISSUER: 'https://accounts.example',
    SVC_OIDC_AUDIENCE: 'a',
    SVC_OIDC_2_ISSUER: 'https://id.example/realms/x',
    SVC_OIDC_2_AUDIENCE: 'a',
  });
  await assert.rejects(
    openPlatform({ dev: false, settings }),
    /origin of the identity provider \(SVC_OIDC_2_ISSUER\).* SVC_PLAY_ORIGIN and SVC_OIDC_2_ISSUER name the same host/,
  );
});
