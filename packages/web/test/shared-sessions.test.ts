// Several processes of one site renew sessions: each refresh token is spent once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NO_LOG } from '@svc/observe';
import { type Postgres, postgresMissing, startPostgres } from '@svc/platform/testing';
import { decodeJwt } from 'jose';
import { until } from '../../../scripts/until.ts';
import { openSharedDatabase } from '../src/database/shared-database.ts';
import { startWeb } from '../src/index.ts';
import { createRenewalTable, RENEWAL_TABLE } from '../src/session/renewal-table.ts';
import {
  asksToSignIn,
  type Backend,
  ORIGIN,
  openBackend,
  openProcess,
  sessionCookie,
  sessionIn,
  show,
} from './open-processes.ts';
import { ADA, apiError, SECRET } from './stand-in-api.ts';

const missing = postgresMissing();
const skip = missing ?? false;
let postgres: Postgres;
before(() => {
  if (missing === null) postgres = startPostgres();
});
after(() => {
  if (missing === null) postgres[Symbol.dispose]();
});

const OTHER_SECRET = 'another one of thirty-two characters';
/** A page answers within this time, whatever the database does. */
const BOUND_MS = 5_000;

/** The ID tokens with which the API was asked for the user. */
function tokensSent({ api }: Backend): Set<string | undefined> {
  return new Set(
    api.asked
      .filter(({ route }) => route === 'GET /me')
      .map(({ headers }) => headers.authorization?.slice('Bearer '.length)),
  );
}

test('twenty requests at once to two processes spend one refresh token, and all are answered signed in', {
  skip,
}, async (t) => {
  const backend = await openBackend(t, postgres);
  const one = await openProcess(t, backend);
  const two = await openProcess(t, backend);
  const { provider } = backend;
  const cookie = await sessionCookie(backend.provider, provider.newSession());
  const shown = await Promise.all(
    Array.from({ length: 20 }, (_, at) => show(at % 2 === 0 ? one : two, cookie)),
  );
  assert.deepEqual(new Set(shown.map(({ status }) => status)), new Set([200]));
  for (const { text } of shown) assert.match(text, /<h1>Profile<\/h1>/);
  assert.deepEqual([provider.spent.length, provider.thefts], [1, 0]);
  assert.equal(tokensSent(backend).size, 1);
  const sessions = await Promise.all(shown.map((one) => sessionIn(one)));
  assert.equal(new Set(sessions.map((session) => JSON.stringify(session))).size, 1);
  assert.equal(Reflect.get(Object(sessions[0]), 'refreshToken'), 'refresh-token-2');
});

test('a request with the old cookie gets the new session for a minute, from another process too', {
  skip,
}, async (t) => {
  const backend = await openBackend(t, postgres);
  const { provider } = backend;
  const one = await openProcess(t, backend);
  const cookie = await sessionCookie(backend.provider, provider.newSession());
  const first = await sessionIn(await show(one, cookie));
  const two = await openProcess(t, backend);
  assert.deepEqual(await sessionIn(await show(two, cookie)), first);
  assert.equal(provider.spent.length, 1);
  const [row] = await backend.query(
    'select extract(epoch from expires_at - clock_timestamp()) as left from svc_web_renewals',
  );
  const left = Number(row?.['left']);
  assert.ok(left > 30 && left <= 60, `${left} seconds`);
  // After that, the provider sees that the token is used again, and ends the session.
  await backend.query('update svc_web_renewals set expires_at = clock_timestamp()');
  const three = await openProcess(t, backend);
  assert.ok(asksToSignIn(await show(three, cookie)));
  assert.deepEqual([provider.spent.length, provider.thefts], [2, 1]);
});

