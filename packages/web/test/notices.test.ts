// Notices: what users find in their dashboard, and the choice of e-mail in the profile.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NOTICE_KINDS } from '@svc/contracts/platform';
import { readSettings } from '@svc/platform';
import { publishBuild } from '@svc/platform/testing';
import { type BareBrowser, openBareBrowser } from './browser-without-screen.ts';
import { openSite, type Site } from './open-site.ts';
import { ADA, apiError, openStandIn } from './stand-in-api.ts';
import { noticesOf, wordsOf } from './words-of.ts';

const NOTICES = '/dashboard/notices';
const PROFILE = '/dashboard/profile';

let site: Site;
before(async () => {
  // E-mail is never sent: nothing listens at this address.
  const mail = { SVC_SMTP_URL: 'smtp://127.0.0.1:1', SVC_MAIL_FROM: 'store@games.example' };
  site = await openSite({ platform: { settings: readSettings(mail) } });
});
after(() => site[Symbol.asyncDispose]());

async function signedIn(name: string): Promise<BareBrowser> {
  const browser = openBareBrowser(site.origin);
  await browser.signIn(name);
  return browser;
}

/** The notices of a page: their words without the time. */
const listed = (text: string): string[] =>
  [...text.matchAll(/<li><p>(.*?)<\/p><time/g)].map(([, inner = '']) => wordsOf(inner).trim());

const badgeOf = (text: string): string | undefined =>
  /Notices <span class="badge">(\d+)<span class="visually-hidden"> unread<\/span>/.exec(text)?.[1];

test('owners and administrators find notices with links, and mark them as read', async () => {
  const { client: admin, uid } = await site.developer('Root');
  await site.makeAdmin(uid);
  const { client } = await site.developer('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Moon & Hop' } });
  await publishBuild(client, game.id, '1.2.0', { 'index.html': 'x' });
  const [ada, root] = [await signedIn('Ada'), await signedIn('Root')];
  const [params, body] = [{ slug: game.slug }, { reason: 'broken' } as const];
  await client.call('reportGame', { params, body });
  await admin.call('takeDown', { params: { id: game.id }, body: { reason: 'Malware' } });
  const page = await ada.open(NOTICES);
  assert.equal(badgeOf(page.text), '2');
  assert.deepEqual(listed(page.text).slice(0, 2), [
    'new The operator of the store took &quot;Moon &amp; Hop&quot; down. Reason: Malware.',
    'new A player reported your game &quot;Moon &amp; Hop&quot;. Reason: It does not work.',
  ]);
  assert.match(page.text, new RegExp(`<a href="/dashboard/games/${game.id}">A player reported`));
  assert.equal(badgeOf((await ada.open('/dashboard')).text), '2');
  const ofAdmin = (await root.open(NOTICES)).text;
  const queue = `/dashboard/admin/reports?game=${game.id}&amp;state=all`;
  assert.ok(ofAdmin.includes(`<a href="${queue}">A player reported &quot;Moon &amp; Hop`), ofAdmin);

  const last = /name="last" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  await admin.call('restoreGame', { params: { id: game.id }, body: {} });
  // What happened after the page was shown stays unread.
  const marked = await ada.send(`${NOTICES}/read`, { last });
  assert.equal(marked.url, `${site.origin}${NOTICES}?done=read`);
  assert.equal(badgeOf(marked.text), '1');
  assert.match(listed(marked.text)[0] ?? '', /^new The operator of the store restored/);
  assert.match(listed(marked.text)[1] ?? '', /^The operator of the store took/);
  const next = /name="last" value="([^"]+)"/.exec(marked.text)?.[1] ?? '';
  const all = await ada.send(`${NOTICES}/read`, { last: next });
  assert.deepEqual(noticesOf(all.text), ['The notices are marked as read.']);
  assert.equal(badgeOf(all.text), undefined);
  assert.doesNotMatch(all.text, /Mark all as read|>new</);
});

test('players have notices too, and find them in the account menu', async () => {
  const player = await signedIn('Player Pia');
  const { text, status } = await player.open(NOTICES);
  assert.equal(status, 200);
  assert.match(text, /<p class="empty">There are no notices\./);
  assert.doesNotMatch(text, /Mark all as read/);
  assert.match((await player.open('/')).text, /<a href="\/dashboard\/notices">Notices<\/a>/);
  const visitor = openBareBrowser(site.origin);
  assert.match((await visitor.open(NOTICES)).url, /\/interaction\/|\/auth/);
  const elsewhere = { origin: 'https://evil.example', site: 'cross-site' };
  assert.equal((await player.send(`${NOTICES}/read`, { last: 'x' }, elsewhere)).status, 403);
});

