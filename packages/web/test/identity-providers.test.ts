// Sign-ins at several identity providers, and the credential that each of them gets.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CLIENT, type FakeProvider, startFakeProvider } from '@svc/contracts/testing';
import { keepLines } from '@svc/observe/testing';
import { decodeProtectedHeader, generateKeyPair, jwtVerify } from 'jose';
import { createApi } from '../src/api/send-to-api.ts';
import type { ClientCredential } from '../src/session/client-credential.ts';
import type { ClientKey } from '../src/session/client-key.ts';
import { createIdentityProviders, findProvider } from '../src/session/identity-providers.ts';

const REDIRECT = 'http://127.0.0.1:9/sign-in/callback';
const SETTING = 'SVC_OIDC_CLIENT_SECRET';
/** The characters that client_secret_basic encodes (RFC 6749, 2.3.1). */
const SECRET = 'a b+c:%é';

/** The client of the store, for the provider and API `fake`, with these credentials. */
function open(fake: FakeProvider, credentials: readonly ClientCredential[] = []) {
  const { log, lines } = keepLines();
  let now = Date.now();
  const providers = createIdentityProviders({
    api: createApi(fake.issuer, 10_000),
    redirectUri: () => REDIRECT,
    credentials,
    now: () => now,
    log,
  });
  return {
    providers,
    lines,
    pass: (ms: number) => {
      now += ms;
    },
    /** Signs in at a provider that would accept it. */
    async signIn(at: FakeProvider) {
      const provider = findProvider(await providers.list(), at.issuer);
      const { attempt } = await providers.begin(provider ?? assert.fail('unknown'), '/');
      at.claims = { ...at.claims, nonce: attempt.nonce };
      const query = new URLSearchParams({ code: 'c', state: attempt.state });
      return providers.finish(attempt, new URL(`${REDIRECT}?${query}`));
    },
  };
}

/** What the API states about a fake provider. */
function entryOf({ issuer }: FakeProvider, name: string, client_id = CLIENT) {
  return { issuer, name, client_id, cli_client_id: 'cli' };
}

async function openTwo(t: TestContext) {
  const [one, two] = await Promise.all([startFakeProvider(t), startFakeProvider(t)]);
  one.config = { providers: [entryOf(one, 'One'), entryOf(two, 'Two', 'client-of-two')] };
  two.claims = { aud: 'client-of-two' };
  return { one, two, ...open(one) };
}

test('an API that names no list of providers has one, whose name is its host', async (t) => {
  const fake = await startFakeProvider(t);
  const { issuer } = fake;
  const { host } = new URL(issuer);
  const { providers } = open(fake);
  assert.deepEqual(await providers.list(), [
    { issuer, name: host, client_id: CLIENT, cli_client_id: CLIENT },
  ]);
});

test('each sign-in and each renewal goes to its own provider', async (t) => {
  const { one, two, providers, signIn } = await openTwo(t);
  assert.deepEqual(
    (await providers.list()).map(({ name }) => name),
    ['One', 'Two'],
  );
  await signIn(two);
  await signIn(one);
  await providers.refresh({ issuer: two.issuer, refreshToken: 'r' });
  const asked = (fake: FakeProvider): unknown =>
    fake.asked.map((form) => [form.get('grant_type'), form.get('client_id')]);
  assert.deepEqual(asked(one), [['authorization_code', CLIENT]]);
  assert.deepEqual(asked(two), [
    ['authorization_code', 'client-of-two'],
    ['refresh_token', 'client-of-two'],
  ]);
});

test('an ID token of one provider is not accepted for a sign-in at another', async (t) => {
  const { one, two, signIn } = await openTwo(t);
  one.claims = { iss: two.issuer };
  await assert.rejects(signIn(one), { name: 'ProviderError' });
});

