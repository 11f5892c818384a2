// What Keycloak and Dex do differently from each other, as their documents describe it.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CLIENT, startFakeProvider } from '@svc/contracts/testing';
import { NO_LOG } from '@svc/observe';
import { createApi } from '../src/api/send-to-api.ts';
import { createIdentityProviders } from '../src/session/identity-providers.ts';

const REDIRECT = 'http://127.0.0.1:9/sign-in/callback';

/** A provider whose issuer has a path, and a sign-in there that has begun. */
async function begin(t: TestContext, path: string, metadata: object) {
  const fake = await startFakeProvider(t);
  const issuer = fake.issuer + path;
  fake.path = path;
  fake.metadata = { ...metadata, issuer };
  fake.config = { issuer };
  const secret = { kind: 'secret', secret: 's3cret', sentBy: null } as const;
  const providers = createIdentityProviders({
    api: createApi(fake.issuer, 10_000),
    redirectUri: () => REDIRECT,
    credentials: [{ issuer, setting: 'SVC_OIDC_CLIENT_SECRET', ...secret }],
    now: Date.now,
    log: NO_LOG,
  });
  const [provider] = await providers.list();
  const begun = await providers.begin(provider ?? assert.fail('no provider'), '/');
  fake.claims = { iss: issuer, nonce: begun.attempt.nonce };
  const query = new URLSearchParams({ code: 'c', state: begun.attempt.state });
  const finish = (more: Readonly<Record<string, string>> = {}) => {
    const all = new URLSearchParams({ ...Object.fromEntries(query), ...more });
    return providers.finish(begun.attempt, new URL(`${REDIRECT}?${all}`));
  };
  return { fake, issuer, providers, asked: new URL(begun.address).searchParams, finish };
}

test('Keycloak: the answer names the issuer and a session state, and refresh tokens need no offline_access', async (t) => {
  const { fake, issuer, providers, asked, finish } = await begin(t, '/realms/games', {
    scopes_supported: ['openid', 'profile', 'email'],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: ['private_key_jwt', 'client_secret_basic'],
    backchannel_logout_supported: true,
  });
  assert.deepEqual([asked.get('scope'), asked.get('prompt')], ['openid profile email', null]);
  fake.claims = { ...fake.claims, azp: CLIENT, sid: '9b2c', typ: 'ID', acr: '1' };
  fake.tokens = {
    ...{ refresh_token: 'again', refresh_expires_in: 1800, session_state: '9b2c' },
    ...{ 'not-before-policy': 0, scope: 'openid profile email' },
  };
  await assert.rejects(finish(), { name: 'ProviderError' }, 'an answer without its issuer');
  await assert.rejects(finish({ iss: fake.issuer }), { name: 'ProviderError' });
  const tokens = await finish({ iss: issuer, session_state: '9b2c' });
  assert.equal(tokens.refreshToken, 'again');
  // A renewed ID token has no nonce.
  fake.claims = { ...fake.claims, nonce: undefined };
  fake.tokens = { ...fake.tokens, refresh_token: 'once more' };
  const renewed = await providers.refresh({ issuer, refreshToken: 'again' });
  assert.equal(renewed.refreshToken, 'once more');
  assert.deepEqual(
    fake.authorizations.map((header) => header?.split(' ')[0]),
    ['Basic', 'Basic'],
  );
});

test('Dex: refresh tokens need offline_access, and subjects have any characters of base64', async (t) => {
  const { fake, issuer, providers, asked, finish } = await begin(t, '/dex', {
    scopes_supported: ['openid', 'email', 'groups', 'profile', 'offline_access'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  });
  assert.equal(asked.get('scope'), 'openid profile email offline_access');
  const sub = 'Cg0wLTM4NS0yODA4OS0wEgRtb2Nr+/==';
  fake.claims = { ...fake.claims, sub, at_hash: 'x' };
  assert.equal((await finish()).refreshToken, null);
  fake.tokens = { refresh_token: 'ChlvaWJmNXB1+/==' };
  const tokens = await finish();
  assert.equal(tokens.refreshToken, 'ChlvaWJmNXB1+/==');
  await providers.refresh({ issuer, refreshToken: 'ChlvaWJmNXB1+/==' });
  assert.equal(fake.asked.at(-1)?.get('refresh_token'), 'ChlvaWJmNXB1+/==');
});
