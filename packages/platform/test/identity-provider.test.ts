// ID tokens of an outside provider: which are accepted, and what happens if its keys are not available.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { after, before, test } from 'node:test';
import { createPlatformClient } from '@svc/contracts/platform';
import {
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { readSettings } from '../src/index.ts';
import { expectError } from './expect-error.ts';
import { type OpenPlatform, openPlatform } from './open-platform.ts';

type Key = Awaited<ReturnType<typeof generateKeyPair>>;

let provider: Server;
let issuer = '';
let rs: Key;
let es: Key;
let stranger: Key;
let served: object[] = [];
let platform: OpenPlatform;

before(async () => {
  rs = await generateKeyPair('RS256', { extractable: true });
  es = await generateKeyPair('ES256', { extractable: true });
  stranger = await generateKeyPair('RS256', { extractable: true });
  served = [
    { ...(await exportJWK(rs.publicKey)), kid: 'rs', alg: 'RS256', use: 'sig' },
    { ...(await exportJWK(es.publicKey)), kid: 'es', alg: 'ES256', use: 'sig' },
  ];
  provider = createServer((request, response) => {
    const document = { issuer, jwks_uri: `${issuer}/keys` };
    const body = request.url === '/keys' ? { keys: served } : document;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  });
  provider.listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const address = provider.address();
  issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  platform = await openPlatform({ dev: false, settings: settingsFor(issuer) });
});
after(async () => {
  provider.close();
  provider.closeAllConnections();
  await platform[Symbol.asyncDispose]();
});

function settingsFor(oidcIssuer: string, more: Record<string, string> = {}) {
  return readSettings({
    SVC_OIDC_ISSUER: oidcIssuer,
    SVC_OIDC_AUDIENCE: 'svc-client',
    SVC_WEB_ORIGIN: 'https://games.example',
    ...more,
  });
}

const seconds = (): number => Math.floor(Date.now() / 1000);

function sign(
  claims: JWTPayload,
  key: Key = rs,
  header = { alg: 'RS256', kid: 'rs' },
): Promise<string> {
  const now = seconds();
  const base = { iss: issuer, aud: 'svc-client', sub: 'u1', iat: now, exp: now + 300 };
  return new SignJWT({ ...base, ...claims }).setProtectedHeader(header).sign(key.privateKey);
}

function open(idToken: string, role: 'player' | 'developer' = 'player') {
  const client = createPlatformClient({ baseUrl: platform.baseUrl, send: fetch });
  return client.call('openSession', { body: { id_token: idToken, role } });
}

test('valid tokens are accepted, within 60 seconds of skew and with other algorithms; their picture is ignored', async () => {
  const now = seconds();
  const { user } = await open(
    await sign({
      name: 'Una',
      picture: 'https://img.example/u.png',
      email: 'u@x.example',
      email_verified: true,
    }),
  );
  assert.deepEqual(
    [user.name, user.avatar, user.email, user.role],
    ['Una', null, 'u@x.example', 'player'],
  );
  const good = [
    sign({ exp: now - 50 }),
    sign({ nbf: now + 50 }),
    sign({ iat: now + 50 }),
    sign({ aud: ['svc-client'] }),
    sign({ aud: ['svc-client'], azp: 'svc-client' }),
    sign({ aud: ['other', 'svc-client'], azp: 'svc-client' }),
    sign({}, es, { alg: 'ES256', kid: 'es' }),
  ];
  for (const token of good) assert.equal((await open(await token)).user.uid, user.uid);
});

test('invalid tokens are 401 unauthenticated', async () => {
  const now = seconds();
  const hmac = new SignJWT({ iss: issuer, aud: 'svc-client', sub: 'u1', iat: now, exp: now + 300 })
    .setProtectedHeader({ alg: 'HS256', kid: 'rs' })
    .sign(new TextEncoder().encode(JSON.stringify(served[0])));
  const unsigned = new UnsecuredJWT({ sub: 'u1' })
    .setIssuer(issuer)
    .setAudience('svc-client')
    .setExpirationTime('5m')
    .setIssuedAt()
    .encode();
  const bad = [
    sign({ iss: 'https://other.example' }),
    sign({ aud: 'other' }),
    sign({ aud: ['svc-client', 'other'] }),
    sign({ azp: 'other' }),
    sign({ exp: now - 70 }),
    sign({ nbf: now + 70 }),
    sign({ iat: now + 70 }),
    sign({ sub: 5 as never }),
    sign({ sub: '' }),
    sign({ sub: '  ' }),
    sign({ sub: 'a\0b' }),
    sign({ sub: 'x'.repeat(300) }),
    sign({}, stranger),
    sign({}, stranger, { alg: 'RS256', kid: 'unknown' }),
    hmac,
    unsigned,
  ];
  for (const [index, token] of bad.entries()) {
    await assert.rejects(open(await token), { code: 'unauthenticated' }, `token ${index}`);
  }
});

test('users are identified by issuer and subject, never by e-mail', async () => {
  const email = { email: 'same@x.example', email_verified: true };
  const one = await open(await sign({ ...email, sub: 'a' }));
  const two = await open(await sign({ ...email, sub: 'b' }));
  assert.notEqual(one.user.uid, two.user.uid);
  const unverified = await open(
    await sign({ sub: 'c', email: 'c@x.example', email_verified: false }),
  );
  assert.equal(unverified.user.email, null);
  assert.equal(unverified.user.name, 'Player');
});

test('an e-mail address is stored only if the provider has verified it', async () => {
  const email = 'd@x.example';
  const rows: [JWTPayload, string | null][] = [
    [{ email_verified: true }, email],
    [{}, null],
    [{ email_verified: null }, null],
    [{ email_verified: 'true' }, null],
    [{ email_verified: 1 }, null],
    [{ email_verified: false }, null],
    [{ email_verified: true, email: ' ' }, null],
    [{ email_verified: true, email: 5 }, null],
    [{ email_verified: true, email: ` ${email} ` }, email],
  ];
  for (const [claims, expected] of rows) {
    const { user } = await open(await sign({ sub: 'd', email, ...claims }));
    assert.equal(user.email, expected, JSON.stringify(claims));
  }
});

test('times are checked to the second within the skew, with the clock of the server', async () => {
  const at = seconds() + 1_000_000;
  let ms = 0;
  const settings = settingsFor(issuer);
  await using later = await openPlatform({ dev: false, settings, now: () => at * 1000 + ms });
  const call = async (claims: { [claim: string]: unknown }) => {
    const id_token = await sign({ iat: at, exp: at + 300, ...claims });
    return later.clientWith(null).call('openSession', { body: { id_token } });
  };
  const rows: [taken: JWTPayload, refused: { [claim: string]: unknown }][] = [
    [{ exp: at - 59 }, { exp: at - 60 }],
    [{ nbf: at + 60 }, { nbf: at + 61 }],
    [{ iat: at + 60 }, { iat: at + 61 }],
    [{ sub: 'x'.repeat(255) }, { sub: 'x'.repeat(256) }],
    [{ iat: at - 1_000_000 }, { iat: undefined }],
    [{}, { exp: undefined }],
    [{}, { sub: undefined }],
    [{}, { aud: undefined }],
  ];
  for (const [taken, refused] of rows) {
    await call(taken);
    await expectError(call(refused), 'unauthenticated');
  }
  // A session ends with its ID token and the skew.
  const idToken = await sign({ iat: at, exp: at + 300, sub: 'u1' });
  const client = later.clientWith(idToken);
  await client.call('openSession', { body: { id_token: idToken } });
  ms = 359_000;
  await client.call('me', {});
  await client.call('editProfile', { body: { name: 'At the last moment' } });
  ms = 360_000;
  await expectError(client.call('me', {}), 'unauthenticated');
});

test('every asymmetric algorithm of the list is accepted', async () => {
  const keyOf: [algorithms: string[], of: string][] = [
    [['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'], 'RS256'],
    [['ES256'], 'ES256'],
    [['ES384'], 'ES384'],
    [['ES512'], 'ES512'],
    [['EdDSA', 'Ed25519'], 'Ed25519'],
  ];
  const before = served;
  const rows: [string, Promise<string>][] = [];
  const keys: object[] = [];
  for (const [algorithms, of] of keyOf) {
    const key = await generateKeyPair(of, { extractable: true });
    const { alg: _, ...jwk } = await exportJWK(key.publicKey);
    keys.push({ ...jwk, kid: of, use: 'sig' });
    const secret = await exportJWK(key.privateKey);
    for (const alg of algorithms) rows.push([alg, signWith(secret, alg, of)]);
  }
  served = keys;
  try {
    await using fresh = await openPlatform({ dev: false, settings: settingsFor(issuer) });
    for (const [alg, token] of rows) {
      const body = { id_token: await token };
      const { user } = await fresh.clientWith(null).call('openSession', { body });
      assert.equal(user.name, 'Player', alg);
    }
  } finally {
    served = before;
  }
});

async function signWith(secret: JWK, alg: string, kid: string): Promise<string> {
  const now = seconds();
  const claims = { iss: issuer, aud: 'svc-client', sub: alg, iat: now, exp: now + 300 };
  return new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(await importJWK(secret, alg));
}

test('a later session updates the name and the e-mail address from the provider', async () => {
  const sub = 'renamed';
  const verified = { email_verified: true };
  const first = await open(await sign({ sub, name: 'Before', email: 'b@x.example', ...verified }));
  const second = await open(await sign({ sub, name: 'After', email: 'a@x.example', ...verified }));
  assert.equal(second.user.uid, first.user.uid);
  assert.deepEqual([second.user.name, second.user.email], ['After', 'a@x.example']);
  const nameless = await open(await sign({ sub, email: 'a@x.example', email_verified: false }));
  assert.deepEqual([nameless.user.name, nameless.user.email], ['After', null]);
  const long = await open(await sign({ sub, name: ` ${'\u{1f600}'.repeat(81)} ` }));
  assert.equal(long.user.name, '\u{1f600}'.repeat(80));
});

test('a discovery document of another issuer is rejected', async (t) => {
  let status = 200;
  let body = '';
  const other = createServer((_request, response) => {
    response.statusCode = status;
    response.end(body);
  });
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.after(() => {
    other.close();
    other.closeAllConnections();
  });
  const address = other.address();
  const here = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const keys = `${issuer}/keys`;
  await using strict = await openPlatform({ dev: false, settings: settingsFor(here) });
  const call = async () => {
    const id_token = await sign({ iss: here });
    return strict.clientWith(null).call('openSession', { body: { id_token } });
  };
  const rows: [number, unknown][] = [
    [200, { issuer, jwks_uri: keys }],
    [200, { issuer: `${here}/`, jwks_uri: keys }],
    [200, { jwks_uri: keys }],
    [200, { issuer: here }],
    [200, { issuer: here, jwks_uri: 5 }],
    [200, null],
    [200, 'text'],
    [404, { issuer: here, jwks_uri: keys }],
    [500, { issuer: here, jwks_uri: keys }],
  ];
  for (const [code, document] of rows) {
    status = code;
    body = JSON.stringify(document);
    await expectError(call(), 'identity_unavailable');
  }
  status = 200;
  body = 'no JSON';
  await expectError(call(), 'identity_unavailable');
  body = JSON.stringify({ issuer: here, jwks_uri: keys });
  assert.equal((await call()).user.role, 'player');
});

test('without --dev, sign-up is closed except for listed users', async () => {
  const claims = { sub: 'dev', email: 'Dev@x.example', email_verified: true };
  await expectError(open(await sign(claims), 'developer'), 'developer_signup_closed');
  const settings = settingsFor(issuer, { SVC_DEVELOPERS: 'dev@X.example, other@x.example' });
  await using listed = await openPlatform({ dev: false, settings });
  const client = listed.clientWith(null);
  const body = { id_token: await sign(claims), role: 'developer' as const };
  assert.equal((await client.call('openSession', { body })).user.role, 'developer');
  const liar = { ...claims, sub: 'liar', email_verified: false };
  const lie = { id_token: await sign(liar), role: 'developer' as const };
  await expectError(client.call('openSession', { body: lie }), 'developer_signup_closed');
  const nobody = { id_token: await sign({ sub: 'no-mail' }), role: 'developer' as const };
  await expectError(client.call('openSession', { body: nobody }), 'developer_signup_closed');
  const { user } = await client.call('openSession', { body: { id_token: nobody.id_token } });
  // Their uid is listed; the same data folder is opened again.
  const named = settingsFor(issuer, { SVC_DEVELOPERS: user.uid });
  const { databaseUrl } = listed.settings;
  const options = { dev: false, dataDir: listed.dataDir, settings: { ...named, databaseUrl } };
  await using again = await openPlatform(options);
  const made = await again.clientWith(null).call('openSession', { body: nobody });
  assert.deepEqual([made.user.uid, made.user.role], [user.uid, 'developer']);
});

test('missing keys at the start are 503, and are found when they become available', async () => {
  const dead = createServer();
  dead.listen(0, '127.0.0.1');
  await once(dead, 'listening');
  const address = dead.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  dead.close();
  await once(dead, 'close');
  const gone = `http://127.0.0.1:${port}`;
  await using cold = await openPlatform({ dev: false, settings: settingsFor(gone) });
  const body = { id_token: await sign({ iss: gone }) };
  await expectError(cold.clientWith(null).call('openSession', { body }), 'identity_unavailable');
  await expectError(cold.clientWith(body.id_token).call('me', {}), 'identity_unavailable');
  await expectError(cold.clientWith('not.a.token').call('me', {}), 'unauthenticated');
  await cold.clientWith(null).call('home', {});
  const direct = settingsFor(issuer, { SVC_OIDC_JWKS_URL: `${gone}/keys` });
  await using other = await openPlatform({ dev: false, settings: direct });
  const call = other.clientWith(null).call('openSession', { body: { id_token: await sign({}) } });
  await expectError(call, 'identity_unavailable');
});
