// Sessions: renewal, expiry without loss of input, encrypted cookies, and the check of the sender.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { until } from '../../../scripts/until.ts';
import { isOwnRequest } from '../src/session/cross-site.ts';
import { createRenewal } from '../src/session/renew-session.ts';
import { createSealedCookies } from '../src/session/sealed-cookies.ts';
import { parseSession } from '../src/session/session.ts';
import { ownPath } from '../src/session/sign-in-attempt.ts';
import { openBareBrowser } from './browser-without-screen.ts';
import { openSite } from './open-site.ts';
import { SECRET } from './stand-in-api.ts';

const HOUR_MS = 3_600_000;
const OTHER_SECRET = 'another one of thirty-two characters';

test('a session is renewed with its refresh token before the ID token expires', async () => {
  let ahead = 0;
  const now = (): number => Date.now() + ahead;
  await using site = await openSite({ web: { now } });
  const browser = openBareBrowser(site.origin);
  await browser.signIn('Ada');
  const before = browser.cookies.get('svc_session');
  assert.match((await browser.open('/dashboard/profile')).text, /Ada/);
  assert.equal(browser.cookies.get('svc_session'), before);
  ahead = HOUR_MS - 30_000;
  const page = await browser.open('/dashboard/profile');
  assert.match(page.text, /<h1>Profile<\/h1>/);
  assert.notEqual(browser.cookies.get('svc_session'), before);
});