test('expired rows are removed by the next renewal', { skip }, async (t) => {
  const backend = await openBackend(t, postgres);
  const { provider } = backend;
  const web = await openProcess(t, backend);
  for (let session = 0; session < 3; session++) {
    await show(web, await sessionCookie(backend.provider, provider.newSession()));
  }
  await backend.query('update svc_web_renewals set expires_at = clock_timestamp()');
  await show(web, await sessionCookie(backend.provider, provider.newSession()));
  await until(
    async () => (await backend.query('select 1 from svc_web_renewals')).length,
    (count) => count === 1,
    'only the newest row is left',
    10_000,
  );
});

test('the database contains no token, and a row does not open for another visitor', {
  skip,
}, async (t) => {
  const backend = await openBackend(t, postgres);
  const { provider } = backend;
  const one = await openProcess(t, backend);
  const ada = provider.newSession();
  const session = JSON.stringify(
    await sessionIn(await show(one, await sessionCookie(backend.provider, ada))),
  );
  const rows = JSON.stringify(await backend.query('select * from svc_web_renewals'));
  const { idToken, refreshToken } = JSON.parse(session);
  for (const token of [ada, refreshToken, idToken, idToken.split('.')[1]]) {
    assert.ok(!rows.includes(token) && !rows.includes(btoa(token)), token);
  }
  // A writer of the database moves Ada's row to Eve's refresh token.
  const eve = provider.newSession();
  await show(one, await sessionCookie(backend.provider, eve));
  const lines: string[] = [];
  const two = await openProcess(t, backend, { lines });
  await backend.query(`update svc_web_renewals as eve set sealed = ada.sealed
    from svc_web_renewals as ada where eve.token_hash <> ada.token_hash`);
  const shown = await show(two, await sessionCookie(backend.provider, eve));
  assert.ok(asksToSignIn(shown));
  assert.deepEqual(shown.headers.getSetCookie(), []);
  assert.match(lines.join('\n'), /SVC_WEB_SECRET of another process differs/);
});

test('a session that the provider refuses to renew has ended in every process, after one request', {
  skip,
}, async (t) => {
  const backend = await openBackend(t, postgres);
  const [one, two] = [await openProcess(t, backend), await openProcess(t, backend)];
  const cookie = await sessionCookie(backend.provider, 'a token of no session');
  assert.ok(asksToSignIn(await show(one, cookie)));
  assert.ok(asksToSignIn(await show(two, cookie)));
  assert.deepEqual(backend.provider.spent, ['a token of no session']);
});

test('a renewal that fails in the provider is not tried again, and the user signs in', {
  skip,
}, async (t) => {
  const backend = await openBackend(t, postgres);
  const { provider } = backend;
  const [one, two] = [await openProcess(t, backend), await openProcess(t, backend)];
  const token = provider.newSession();
  provider.manner = 'fail';
  // As long as the ID token is valid, the user can continue.
  const soon = await sessionCookie(backend.provider, token, { expiresAt: Date.now() + 30_000 });
  assert.equal((await show(one, soon)).status, 200);
  assert.equal((await show(two, soon)).status, 200);
  const ids = [...tokensSent(backend)].map((sent) => decodeJwt(sent ?? '').jti);
  assert.deepEqual(ids, ['old-token']);
  provider.manner = 'renew';
  const cookie = await sessionCookie(backend.provider, token);
  for (const web of [one, two]) assert.ok(asksToSignIn(await show(web, cookie)));
  assert.deepEqual(provider.spent, [token]);
});

test('a renewal that the provider or the API does not take on is 503, and succeeds later', {
  skip,
}, async (t) => {
  const backend = await openBackend(t, postgres);
  const { provider, api } = backend;
  const cookie = await sessionCookie(backend.provider, provider.newSession());
  const one = await openProcess(t, backend);
  const config = api.answers['GET /auth/config'];
  assert.ok(config);
  api.answers['GET /auth/config'] = apiError(503, 'unavailable');
  const without = await show(one, cookie);
  assert.deepEqual([without.status, without.headers.get('retry-after')], [503, '5']);
  assert.deepEqual(provider.spent, []);
  api.answers['GET /auth/config'] = config;
  provider.manner = 'overloaded';
  const overloaded = await show(one, cookie);
  assert.deepEqual([overloaded.status, overloaded.headers.get('retry-after')], [503, '5']);
  assert.match(overloaded.text, /session can’t be renewed now[\s\S]*still signed in/);
  provider.manner = 'renew';
  assert.equal((await show(await openProcess(t, backend), cookie)).status, 200);
  assert.equal(provider.thefts, 0);
});

