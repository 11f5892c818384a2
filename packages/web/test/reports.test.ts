// Reports of games: players send them without an account, and administrators find, decide and reopen them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readSettings } from '@svc/platform';
import { publishBuild } from '@svc/platform/testing';
import { type BareBrowser, openBareBrowser } from './browser-without-screen.ts';
import { openSite, type Site } from './open-site.ts';
import { ADA, apiError, gameOf, openStandIn } from './stand-in-api.ts';
import { noticesOf, wordsOf } from './words-of.ts';

const REPORTS = '/dashboard/admin/reports';

let site: Site;
let root: BareBrowser;
before(async () => {
  const limits = {
    ...{ rate_reports_per_minute: 10_000, daily_reports_per_address: 10_000 },
    ...{ daily_reports_per_network: 10_000, reports_open_per_game: 3 },
  };
  site = await openSite({ platform: { limits } });
  const { uid } = await site.developer('Root');
  await site.makeAdmin(uid);
  root = openBareBrowser(site.origin);
  await root.signIn('Root');
});
after(() => site[Symbol.asyncDispose]());

async function published(owner: string, title: string, at: Site = site) {
  const { client, uid } = await at.developer(owner);
  const { game } = await client.call('createProject', { body: { title } });
  await publishBuild(client, game.id, '1.0', { 'index.html': 'x' });
  return { client, uid, game, path: `/games/${game.slug}`, form: `/games/${game.slug}/report` };
}

const visitor = (): BareBrowser => openBareBrowser(site.origin);

/** The addresses of the reports that a list shows, in its order. */
const listed = (text: string): string[] =>
  [...text.matchAll(/<th scope="row"[^>]*><a href="([^"]+)"/g)].map(([, href = '']) => href);

test('a player reports a game without an account, and no search engine lists the page', async () => {
  const { path, form, game } = await published('Ada', 'Broken Moon');
  const link = new RegExp(`<a [^>]*href="${form}" rel="nofollow">Report this game</a>`);
  assert.match((await visitor().open(path)).text, link);
  const page = await visitor().open(form);
  assert.match(page.text, /<meta name="robots" content="noindex">/);
  assert.match((await visitor().open('/robots.txt')).text, /^Disallow: \/games\/\*\/report$/m);
  assert.match(wordsOf(page.text), /The developer learns the reason you choose, but not your text/);
  assert.equal(page.text.match(/type="radio"/g)?.length, 8);
  assert.match(page.text, /<textarea [^>]*maxlength="4000"/);
  const text = 'It <b>stops</b>.\r\nThen nothing.';
  const done = await visitor().send(form, { reason: 'broken', text });
  assert.equal(done.url, `${site.origin}${form}?done=1`);
  assert.match(done.text, /Thank you\. The administrators will look at your report\./);
  assert.match(done.text, /noindex/);
  assert.match(done.text, new RegExp(`href="${path}">Back to the game</a>`));
  const [address = ''] = listed((await root.open(`${REPORTS}?game=${game.id}`)).text);
  const seen = await root.open(address);
  assert.match(seen.text, /class="written">It &lt;b&gt;stops&lt;\/b&gt;\.\nThen nothing\.<\/p>/);
});

