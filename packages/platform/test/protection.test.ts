import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlatformClient, ROUTES, type RouteRow } from '@svc/contracts/platform';
import { logTo } from '@svc/observe/testing';
import { sql } from 'kysely';
import { connectBounded } from '../../../scripts/connect-bounded.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { readSettings } from '../src/index.ts';
import { expectError, readErrorCode } from './expect-error.ts';
import { makeAdmin } from './make-admin.ts';
import { openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { signIn } from './sign-in.ts';

test('too many invalid credentials are 429 with Retry-After; valid ones are still accepted', async () => {
  await using platform = await openPlatform({ limits: { rate_failures_per_minute: 5 } });
  const ada = await platform.person('Ada');
  const wrong = platform.clientWith('wrong');
  for (let tries = 0; tries < 5; tries++)
    await expectError(wrong.call('me', {}), 'unauthenticated');
  const error = await expectError(wrong.call('me', {}), 'rate_limited');
  assert.ok(error.retryAfterSeconds !== null && error.retryAfterSeconds >= 1);
  assert.equal((await ada.client.call('me', {})).user.uid, ada.uid);
  await platform.clientWith(null).call('health', {});
});

test('the limit on writes counts for each developer', async () => {
  await using platform = await openPlatform({ limits: { rate_writes_per_minute: 3 } });
  const ada = await platform.person('Ada');
  const bob = await platform.person('Bob');
  for (let index = 0; index < 3; index++) {
    await ada.client.call('createProject', { body: { title: `Game ${index}` } });
  }
  const more = ada.client.call('createProject', { body: { title: 'More' } });
  await expectError(more, 'rate_limited');
  await ada.client.call('projects', {});
  await bob.client.call('createProject', { body: { title: 'Other' } });
});

test('only invalid credentials count as failures, not valid ones without permission', async () => {
  await using platform = await openPlatform({ limits: { rate_failures_per_minute: 2 } });
  const ada = await platform.person('Ada');
  const pia = await platform.person('Pia', 'player');
  const { secret, token } = await ada.client.call('createToken', { body: { name: 'ci' } });
  await ada.client.open('revokeToken', { params: { id: token.id } });
  for (let tries = 0; tries < 4; tries++) {
    await expectError(pia.client.call('tokens', {}), 'developer_required');
    await expectError(platform.clientWith(secret).call('me', {}), 'token_revoked');
  }
});

test('sessions and searches are limited for each address; SVC_RATE_LIMIT=off disables all limits', async () => {
  const limits = { rate_sessions_per_minute: 2, rate_searches_per_minute: 2 };
  await using platform = await openPlatform({ limits });
  const stranger = platform.clientWith(null);
  const sessions = (body = { id_token: 'wrong' }) => stranger.call('openSession', { body });
  const { idToken, client } = await platform.person('Ada');
  await expectError(sessions(), 'unauthenticated');
  await expectError(sessions(), 'rate_limited');
  await expectError(sessions({ id_token: idToken }), 'rate_limited');
  await client.call('me', {});
  const ask = () => stranger.call('search', { query: { q: 'x' } });
  await ask();
  await ask();
  await expectError(ask(), 'rate_limited');
  await using open = await openPlatform({
    limits,
    settings: { ...platform.settings, rateLimit: 'off' },
  });
  for (let tries = 0; tries < 5; tries++) {
    await open.clientWith(null).call('search', { query: { q: 'x' } });
    await expectError(
      open.clientWith(null).call('openSession', { body: { id_token: 'wrong' } }),
      'unauthenticated',
    );
  }
});

test('X-Forwarded-For is used only from a trusted proxy, with the last address that it saw', async () => {
  const statusesOf = async (more: Record<string, string>, forwarded: readonly string[]) => {
    const settings = readSettings(more);
    await using platform = await openPlatform({
      settings,
      limits: { rate_searches_per_minute: 1 },
    });
    const statuses: number[] = [];
    for (const address of forwarded) {
      const headers = { 'x-forwarded-for': address };
      const answer = await fetch(`${platform.baseUrl}/search?q=x`, { headers });
      await answer.arrayBuffer();
      statuses.push(answer.status);
    }
    return statuses;
  };
  const asked = ['203.0.113.1', '203.0.113.1', '203.0.113.2', '203.0.113.9, 203.0.113.2'];
  const trusted = { SVC_TRUST_PROXY: '10.0.0.0/8,127.0.0.0/8' };
  assert.deepEqual(await statusesOf(trusted, asked), [200, 429, 200, 429]);
  for (const others of [{}, { SVC_TRUST_PROXY: '10.0.0.0/8' }]) {
    assert.deepEqual(await statusesOf(others, asked), [200, 429, 429, 429], JSON.stringify(others));
  }
});

test('an internal error shows the client no details, and the log contains them without secrets', async () => {
  const lines: string[] = [];
  await using platform = await openPlatform({ log: logTo((line) => lines.push(line)) });
  const { client, idToken } = await platform.person('Ada');
  const { secret } = await client.call('createToken', { body: { name: 'ci' } });
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  await sql`alter table tokens rename to away`.execute(db);
  await db.destroy();
  const error = await expectError(platform.clientWith(secret).call('me', {}), 'internal');
  assert.doesNotMatch(error.message, /tokens|table|sql/i);
  assert.deepEqual(error.details, []);
  const reported = lines.filter((line) => line.startsWith('internal: '));
  assert.equal(reported.length, 1);
  assert.match(reported[0] ?? '', /tokens[\s\S]*\n {4}at /);
  assert.ok(!lines.join().includes(secret) && !lines.join().includes(idToken));
});

test('a request that is not HTTP is answered with the error envelope and an id', async () => {
  await using platform = await openPlatform();
  const socket = connectBounded(platform.running.port);
  socket.end('NONSENSE\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  assert.match(text, /^HTTP\/1\.1 400 /);
  assert.match(text, /x-request-id: \S+/i);
  assert.match(text, /"code":"invalid_input"/);
});

test('an upload that stops is 408 request_timeout, and the project can be published again', async () => {
  await using platform = await openPlatform({ limits: { upload_silence_seconds: 1 } });
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Silent' } });
  const socket = connectBounded(platform.running.port);
  socket.write(
    `POST /projects/${game.id}/publish HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.idToken}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n`,
  );
  socket.write('--b\r\nContent-Disposition: form-data; name="build"; filename="b.zip"\r\n\r\nPK');
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  assert.match(text, /^HTTP\/1\.1 408 /);
  assert.match(text, /"code":"request_timeout"/);
  await publishBuild(ada.client, game.id, '1', { 'index.html': 'x' });
});

test('with an origin for each game, its host serves it and /play on the API redirects there', async () => {
  const settings = readSettings({
    SVC_PLAY_ORIGIN: 'https://{slug}.play.example',
    SVC_PUBLIC_URL: 'https://api.example',
  });
  await using platform = await openPlatform({ settings });
  const base = `http://127.0.0.1:${platform.running.port}`;
  const ada = createPlatformClient({ baseUrl: base, send: fetch, credential: () => idToken });
  const idToken = await signIn(platform.running.issuer, platform.running.clientId, 'Ada');
  await ada.call('openSession', { body: { id_token: idToken, role: 'developer' } });
  const { game } = await ada.call('createProject', { body: { title: 'Own origin' } });
  const published = await publishBuild(ada, game.id, '1', {
    'index.html': 'root',
    'a/b.js': 'deep',
  });
  assert.equal(published.game.play_url, 'https://own-origin.play.example/');
  const get = async (host: string, path: string) => {
    const socket = connectBounded(platform.running.port);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return text;
  };
  assert.match(await get('own-origin.play.example', '/'), /^HTTP\/1\.1 200 [\s\S]*root$/);
  assert.match(await get('own-origin.play.example', '/a/b.js?x=1'), /^HTTP\/1\.1 200 [\s\S]*deep$/);
  assert.match(await get('own-origin.play.example', '/healthz'), /^HTTP\/1\.1 404 /);
  assert.match(await get('nobody.play.example', '/'), /^HTTP\/1\.1 404 /);
  const sent = await get('api.example', '/play/own-origin/a/b.js?x=1');
  assert.match(sent, /^HTTP\/1\.1 302 /);
  assert.match(sent, /\r\nLocation: https:\/\/own-origin\.play\.example\/a\/b\.js\?x=1\r\n/);
});

test('without an origin for games, a warning is logged', async () => {
  await using platform = await openPlatform();
  assert.ok(
    platform.lines.some((line) => line.startsWith('warning: ') && line.includes('SVC_PLAY_ORIGIN')),
  );
});

test('an unknown field in a query is rejected on every route', async () => {
  await using platform = await openPlatform();
  const ada = await makeAdmin(platform, 'Ada');
  const rows: RouteRow[] = Object.values(ROUTES);
  for (const { method, path } of rows.filter((row) => row.takes === 'none')) {
    const filled = path.replaceAll(/:\w+/g, 'none').replaceAll('*', 'none');
    const answer = await fetch(`${platform.baseUrl}${filled}?q=x&nonsense=1`, {
      method,
      headers: { authorization: `Bearer ${ada.idToken}` },
    });
    assert.equal(await readErrorCode(answer), 'invalid_input', `${method} ${path}`);
  }
  const document = await fetch(`${platform.baseUrl}/openapi.json?nonsense=1`);
  assert.equal(await readErrorCode(document), 'invalid_input');
});

test('any Host is accepted; absolute addresses come from the settings', async () => {
  await using platform = await openPlatform();
  const socket = connectBounded(platform.running.port);
  socket.end('GET /auth/config HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  assert.match(text, /^HTTP\/1\.1 200 /);
  assert.doesNotMatch(text, /evil/);
});

test('GET /openapi.json describes every route of the contract', async () => {
  await using platform = await openPlatform();
  const answer = await fetch(`${platform.baseUrl}/openapi.json`);
  assert.equal(answer.status, 200);
  const document = (await answer.json()) as {
    openapi: string;
    paths: Record<
      string,
      Record<string, { responses: Record<string, { description: string }>; requestBody?: unknown }>
    >;
  };
  assert.match(document.openapi, /^3\.1\./);
  for (const row of Object.values(ROUTES)) {
    const path = row.path.replaceAll(/:(\w+)/g, '{$1}');
    const operation = document.paths[path]?.[row.method.toLowerCase()];
    assert.ok(operation, `${row.method} ${path}`);
    assert.match(operation.responses[String(row.status)]?.description ?? '', /^(?!Default)./, path);
    const reported = Object.values(operation.responses).map(({ description }) => description);
    const codes = row.takes === 'none' ? [] : ['payload_too_large', 'unsupported_media_type'];
    if (row.method !== 'GET') codes.push('storage_full');
    for (const code of codes) assert.ok(reported.join().includes(code), `${path} names ${code}`);
    assert.equal(operation.requestBody !== undefined, row.takes !== 'none', path);
  }
  assert.match(
    document.paths['/projects/{id}/publish']?.['post']?.responses['200']?.description ?? '',
    /dry run/,
  );
  for (const [path, redirects] of [
    ['/play/{slug}/{path}', true],
    ['/media/{project}/{file}', false],
    ['/media/avatars/{file}', false],
  ] as const) {
    for (const method of ['get', 'head']) {
      const { responses = {} } = document.paths[path]?.[method] ?? {};
      assert.equal('302' in responses, redirects, path);
      for (const status of ['200', '206', '304', '404', '416', '503'])
        assert.ok(status in responses);
    }
  }
  assert.equal(await readErrorCode(await fetch(`${platform.baseUrl}/openapi.jso`)), 'not_found');
});

test('GET /openapi.json lists the credential, the parts and exactly the codes of each route', async () => {
  const settings = readSettings({ SVC_PUBLIC_URL: 'https://api.example/v0' });
  await using platform = await openPlatform({ settings });
  const answer = await fetch(`http://127.0.0.1:${platform.running.port}/openapi.json`);
  const document = (await answer.json()) as {
    servers: unknown;
    components: { securitySchemes: { session: { openIdConnectUrl: string } } };
    paths: Record<
      string,
      Record<
        string,
        {
          responses: Record<string, { description: string }>;
          security?: unknown;
          requestBody?: { content: Record<string, { schema: { properties: object } }> };
        }
      >
    >;
  };
  assert.deepEqual(document.servers, [{ url: 'https://api.example/v0' }]);
  assert.equal(
    document.components.securitySchemes.session.openIdConnectUrl,
    `${platform.running.issuer}/.well-known/openid-configuration`,
  );
  const always = [
    'busy',
    'internal',
    'invalid_input',
    'rate_limited',
    'shutting_down',
    'unavailable',
  ];
  const credential = [
    ...['identity_unavailable', 'session_required', 'token_expired', 'token_revoked'],
    ...['session_ended', 'account_suspended'],
  ];
  const known = [...credential, 'unauthenticated'];
  const body = ['payload_too_large', 'request_timeout', 'unsupported_media_type', 'storage_full'];
  const owned = ['not_found', 'not_owner', 'project_not_in_token'];
  const session = [{ session: [] }];
  const either = [{ session: [] }, { token: [] }];
  const rows: [method: string, path: string, security: unknown, codes: string[]][] = [
    ['get', '/healthz', undefined, []],
    [
      'post',
      '/auth/session',
      undefined,
      [
        ...[...body, 'unauthenticated', 'identity_unavailable', 'developer_signup_closed'],
        ...['account_suspended', 'session_ended'],
      ],
    ],
    ['get', '/me', either, known],
    ['delete', '/me/avatar', session, [...known, 'storage_full', 'session_only']],
    ['get', '/tokens', session, [...known, 'session_only', 'developer_required']],
    ['get', '/admin/users', session, [...known, 'session_only', 'admin_required']],
    ['get', '/projects/{id}', either, [...known, ...owned, 'scope_missing', 'developer_required']],
    [
      'patch',
      '/projects/{id}',
      either,
      [...known, ...owned, ...body, 'scope_missing', 'developer_required'],
    ],
  ];
  for (const [method, path, security, codes] of rows) {
    const operation = document.paths[path]?.[method];
    assert.ok(operation);
    assert.deepEqual(operation.security, security, path);
    const reported = Object.values(operation.responses).flatMap(({ description }) =>
      [...description.matchAll(/`([a-z_]+)`/g)].map(([, code = '']) => code),
    );
    assert.deepEqual(reported.sort(), [...always, ...codes].sort(), `${method} ${path}`);
  }
  const forms: [method: string, path: string, parts: string[]][] = [
    ['post', '/projects/{id}/publish', ['version', 'notes', 'build']],
    ['put', '/projects/{id}/store', ['metadata', 'banner', 'cover', 'screenshots', 'trailer']],
    ['put', '/me/avatar', ['avatar']],
  ];
  for (const [method, path, parts] of forms) {
    const { content = {} } = document.paths[path]?.[method]?.requestBody ?? {};
    assert.deepEqual(Object.keys(content), ['multipart/form-data'], path);
    const { properties = {} } = content['multipart/form-data']?.schema ?? {};
    assert.deepEqual(Object.keys(properties), parts);
  }
});

test('security.txt names the contacts of the operator, and does not exist without them', async () => {
  const settings = readSettings({ SVC_SECURITY_CONTACT: 'mailto:security@games.example' });
  await using platform = await openPlatform({ settings });
  const address = `${platform.baseUrl}/.well-known/security.txt`;
  const answer = await fetch(address);
  assert.deepEqual(
    [answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')],
    [200, 'text/plain; charset=utf-8', 'no-cache'],
  );
  const text = await answer.text();
  assert.match(text, /^Contact: mailto:security@games\.example\nExpires: \S+Z\nCanonical: /);
  assert.ok(text.endsWith(`Canonical: ${address}\n`));
  assert.equal((await fetch(address, { method: 'HEAD' })).status, 200);
  assert.equal((await fetch(address, { method: 'POST' })).status, 405);
  await using other = await openPlatform();
  assert.equal((await fetch(`${other.baseUrl}/.well-known/security.txt`)).status, 404);
});