test('a renewed session that could not be checked is kept, and checked with the next request', {
  skip,
}, async (t) => {
  const backend = await openBackend(t, postgres);
  const { api, provider } = backend;
  const site = await openProcess(t, backend);
  api.answers['GET /me'] = apiError(503, 'unavailable', 'no database');
  const failed = await show(site, await sessionCookie(backend.provider, provider.newSession()));
  assert.equal(failed.status, 503);
  const kept = await sessionIn(failed);
  assert.equal(Reflect.get(Object(kept), 'isChecked'), false);
  assert.equal(Reflect.get(Object(kept), 'refreshToken'), 'refresh-token-2');
  const unchecked = await sessionCookie(backend.provider, 'refresh-token-2', {
    ...{ idToken: 'renewed', expiresAt: Date.now() + 3_600_000 },
    ...{ signedInAt: 1_000, isChecked: false },
  });
  const user = { ...ADA, sessions_ended_at: new Date(1_000).toISOString() };
  api.answers['GET /me'] = { json: { user, auth: { kind: 'session' } } };
  const ended = await show(site, unchecked);
  assert.ok(asksToSignIn(ended));
  assert.equal(await sessionIn(ended), null);
  const since = { ...ADA, sessions_ended_at: new Date(999).toISOString() };
  api.answers['GET /me'] = { json: { user: since, auth: { kind: 'session' } } };
  const checked = await show(site, unchecked);
  assert.equal(checked.status, 200);
  assert.equal(Reflect.get(Object(await sessionIn(checked)), 'isChecked'), true);
});

test('without the database, a valid session continues, an expired one is 503 with the form, and nothing is spent', {
  skip,
}, async (t) => {
  const backend = await openBackend(t, postgres);
  const { provider } = backend;
  const lines: string[] = [];
  const web = await openProcess(t, backend, { lines });
  const token = provider.newSession();
  await backend.setDown(true);
  const soon = await sessionCookie(backend.provider, token, { expiresAt: Date.now() + 30_000 });
  assert.equal((await show(web, soon)).status, 200);
  const cookie = await sessionCookie(backend.provider, token);
  const refused = await show(web, cookie);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '5']);
  assert.match(refused.text, /<a class="button" href="\/dashboard\/profile">Try again<\/a>/);
  assert.ok(refused.ms < BOUND_MS, `${refused.ms} ms`);
  const form = await show(web, cookie, { name: 'Typed "name"' });
  assert.equal(form.status, 503);
  assert.match(form.text, /still signed in\. Try again in a moment\. Your input is kept/);
  assert.match(form.text, /<textarea name="name" hidden>\nTyped &quot;name&quot;<\/textarea>/);
  assert.match(form.text, /<button class="button">Submit again<\/button>/);
  // An upload is not kept, because it was not received.
  const body = new FormData();
  body.set('avatar', new Blob(['x']), 'me.png');
  const upload = await fetch(`http://127.0.0.1:${web.port}/dashboard/profile/avatar`, {
    ...{ method: 'POST', body, redirect: 'manual', headers: { cookie, origin: ORIGIN } },
  });
  assert.equal(upload.status, 503);
  assert.doesNotMatch(await upload.text(), /Your input is kept|Submit again/);
  assert.deepEqual(provider.spent, []);
  await backend.setDown(false);
  assert.equal((await show(web, cookie)).status, 200);
  assert.deepEqual(provider.spent, [token]);
  assert.match(
    lines.join('\n'),
    /^warning: the database of SVC_WEB_DATABASE_URL fails .*\nthe .* answers again$/,
  );
});