test('a provider that can’t be found does not affect the others, and is asked again at once', async (t) => {
  const { one, two, providers, signIn } = await openTwo(t);
  two.metadata = { issuer: 'https://another.example' };
  await assert.rejects(signIn(two), { name: 'ProviderError' });
  await signIn(one);
  assert.equal(await providers.prepare({ issuer: one.issuer, refreshToken: 'r' }), true);
  await assert.rejects(providers.prepare({ issuer: two.issuer, refreshToken: 'r' }));
  two.metadata = {};
  await signIn(two);
});

test('a provider that the API no longer names ends its sign-ins and sessions', async (t) => {
  const { one, two, providers, pass } = await openTwo(t);
  const [, second] = await providers.list();
  const { attempt } = await providers.begin(second ?? assert.fail(), '/');
  one.config = {};
  pass(10 * 60_000);
  await assert.rejects(providers.finish(attempt, new URL(REDIRECT)), {
    message: 'The identity provider has changed since this sign-in was started.',
  });
  for (const issuer of [two.issuer, null]) {
    const grant = { issuer, refreshToken: 'r' };
    assert.equal(await providers.prepare(grant), false);
    await assert.rejects(providers.refresh(grant), { name: 'ProviderError' });
  }
  assert.deepEqual([...one.asked, ...two.asked], []);
});

function secretFor(
  { issuer }: FakeProvider,
  sentBy: 'basic' | 'post' | null = null,
): ClientCredential {
  return { issuer, setting: SETTING, kind: 'secret', secret: SECRET, sentBy };
}

test('a secret is sent in the header, or in the form if the provider supports only that or the setting says so', async (t) => {
  const basic = `Basic ${btoa('svc%2Dclient:a+b%2Bc%3A%25%C3%A9')}`;
  const both = ['client_secret_post', 'client_secret_basic'];
  const rows: [
    methods: string[] | undefined,
    header: string | undefined,
    sentBy?: 'basic' | 'post',
  ][] = [
    [undefined, basic],
    [both, basic],
    [['private_key_jwt'], basic],
    [['client_secret_post', 'none'], undefined],
    [both, undefined, 'post'],
    [['client_secret_post'], basic, 'basic'],
  ];
  for (const [methods, header, sentBy] of rows) {
    const fake = await startFakeProvider(t);
    fake.metadata = { token_endpoint_auth_methods_supported: methods };
    const { providers, signIn } = open(fake, [secretFor(fake, sentBy)]);
    await signIn(fake);
    await providers.refresh({ issuer: fake.issuer, refreshToken: 'r' });
    assert.deepEqual(fake.authorizations, [header, header], String(methods));
    const inForm = fake.asked.map((form) => form.get('client_secret'));
    const expected = header === undefined ? SECRET : null;
    assert.deepEqual(inForm, [expected, expected], String(methods));
  }
});

test('a credential is sent to its own provider only', async (t) => {
  const [one, two] = await Promise.all([startFakeProvider(t), startFakeProvider(t)]);
  one.config = { providers: [entryOf(one, 'One'), entryOf(two, 'Two')] };
  const { signIn, lines } = open(one, [secretFor(two)]);
  await signIn(one);
  await signIn(two);
  assert.deepEqual(one.authorizations, [undefined]);
  assert.equal(one.asked[0]?.get('client_secret'), null);
  assert.match(two.authorizations[0] ?? '', /^Basic /);
  assert.deepEqual(lines, []);
});

test('a credential for a provider that the API does not name is a warning, once', async (t) => {
  const fake = await startFakeProvider(t);
  const credential = { ...secretFor(fake), issuer: 'https://id.example/realms/x' };
  const { providers, lines, pass } = open(fake, [credential]);
  for (let times = 0; times < 3; times++) {
    await providers.list();
    pass(10 * 60_000);
  }
  assert.deepEqual(
    lines.map(({ level, message }) => [level, message]),
    [
      [
        'warn',
        'SVC_OIDC_CLIENT_SECRET is not used: the API does not name the identity provider https://id.example/realms/x. Compare its address in the settings of the store and of the API',
      ],
    ],
  );
});