test('a sign-in is a notice on an unknown device only, also after a sign-out and for a new developer', async () => {
  const sue = await signedIn('Device Sue');
  await sue.send('/dashboard/become-developer', {});
  await sue.send('/sign-out', {});
  await sue.signIn('Device Sue');
  assert.deepEqual(listed((await sue.open(NOTICES)).text), []);
  const other = await signedIn('Device Sue');
  const found = listed((await other.open(NOTICES)).text);
  assert.deepEqual(found, ['Your account was used to sign in on a new device.']);
});

test('each kind of notice has a sentence, and an unknown kind or reason of a newer server too', async (t) => {
  const stand = await openStandIn(t);
  const kinds: readonly string[] = [...NOTICE_KINDS, 'a_newer_kind'];
  const notices = kinds.map((kind, index) => ({
    ...{ id: `n${index}`, at: '2026-11-28T12:00:00.000Z', kind, version: '1<2', read: index > 0 },
    game: kind.includes('account') ? null : { id: 'moon-id', title: '<Moon>', slug: 'moon' },
    detail: kind === 'game_reported' ? 'boring' : null,
  }));
  stand.api.answers['GET /me'] = { json: { user: { ...ADA, unread_notices: 1 }, auth: null } };
  stand.api.answers['GET /me/notices'] = { json: { notices, next_cursor: 'older' } };
  const headers = { cookie: await stand.cookie() };
  const text = await stand.read(NOTICES, { headers });
  const found = listed(text);
  assert.equal(found.length, kinds.length);
  assert.equal(
    found[0],
    'new A player reported your game &quot;&lt;Moon&gt;&quot;. Reason: boring.',
  );
  assert.equal(found.at(-1), 'The store has news for you.');
  assert.equal(found.filter((one) => one.startsWith('new ')).length, 1);
  assert.match(text, /<a href="\/dashboard\/tokens">The personal access token/);
  assert.match(text, /name="last" value="n0"/);
  assert.match(text, /href="\/dashboard\/notices\?cursor=older">Older notices/);
  // Only the first page shows the newest notice.
  const older = await stand.read(`${NOTICES}?cursor=older`, { headers });
  assert.doesNotMatch(older, /name="last"/);
  assert.deepEqual(stand.api.asked.at(-1)?.query, { limit: '50', cursor: 'older' });
});

test('the profile form saves the choice of e-mail, and keeps it if the form had no boxes', async () => {
  const { client } = await site.developer('Mail Mia');
  const mia = await signedIn('Mail Mia');
  const mailOf = async () => (await client.call('me', {})).user.mail;
  const form = new URLSearchParams({ name: 'Mail Mia', mail: '' });
  form.append('mail', 'sign_ins');
  const saved = await mia.send(PROFILE, form);
  assert.deepEqual(noticesOf(saved.text), ['Saved.']);
  assert.deepEqual(await mailOf(), { reports: false, releases: false, sign_ins: true });
  await mia.send(PROFILE, { name: 'Mail Mia' });
  assert.deepEqual(await mailOf(), { reports: false, releases: false, sign_ins: true });
  await mia.send(PROFILE, { name: 'Mail Mia', mail: '' });
  assert.deepEqual(await mailOf(), { reports: false, releases: false, sign_ins: false });
  // The development provider sends no address.
  assert.match(saved.text, /no verified e-mail address/);
  assert.doesNotMatch(saved.text, /type="checkbox"/);
});

test('the boxes show the stored choice or the rejected one, and are missing if the server sends no e-mail', async (t) => {
  const stand = await openStandIn(t);
  const mail = { reports: true, releases: false, sign_ins: true };
  const account = { ...ADA, email: 'ada@example.org' };
  const cookie = await stand.cookie();
  const read = (user: object) => {
    stand.api.answers['GET /me'] = { json: { user, auth: null } };
    return stand.read(PROFILE, { headers: { cookie } });
  };
  const checked = (text: string): (string | undefined)[] =>
    [...text.matchAll(/name="mail" value="([a-z_]+)" checked/g)].map(([, name]) => name);
  const shown = await read({ ...account, mail });
  assert.match(
    shown,
    /<legend>E-mail me about<\/legend><input type="hidden" name="mail" value="">/,
  );
  assert.deepEqual(checked(shown), ['reports', 'sign_ins']);
  stand.api.answers['PATCH /me'] = apiError(400, 'invalid_input');
  const form = new URLSearchParams('name=&mail=&mail=releases');
  const rejected = await stand.send(PROFILE, form, { cookie });
  assert.equal(rejected.status, 400);
  assert.deepEqual(checked(await rejected.text()), ['releases']);
  const sent = stand.api.asked.find(({ route }) => route === 'PATCH /me');
  const chosen = { reports: false, releases: true, sign_ins: false };
  assert.deepEqual(JSON.parse(sent?.body ?? ''), { name: '', mail: chosen });
  const silent = await read(account);
  assert.doesNotMatch(silent, /name="mail"|no verified e-mail/);
});