test('a database that hangs delays a page by a few seconds, and nothing is spent', {
  skip,
}, async (t) => {
  const backend = await openBackend(t, postgres);
  const { provider } = backend;
  const web = await openProcess(t, backend);
  const cookie = await sessionCookie(backend.provider, provider.newSession());
  {
    await using _ = await backend.hang();
    const shown = await show(web, cookie);
    assert.equal(shown.status, 503);
    assert.ok(shown.ms < BOUND_MS, `${shown.ms} ms`);
    assert.deepEqual(provider.spent, []);
  }
  assert.equal((await show(web, cookie)).status, 200);
  assert.equal(provider.spent.length, 1);
});

test('a database that fails after the renewal loses nothing for its visitor, and the token is not spent again', {
  skip,
}, async (t) => {
  const backend = await openBackend(t, postgres);
  const { provider } = backend;
  const one = await openProcess(t, backend);
  const cookie = await sessionCookie(backend.provider, provider.newSession());
  provider.manner = 'hold';
  const first = show(one, cookie);
  await until(
    () => provider.spent.length,
    (count) => count === 1,
    'the provider is asked',
  );
  await backend.setDown(true);
  provider.release();
  assert.equal((await first).status, 200);
  assert.notEqual(await sessionIn(await first), null);
  await backend.setDown(false);
  await backend.query('update svc_web_renewals set lease_until = clock_timestamp()');
  assert.ok(asksToSignIn(await show(await openProcess(t, backend), cookie)));
  assert.deepEqual([provider.spent.length, provider.thefts], [1, 0]);
});

test('a process with another secret sees no session and spends nothing', { skip }, async (t) => {
  const backend = await openBackend(t, postgres);
  const { provider } = backend;
  const cookie = await sessionCookie(backend.provider, provider.newSession());
  const other = await openProcess(t, backend, { secret: OTHER_SECRET });
  const shown = await show(other, cookie);
  assert.ok(asksToSignIn(shown));
  assert.deepEqual(provider.spent, []);
});

test('while the secret is changed, processes with both secrets renew sessions for each other', {
  skip,
}, async (t) => {
  const backend = await openBackend(t, postgres);
  const { provider } = backend;
  const before = await openProcess(t, backend, { otherSecrets: [OTHER_SECRET] });
  const changed = await openProcess(t, backend, {
    secret: OTHER_SECRET,
    otherSecrets: [SECRET],
  });
  const cookie = await sessionCookie(backend.provider, provider.newSession());
  const renewed = await sessionIn(await show(changed, cookie), OTHER_SECRET);
  assert.notEqual(renewed, null);
  assert.deepEqual(await sessionIn(await show(before, cookie)), renewed);
  assert.equal(provider.spent.length, 1);
});

test('a claim that reaches the database late is void, and a withdrawn one is free', {
  skip,
}, async (t) => {
  const { databaseUrl, query } = await openBackend(t, postgres);
  await using database = await openSharedDatabase(databaseUrl, RENEWAL_TABLE, NO_LOG);
  const table = createRenewalTable(database);
  const attempt = { hash: 'h', id: 'first' };
  const seen = await table.look('h');
  assert.ok(seen.is === 'free');
  const late = new Date(Date.parse(seen.readAt) - 3_001).toISOString();
  assert.equal(await table.claim(attempt, late), false);
  assert.equal((await table.look('h')).is, 'free');
  assert.equal(await table.claim(attempt, seen.readAt), true);
  assert.equal(await table.claim({ hash: 'h', id: 'second' }, seen.readAt), false);
  assert.deepEqual(await table.look('h'), { is: 'claimed' });
  await table.release({ hash: 'h', id: 'second' });
  assert.deepEqual(await table.look('h'), { is: 'claimed' });
  await table.release(attempt);
  // A claim is kept for a day after its lease of 15 seconds, and so is an unknown result.
  const again = await table.look('h');
  assert.ok(again.is === 'free');
  assert.equal(await table.claim(attempt, again.readAt), true);
  const [row] = await query(
    'select extract(epoch from expires_at - lease_until) as apart from svc_web_renewals',
  );
  assert.equal(Math.round(Number(row?.['apart'])), 24 * 3600 - 15);
  assert.equal(await table.finish(attempt, { is: 'unknown' }), true);
  assert.deepEqual(await table.look('h'), { is: 'unknown' });
  const [kept] = await query(
    'select extract(epoch from expires_at - lease_until) as apart from svc_web_renewals',
  );
  assert.ok(Number(kept?.['apart']) > 23 * 3600, `${kept?.['apart']} seconds`);
});

