// The pages of administrators: users, games, the audit trail, each act, and what the user, the owner and players see of it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readSettings } from '@svc/platform';
import { publishBuild } from '@svc/platform/testing';
import { type BareBrowser, openBareBrowser } from './browser-without-screen.ts';
import { openSite, type Site } from './open-site.ts';
import { noticesOf, wordsOf } from './words-of.ts';

let site: Site;
let root: BareBrowser;
let rootId = '';
before(async () => {
  site = await openSite();
  ({ browser: root, uid: rootId } = await signedIn('Root'));
  await site.makeAdmin(rootId);
});
after(() => site[Symbol.asyncDispose]());

const USERS = '/dashboard/admin/users';
const GAMES = '/dashboard/admin/games';
const AUDIT = '/dashboard/admin/audit';

async function signedIn(name: string) {
  const { uid, client } = await site.developer(name);
  const browser = openBareBrowser(site.origin);
  await browser.signIn(name);
  return { uid, client, browser };
}

async function withGame(name: string, title: string) {
  const person = await signedIn(name);
  const { game } = await person.client.call('createProject', { body: { title } });
  for (const version of ['1.0', '2.0']) {
    await publishBuild(person.client, game.id, version, { 'index.html': version });
  }
  return { ...person, game, page: `${GAMES}/${game.id}`, account: `${USERS}/${person.uid}` };
}

test('the pages are for administrators only, and only they see the links to them', async () => {
  const { browser, game } = await withGame('Outsider', 'Outside');
  for (const path of [
    USERS,
    `${USERS}/${rootId}`,
    GAMES,
    `${GAMES}/${game.id}`,
    AUDIT,
    `${AUDIT}/export`,
  ]) {
    const page = await browser.open(path);
    assert.equal(page.status, 403, path);
    assert.match(page.text, /This page is for administrators\./);
    assert.match(
      (await openBareBrowser(site.origin).open(path)).url,
      /\/interaction\/|\/auth/,
      path,
    );
  }
  for (const [path, form] of [
    [`${USERS}/${rootId}/suspend`, { reason: 'x' }],
    [`${USERS}/${rootId}/role`, { role: 'player' }],
    [`${GAMES}/${game.id}/take-down`, {}],
  ] as const) {
    assert.equal((await browser.send(path, form)).status, 403, path);
  }
  assert.doesNotMatch((await browser.open('/dashboard')).text, /dashboard\/admin/);
  assert.match((await root.open('/dashboard')).text, /href="\/dashboard\/admin\/users"/);
  assert.match((await root.open('/dashboard/profile')).text, /<p class="quiet-text">administrator/);
  assert.match((await root.open('/dashboard/admin')).url, /\/admin\/users$/);
  const elsewhere = { origin: 'https://evil.example', site: 'cross-site' };
  const forged = await root.send(`${GAMES}/${game.id}/take-down`, {}, elsewhere);
  assert.equal(forged.status, 403);
  assert.equal((await browser.open(`/games/${game.slug}`)).status, 200);
});

test('a user is found, suspended with a reason that they see, and restored', async () => {
  const { browser, game, account } = await withGame('Suspended Sue', 'Spam game');
  const found = await root.open(`${USERS}?q=suspended+s&role=developer`);
  assert.match(found.text, new RegExp(`href="${account}">Suspended Sue</a>`));
  assert.match((await root.open(`${USERS}?q=nobody+at+all`)).text, /No user was found/);
  const done = await root.send(`${account}/suspend`, { reason: 'Sends <b>spam</b>' });
  assert.match(done.url, /\?done=suspended$/);
  const [state = '', outcome = ''] = noticesOf(done.text);
  assert.match(state, /^Suspended since .* UTC: Sends &lt;b&gt;spam&lt;\/b&gt;$/);
  assert.match(outcome, /^Suspended\. The sessions have ended/);
  assert.match((await root.open(`${USERS}?suspended=true`)).text, /Suspended Sue/);
  const own = await browser.open('/dashboard');
  assert.equal(own.status, 403);
  assert.match(wordsOf(own.text), /Your account is suspended .* Reason: Sends &lt;b&gt;spam/);
  assert.equal((await root.open(`/games/${game.slug}`)).status, 404);
  const again = openBareBrowser(site.origin);
  assert.match(wordsOf((await again.signIn('Suspended Sue')).text), /Your account is suspended/);
  const lifted = await root.send(`${account}/restore`, {});
  assert.deepEqual(noticesOf(lifted.text), [
    'The suspension is lifted. The games are as they were before.',
  ]);
  assert.equal((await root.open(`/games/${game.slug}`)).status, 200);
});

