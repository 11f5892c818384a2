// Sessions that end: renewed by the refresh token, once for all who ask; asked for again without losing what was typed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createRenewal } from '../src/session/renew-session.ts';
import { createSealedCookies } from '../src/session/sealed-cookies.ts';
import { openBareBrowser } from './browser-without-screen.ts';
import { openSite } from './open-site.ts';

const HOUR_MS = 3_600_000;

test('a session is renewed by its refresh token before the ID token ends', async () => {
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

test('a session with a minute and a half left is renewed for the upload of a picture, and not for a page', async () => {
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

test('a form sent with a session that can’t be renewed comes back with every field, ready to be sent again', async () => {
  await using site = await openSite();
  const browser = openBareBrowser(site.origin);
  await browser.signIn('Ada');
  await browser.send('/dashboard/become-developer', {});
  const good = new Map(browser.cookies);
  browser.cookies.clear();
  const typed = { title: 'Kept "words" </textarea>', slug: 'kept', engine: 'godot' };
  const asked = await browser.send('/dashboard/new', typed);
  assert.equal(asked.status, 401);
  assert.match(asked.text, /What you typed is kept/);
  assert.match(
    asked.text,
    /<textarea name="title" hidden>\nKept &quot;words&quot; &lt;\/textarea&gt;<\/textarea>/,
  );
  assert.match(asked.text, /action="\/dashboard\/new"/);
  for (const [name, value] of good) browser.cookies.set(name, value);
  assert.match((await browser.send('/dashboard/new', typed)).text, /The draft is made/);
});

test('an upload with a session that has ended is refused before it is read, and says so to a script', async () => {
  await using site = await openSite();
  const answer = await fetch(`${site.origin}/dashboard/games/x/upload`, {
    method: 'POST',
    headers: { origin: site.origin, accept: 'application/json' },
    body: new FormData(),
  });
  assert.equal(answer.status, 401);
  const told: unknown = await answer.json();
  assert.match(JSON.stringify(told), /Sign in again in another tab/);
});

test('createRenewal asks the provider once for requests at the same time, and not at all while the token is good', async () => {
  let asked = 0;
  const renew = createRenewal(
    {
      begin: () => assert.fail('begins nothing'),
      finish: () => assert.fail('finishes nothing'),
      refresh: async () => {
        asked++;
        return { idToken: 'new', refreshToken: 'next', expiresAt: HOUR_MS };
      },
    },
    () => 0,
  );
  const session = { uid: 'u', name: 'n', idToken: 'old', refreshToken: 'r' };
  assert.equal((await renew({ ...session, expiresAt: HOUR_MS }))?.idToken, 'old');
  assert.equal(asked, 0);
  // An upload needs the ID token for longer than a page does.
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

test('createSealedCookies gives back what was sealed, of any length a browser holds, under its own name and key only', async () => {
  const cookies = createSealedCookies('a secret of thirty-two characters', true);
  const others = createSealedCookies('another one of thirty-two characters', true);
  await fc.assert(
    fc.asyncProperty(fc.string({ maxLength: 6000, unit: 'grapheme-ascii' }), async (text) => {
      const lines = await cookies.seal('name', { text }, 60);
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
});