test('a key signs an assertion for the provider, with its id and under the name of the algorithm that the provider knows', async (t) => {
  const { privateKey: rsa, publicKey: rsaPublic } = await generateKeyPair('RS256');
  const { privateKey: ed, publicKey: edPublic } = await generateKeyPair('Ed25519');
  const rows: [ClientKey, algorithms: string[] | undefined, header: object, CryptoKey][] = [
    [{ key: rsa, kid: 'k1', alg: 'RS256' }, undefined, { alg: 'RS256', kid: 'k1' }, rsaPublic],
    [{ key: rsa, kid: undefined, alg: null }, undefined, { alg: 'RS256' }, rsaPublic],
    [{ key: ed, kid: 'k2', alg: null }, undefined, { alg: 'Ed25519', kid: 'k2' }, edPublic],
    [{ key: ed, kid: 'k2', alg: null }, ['EdDSA'], { alg: 'EdDSA', kid: 'k2' }, edPublic],
    [
      { key: ed, kid: 'k2', alg: null },
      ['EdDSA', 'Ed25519'],
      { alg: 'Ed25519', kid: 'k2' },
      edPublic,
    ],
    [{ key: rsa, kid: 'k1', alg: null }, ['EdDSA'], { alg: 'RS256', kid: 'k1' }, rsaPublic],
    [{ key: ed, kid: 'k2', alg: 'EdDSA' }, undefined, { alg: 'EdDSA', kid: 'k2' }, edPublic],
    [{ key: ed, kid: 'k2', alg: 'Ed25519' }, ['EdDSA'], { alg: 'Ed25519', kid: 'k2' }, edPublic],
  ];
  for (const [key, algorithms, header, check] of rows) {
    const fake = await startFakeProvider(t);
    fake.metadata = { token_endpoint_auth_signing_alg_values_supported: algorithms };
    const { providers, signIn } = open(fake, [
      { issuer: fake.issuer, setting: 'SVC_OIDC_CLIENT_KEY_FILE', kind: 'key', key },
    ]);
    await signIn(fake);
    await providers.refresh({ issuer: fake.issuer, refreshToken: 'r' });
    assert.equal(fake.asked.length, 2);
    for (const form of fake.asked) {
      const assertion = form.get('client_assertion') ?? '';
      assert.deepEqual(decodeProtectedHeader(assertion), header);
      const { payload } = await jwtVerify(assertion, check, { audience: fake.issuer });
      assert.deepEqual([payload.iss, payload.sub], [CLIENT, CLIENT]);
      assert.equal(form.get('client_secret'), null);
    }
  }
});

test('a provider that rejects the store’s credential is a line of the log with the settings to check, and no secret', async (t) => {
  const fake = await startFakeProvider(t);
  fake.status = 401;
  fake.tokens = { error: 'invalid_client' };
  for (const [credentials, advice] of [
    [[secretFor(fake)], 'Check SVC_OIDC_CLIENT_SECRET of the store, and the client id in'],
    [[], 'The store has no credential for it. Register a public client, or set SVC_OIDC_ISSUER'],
  ] as const) {
    const { signIn, providers, lines } = open(fake, credentials);
    await assert.rejects(signIn(fake), {
      name: 'ProviderError',
      message:
        'The identity provider does not accept this store. Its operator has to correct the settings.',
    });
    await assert.rejects(providers.refresh({ issuer: fake.issuer, refreshToken: 'r' }));
    const [first, second, third] = lines;
    assert.deepEqual([first, third], [second, undefined]);
    assert.deepEqual([first?.level, first?.fields], ['warn', { client_id: CLIENT }]);
    const message = first?.message ?? '';
    const begin = `the identity provider ${fake.issuer} rejected the store as its client. ${advice}`;
    assert.ok(message.startsWith(begin), message);
    assert.ok(!JSON.stringify(lines).includes('a b+c'));
  }
  // What the store sent was wrong, not the store itself.
  fake.status = 400;
  fake.tokens = { error: 'invalid_grant' };
  const { signIn, lines } = open(fake, [secretFor(fake)]);
  await assert.rejects(signIn(fake), { message: /can’t be reached or its response is invalid/ });
  assert.deepEqual(lines, []);
});
