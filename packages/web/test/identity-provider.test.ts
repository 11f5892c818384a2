// The sign-in at a provider that violates the protocol or differs from the one that was asked.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { CLIENT, EXPIRES, type FakeProvider, startFakeProvider } from '@svc/contracts/testing';
import { NO_LOG } from '@svc/observe';
import { createApi } from '../src/api/send-to-api.ts';
import {
  createIdentityProviders,
  type IdentityProviders,
} from '../src/session/identity-providers.ts';
import type { SignInAttempt } from '../src/session/sign-in-attempt.ts';

const REDIRECT = 'http://127.0.0.1:9/sign-in/callback';
const API_MS = 10_000;

type Fake = FakeProvider & {
  readonly providers: IdentityProviders;
  /** Starts a sign-in at the first provider of the API. */
  begin(returnTo: string): ReturnType<IdentityProviders['begin']>;
  /** Spends a refresh token of this provider. */
  refresh(refreshToken: string): ReturnType<IdentityProviders['refresh']>;
  /** The site's time in milliseconds since 1970. */
  now: number;
};

async function startFake(t: TestContext): Promise<Fake> {
  const started = await startFakeProvider(t);
  const now = (): number => fake.now;
  const api = createApi(started.issuer, API_MS);
  const parts = { api, redirectUri: () => REDIRECT, credentials: [], now, log: NO_LOG };
  const providers = createIdentityProviders(parts);
  const begin: Fake['begin'] = async (returnTo) => {
    const [first] = await providers.list();
    return providers.begin(first ?? assert.fail('no provider'), returnTo);
  };
  const refresh: Fake['refresh'] = (refreshToken) =>
    providers.refresh({ issuer: started.issuer, refreshToken });
  const fake: Fake = Object.assign(started, { providers, begin, refresh, now: Date.now() });
  return fake;
}

function callback(parameters: Record<string, string>): URL {
  return new URL(`${REDIRECT}?${new URLSearchParams(parameters)}`);
}

/** Starts a sign-in that would succeed: the provider repeats its nonce. */
async function begin(fake: Fake, returnTo = '/dashboard') {
  const begun = await fake.begin(returnTo);
  fake.claims = { nonce: begun.attempt.nonce };
  return begun;
}

const INVALID = /can’t be reached or its response is invalid/;

async function assertRefused(
  fake: Fake,
  attempt: SignInAttempt,
  parameters: Record<string, string>,
  expected: RegExp = INVALID,
): Promise<void> {
  await assert.rejects(fake.providers.finish(attempt, callback(parameters)), (error: Error) => {
    assert.equal(error.name, 'ProviderError');
    assert.match(error.message, expected);
    return true;
  });
}

test('begin redirects to the provider with a new code challenge, state and nonce', async (t) => {
  const fake = await startFake(t);
  const { attempt, address } = await begin(fake, '/games/x');
  const { searchParams, origin, pathname } = new URL(address);
  const challenge = createHash('sha256').update(attempt.verifier).digest('base64url');
  assert.deepEqual([origin, pathname], [fake.issuer, '/authorize']);
  assert.deepEqual(Object.fromEntries(searchParams), {
    tenant: '1',
    client_id: CLIENT,
    redirect_uri: REDIRECT,
    response_type: 'code',
    scope: 'openid profile email',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: attempt.state,
    nonce: attempt.nonce,
  });
  assert.deepEqual([attempt.returnTo, attempt.issuer], ['/games/x', fake.issuer]);
  const { attempt: other } = await begin(fake);
  for (const key of ['state', 'nonce', 'verifier'] as const) {
    assert.notEqual(attempt[key], other[key], key);
    assert.ok(attempt[key].length >= 43, key);
  }
});

test('begin requests a refresh token and consent if the provider supports offline access and the API does not turn it off', async (t) => {
  const fake = await startFake(t);
  fake.metadata = { scopes_supported: ['openid', 'offline_access'] };
  const { searchParams } = new URL((await begin(fake)).address);
  assert.deepEqual(
    [searchParams.get('scope'), searchParams.get('prompt')],
    ['openid profile email offline_access', 'consent'],
  );
  const entry = { name: 'x', client_id: CLIENT, cli_client_id: CLIENT };
  for (const [offline_access, scope] of [
    [false, 'openid profile email'],
    [true, 'openid profile email offline_access'],
  ] as const) {
    const other = await startFake(t);
    other.metadata = fake.metadata;
    other.config = { providers: [{ ...entry, issuer: other.issuer, offline_access }] };
    const asked = new URL((await begin(other)).address).searchParams;
    assert.deepEqual(
      [asked.get('scope'), asked.get('prompt')],
      [scope, offline_access ? 'consent' : null],
    );
  }
});

test('finish exchanges the code with the verifier of its attempt, and returns when the ID token expires', async (t) => {
  const fake = await startFake(t);
  const { attempt } = await begin(fake);
  const parameters = callback({ code: 'c0de', state: attempt.state });
  const tokens = await fake.providers.finish(attempt, parameters);
  assert.deepEqual(
    { ...tokens, idToken: tokens.idToken.split('.').length },
    { idToken: 3, refreshToken: null, expiresAt: EXPIRES * 1000 },
  );
  assert.deepEqual(Object.fromEntries(fake.asked[0] ?? []), {
    grant_type: 'authorization_code',
    code: 'c0de',
    redirect_uri: REDIRECT,
    code_verifier: attempt.verifier,
    client_id: CLIENT,
  });
  fake.tokens = { refresh_token: 'again' };
  assert.equal((await fake.providers.finish(attempt, parameters)).refreshToken, 'again');
});

