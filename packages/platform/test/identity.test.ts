import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { formatToken, ROUTES, type RouteRow } from '@svc/contracts/platform';
import { decodeJwt } from 'jose';
import { Value } from 'typebox/value';
import { signInErrorPage } from '../src/dev-provider/sign-in-page.ts';
import { startDevProvider } from '../src/dev-provider/start-dev-provider.ts';
import { expectError, readErrorCode } from './expect-error.ts';
import { type OpenPlatform, openPlatform } from './open-platform.ts';
import { browserWithCookies, location, REDIRECT, signIn, signInAddress } from './sign-in.ts';

let platform: OpenPlatform;
before(async () => {
  platform = await openPlatform();
});
after(() => platform[Symbol.asyncDispose]());

test('GET /healthz answers ok, and unknown paths and methods get the envelope', async () => {
  const answer = await fetch(`${platform.baseUrl}/healthz`);
  assert.deepEqual(await answer.json(), { ok: true });
  assert.ok(answer.headers.get('x-request-id'));
  assert.equal(await readErrorCode(await fetch(`${platform.baseUrl}/nothing`)), 'not_found');
  const wrong = await fetch(`${platform.baseUrl}/healthz`, { method: 'POST' });
  assert.equal(wrong.headers.get('allow'), 'GET, HEAD');
  assert.equal(await readErrorCode(wrong), 'method_not_allowed');
});

test('GET /auth/config returns the issuer and the client id', async () => {
  const config = await platform.clientWith(null).call('authConfig', {});
  const { issuer, clientId } = platform.running;
  assert.deepEqual(config, {
    ...{ issuer, client_id: clientId },
    providers: [
      {
        ...{ issuer, name: 'Development', client_id: clientId, cli_client_id: clientId },
        offline_access: true,
      },
    ],
  });
});

test('the sign-in pages of --dev load nothing from other hosts, also if signing in fails', async () => {
  const { issuer, clientId } = platform.running;
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: 'http://127.0.0.1:1/callback',
    response_type: 'code',
    scope: 'openid',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  });
  const begun = await fetch(`${issuer}/auth?${query}`, { redirect: 'manual' });
  const cookie = begun.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const form = new URL(begun.headers.get('location') ?? '', issuer).href;
  const pages = [`${issuer}/auth`, `${issuer}/interaction/none`, `${issuer}/session/end`, form];
  for (const address of pages) {
    const answer = await fetch(address, { headers: { cookie, accept: 'text/html' } });
    const policy = answer.headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; style-src 'unsafe-inline';/, address);
    const text = await answer.text();
    assert.doesNotMatch(text, /https?:\/\/|url\(|@import/, address);
    if (address === form) assert.match(text, /Your name/);
  }
});

