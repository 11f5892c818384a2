// Failures of the database between two statements of one renewal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_LOG } from '@svc/observe';
import type { IdentityProviders } from './identity-providers.ts';
import type { RenewalTable } from './renewal-table.ts';
import { createSealedTokens } from './sealed-tokens.ts';
import { RenewalUnavailableError, shareRenewals } from './share-renewals.ts';

const TOKENS = { idToken: 'new', refreshToken: 'next', expiresAt: 1 };

type Fakes = {
  readonly table?: Partial<RenewalTable>;
  readonly providers?: Partial<IdentityProviders>;
};

/** A renewal with a token that is free, and the names of the calls in order. */
function open({ table = {}, providers = {} }: Fakes) {
  const calls: string[] = [];
  const logged = <T extends object>(object: T): T =>
    new Proxy(object, {
      get(target, name, receiver) {
        calls.push(String(name));
        return Reflect.get(target, name, receiver);
      },
    });
  const spend = shareRenewals({
    providers: logged({
      list: () => assert.fail('lists nothing'),
      begin: () => assert.fail('begins nothing'),
      finish: () => assert.fail('finishes nothing'),
      prepare: async () => true,
      refresh: async () => TOKENS,
      ...providers,
    }),
    table: logged({
      look: async () => ({ is: 'free' as const, readAt: 'now' }),
      claim: async () => true,
      finish: async () => true,
      release: async () => {},
      ...table,
    }),
    sealed: createSealedTokens(['a secret of thirty-two characters']),
    log: NO_LOG,
  });
  return { calls, renew: () => spend({ issuer: 'https://id.example', refreshToken: 'token' }) };
}

const lost = (): Promise<never> => Promise.reject(new Error('connection lost'));

test('a renewal looks, prepares, claims, asks the provider and stores the outcome', async () => {
  const { calls, renew } = open({});
  assert.deepEqual(await renew(), TOKENS);
  assert.deepEqual(calls, ['look', 'prepare', 'claim', 'refresh', 'finish']);
});

test('a token of a provider that the API no longer names is not claimed', async () => {
  const { calls, renew } = open({ providers: { prepare: async () => false } });
  assert.equal(await renew(), null);
  assert.deepEqual(calls, ['look', 'prepare']);
});

test('a claim whose answer is lost is withdrawn, and the token is not sent', async () => {
  const { calls, renew } = open({ table: { claim: lost } });
  await assert.rejects(renew(), RenewalUnavailableError);
  assert.deepEqual(calls, ['look', 'prepare', 'claim', 'release']);
});

test('a claim that takes too long is withdrawn, and the token is claimed again', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  let claims = 0;
  const claim = async (): Promise<boolean> => {
    if (++claims === 1) now += 2_500;
    return true;
  };
  const { calls, renew } = open({ table: { claim } });
  assert.deepEqual(await renew(), TOKENS);
  const again = ['look', 'prepare', 'claim', 'refresh', 'finish'];
  assert.deepEqual(calls, ['look', 'prepare', 'claim', 'release', ...again]);
});

test('a result that can’t be stored is still valid for the request that received it', async () => {
  const { renew } = open({ table: { finish: lost } });
  assert.deepEqual(await renew(), TOKENS);
});

test('a result that is stored too late is not used', async () => {
  const { renew } = open({ table: { finish: async () => false } });
  assert.equal(await renew(), 'unknown');
});

test('an error of the provider without an answer leaves the token as used', async () => {
  const { calls, renew } = open({ providers: { refresh: lost } });
  assert.equal(await renew(), 'unknown');
  assert.deepEqual(calls.slice(-2), ['refresh', 'finish']);
});

test('a claim is withdrawn if the provider refuses the connection', async () => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const failure = new Error('ProviderError', { cause: new TypeError('x', { cause: refused }) });
  const { calls, renew } = open({ providers: { refresh: () => Promise.reject(failure) } });
  await assert.rejects(renew(), (error: unknown) => {
    assert.ok(error instanceof RenewalUnavailableError);
    assert.equal(error.cause, failure);
    return true;
  });
  assert.deepEqual(calls.slice(-2), ['refresh', 'release']);
});