test('a session that an administrator has ended is not renewed, and one that began later is', async () => {
  let ahead = 0;
  await using site = await openSite({ web: { now: () => Date.now() + ahead } });
  const { uid } = await site.developer('Ada');
  const { uid: rootId, client: root } = await site.developer('Root');
  await site.makeAdmin(rootId);
  const ada = openBareBrowser(site.origin);
  await ada.signIn('Ada');
  // It does not have the cookies of the identity provider.
  const stolen = openBareBrowser(site.origin);
  for (const [name, value] of ada.cookies) stolen.cookies.set(name, value);
  await root.call('endSessions', { params: { uid } });
  // Also after its ID token has expired, and been renewed.
  ahead = HOUR_MS;
  for (const path of ['/dashboard/profile', '/dashboard/tokens']) {
    const page = await stolen.open(path);
    assert.match(page.url, /\/interaction\//, path);
  }
  assert.equal(stolen.cookies.has('svc_session'), false);
  ahead = 2_000;
  const later = await until(
    async () => {
      const browser = openBareBrowser(site.origin);
      const { text } = await browser.signIn('Ada', '/dashboard/profile');
      return /<h1>Profile<\/h1>/.test(text) ? browser : null;
    },
    (browser) => browser !== null,
    'Ada can sign in again in the next second',
    10_000,
  );
  ahead = HOUR_MS;
  assert.match((await later?.open('/dashboard/profile'))?.text ?? '', /<h1>Profile<\/h1>/);
});

test('a session that expires in 90 seconds is renewed for the upload of an avatar, but not for a page', async () => {
  let ahead = 0;
  await using site = await openSite({ web: { now: () => Date.now() + ahead } });
  const browser = openBareBrowser(site.origin);
  await browser.signIn('Ada');
  const before = browser.cookies.get('svc_session');
  ahead = HOUR_MS - 90_000;
  assert.match((await browser.open('/dashboard/profile')).text, /Ada/);
  assert.equal(browser.cookies.get('svc_session'), before);
  const body = new FormData();
  body.append('avatar', new Blob(['no image']), 'me.png');
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await fetch(`${site.origin}/dashboard/profile/avatar`, {
    ...{ method: 'POST', redirect: 'manual', body },
    headers: { origin: site.origin, cookie },
  });
  assert.match(answer.headers.getSetCookie().join(), /^svc_session=|,svc_session=/);
  await answer.arrayBuffer();
});

test('a form with an expired session is returned with all fields and can be submitted again', async () => {
  await using site = await openSite();
  const browser = openBareBrowser(site.origin);
  await browser.signIn('Ada');
  await browser.send('/dashboard/become-developer', {});
  const good = new Map(browser.cookies);
  browser.cookies.clear();
  const typed = { title: 'Kept "words" </textarea>', slug: 'kept', engine: 'godot' };
  const asked = await browser.send('/dashboard/new', typed);
  assert.equal(asked.status, 401);
  assert.match(asked.text, /Your input is kept/);
  assert.match(
    asked.text,
    /<textarea name="title" hidden>\nKept &quot;words&quot; &lt;\/textarea&gt;<\/textarea>/,
  );
  assert.match(asked.text, /action="\/dashboard\/new"/);
  for (const [name, value] of good) browser.cookies.set(name, value);
  assert.match((await browser.send('/dashboard/new', typed)).text, /The draft has been created/);
});

test('an upload with an expired session is rejected before it is read, with JSON for a script', async () => {
  await using site = await openSite();
  const answer = await fetch(`${site.origin}/dashboard/games/x/upload`, {
    method: 'POST',
    headers: { origin: site.origin, accept: 'application/json' },
    body: new FormData(),
  });
  assert.equal(answer.status, 401);
  const body: unknown = await answer.json();
  assert.match(JSON.stringify(body), /Sign in again in another tab/);
});

test('createRenewal asks the provider once for concurrent requests, and never while the token is valid', async () => {
  let asked = 0;
  const renew = createRenewal(
    async () => {
      asked++;
      return { idToken: 'new', refreshToken: 'next', expiresAt: HOUR_MS };
    },
    () => 0,
  );
  const session = {
    uid: 'u',
    name: 'n',
    idToken: 'old',
    refreshToken: 'r',
    signedInAt: 0,
    isChecked: true,
  };
  assert.equal((await renew({ ...session, expiresAt: HOUR_MS }))?.idToken, 'old');
  assert.equal(asked, 0);
  // An upload needs a longer validity of the ID token.
  const brief = { ...session, refreshToken: 'brief', expiresAt: 100_000 };
  assert.equal((await renew(brief))?.idToken, 'old');
  assert.equal((await renew(brief, 120_000))?.idToken, 'new');
  asked = 0;
  const all = await Promise.all([1, 2, 3].map(() => renew({ ...session, expiresAt: 1000 })));
  assert.deepEqual(
    all.map((one) => one?.idToken),
    ['new', 'new', 'new'],
  );
  assert.equal(asked, 1);
  assert.equal(await renew({ ...session, refreshToken: null, expiresAt: 1000 }), null);
});

test('createSealedCookies decrypts a value of any allowed length, with the same name and key only', async () => {
  const cookies = createSealedCookies([SECRET], true);
  const others = createSealedCookies([OTHER_SECRET], true);
  const anyLength = fc.string({ maxLength: 6000, unit: 'grapheme-ascii', size: 'max' });
  let inOne = 0;
  let inSeveral = 0;
  await fc.assert(
    fc.asyncProperty(anyLength, async (text) => {
      const lines = await cookies.seal('name', { text }, 60);
      if (lines[1]?.includes('=;')) inOne++;
      else inSeveral++;
      for (const line of lines) {
        assert.ok(line.length < 4096);
        assert.match(line, /^__Host-name.*; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
      }
      const kept = lines.filter((line) => !line.includes('=;'));
      const header = kept.map((line) => line.split(';')[0]).join('; ');
      assert.deepEqual(await cookies.open('name', header), { text });
      assert.equal(await others.open('name', header), null);
      assert.equal(await cookies.open('other', header.replaceAll('name', 'other')), null);
      assert.equal(await cookies.open('name', header.slice(0, -2)), null);
    }),
    { numRuns: 40 },
  );
  assert.ok(inOne >= 5, `${inOne} values in one cookie`);
  assert.ok(inSeveral >= 5, `${inSeveral} values in several cookies`);
});

/** The `Cookie` header for the given `Set-Cookie` lines. */
function sentBack(lines: readonly string[]): string {
  return lines
    .filter((line) => !line.includes('=;'))
    .map((line) => line.split(';')[0])
    .join('; ');
}

test('createSealedCookies rejects an expired cookie that a browser still sends', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
  const cookies = createSealedCookies([SECRET], false);
  const lines = await cookies.seal('name', { text: 'x' }, 900);
  const header = sentBack(lines);
  assert.match(lines[0] ?? '', /^name=[^;]+; Max-Age=900; Path=\/; HttpOnly; SameSite=Lax$/);
  t.mock.timers.setTime(1_800_000_899_000);
  assert.deepEqual(await cookies.open('name', header), { text: 'x' });
  t.mock.timers.setTime(1_800_000_901_000);
  assert.equal(await cookies.open('name', header), null);
});

test('createSealedCookies finds its cookie among others and invalid text', async () => {
  const cookies = createSealedCookies([SECRET], false);
  const sent = sentBack(await cookies.seal('name', { text: 'x' }, 60));
  for (const more of ['nameX', '=x', '', 'name ', 'other=y', 'names=z']) {
    assert.deepEqual(await cookies.open('name', `${more}; ${sent}`), { text: 'x' }, more);
  }
});

test('createSealedCookies decrypts cookies of an earlier version with the same secret', async () => {
  const cookies = createSealedCookies([SECRET], false);
  // It expires in the year 2121.
  const sealed =
    'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..P335Eytx7iUFV-0d.' +
    'nZcxhmkxOlovf5jYuuFSYu_g_vo_cOsPei05rzBMkapfvMj0sMjkuALq40f_fOh2qdg8Yg.rDzXYfdDDoswZg27fnyLOA';
  assert.deepEqual(await cookies.open('name', `name=${sealed}`), { text: 'x' });
});

test('createSealedCookies removes unused pieces, and throws for a value that is too long', async () => {
  const cookies = createSealedCookies([SECRET], false);
  const namesOf = (lines: readonly string[], removed: boolean): string[] =>
    lines
      .filter((line) => line.includes('=; Max-Age=0') === removed)
      .map((line) => line.split('=')[0] ?? '');
  const short = await cookies.seal('name', { text: 'x' }, 60);
  assert.deepEqual(namesOf(short, false), ['name']);
  assert.deepEqual(namesOf(short, true), ['name-1', 'name-2', 'name-3']);
  const long = await cookies.seal('name', { text: 'x'.repeat(10_000) }, 60);
  assert.deepEqual(namesOf(long, false), ['name', 'name-1', 'name-2', 'name-3']);
  assert.deepEqual(await cookies.open('name', sentBack(long)), { text: 'x'.repeat(10_000) });
  // The order of the pieces does not matter, and the first of two with the same name is used.
  const shuffled = sentBack(long).split('; ').toReversed().join(';');
  assert.deepEqual(await cookies.open('name', `${shuffled};name=x`), { text: 'x'.repeat(10_000) });
  await assert.rejects(cookies.seal('name', { text: 'x'.repeat(11_000) }, 60), /too many$/);
  assert.deepEqual(cookies.clear('name'), [
    'name=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
    'name-1=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
    'name-2=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
    'name-3=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
  ]);
});

test('createSealedCookies rejects cookies of another key, and text that is no cookie', async () => {
  const one = createSealedCookies([SECRET], false);
  const header = sentBack(await one.seal('name', { text: 'x' }, 60));
  assert.deepEqual(await one.open('name', header), { text: 'x' });
  assert.equal(await createSealedCookies([OTHER_SECRET], false).open('name', header), null);
  for (const nothing of [undefined, '', 'name', 'name=', 'other=x', '=x']) {
    assert.equal(await one.open('name', nothing), null);
  }
});

test('createSealedCookies decrypts cookies of each secret, and encrypts with the first', async () => {
  const old = createSealedCookies([OTHER_SECRET], false);
  const both = createSealedCookies([SECRET, OTHER_SECRET], false);
  const next = createSealedCookies([SECRET], false);
  const sentOld = sentBack(await old.seal('name', { text: 'old' }, 60));
  const sentNew = sentBack(await both.seal('name', { text: 'new' }, 60));
  assert.deepEqual(await both.open('name', sentOld), { text: 'old' });
  assert.deepEqual(await next.open('name', sentNew), { text: 'new' });
  assert.equal(await old.open('name', sentNew), null);
  assert.equal(await next.open('name', sentOld), null);
});

test('parseSession returns null if a field is missing or has another type', () => {
  const older = { uid: 'u', name: 'n', idToken: 'i', refreshToken: 'r', expiresAt: 1 };
  const session = { ...older, signedInAt: 1, isChecked: false };
  assert.deepEqual(parseSession({ ...session, more: 1 }), session);
  assert.deepEqual(parseSession(older), { ...older, signedInAt: 0, isChecked: true });
  const lasting = { ...session, refreshToken: null };
  assert.deepEqual(parseSession(lasting), lasting);
  for (const key of Object.keys(older)) {
    assert.equal(parseSession({ ...session, [key]: undefined }), null, key);
  }
  for (const key of Object.keys(session)) {
    assert.equal(parseSession({ ...session, [key]: {} }), null, key);
  }
  for (const value of [null, undefined, 'session', 1]) assert.equal(parseSession(value), null);
});

test('isOwnRequest accepts requests by the browser’s headers, and rejects requests without them', () => {
  const origin = 'https://games.example';
  const rows: [site: string | undefined, from: string | undefined, own: boolean][] = [
    ['same-origin', origin, true],
    ['same-origin', undefined, true],
    [undefined, origin, true],
    [undefined, undefined, false],
    ['same-site', origin, false],
    ['cross-site', origin, false],
    ['none', origin, false],
    ['none', undefined, false],
    ['', origin, false],
    ['same-origin', 'https://evil.example', false],
    [undefined, 'https://evil.example', false],
    [undefined, 'null', false],
    [undefined, `${origin}.evil.example`, false],
    [undefined, 'http://games.example', false],
  ];
  for (const [site, from, own] of rows) {
    const headers = {
      ...(site === undefined ? {} : { 'sec-fetch-site': site }),
      ...(from === undefined ? {} : { origin: from }),
    };
    assert.equal(isOwnRequest(headers, origin), own, `${site} ${from}`);
  }
});

test('ownPath returns the path, query and fragment of this site, and `/dashboard` for other addresses', () => {
  const origin = 'https://games.example';
  const rows: [address: string | null, path: string][] = [
    ['/games/x?y=1#z', '/games/x?y=1#z'],
    ['/', '/'],
    ['/a/../b', '/b'],
    [null, '/dashboard'],
    ['', '/dashboard'],
    ['games/x', '/dashboard'],
    [`${origin}/games/x`, '/dashboard'],
    ['https://evil.example/', '/dashboard'],
    ['//evil.example/x', '/dashboard'],
    ['/\\evil.example/x', '/dashboard'],
    ['/\t/evil.example/x', '/dashboard'],
    ['/..//evil.example', '/evil.example'],
    ['/.//evil.example', '/evil.example'],
    ['//[', '/dashboard'],
    ['javascript:alert(1)', '/dashboard'],
  ];
  for (const [address, path] of rows) assert.equal(ownPath(address, origin), path, String(address));
});

test('createRenewal renews a token that expires within the needed time, and keeps the result for a minute', async () => {
  let now = 0;
  let asked = 0;
  const renew = createRenewal(
    async ({ refreshToken }) => {
      asked++;
      if (refreshToken === 'refused') return null;
      return { idToken: `new ${asked}`, refreshToken: null, expiresAt: HOUR_MS };
    },
    () => now,
  );
  const session = {
    uid: 'u',
    name: 'n',
    idToken: 'old',
    refreshToken: 'r',
    signedInAt: 0,
    isChecked: true,
  };
  assert.equal((await renew({ ...session, expiresAt: 60_001 }))?.idToken, 'old');
  const renewed = await renew({ ...session, expiresAt: 60_000 });
  assert.deepEqual(renewed, {
    ...session,
    idToken: 'new 1',
    refreshToken: null,
    expiresAt: HOUR_MS,
  });
  now = 60_000;
  assert.equal((await renew({ ...session, expiresAt: 60_000 }))?.idToken, 'new 1');
  now = 60_001;
  assert.equal((await renew({ ...session, expiresAt: 60_000 }))?.idToken, 'new 2');
  // Another refresh token gets another result.
  const other = { ...session, refreshToken: 'other', expiresAt: 0 };
  assert.equal((await renew(other))?.idToken, 'new 3');
  assert.equal(await renew({ ...session, refreshToken: 'refused', expiresAt: 0 }), null);
});
