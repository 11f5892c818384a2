// How often an issuer is asked for its keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { createIssuerKeys } from './issuer-keys.ts';

const ISSUER = 'https://ci.example';

/** An issuer with one key, and the paths that were read. The path in `failing` is not available. */
async function start() {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const state = { failing: null as string | null, asked: [] as string[] };
  const shown = { ...(await exportJWK(publicKey)), kid: 'a', alg: 'ES256' };
  const keys = createIssuerKeys(async (address) => {
    const path = address.replace(ISSUER, '');
    state.asked.push(path);
    if (state.failing === path) throw new Error('not available');
    const document = { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` };
    return address.endsWith('/keys') ? { keys: [shown] } : document;
  });
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', kid: 'a' })
    .sign(privateKey);
  return { state, verify: () => jwtVerify(token, keys(ISSUER)) };
}

test('concurrent and later tokens share one discovery and one read of the keys', async () => {
  const { state, verify } = await start();
  await Promise.all([verify(), verify(), verify()]);
  await verify();
  assert.deepEqual(state.asked, ['/.well-known/openid-configuration', '/keys']);
});

test('an address that fails is not read again for ten seconds', async (t) => {
  for (const failing of ['/.well-known/openid-configuration', '/keys']) {
    const { state, verify } = await start();
    state.failing = failing;
    const clock = t.mock.method(performance, 'now', () => 1000);
    await assert.rejects(verify());
    state.failing = null;
    await assert.rejects(verify());
    assert.equal(state.asked.filter((path) => path === failing).length, 1);
    clock.mock.mockImplementation(() => 12_000);
    // The cache reads the clock at most once in a millisecond.
    await setTimeout(5);
    await verify();
    clock.mock.restore();
  }
});

test('an issuer may move its keys: their address is read again after an hour', async (t) => {
  const { state, verify } = await start();
  const clock = t.mock.method(performance, 'now', () => 1000);
  await verify();
  clock.mock.mockImplementation(() => 3_700_000);
  await setTimeout(5);
  await verify();
  assert.equal(state.asked.filter((path) => path !== '/keys').length, 2);
});