test('the provider of --dev sends codes only to loopback addresses, and only with PKCE', async () => {
  const { issuer, clientId } = platform.running;
  const begin = (change: Record<string, string>) =>
    fetch(signInAddress(issuer, clientId, 'v'.repeat(43), change), { redirect: 'manual' });
  for (const redirect_uri of [
    ...['http://127.0.0.1:5/callback', 'http://localhost:5/', 'http://[::1]:5/x?y=z'],
  ]) {
    const answer = await begin({ redirect_uri });
    assert.match(location(answer), /^\/interaction\//, redirect_uri);
  }
  for (const redirect_uri of [
    ...['http://games.example/', 'https://games.example/', 'https://127.0.0.1:5/callback'],
    ...[
      'http://127.0.0.1.games.example/',
      'http://localhost.games.example/',
      'http://x.localhost/',
    ],
    ...['http://127.0.0.1@games.example/', 'javascript://127.0.0.1/', '/callback', 'nonsense'],
  ]) {
    const answer = await begin({ redirect_uri });
    assert.equal(answer.status, 400, redirect_uri);
    assert.equal(answer.headers.get('location'), null);
  }
  const without = new URL(signInAddress(issuer, clientId, 'v'));
  without.searchParams.delete('code_challenge');
  without.searchParams.delete('code_challenge_method');
  const answer = await fetch(without, { redirect: 'manual' });
  const sent = new URL(location(answer));
  assert.equal(`${sent.origin}${sent.pathname}`, REDIRECT);
  assert.equal(sent.searchParams.get('error'), 'invalid_request');
  assert.equal(sent.searchParams.get('code'), null);
});

test('the sign-in form of --dev accepts one name of up to 80 characters, and is shown once for each browser', async () => {
  const { issuer, clientId } = platform.running;
  const go = browserWithCookies();
  const verifier = 'v'.repeat(43);
  const follow = async (address: string): Promise<string> =>
    new URL(location(await go(address)), issuer).href;
  const form = await follow(signInAddress(issuer, clientId, verifier));
  const page = await go(form);
  assert.equal(page.status, 200);
  assert.equal(page.headers.get('cache-control'), 'no-store');
  const refused: [fields: Record<string, string>, status: number][] = [
    [{ name: '  ' }, 400],
    [{ other: 'x' }, 400],
    [{ name: 'x'.repeat(4096) }, 413],
  ];
  for (const [fields, status] of refused) {
    assert.equal((await go(form, new URLSearchParams(fields))).status, status);
  }
  const name = `${'long '.repeat(15)}12345678`;
  const taken = await go(form, new URLSearchParams({ name }));
  assert.ok((await follow(location(taken))).startsWith(`${REDIRECT}?code=`));
  // The same browser again: it does not get the form.
  let next = signInAddress(issuer, clientId, verifier);
  for (let steps = 0; !next.startsWith(REDIRECT); steps++) {
    assert.ok(steps < 5, next);
    next = await follow(next);
  }
  assert.ok(new URL(next).searchParams.has('code'));
  const person = await platform.person(`${name}90`);
  const { user } = await person.client.call('me', {});
  assert.equal(user.name, name.slice(0, 80));
  assert.equal(
    (await platform.person(name)).uid,
    person.uid,
    'the same person, although the name was cut',
  );
});

test('the provider of --dev uses another port if its own is in use', async () => {
  await using one = await startDevProvider(0);
  const port = Number(new URL(one.issuer).port);
  await using two = await startDevProvider(port);
  assert.notEqual(two.issuer, one.issuer);
  assert.match(two.issuer, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.ok(decodeJwt(await signIn(two.issuer, two.clientId, 'Ada')).sub);
});

test('the same name is the same person after a restart, and another name is not', async () => {
  const { dataDir, settings } = platform;
  const before = await platform.person('Restarted');
  await using again = await openPlatform({ dataDir, settings });
  assert.notEqual(again.running.issuer, platform.running.issuer);
  assert.equal((await again.person('Restarted')).uid, before.uid);
  assert.notEqual((await again.person('restarted')).uid, before.uid);
});

test('the page of a failed sign-in shows only lower-case letters of its error', () => {
  assert.ok(signInErrorPage('invalid_request').includes('(invalid_request)'));
  const page = signInErrorPage('<img src=x onerror=1>"\'&');
  assert.ok(page.includes('(imgsrcxonerror)'));
});

test('POST /auth/session creates a player, or a developer on request', async () => {
  const idToken = await signIn(platform.running.issuer, platform.running.clientId, 'Ada');
  const client = platform.clientWith(idToken);
  await expectError(client.call('me', {}), 'session_required');
  const player = await client.call('openSession', { body: { id_token: idToken } });
  assert.equal(player.user.role, 'player');
  assert.equal(player.user.name, 'Ada');
  await expectError(client.call('tokens', {}), 'developer_required');
  await expectError(client.call('createProject', { body: { title: 'T' } }), 'developer_required');
  const body = { id_token: idToken, role: 'developer' as const };
  const developer = await client.call('openSession', { body });
  assert.deepEqual({ ...developer.user, role: 'player' }, player.user);
  const again = await client.call('openSession', { body: { id_token: idToken, role: 'player' } });
  assert.equal(again.user.role, 'developer');
  const me = await client.call('me', {});
  assert.deepEqual(me, {
    user: { ...developer.user, unread_notices: 0 },
    auth: { kind: 'session' },
  });
});

test('every invalid credential is 401 with the same message', async () => {
  const good = await signIn(platform.running.issuer, platform.running.clientId, 'Bob');
  const broken = `${good.slice(0, -6)}AAAAAA`;
  const other = formatToken('A'.repeat(36));
  for (const credential of ['x', 'a.b.c', broken, 'svc_short', other, 'svc_', `${good}x`]) {
    await expectError(platform.clientWith(credential).call('me', {}), 'unauthenticated');
    const call = platform.clientWith(null).call('openSession', { body: { id_token: credential } });
    await expectError(call, 'unauthenticated');
  }
  for (const header of [undefined, '', 'Basic eDp5', 'Bearer', `Token ${good}`]) {
    const headers: Record<string, string> = header === undefined ? {} : { authorization: header };
    const answer = await fetch(`${platform.baseUrl}/me`, { headers });
    assert.equal(await readErrorCode(answer), 'unauthenticated');
  }
  await platform.person('Bob');
  for (const header of [`bearer ${good}`, `BEARER   ${good}  `]) {
    const answer = await fetch(`${platform.baseUrl}/me`, { headers: { authorization: header } });
    assert.equal(answer.status, 200, 'the scheme is the same in either case');
  }
  for (const header of [`Bearer ${good} x`, `Bearer x ${good}`, `x Bearer ${good}`, good]) {
    const answer = await fetch(`${platform.baseUrl}/me`, { headers: { authorization: header } });
    assert.equal(await readErrorCode(answer), 'unauthenticated', header.replace(good, '…'));
  }
  const inQuery = await fetch(`${platform.baseUrl}/me?access_token=${good}`);
  assert.equal(await readErrorCode(inQuery), 'unauthenticated');
});

test('GET /users/:uid returns four fields, without e-mail and role', async () => {
  const ada = await platform.person('Carol');
  const user = await platform.clientWith('garbage').call('user', { params: { uid: ada.uid } });
  assert.deepEqual(Object.keys(user).sort(), ['avatar', 'created_at', 'name', 'uid']);
  for (const uid of ['x', '%00', ada.uid.toUpperCase(), `${ada.uid}0`]) {
    await expectError(platform.clientWith(null).call('user', { params: { uid } }), 'not_found');
  }
});

test('PATCH /me edits the name, and the provider no longer changes it', async () => {
  const dora = await platform.person('Dora');
  const edited = await dora.client.call('editProfile', {
    body: { name: 'Dora D.' },
  });
  assert.equal(edited.user.name, 'Dora D.');
  const again = await platform.person('Dora');
  assert.equal(again.uid, dora.uid);
  const me = await again.client.call('me', {});
  assert.deepEqual(me.user, { ...edited.user, unread_notices: 0 });
  const cleared = await dora.client.call('editProfile', { body: { avatar: null } });
  assert.equal(cleared.user.avatar, null);
  assert.equal(cleared.user.name, 'Dora D.');
});

test('PATCH /me rejects invalid input and changes nothing', async () => {
  const eve = await platform.person('Eve');
  const bodies: unknown[] = [
    { name: '' },
    { name: '  ' },
    { name: 'x'.repeat(81) },
    { name: 'a\nb' },
    { name: 5 },
    { name: null },
    { role: 'developer' },
    { email: 'a@b.c' },
    { avatar: 'http://img.example/x.png' },
    { avatar: 'javascript:alert(1)' },
    { avatar: 'https://' },
    { avatar: 'https://img.example/d.png' },
    { name: 'ok', avatar: 'https://img.example/d.png' },
    { avatar: 'https://user:password@img.example/d.png' },
    { avatar: '' },
    { avatar: 5 },
    { name: 'ok', extra: 1 },
    [],
    'x',
    null,
  ];
  for (const body of bodies) {
    const answer = await fetch(`${platform.baseUrl}/me`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${eve.idToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.equal(await readErrorCode(answer), 'invalid_input', JSON.stringify(body));
  }
  assert.equal((await eve.client.call('me', {})).user.name, 'Eve');
});

test('a body that is not JSON, too large or of another type has its own error code', async () => {
  const eve = await platform.person('Finn');
  const send = (type: string, body: string) =>
    fetch(`${platform.baseUrl}/me`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${eve.idToken}`, 'content-type': type },
      body,
    });
  assert.equal(await readErrorCode(await send('application/json', '{')), 'invalid_input');
  assert.equal(await readErrorCode(await send('application/json', '')), 'invalid_input');
  assert.equal(await readErrorCode(await send('text/plain', '{}')), 'unsupported_media_type');
  const large = JSON.stringify({ name: 'x'.repeat(300_000) });
  assert.equal(await readErrorCode(await send('application/json', large)), 'payload_too_large');
});

test('every route with a credential rejects a request without one before any other check', async () => {
  const rows: RouteRow[] = Object.values(ROUTES).filter((row) => row.auth !== 'public');
  assert.ok(rows.length > 10);
  for (const row of rows) {
    const path = row.path.replaceAll(/:\w+/g, 'x');
    const answer = await fetch(`${platform.baseUrl}${path}`, { method: row.method });
    assert.equal(await readErrorCode(answer), 'unauthenticated', `${row.method} ${row.path}`);
  }
});

test('answers of the account routes fit the schemas of the contract', async () => {
  const gil = await platform.person('Gil');
  const me = await gil.client.call('me', {});
  assert.ok(Value.Check(ROUTES.me.answer, me));
  const limits = await gil.client.call('limits', {});
  assert.ok(Value.Check(ROUTES.limits.answer, limits));
  assert.equal(limits.limits['build_zip_bytes'], 512 * 1024 * 1024);
});

test('CORS allows only the web origin to use credentials, and every origin to read the catalog', async () => {
  const web = 'http://127.0.0.1:8788';
  const preflight = (path: string, origin: string) =>
    fetch(`${platform.baseUrl}${path}`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'PATCH' },
    });
  const allowed = await preflight('/me', web);
  assert.equal(allowed.status, 204);
  assert.equal(allowed.headers.get('access-control-allow-origin'), web);
  assert.match(allowed.headers.get('access-control-allow-headers') ?? '', /Authorization/);
  assert.match(allowed.headers.get('access-control-allow-methods') ?? '', /PATCH/);
  assert.equal(allowed.headers.get('access-control-allow-credentials'), null);
  const hidden = [
    ...['/m%65', '/%70rojects/x', '/auth/s%65ssion', '/%61uth/session'],
    ...['/games/x/reports', '/games/x/reports?a', '/games/x/r%65ports', '/g%61mes/x/reports'],
  ];
  for (const path of ['/me', '/tokens', '/projects/x', '/auth/session', ...hidden]) {
    const refused = await preflight(path, 'https://evil.example');
    assert.equal(refused.headers.get('access-control-allow-origin'), null, path);
  }
  assert.equal(allowed.headers.get('access-control-max-age'), '600');
  for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    const methods = allowed.headers.get('access-control-allow-methods')?.split(', ');
    assert.ok(methods?.includes(method), method);
  }
  assert.match(allowed.headers.get('access-control-allow-headers') ?? '', /Content-Type/);
  const answerTo = async (path: string, origin: string): Promise<(string | null)[]> => {
    const { headers } = await fetch(`${platform.baseUrl}${path}`, { headers: { origin } });
    const names = ['access-control-allow-origin', 'vary', 'access-control-expose-headers'];
    return names.map((name) => headers.get(name));
  };
  const exposed = 'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy';
  for (const path of ['/me', '/me?x=1', '/me/avatar', '/tokens', '/projects/x', '/auth/session']) {
    assert.deepEqual(await answerTo(path, web), [web, 'Origin', exposed], path);
    assert.deepEqual(await answerTo(path, `${web}.evil.example`), [null, 'Origin', null], path);
  }
  for (const path of [
    '/healthz',
    '/home',
    '/auth/config',
    '/metrics',
    '/users/me',
    '/games/reports',
  ]) {
    assert.deepEqual(await answerTo(path, 'https://x.example'), ['*', null, exposed], path);
  }
  const evil = await preflight('/me', 'https://evil.example');
  assert.equal(evil.headers.get('access-control-allow-methods'), null);
  const open = await preflight('/home', 'https://evil.example');
  assert.equal(open.headers.get('access-control-allow-origin'), '*');
  assert.match(open.headers.get('access-control-allow-methods') ?? '', /GET/);
  const plain = await fetch(`${platform.baseUrl}/me`, { method: 'OPTIONS' });
  assert.equal(plain.status, 405, 'OPTIONS without the header of a preflight');
});

test('answers with a credential are no-store, the rest is revalidated, all have nosniff', async () => {
  const hal = await platform.person('Hal');
  const rows: [path: string, credential: string | null, cache: string][] = [
    ['/me', hal.idToken, 'no-store'],
    ['/tokens', hal.idToken, 'no-store'],
    ['/projects', hal.idToken, 'no-store'],
    ['/me', null, 'no-store'],
    ['/nothing', null, 'no-store'],
    ['/home', hal.idToken, 'no-cache'],
    ['/healthz', null, 'no-cache'],
    [`/users/${hal.uid}`, null, 'no-cache'],
    ['/openapi.json', null, 'no-cache'],
  ];
  for (const [path, credential, cache] of rows) {
    const headers: Record<string, string> =
      credential === null ? {} : { authorization: `Bearer ${credential}` };
    const answer = await fetch(`${platform.baseUrl}${path}`, { headers });
    await answer.arrayBuffer();
    assert.equal(answer.headers.get('cache-control'), cache, path);
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', path);
    assert.ok(answer.headers.get('x-request-id'), path);
  }
});
