// When the token of an identity is requested again.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { formatToken } from '@svc/contracts/platform';
import type { Network } from '../network/network.ts';
import { createIdentityCredential } from './exchange-identity.ts';
import type { IdentitySource } from './find-identity.ts';

const API = 'https://api.example';

/** A network on which GitHub and the platform answer, with the number of exchanges. The time is set by the test. */
function start(
  t: TestContext,
  {
    seconds,
    fails = () => false,
    identity = { kind: 'github', url: 'https://ci.example/?a=b', secret: 's' },
  }: { seconds: number; fails?: () => boolean; identity?: IdentitySource },
) {
  const home = mkdtempSync(join(tmpdir(), 'svc-identity-'));
  t.after(() => rmSync(home, { recursive: true }));
  t.mock.timers.enable({ apis: ['Date'], now: 0 });
  const counted = { exchanges: 0 };
  const network: Network = {
    async send(address) {
      if (!address.startsWith(API)) return Response.json({ value: 'identity' });
      counted.exchanges++;
      if (fails()) {
        const error = { code: 'not_trusted', message: 'Not trusted' };
        return Response.json({ error }, { status: 403 });
      }
      const secret = formatToken(String(counted.exchanges).padStart(36, '0'));
      return Response.json({
        ...{ access_token: secret, token_type: 'Bearer', expires_in: seconds, scope: 'publish' },
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      });
    },
  };
  const credential = createIdentityCredential({
    ...{ api: API, projectId: 'p', network, signal: new AbortController().signal },
    ...{ identity, env: { HOME: home } },
    note: () => {},
    warn: () => {},
  });
  return { credential, counted };
}

test('a token is used until a fifth of its time is left, then replaced once for all requests', async (t) => {
  const { credential, counted } = start(t, { seconds: 900 });
  const [first, second] = await Promise.all([credential(), credential()]);
  assert.equal(first, second);
  t.mock.timers.setTime(719_000);
  assert.equal(await credential(), first);
  assert.equal(counted.exchanges, 1);
  t.mock.timers.setTime(720_000);
  const renewed = new Set(await Promise.all([credential(), credential(), credential()]));
  assert.equal(renewed.size, 1);
  assert.equal(renewed.has(first), false);
  assert.equal(counted.exchanges, 2);
});

test('a failed exchange fails those who wait for it, and is tried again for the next request', async (t) => {
  let broken = true;
  const { credential, counted } = start(t, { seconds: 900, fails: () => broken });
  const outcomes = await Promise.allSettled([credential(), credential()]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(counted.exchanges, 1);
  broken = false;
  await credential();
  assert.equal(counted.exchanges, 2);
});

test('a token that has expired when it arrives is used once, without an endless loop', async (t) => {
  const { credential, counted } = start(t, { seconds: 0 });
  await credential();
  await credential();
  assert.ok(counted.exchanges <= 4, String(counted.exchanges));
});

test('the token of an identity that is fixed for the job is used until it expires', async (t) => {
  const identity = { kind: 'variable', name: 'SVC_ID_TOKEN', idToken: 'x' } as const;
  const { credential, counted } = start(t, { seconds: 900, identity });
  const first = await credential();
  t.mock.timers.setTime(899_000);
  assert.equal(await credential(), first);
  assert.equal(counted.exchanges, 1);
  t.mock.timers.setTime(900_000);
  assert.notEqual(await credential(), first);
});