test('a late result replaces neither a newer attempt nor its result', { skip }, async (t) => {
  const { databaseUrl, query } = await openBackend(t, postgres);
  await using database = await openSharedDatabase(databaseUrl, RENEWAL_TABLE, NO_LOG);
  const table = createRenewalTable(database);
  const claim = async (id: string): Promise<boolean> => {
    const seen = await table.look('h');
    return seen.is === 'free' && table.claim({ hash: 'h', id }, seen.readAt);
  };
  assert.equal(await claim('first'), true);
  await query('update svc_web_renewals set lease_until = clock_timestamp()');
  assert.deepEqual(await table.look('h'), { is: 'unknown' });
  assert.equal(await claim('second'), false);
  const old = { hash: 'h', id: 'first' };
  assert.equal(await table.finish(old, { is: 'renewed', sealed: 'old' }), false);
  // A day later the row has expired.
  await query('update svc_web_renewals set expires_at = clock_timestamp()');
  assert.equal(await claim('second'), true);
  assert.equal(await table.finish(old, { is: 'renewed', sealed: 'old' }), false);
  const recent = { hash: 'h', id: 'second' };
  assert.equal(await table.finish(recent, { is: 'renewed', sealed: 'new' }), true);
  assert.equal(await table.finish(old, { is: 'renewed', sealed: 'old' }), false);
  assert.deepEqual(await table.look('h'), { is: 'renewed', sealed: 'new' });
});

test('a site with a database that refuses or does not exist does not start, and shows no part of its address', async () => {
  const unusable = [
    'postgres://me:pass-word@127.0.0.1:9/web',
    `postgres://me:pass-word@localhost/web?host=${encodeURIComponent('/nowhere')}`,
  ];
  for (const databaseUrl of unusable) {
    const options = { apiUrl: 'http://127.0.0.1:9', port: 0, origin: ORIGIN, secret: SECRET };
    await assert.rejects(startWeb({ ...options, databaseUrl }), ({ message }: Error) => {
      assert.match(message, /^Cannot start: the database of SVC_WEB_DATABASE_URL can’t be used/);
      assert.doesNotMatch(message, /pass-word|nowhere|me:/);
      return true;
    });
  }
});

test('a site with a database does not start without a secret or an origin', async () => {
  const shared = { apiUrl: 'http://127.0.0.1:9', port: 0, databaseUrl: 'postgres://127.0.0.1:9/x' };
  await assert.rejects(startWeb({ ...shared, secret: SECRET }), /needs a secret and an origin/);
  await assert.rejects(startWeb({ ...shared, origin: ORIGIN }), /needs a secret and an origin/);
});

test('processes that start at once create the table once, and a user who can’t create tables can use it', {
  skip,
}, async (t) => {
  const backend = await openBackend(t, postgres);
  const { provider, query } = backend;
  await Promise.all(Array.from({ length: 4 }, () => openProcess(t, backend)));
  const role = `reader_${process.pid}`;
  await query(`create role ${role} login`);
  await query('revoke create on schema public from public');
  await query(`grant select, insert, update, delete on svc_web_renewals to ${role}`);
  const databaseUrl = backend.databaseUrl.replace('app@', `${role}@`);
  const web = await openProcess(t, { ...backend, databaseUrl });
  assert.equal(
    (await show(web, await sessionCookie(backend.provider, provider.newSession()))).status,
    200,
  );
});
