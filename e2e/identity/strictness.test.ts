// The provider of these tests is as strict as it claims: what it rejects would otherwise go unnoticed in the store and in svc.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import {
  CLI_CLIENT,
  STORE_CLIENT,
  type StrictProvider,
  startStrictProvider,
} from './start-strict-provider.ts';

const STORE_ORIGIN = 'https://games.example';
const LOOPBACK = 'http://127.0.0.1:4711/callback';

async function open(): Promise<StrictProvider> {
  const provider = await startStrictProvider('/realms/games');
  const store = { method: 'client_secret_basic', secret: 'x'.repeat(32) } as const;
  await provider.begin(store, { storeOrigin: STORE_ORIGIN, apiUrl: 'https://api.example' });
  return provider;
}

/** RFC 7636, 4.2. */
function challengeFor(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

type Parameters = Readonly<Record<string, string>>;

/** Asks for a code as a browser does. Returns the address of the application that it ends at, or the provider's error page. */
async function authorize({ issuer }: StrictProvider, more: Parameters): Promise<URL | string> {
  const query = { response_type: 'code', scope: 'openid', code_challenge_method: 'S256', ...more };
  const cookies = new Map<string, string>();
  let next = new URL(`${issuer}/auth?${new URLSearchParams(query)}`);
  while (next.href.startsWith(`${issuer}/`)) {
    const cookie = [...cookies.values()].join('; ');
    const answer = await fetch(next, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.split('=')[0] ?? '', pair);
    }
    const location = answer.headers.get('location');
    const text = await answer.text();
    if (location === null) return text;
    next = new URL(location, next);
  }
  return next;
}

type Tokens = { readonly error?: string; readonly refresh_token?: string };

async function askForTokens({ issuer }: StrictProvider, form: Parameters): Promise<Tokens> {
  const body = new URLSearchParams({ client_id: CLI_CLIENT, ...form });
  const answer = await fetch(`${issuer}/token`, { method: 'POST', body });
  return (await answer.json()) as Tokens;
}

/** Signs in as `svc` does, with these parameters. */
async function signIn(provider: StrictProvider, more: Parameters): Promise<Tokens> {
  const code_verifier = randomBytes(32).toString('base64url');
  const code_challenge = challengeFor(code_verifier);
  const client = { client_id: CLI_CLIENT, redirect_uri: LOOPBACK };
  const end = await authorize(provider, { ...client, code_challenge, ...more });
  assert.ok(end instanceof URL, String(end));
  assert.equal(end.searchParams.get('iss'), provider.issuer);
  const code = end.searchParams.get('code') ?? '';
  const grant = { grant_type: 'authorization_code', redirect_uri: LOOPBACK };
  return await askForTokens(provider, { ...grant, code, code_verifier });
}

test('unknown clients, other redirect addresses and requests without a code challenge are rejected', async () => {
  await using provider = await open();
  const code_challenge = challengeFor('x'.repeat(43));
  const redirect_uri = `${STORE_ORIGIN}/sign-in/callback`;
  const good = { client_id: STORE_CLIENT, redirect_uri, code_challenge };
  assert.ok((await authorize(provider, good)) instanceof URL);
  for (const [more, error] of [
    [{ client_id: 'unknown' }, /invalid_client/],
    [{ redirect_uri: `${redirect_uri}/` }, /invalid_redirect_uri/],
    [{ redirect_uri: `${redirect_uri}?x` }, /invalid_redirect_uri/],
    [{ redirect_uri: LOOPBACK }, /invalid_redirect_uri/],
    [{ client_id: CLI_CLIENT, redirect_uri: 'http://127.0.0.1/other' }, /invalid_redirect_uri/],
  ] as const) {
    assert.match(String(await authorize(provider, { ...good, ...more })), error);
  }
  const plain = { client_id: STORE_CLIENT, redirect_uri, code_challenge_method: '' };
  assert.match(String(await authorize(provider, plain)), /error=invalid_request/);
});

test('refresh tokens need offline_access with consent, and the second use of one ends them all', async () => {
  await using provider = await open();
  assert.equal((await signIn(provider, {})).refresh_token, undefined);
  const offline = { scope: 'openid offline_access' };
  assert.equal((await signIn(provider, offline)).refresh_token, undefined);
  const { refresh_token: first = '' } = await signIn(provider, { ...offline, prompt: 'consent' });
  const spend = (refresh_token: string): Promise<Tokens> =>
    askForTokens(provider, { grant_type: 'refresh_token', refresh_token });
  const { refresh_token: second = '' } = await spend(first);
  assert.ok(second !== '' && second !== first);
  assert.equal((await spend(first)).error, 'invalid_grant');
  assert.equal((await spend(second)).error, 'invalid_grant');
});