test('roles, quotas, sessions and tokens of a user are changed, and mistakes are shown at their fields', async () => {
  const { browser, client, uid, account } = await withGame('Quota Quinn', 'Limits');
  const { secret, token } = await client.call('createToken', { body: { name: 'ci' } });
  const { secret: other } = await client.call('createToken', { body: { name: 'laptop' } });
  const clientOf = async (credential: string) =>
    (
      await fetch(`${site.platform.baseUrl}/me`, {
        headers: { authorization: `Bearer ${credential}` },
      })
    ).status;
  const quota = await root.send(`${account}/quota`, { projects: '1', project_mib: '0.5' });
  assert.deepEqual(noticesOf(quota.text), ['The quotas have been changed.']);
  assert.match(quota.text, /name="projects" type="text" value="1"/);
  assert.match(quota.text, /name="project_mib" type="text" value="0\.5"/);
  assert.deepEqual((await client.call('me', {})).user.quota, {
    projects: 1,
    project_bytes: 524_288,
  });
  for (const [form, fault] of [
    [{ projects: '1.5', project_mib: '' }, /id="projects-fault">The number of games is not/],
    [{ projects: '-1', project_mib: '' }, /id="projects-fault"/],
    [{ projects: '', project_mib: 'much' }, /id="project_mib-fault">The space for each game/],
    [{ projects: '100001', project_mib: '' }, /role="alert"/],
  ] as const) {
    const refused = await root.send(`${account}/quota`, form);
    assert.equal(refused.status, 400);
    assert.match(refused.text, fault);
  }
  await root.send(`${account}/quota`, { projects: '', project_mib: '' });
  assert.equal((await client.call('me', {})).user.quota?.projects, 50);

  await root.send(`${account}/revoke-token`, { token: token.id });
  assert.deepEqual([await clientOf(secret), await clientOf(other)], [401, 200]);
  const revoked = await root.send(`${account}/revoke-tokens`, {});
  assert.equal(await clientOf(other), 401);
  assert.doesNotMatch(revoked.text, /Revoke all tokens/);

  const role = await root.send(`${account}/role`, { role: 'player' });
  assert.match(role.text, /<option value="player" selected>/);
  assert.match((await browser.open('/dashboard')).text, /Become a developer/);
  const refused = await browser.send('/dashboard/become-developer', {});
  assert.equal(refused.status, 403);
  assert.equal((await root.send(`${account}/role`, { role: 'king' })).status, 400);

  await root.send(`${account}/end-sessions`, {});
  // Without the cookies of the identity provider.
  const stolen = openBareBrowser(site.origin);
  for (const [name, value] of browser.cookies) stolen.cookies.set(name, value);
  assert.match((await stolen.open('/dashboard')).url, /\/interaction\//);
  const trail = wordsOf((await root.open(`${AUDIT}?subject=${uid}`)).text);
  assert.match(trail, /Only what was done to Quota Quinn\./);
  assert.match(trail, /user\.sessions_ended .* user\.role_changed .* developer to player/);
});

test('administrators see that they cannot lock themselves out', async () => {
  const own = await root.open(`${USERS}/${rootId}`);
  assert.match(own.text, /Your own account/);
  assert.doesNotMatch(own.text, /\/suspend"|\/role"/);
  const refused = await root.send(`${USERS}/${rootId}/suspend`, { reason: '' });
  assert.equal(refused.status, 409);
  assert.match(noticesOf(refused.text)[0] ?? '', /^Cannot suspend your own account/);
  assert.equal((await root.send(`${USERS}/nobody/suspend`, {})).status, 404);
});

test('a game is found, taken down with a reason that its owner sees, and restored', async () => {
  const { browser, game, page } = await withGame('Owner Olga', 'Malware Deluxe');
  const found = await root.open(`${GAMES}?q=malware&state=published`);
  assert.match(found.text, new RegExp(`href="${page}">Malware Deluxe</a>`));
  const done = await root.send(`${page}/take-down`, { reason: 'Coin miner' });
  assert.match(done.url, /\?done=down$/);
  assert.match(noticesOf(done.text)[0] ?? '', /^The game was taken down, .*: Coin miner$/);
  assert.match((await root.open(`${GAMES}?state=down`)).text, /Malware Deluxe/);
  assert.equal((await root.open(`/games/${game.slug}`)).status, 404);
  const own = await browser.open(`/dashboard/games/${game.id}`);
  assert.match(noticesOf(own.text)[0] ?? '', /took this game down on .*: Coin miner Players can/);
  assert.doesNotMatch(own.text, /data-publish|Put online|Make live/);
  assert.match(own.text, /stage=true/);
  assert.match(
    (await browser.open('/dashboard')).text,
    /<span class="mark bad">taken down<\/span>/,
  );
  const refused = await browser.send(`/dashboard/games/${game.id}/rollback`, { version: '1.0' });
  assert.equal(refused.status, 403);
  assert.match(noticesOf(refused.text).join(), /has taken the game down\. Reason: Coin miner/);
  const restored = await root.send(`${page}/restore`, {});
  assert.deepEqual(noticesOf(restored.text), ['Restored.']);
  assert.equal((await root.open(`/games/${game.slug}`)).status, 200);
});

test('a deleted game is marked, and can be taken down and restored', async () => {
  const { browser, game, page } = await withGame('Owner Dana', 'Deleted Deluxe');
  await browser.send(`/dashboard/games/${game.id}/delete`, { title: 'Deleted Deluxe' });
  const found = await root.open(`${GAMES}?q=deleted`);
  assert.match(found.text, /<span class="mark bad">deleted<\/span>/);
  const shown = await root.send(`${page}/take-down`, { reason: 'Spam' });
  assert.match(
    noticesOf(shown.text)[0] ?? '',
    /^Its owner deleted the game, .* The owner can restore it until it is removed\. The game was taken down, .*: Spam$/,
  );
  assert.match(shown.text, /stays deleted until the owner restores it/);
  await root.send(`${page}/restore`, {});
  assert.equal((await root.open(`/games/${game.slug}`)).status, 404);
  await browser.send(`/dashboard/deleted-games/${game.id}/restore`, {});
  assert.equal((await root.open(`/games/${game.slug}`)).status, 200);
});

test('a live release is taken down; its owner puts another one online', async () => {
  const { browser, game, page } = await withGame('Release Rita', 'Broken release');
  const long = await root.send(`${page}/take-down`, { version: '2.0', reason: 'x'.repeat(501) });
  assert.equal(long.status, 400);
  await root.send(`${page}/take-down`, { version: '2.0', reason: 'Stolen art' });
  const own = await browser.open(`/dashboard/games/${game.id}`);
  assert.match(
    noticesOf(own.text)[0] ?? '',
    /took version 2\.0 down on .*: Stolen art Players can’t see the game until you publish another/,
  );
  assert.match(own.text, /<span class="mark bad">taken down<\/span>/);
  assert.match(own.text, /aria-label="Put online: 1\.0"/);
  assert.doesNotMatch(own.text, /aria-label="(?:Put online|Put online again|Create link): 2\.0"/);
  await browser.send(`/dashboard/games/${game.id}/rollback`, { version: '1.0' });
  assert.equal((await root.open(`/games/${game.slug}`)).status, 200);
  const shown = await root.send(`${page}/restore`, { version: '2.0' });
  assert.match(shown.text, /aria-label="Take down 2\.0 …"/);
});

test('the audit trail is filtered, paged and downloaded', async () => {
  const { client, uid, game } = await withGame('Trail Tom', 'Trail');
  for (let number = 0; number < 52; number++) {
    await client.call('changeSlug', {
      params: { id: game.id },
      body: { slug: `trail-${number % 2}` },
    });
  }
  const filter = `subject=${game.id}&action=project.`;
  const first = await root.open(`${AUDIT}?${filter}`);
  const countOf = (text: string) => text.match(/<th scope="row"/g)?.length;
  assert.equal(countOf(first.text), 50);
  const next = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  assert.match(next, /subject=.*action=project.*cursor=/);
  const second = await root.open(next);
  assert.equal(countOf(second.text), 3);
  assert.match(second.text, /Newest records/);
  const file = await root.open(`${AUDIT}/export?${filter}`);
  assert.equal(file.headers.get('content-disposition'), 'attachment; filename="audit.jsonl"');
  const records = file.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(records.length, 53);
  assert.deepEqual(new Set(records.map(({ subject }) => subject)), new Set([game.id]));
  assert.equal(records.at(-1).action, 'project.created');
  assert.match((await root.open(`${AUDIT}?uid=${uid}`)).text, /Only what Trail Tom did\./);
  assert.match((await root.open(`${AUDIT}?subject=nothing`)).text, /Nothing is recorded/);
  assert.equal((await root.open(`${AUDIT}?cursor=x`)).status, 400);
});

test('with SVC_TAKEN_DOWN_STATUS=451 the page of a game that was taken down says so', async () => {
  const settings = readSettings({ SVC_TAKEN_DOWN_STATUS: '451' });
  await using saying = await openSite({ platform: { settings } });
  const { uid } = await saying.developer('Root');
  await saying.makeAdmin(uid);
  const browser = openBareBrowser(saying.origin);
  await browser.signIn('Root');
  const { client } = await saying.developer('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Gone' } });
  await publishBuild(client, game.id, '1', { 'index.html': '1' });
  await browser.send(`${GAMES}/${game.id}/take-down`, { reason: 'Secret words' });
  for (const path of [`/games/${game.slug}`, `/games/${game.slug}/releases`]) {
    const page = await openBareBrowser(saying.origin).open(path);
    assert.equal(page.status, 451, path);
    assert.match(page.text, /This game was taken down/);
    assert.doesNotMatch(page.text, /Secret words/);
  }
});
