// The account as a whole in the profile: its data, its sessions, its deletion.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publishBuild } from '@svc/platform/testing';
import { until } from '../../../scripts/until.ts';
import { type BareBrowser, openBareBrowser } from './browser-without-screen.ts';
import { openSite, type Site } from './open-site.ts';
import { ADA, apiError, gameOf, openStandIn } from './stand-in-api.ts';
import { noticesOf, wordsOf } from './words-of.ts';

const PROFILE = '/dashboard/profile';
const EXPORT = `${PROFILE}/export`;
const EVERYWHERE = `${PROFILE}/sign-out-everywhere`;
const DELETE = `${PROFILE}/delete`;
const PENDING_MS = 30_000;

let site: Site;
before(async () => {
  site = await openSite({});
});
after(() => site[Symbol.asyncDispose]());

async function signedIn(name: string): Promise<BareBrowser> {
  const browser = openBareBrowser(site.origin);
  await browser.signIn(name);
  return browser;
}

function cookieOf(browser: BareBrowser): string {
  return [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
}

/** Whether the browser can open the profile without a sign-in. */
async function isSignedIn(browser: BareBrowser): Promise<boolean> {
  const headers = { cookie: cookieOf(browser) };
  const answer = await fetch(site.origin + PROFILE, { headers, redirect: 'manual' });
  return answer.status === 200;
}

test('a developer downloads their data, with or without builds, and a player only the former', async () => {
  const { client } = await site.developer('Data Dora');
  const { game } = await client.call('createProject', { body: { title: 'Data Game' } });
  await publishBuild(client, game.id, '1', { 'index.html': 'x'.repeat(50_000) });
  const dora = await signedIn('Data Dora');
  const { text } = await dora.open(PROFILE);
  assert.match(text, new RegExp(`href="${EXPORT}">Download my data`));
  assert.match(text, new RegExp(`href="${EXPORT}\\?builds=true">Download with all builds`));
  const sizes: number[] = [];
  for (const query of ['', '?builds=true']) {
    const answer = await fetch(`${site.origin}${EXPORT}${query}`, {
      headers: { cookie: cookieOf(dora) },
    });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/zip');
    assert.match(
      answer.headers.get('content-disposition') ?? '',
      /^attachment; filename="svc-export-.*\.zip"$/,
    );
    assert.match(answer.headers.get('cache-control') ?? '', /no-store/);
    const zip = Buffer.from(await answer.arrayBuffer());
    assert.equal(zip.readUInt32LE(0), 0x04034b50);
    assert.ok(zip.includes('account.json'));
    assert.equal(zip.includes('/releases/1/index.html'), query !== '');
    sizes.push(zip.length);
  }
  const player = await signedIn('Player Paul');
  const ofPlayer = (await player.open(PROFILE)).text;
  assert.match(ofPlayer, /Download my data/);
  assert.doesNotMatch(ofPlayer, /Download with all builds|\/dashboard\/tokens">Tokens<\/a>\.</);
  const visitor = openBareBrowser(site.origin);
  assert.match((await visitor.open(EXPORT)).url, /\/interaction\/|\/auth/);
});

test('signing out everywhere ends the sessions of all browsers, and no tokens', async () => {
  const { client } = await site.developer('Many Mona');
  const { secret } = await client.call('createToken', { body: { name: 'ci' } });
  const [one, two] = [await signedIn('Many Mona'), await signedIn('Many Mona')];
  const done = await one.send(EVERYWHERE, {});
  assert.equal(done.url, `${site.origin}/signed-out-everywhere`);
  assert.match(done.text, /You are signed out everywhere/);
  assert.match(done.text, /href="\/sign-in\?return_to=%2F" rel/);
  for (const browser of [one, two]) assert.equal(await isSignedIn(browser), false);
  const answer = await fetch(`${site.platform.baseUrl}/me`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  assert.equal(answer.status, 200);
  const elsewhere = { origin: 'https://evil.example', site: 'cross-site' };
  const again = await signedIn('Other Otto');
  assert.equal((await again.send(EVERYWHERE, {}, elsewhere)).status, 403);
  assert.equal(await isSignedIn(again), true);
});

test('an account is deleted when its name is typed, with its games, and its browser is signed out', async () => {
  const { client, uid } = await site.developer('Gone Gina');
  const { game } = await client.call('createProject', { body: { title: 'Gone Game' } });
  await publishBuild(client, game.id, '1', { 'index.html': 'x' });
  const gina = await signedIn('Gone Gina');
  const page = await gina.open(DELETE);
  assert.match(
    wordsOf(page.text),
    /Your game: pages, media, releases, preview links and statistics/,
  );
  assert.match(page.text, /type your name: <strong>Gone Gina<\/strong>/);
  assert.match(page.text, new RegExp(`href="${EXPORT}"`));
  const wrong = await gina.send(DELETE, { name: 'Gina' });
  assert.equal(wrong.status, 400);
  assert.match(noticesOf(wrong.text)[0] ?? '', /^Nothing was deleted\. .*exactly: “Gone Gina”\.$/);
  await client.call('me', {});

  const done = await gina.send(DELETE, { name: ' Gone Gina ' });
  assert.equal(done.url, `${site.origin}/account-deleted`);
  assert.match(done.text, /Your account has been deleted/);
  assert.match(done.text, /href="\/sign-in\?return_to=%2F" rel/);
  assert.deepEqual(
    [...gina.cookies.keys()].filter((name) => /svc_(?:session|device)/.test(name)),
    [],
  );
  for (const path of [`/games/${game.slug}`, `/devs/${uid}`]) {
    assert.equal((await gina.open(path)).status, 404, path);
  }
  // An ID token of the same second is still one of the deleted account.
  await until(
    async () => {
      await gina.signIn('Gone Gina');
      return isSignedIn(gina);
    },
    (isIn) => isIn,
    'the user signs in again',
    PENDING_MS,
  );
  const { user } = await (await site.developer('Gone Gina')).client.call('me', {});
  assert.notEqual(user.uid, uid);
});

test('a name is compared as a person can type it', async (t) => {
  const stand = await openStandIn(t);
  stand.api.answers['GET /projects'] = { json: { games: [], next_cursor: null } };
  stand.api.answers['DELETE /me'] = { status: 204, text: '' };
  const headers = { cookie: await stand.cookie() };
  for (const [name, typed, status] of [
    ['Ada  Love', 'Ada Love', 303],
    ['Zoe\u0308', 'Zo\u00eb', 303],
    ['A\u00a0B', ' A B ', 303],
    ['Ada Love', 'AdaLove', 400],
    ['Ada Love', 'ada love', 400],
  ] as const) {
    stand.api.answers['GET /me'] = { json: { user: { ...ADA, name }, auth: null } };
    const answer = await stand.send(DELETE, { name: typed }, headers);
    assert.equal(answer.status, status, typed);
  }
});

test('HEAD of the download starts no export', async (t) => {
  const stand = await openStandIn(t);
  const headers = { cookie: await stand.cookie() };
  const answer = await stand.ask(EXPORT, { method: 'HEAD', headers });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'application/zip');
  assert.ok(!stand.api.asked.some(({ route }) => route.endsWith('/me/export')));
});

test('a player deletes an account that has no games', async () => {
  const player = await signedIn('Player Pat');
  const { text } = await player.open(DELETE);
  assert.match(wordsOf(text), /Your games, if you have published any: pages/);
  const done = await player.send(DELETE, { name: 'Player Pat' });
  assert.equal(done.url, `${site.origin}/account-deleted`);
});

test('the page of the deletion counts up to a hundred games', async (t) => {
  const stand = await openStandIn(t);
  const developer = { ...ADA, role: 'developer' };
  stand.api.answers['GET /me'] = { json: { user: developer, auth: null } };
  const headers = { cookie: await stand.cookie() };
  for (const [count, next_cursor, text] of [
    [0, null, 'Your 0 games: pages'],
    [2, null, 'Your 2 games: pages'],
    [100, 'more', 'Your games, more than 100: pages'],
  ] as const) {
    const games = Array.from({ length: count }, () => gameOf());
    stand.api.answers['GET /projects'] = { json: { games, next_cursor } };
    const page = wordsOf(await stand.read(DELETE, { headers }));
    assert.ok(page.includes(text), page);
  }
});

test('an API of an older version and a failing one change nothing, and the message says what to do', async (t) => {
  const stand = await openStandIn(t);
  stand.api.answers['GET /me'] = { json: { user: ADA, auth: null } };
  const headers = { cookie: await stand.cookie() };
  const outdated = /^The platform’s API is of an older version.*Ask the operator/;
  const send = async (path: string, form: Record<string, string> | null) => {
    const answer = await fetch(`${stand.web.origin}${path}`, {
      ...(form !== null && { method: 'POST', body: new URLSearchParams(form) }),
      headers: { ...headers, 'sec-fetch-site': 'same-origin', origin: stand.web.origin },
      redirect: 'manual',
    });
    return { answer, text: await answer.text() };
  };
  const asks: [string, Record<string, string> | null, string][] = [
    [EXPORT, null, 'GET /me/export'],
    [EVERYWHERE, {}, 'POST /me/end-sessions'],
    [DELETE, { name: ADA.name }, 'DELETE /me'],
  ];
  for (const [path, form, route] of asks) {
    for (const [status, code] of [
      [404, 'not_found'],
      [405, 'method_not_allowed'],
    ] as const) {
      stand.api.answers[route] = apiError(status, code);
      const { answer, text } = await send(path, form);
      assert.equal(answer.status, 501, path);
      assert.match(noticesOf(text)[0] ?? '', outdated);
      assert.deepEqual(answer.headers.getSetCookie(), [], path);
    }
    stand.api.answers[route] = apiError(503, 'busy', 'Another export is running');
    const busy = await send(path, form);
    assert.equal(busy.answer.status, 503, path);
    assert.deepEqual(noticesOf(busy.text), ['Another export is running.']);
    stand.api.answers[route] = apiError(500, 'internal');
    assert.equal((await send(path, form)).answer.status, 503, path);
  }
  // A service at the address of the API that is not the API.
  stand.api.answers['GET /me/export'] = {
    ...{ status: 200, text: '<p>Welcome</p>' },
    headers: { 'content-type': 'text/html' },
  };
  assert.equal((await send(EXPORT, null)).answer.status, 503);
});

test('a download that the API cuts off is cut off, and one whose visitor leaves ends at the API', async (t) => {
  const stand = await openStandIn(t);
  stand.api.answers['GET /me'] = { json: { user: ADA, auth: null } };
  const headers = { cookie: await stand.cookie() };
  // It promises more bytes than it sends. Then it closes the connection, or keeps it.
  const promise = { 'content-type': 'application/zip', 'content-length': '1000' };
  const path = `${stand.web.origin}${EXPORT}`;
  stand.api.answers['GET /me/export'] = {
    ...{ status: 200, text: 'PK' },
    headers: { ...promise, connection: 'close' },
  };
  const cut = await fetch(path, { headers });
  assert.equal(cut.status, 200);
  await assert.rejects(cut.arrayBuffer());
  stand.api.answers['GET /me/export'] = { status: 200, text: 'PK', headers: promise };
  const leaving = new AbortController();
  const left = await fetch(path, { headers, signal: leaving.signal });
  assert.equal(left.status, 200);
  leaving.abort();
  await until(
    () => stand.api.asked.at(-1)?.over === true,
    (over) => over,
    'the request to the API ends',
    PENDING_MS,
  );
});