test('the owner of a game, signed in or in a preview, has no link to report it', async () => {
  const { path, game } = await published('Own Olga', 'My own game');
  const olga = visitor();
  await olga.signIn('Own Olga');
  assert.doesNotMatch((await olga.open(path)).text, /\/report"/);
  const preview = await olga.open(`/dashboard/games/${game.id}/preview`);
  assert.match(preview.text, /My own game/);
  assert.doesNotMatch(preview.text, /\/report"/);
  const other = visitor();
  await other.signIn('Somebody else');
  assert.match((await other.open(path)).text, /\/report"/);
});

test('an incomplete report is shown again with what was written and a message at its field', async () => {
  const { form, game } = await published('Ada', 'Half a report');
  const typed = 'Words <i>to</i> keep';
  for (const reason of ['', 'boring']) {
    const shown = await visitor().send(form, { reason, text: typed });
    assert.equal(shown.status, 400);
    assert.match(
      shown.text,
      /role="radiogroup" aria-invalid="true" aria-describedby="reason-fault"/,
    );
    assert.match(shown.text, /id="reason-fault">Choose a reason\.</);
    assert.match(shown.text, />\nWords &lt;i&gt;to&lt;\/i&gt; keep<\/textarea>/);
  }
  const empty = await visitor().send(form, { reason: 'other', text: ' \r\n ' });
  assert.equal(empty.status, 400);
  assert.match(empty.text, /value="other" checked/);
  assert.match(empty.text, /id="text-fault">Describe what is wrong with the game\.</);
  const long = await visitor().send(form, { reason: 'broken', text: 'x'.repeat(4001) });
  assert.equal(long.status, 400);
  assert.match(long.text, /id="text-fault"/);
  assert.match(long.text, /x{4001}<\/textarea>/);
  assert.deepEqual(listed((await root.open(`${REPORTS}?game=${game.id}`)).text), []);
});

test('a report of another site, of an unknown game, and beyond the limit of a game is rejected', async () => {
  const { form, game } = await published('Ada', 'Often reported');
  const elsewhere = { origin: 'https://evil.example', site: 'cross-site' };
  assert.equal((await visitor().send(form, { reason: 'broken' }, elsewhere)).status, 403);
  const unknown = '/games/no-such-game/report';
  assert.equal((await visitor().open(unknown)).status, 404);
  assert.equal((await visitor().send(unknown, { reason: 'broken' })).status, 404);
  for (let sent = 0; sent < 3; sent++) await visitor().send(form, { reason: 'broken' });
  const full = await visitor().send(form, { reason: 'abusive', text: 'one more' });
  assert.equal(full.status, 413);
  assert.match(noticesOf(full.text)[0] ?? '', /^This game was reported many times\./);
  assert.match(full.text, /value="abusive" checked/);
  assert.match(full.text, /one more<\/textarea>/);
  assert.equal(listed((await root.open(`${REPORTS}?game=${game.id}`)).text).length, 3);
});

test('a report at an earlier address of a game is sent, and its pages lead to the present address', async () => {
  const { client, game } = await published('Ada', 'Wandering');
  await client.call('changeSlug', { params: { id: game.id }, body: { slug: 'settled' } });
  const opened = await visitor().open('/games/wandering/report');
  assert.equal(opened.url, `${site.origin}/games/settled/report`);
  const shown = await visitor().send('/games/wandering/report', { text: 'kept' });
  assert.deepEqual([shown.status, /kept<\/textarea>/.test(shown.text)], [400, true]);
  assert.match(shown.text, /action="\/games\/settled\/report"/);
  const done = await visitor().send('/games/wandering/report', { reason: 'broken' });
  assert.equal(done.url, `${site.origin}/games/settled/report?done=1`);
});

test('too many reports from one address are rejected with what was written', async () => {
  const limits = { rate_reports_per_minute: 1 };
  await using strict = await openSite({ platform: { limits } });
  const { form } = await published('Ada', 'Fast', strict);
  const browser = openBareBrowser(strict.origin);
  assert.equal((await browser.send(form, { reason: 'broken' })).status, 200);
  const second = await browser.send(form, { reason: 'other', text: 'not lost' });
  assert.equal(second.status, 429);
  assert.match(noticesOf(second.text)[0] ?? '', /^Too many requests\. Wait \d+ s\.$/);
  assert.match(second.text, /not lost<\/textarea>/);
});

test('the API learns the address of a player who reports a game, and no session', async (t) => {
  const stand = await openStandIn(t, { trustProxy: '127.0.0.1' });
  stand.api.answers['GET /games/moon'] = { json: { game: gameOf(), developer: null } };
  stand.api.answers['POST /games/moon/reports'] = { status: 204, text: '' };
  const cookie = await stand.cookie();
  const headers = { cookie, 'x-forwarded-for': '192.0.2.7' };
  const sent = await stand.send('/games/moon/report', { reason: 'broken', text: ' ' }, headers);
  assert.deepEqual([sent.status, sent.headers.get('location')], [303, '/games/moon/report?done=1']);
  const asked = stand.api.asked.find(({ route }) => route === 'POST /games/moon/reports');
  assert.equal(asked?.headers['x-forwarded-for'], '192.0.2.7');
  assert.equal(asked?.headers.authorization, undefined);
  assert.deepEqual(JSON.parse(asked?.body ?? ''), { reason: 'broken', text: null });
  stand.api.answers['POST /games/moon/reports'] = apiError(503, 'database_unavailable');
  assert.equal((await stand.send('/games/moon/report', { reason: 'broken' })).status, 503);
});

test('with SVC_TAKEN_DOWN_STATUS=451 a game that was taken down cannot be reported, and the page says why', async () => {
  const settings = readSettings({ SVC_TAKEN_DOWN_STATUS: '451' });
  await using saying = await openSite({ platform: { settings } });
  const { uid, client: admin } = await saying.developer('Root');
  await saying.makeAdmin(uid);
  const { form, game } = await published('Ada', 'Gone', saying);
  await admin.call('takeDown', { params: { id: game.id }, body: {} });
  const browser = openBareBrowser(saying.origin);
  for (const seen of [await browser.open(form), await browser.send(form, { reason: 'broken' })]) {
    assert.equal(seen.status, 451);
    assert.match(seen.text, /This game was taken down/);
  }
});

test('the reports and the acts are for administrators only', async () => {
  const { form, game } = await published('Ada', 'Private reports');
  await visitor().send(form, { reason: 'broken' });
  const [address = ''] = listed((await root.open(`${REPORTS}?game=${game.id}`)).text);
  const ada = visitor();
  await ada.signIn('Ada');
  for (const path of [REPORTS, address]) assert.equal((await ada.open(path)).status, 403, path);
  const decision = { outcome: 'dismissed' };
  assert.equal((await ada.send(`${address}/resolve`, decision)).status, 403);
  assert.equal((await ada.send(`${address}/reopen`, {})).status, 403);
  assert.doesNotMatch((await ada.open('/dashboard')).text, /admin\/reports/);
  assert.deepEqual(listed((await root.open(`${REPORTS}?game=${game.id}`)).text), [address]);
});

test('administrators see the number of open reports, and filter them by state, reason, game and developer', async () => {
  const { form, game, uid } = await published('Filter Fay', 'Filtered');
  const other = await published('Filter Fay', 'Unfiltered');
  const long = `start ${'words '.repeat(40)}end`;
  await visitor().send(form, { reason: 'copyright', text: long });
  await visitor().send(form, { reason: 'explicit' });
  await visitor().send(other.form, { reason: 'explicit' });
  const badge = /Reports <span class="badge">(\d+)<span class="visually-hidden"> open<\/span>/;
  const openOf = (text: string): number => Number(badge.exec(text)?.[1]);
  const before = openOf((await root.open('/dashboard')).text);
  const own = await root.open(`${REPORTS}?developer=${uid}`);
  const addresses = listed(own.text);
  assert.equal(addresses.length, 3);
  assert.match(wordsOf(own.text), /Only reports of the games of Filter Fay\./);
  const ofGame = await root.open(`${REPORTS}?game=${game.id}`);
  assert.deepEqual(listed(ofGame.text), addresses.slice(1));
  assert.match(wordsOf(ofGame.text), /Only reports of Filtered\./);
  assert.match(ofGame.text, new RegExp(`href="/dashboard/admin/games/${game.id}">Filtered</a>`));
  assert.match(ofGame.text, new RegExp(`href="/dashboard/admin/users/${uid}">Filter Fay</a>`));
  assert.match(ofGame.text, /data-column="Version">1\.0</);
  assert.match(ofGame.text, /start (?:words )+wo…<\/span>/);
  assert.doesNotMatch(ofGame.text, /end<\/span>/);
  const both = `${REPORTS}?reason=explicit&developer=${uid}`;
  assert.deepEqual(listed((await root.open(both)).text), [addresses[0], addresses[1]]);
  const kept = `<input type="hidden" name="developer" value="${uid}">`;
  assert.ok((await root.open(both)).text.includes(kept));

  const [first = ''] = addresses;
  await root.send(`${first}/resolve`, { outcome: 'acted' });
  assert.equal(openOf((await root.open('/dashboard')).text), before - 1);
  const states = { '': addresses.slice(1), 'state=resolved': [first], 'state=all': addresses };
  for (const [state, expected] of Object.entries(states)) {
    const seen = await root.open(`${REPORTS}?developer=${uid}&${state}`);
    assert.deepEqual(listed(seen.text), expected, state);
  }
  const nothing = await root.open(`${REPORTS}?developer=${uid}&reason=illegal`);
  assert.match(wordsOf(nothing.text), /No report was found for this choice\. Show all reports/);
  assert.equal((await root.open(`${REPORTS}?cursor=x`)).status, 400);
  const about = [
    [`/dashboard/admin/games/${game.id}`, `game=${game.id}`, /2 reports<\/a> .*2 open/],
    [`/dashboard/admin/games/${other.game.id}`, `game=${other.game.id}`, /1 report<\/a><\/dd>/],
    [`/dashboard/admin/users/${uid}`, `developer=${uid}`, /3 reports<\/a> .*2 open/],
  ] as const;
  for (const [path, filter, link] of about) {
    const { text } = await root.open(path);
    assert.ok(text.includes(`href="${REPORTS}?${filter}&amp;state=all"`), path);
    assert.match(text, link);
  }
});

test('a report is resolved with a note, shown in the history of its game, and reopened', async () => {
  const { form, game, path, uid } = await published('History Hal', 'History');
  await visitor().send(form, { reason: 'broken', text: 'first' });
  await visitor().send(form, { reason: 'abusive', text: 'second' });
  const [second = '', first = ''] = listed((await root.open(`${REPORTS}?game=${game.id}`)).text);
  const page = await root.open(first);
  for (const link of [path, `/dashboard/admin/games/${game.id}`, `/dashboard/admin/users/${uid}`]) {
    assert.ok(page.text.includes(`href="${link}"`), link);
  }
  assert.match(page.text, /Also the other open report of this game/);
  const missing = await root.send(`${first}/resolve`, { note: 'typed <note>', whole_game: 'on' });
  assert.equal(missing.status, 400);
  assert.match(missing.text, /id="outcome-fault">Choose what the result is\.</);
  assert.match(missing.text, /name="note" type="text" value="typed &lt;note&gt;"/);
  assert.match(missing.text, /name="whole_game" value="on" checked/);
  const note = 'x'.repeat(501);
  const long = await root.send(`${first}/resolve`, { outcome: 'acted', note });
  assert.equal(long.status, 400);
  assert.match(long.text, /id="note-fault"/);

  const done = await root.send(`${first}/resolve`, { outcome: 'dismissed', note: 'It works' });
  assert.equal(done.url, `${site.origin}${first}?done=resolved`);
  assert.deepEqual(noticesOf(done.text), ['The report has been resolved.']);
  assert.match(wordsOf(done.text), /Result Nothing needs to be done By Root Time .* Note It works/);
  assert.doesNotMatch(done.text, /\/resolve"/);
  const history = wordsOf((await root.open(second)).text);
  assert.match(history, /resolved Nothing needs to be done\. Decided by Root, .* UTC: It works/);
  assert.doesNotMatch(history, /Also the other/);
  const again = await root.send(`${first}/reopen`, {});
  assert.deepEqual(noticesOf(again.text), ['The report is open again.']);
  assert.match(again.text, /\/resolve"/);
  const trail = wordsOf((await root.open(`/dashboard/admin/audit?action=report.`)).text);
  assert.match(trail, /report\.reopened .* report\.resolved/);
  assert.equal((await root.open(`${REPORTS}/nothing`)).status, 404);
});

test('one decision can be for all open reports of a game, and for no report of another', async () => {
  const { form, game } = await published('Ada', 'Whole');
  const other = await published('Ada', 'Apart');
  for (const reason of ['broken', 'abusive', 'illegal']) await visitor().send(form, { reason });
  await visitor().send(other.form, { reason: 'broken' });
  const addresses = listed((await root.open(`${REPORTS}?game=${game.id}`)).text);
  assert.match((await root.open(addresses[0] ?? '')).text, /Also the other 2 open reports/);
  await root.send(`${addresses[0]}/resolve`, { outcome: 'acted', whole_game: 'on' });
  const resolved = `${REPORTS}?game=${game.id}&state=resolved`;
  assert.deepEqual(listed((await root.open(resolved)).text), addresses);
  assert.equal(listed((await root.open(`${REPORTS}?game=${other.game.id}`)).text).length, 1);
});

test('the reports of a removed game stay, without links to the game', async () => {
  const { form, game, client } = await published('Ada', 'Deleted');
  await visitor().send(form, { reason: 'malicious' });
  const [address = ''] = listed((await root.open(`${REPORTS}?game=${game.id}`)).text);
  await client.call('deleteProject', { params: { id: game.id } });
  await client.call('removeDeletedGame', { params: { id: game.id } });
  for (const path of [address, `${REPORTS}?game=${game.id}`]) {
    const { text, status } = await root.open(path);
    assert.equal(status, 200);
    assert.match(wordsOf(text), /Deleted removed/);
    assert.doesNotMatch(text, /admin\/games\/|href="\/games\//);
  }
});

test('the queue has links to its first and its next page, which keep the filter', async (t) => {
  const stand = await openStandIn(t);
  stand.api.answers['GET /me'] = { json: { user: { ...ADA, role: 'admin' }, auth: null } };
  stand.api.answers['GET /admin/reports'] = {
    json: { reports: [], next_cursor: 'further', open: 0 },
  };
  const headers = { cookie: await stand.cookie() };
  const filter = 'state=all&reason=broken&cursor=here';
  const text = await stand.read(`${REPORTS}?${filter}`, { headers });
  const { query } = stand.api.asked.find(({ route }) => route === 'GET /admin/reports') ?? {};
  assert.deepEqual(query, { limit: '50', reason: 'broken', cursor: 'here' });
  const [first, next] = [
    ...text.matchAll(/class="button quiet".* href="([^"]+)">(?:Newest|Older) reports/g),
  ];
  assert.equal(first?.[1], `${REPORTS}?state=all&amp;reason=broken`);
  assert.equal(next?.[1], `${REPORTS}?state=all&amp;reason=broken&amp;cursor=further`);
  assert.doesNotMatch(text, /class="badge"/);
});

test('the pages of games and users have no link to reports if the API is older and has none', async (t) => {
  const stand = await openStandIn(t);
  const { answers } = stand.api;
  const admin = { ...ADA, role: 'admin' };
  const hidden = { taken_down: null, release_taken_down: null, developer_suspended: null };
  const game = { ...gameOf(), ...hidden, developer: ADA, bytes: 0 };
  const quota = { projects: null, project_bytes: null };
  answers['GET /me'] = { json: { user: admin, auth: null } };
  answers['GET /admin/audit'] = { json: { records: [], next_cursor: null } };
  answers['GET /admin/games/moon-id'] = { json: { game, releases: [] } };
  answers['GET /admin/users/ada-uid'] = {
    json: { user: { ...admin, quota, suspended: null, sessions_ended_at: null, projects: 1 } },
  };
  answers['GET /admin/users/ada-uid/tokens'] = { json: { tokens: [] } };
  const headers = { cookie: await stand.cookie() };
  const paths = ['/dashboard/admin/games/moon-id', '/dashboard/admin/users/ada-uid'];
  const read = () => Promise.all(paths.map((path) => stand.read(path, { headers })));
  for (const text of await read()) {
    assert.match(text, /class="record-facts"/);
    assert.doesNotMatch(text, /<dt>Reports/);
  }
  answers['GET /admin/reports'] = { json: { reports: [], next_cursor: null, open: 0 } };
  for (const text of await read()) assert.match(text, /<dt>Reports<\/dt><dd>no reports/);
});