test('finish rejects a missing or different state without requesting a token', async (t) => {
  const fake = await startFake(t);
  const { attempt: other } = await begin(fake);
  const { attempt } = await begin(fake);
  await assertRefused(fake, attempt, { code: 'c', state: other.state });
  await assertRefused(fake, attempt, { code: 'c', state: '' });
  await assertRefused(fake, attempt, { code: 'c', state: `${attempt.state}x` });
  await assertRefused(fake, attempt, { code: 'c' });
  // A cookie without a state is rejected too.
  await assertRefused(fake, { ...attempt, state: '' }, { code: 'c' });
  assert.deepEqual(fake.asked, []);
});

test('finish rejects a response of another provider, and reports the provider’s error', async (t) => {
  const fake = await startFake(t);
  const { attempt } = await begin(fake);
  const { state } = attempt;
  const elsewhere = { ...attempt, issuer: 'http://127.0.0.1:1' };
  await assertRefused(fake, elsewhere, { code: 'c', state }, /has changed since/);
  await assertRefused(fake, attempt, { code: 'c', state, iss: 'http://127.0.0.1:1' });
  await assertRefused(fake, attempt, { state, error: 'access_denied' }, /was canceled/);
  await assertRefused(
    fake,
    attempt,
    { state, error: 'server_error' },
    /rejected the sign-in: server_error\.$/,
  );
  assert.deepEqual(fake.asked, []);
});

test('finish rejects an ID token of another attempt, client, provider or time, and a response without one', async (t) => {
  const fake = await startFake(t);
  const { attempt } = await begin(fake);
  const good = fake.claims;
  const parameters = { code: 'c', state: attempt.state };
  for (const claims of [
    { nonce: 'of another attempt' },
    { nonce: undefined },
    { aud: 'another client' },
    { iss: 'http://127.0.0.1:1' },
    { exp: EXPIRES - 7200 },
  ]) {
    fake.claims = { ...good, ...claims };
    await assertRefused(fake, attempt, parameters);
  }
  fake.claims = good;
  fake.tokens = { id_token: undefined };
  await assertRefused(fake, attempt, parameters);
  fake.tokens = {};
  await fake.providers.finish(attempt, callback(parameters));
});

test('refresh keeps the refresh token if it receives no new one, and rejects a response without an ID token', async (t) => {
  const fake = await startFake(t);
  const kept = await fake.refresh('first');
  assert.deepEqual([kept.refreshToken, kept.expiresAt], ['first', EXPIRES * 1000]);
  fake.tokens = { refresh_token: 'second' };
  assert.equal((await fake.refresh('first')).refreshToken, 'second');
  assert.deepEqual(Object.fromEntries(fake.asked[1] ?? []), {
    grant_type: 'refresh_token',
    refresh_token: 'first',
    client_id: CLIENT,
  });
  fake.tokens = { id_token: undefined };
  await assert.rejects(fake.refresh('first'), {
    name: 'ProviderError',
    message: 'The identity provider returned no ID token.',
  });
});

test('the provider is discovered once in ten minutes, and again at once after a failure', async (t) => {
  const fake = await startFake(t);
  fake.config = null;
  // The error of the API.
  await assert.rejects(fake.begin('/'), { name: 'PlatformError', status: 503 });
  fake.config = {};
  await Promise.all([fake.begin('/'), fake.begin('/')]);
  assert.equal(fake.discoveries, 2);
  fake.now += 10 * 60_000 - 1;
  await fake.begin('/');
  assert.equal(fake.discoveries, 2);
  fake.now += 1;
  await fake.begin('/');
  assert.equal(fake.discoveries, 3);
});

test('a provider without a sign-in page, or with plain http on another machine, is rejected', async (t) => {
  const pageless = await startFake(t);
  pageless.metadata = { authorization_endpoint: undefined };
  await assert.rejects(pageless.begin('/'), { message: /has no sign-in page/ });
  for (const host of ['provider.invalid', '127.0.0.1.invalid', 'localhost.invalid']) {
    const fake = await startFake(t);
    fake.config = { issuer: `http://${host}` };
    await assert.rejects(fake.begin('/'), (error: Error) => {
      assert.match(error.message, INVALID);
      // It is rejected before a request, not because the host is unknown.
      assert.match(String(error.cause), /HTTPS/);
      return true;
    });
  }
});

test('a provider with plain http on this machine is accepted under each local name', async (t) => {
  for (const host of ['127.0.0.1:1', '[::1]:1', 'localhost:1']) {
    const fake = await startFake(t);
    fake.config = { issuer: `http://${host}` };
    await assert.rejects(fake.begin('/'), (error: Error) => {
      // No server listens there. A provider that is rejected for its scheme receives no request.
      assert.match(error.message, INVALID);
      assert.doesNotMatch(String(error.cause), /HTTPS/);
      return true;
    });
  }
});
