// Deleted games in the dashboard: what is said after a deletion, the list, the restoration, and the removal for good.
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import type { DeletedGame } from '@svc/contracts/platform';
import { publishBuild } from '@svc/platform/testing';
import { openBareBrowser } from './browser-without-screen.ts';
import { AT, changes, openDesk } from './open-desk.ts';
import { openSite, type Site } from './open-site.ts';
import { apiError, gameOf } from './stand-in-api.ts';
import { noticesOf, wordsOf } from './words-of.ts';

const EVIL = `"><script>alert(1)</script>'`;
const DELETED: DeletedGame = {
  ...{ id: 'gone-id', title: `Gone ${EVIL}`, slug: 'gone', bytes: 3 * 1024 * 1024 },
  ...{ deleted_at: '2026-03-01T10:20:30.000Z', removed_at: '2026-03-15T10:20:30.000Z' },
};
const RESTORE = '/dashboard/deleted-games/gone-id/restore';
const REMOVE = '/dashboard/deleted-games/gone-id/remove';

let site: Site;
before(async () => {
  site = await openSite();
});
after(() => site[Symbol.asyncDispose]());

/** A dashboard with one game and these deleted ones. Null with an older API. */
async function openDeleted(t: TestContext, games: readonly DeletedGame[] | null = [DELETED]) {
  const desk = await openDesk(t);
  const { answers } = desk.api;
  answers['GET /projects'] = { json: { games: [gameOf()], next_cursor: null } };
  const limits = games === null ? {} : { deleted_game_days: 14 };
  answers['GET /limits'] = { json: { limits, media_origin: 'https://media.example' } };
  if (games !== null) answers['GET /me/deleted-games'] = { json: { games, next_cursor: null } };
  return desk;
}

test('a developer deletes a game, restores it, deletes it again and removes it for good', async () => {
  const { client } = await site.developer('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Moonhop' } });
  await publishBuild(client, game.id, '1', { 'index.html': 'x' });
  const ada = openBareBrowser(site.origin);
  await ada.signIn('Ada');
  const at = `/dashboard/games/${game.id}`;
  const page = await ada.open(at);
  assert.match(page.text, /You can restore it for 14 days\. Then it is removed for good\./);
  const deleted = await ada.send(`${at}/delete`, { title: 'Moonhop' });
  assert.match(
    noticesOf(deleted.text).join(),
    /“Moonhop” has been deleted\. You can restore it until \w+ \d+, \d{4}, \d\d:\d\d UTC, under “Deleted games” on this page\./,
  );
  assert.match(wordsOf(deleted.text), /Deleted games .*Moonhop/);
  assert.equal((await ada.open(at)).status, 404);
  assert.equal((await ada.open(`/games/${game.slug}`)).status, 404);
  const again = await ada.send('/dashboard/new', { title: 'Other', slug: game.slug });
  assert.equal(again.status, 409);
  assert.match(again.text, /belongs to a game that you have deleted\. Restore that game, remove/);

  const deletedGame = `/dashboard/deleted-games/${game.id}`;
  const restored = await ada.send(`${deletedGame}/restore`, {});
  assert.match(noticesOf(restored.text).join(), /has been restored with everything/);
  assert.equal((await ada.open(`/games/${game.slug}`)).status, 200);
  assert.doesNotMatch((await ada.open('/dashboard')).text, /Deleted games/);
  const back = await ada.open(`/dashboard?done=deleted&game=${game.id}`);
  assert.doesNotMatch(noticesOf(back.text).join(), /deleted/);

  await ada.send(`${at}/delete`, { title: 'Moonhop' });
  const refused = await ada.send(`${deletedGame}/remove`, { title: 'moonhop' });
  assert.equal(refused.status, 400);
  assert.match(noticesOf(refused.text).join(), /Nothing was removed/);
  const removed = await ada.send(`${deletedGame}/remove`, { title: 'Moonhop' });
  assert.match(noticesOf(removed.text).join(), /all of its files have been removed/);
  for (const action of ['restore', 'remove']) {
    const late = await ada.send(`${deletedGame}/${action}`, { title: 'Moonhop' });
    assert.equal(late.status, 404);
    assert.match(late.text, /This game was restored or removed before/);
  }
});

test('the list shows when games were deleted and until when they can be restored', async (t) => {
  const desk = await openDeleted(t);
  const text = await desk.open('/dashboard');
  const [, section = ''] = text.split('id="deleted">');
  assert.match(
    wordsOf(section),
    /Gone .*\/games\/gone Mar 1, 2026 Mar 15, 2026, 10:20 UTC 3\.0 MiB/,
  );
  assert.match(section, new RegExp(`action="${RESTORE}"`));
  assert.match(section, new RegExp(`href="${REMOVE}"`));
  assert.doesNotMatch(text, /<script>alert/);
  const asked = desk.api.asked.filter(({ route }) => route === 'GET /me/deleted-games').length;
  await desk.open('/dashboard?cursor=next');
  const after = desk.api.asked.filter(({ route }) => route === 'GET /me/deleted-games').length;
  assert.equal(after, asked, 'only the first page has the list');
});

test('all pages of deleted games are listed', async (t) => {
  const desk = await openDeleted(t);
  desk.api.answers['GET /me/deleted-games'] = ({ query }) => ({
    json: {
      games: [{ ...DELETED, id: query['cursor'] ?? 'first', title: query['cursor'] ?? 'First' }],
      next_cursor: query['cursor'] === undefined ? 'second' : null,
    },
  });
  const text = await desk.open('/dashboard');
  for (const id of ['first', 'second']) assert.match(text, new RegExp(`${id}/restore`));
});

test('without deleted games, or with an older API, there is no section and no promise', async (t) => {
  for (const games of [[], null]) {
    const desk = await openDeleted(t, games);
    assert.doesNotMatch(await desk.open('/dashboard'), /Deleted games/);
    const page = await desk.open(AT);
    assert.equal(page.includes('Delete permanently'), games === null);
    assert.equal(page.includes('You can restore it for 14 days'), games !== null);
    const account = await desk.open('/dashboard/profile/delete');
    assert.equal(account.includes('None of them can be restored'), games !== null);
    // Without the time to restore it, the deletion was final. Else the game was restored or removed since.
    const done = await desk.open('/dashboard?done=deleted&game=gone-id');
    assert.equal(done.includes('The game and all of its files have been deleted.'), games === null);
  }
});

test('a server with the limit 0 makes no promise, and one with 1 day names it', async (t) => {
  const desk = await openDeleted(t, []);
  for (const [days, words] of [
    [0, /Deleting permanently removes the game/],
    [1, /You can restore it for 1 day\. /],
  ] as const) {
    const other = days === 0 ? desk : await openDeleted(t, []);
    other.api.answers['GET /limits'] = { json: { limits: { deleted_game_days: days } } };
    assert.match(await other.open(AT), words);
  }
});

test('the removal is confirmed on a page of its own by the title', async (t) => {
  const desk = await openDeleted(t);
  const { answers } = desk.api;
  answers['DELETE /me/deleted-games/gone-id'] = { status: 204, text: '' };
  const page = await desk.open(REMOVE);
  assert.match(page, /<h1>Remove Gone &quot;&gt;/);
  assert.match(
    wordsOf(page),
    /It can’t be undone\. If you do nothing, .* until Mar 15, 2026, 10:20 UTC/,
  );
  for (const title of ['', 'Gone', 'gone']) {
    const refused = await desk.post(REMOVE, { title });
    assert.equal(refused.status, 400, title);
  }
  assert.deepEqual(changes(desk), []);
  const removed = await desk.post(REMOVE, { title: ` ${DELETED.title} ` });
  assert.equal(removed.headers.get('location'), '/dashboard?done=removed');
  assert.deepEqual(changes(desk), [['DELETE /me/deleted-games/gone-id', {}, '']]);
  assert.match(await desk.open('/dashboard/deleted-games/other-id/remove'), /restored or removed/);
});

test('a restoration that the API rejects is shown above the lists', async (t) => {
  const desk = await openDeleted(t);
  const { answers } = desk.api;
  const route = 'POST /projects/gone-id/restore';
  answers[route] = apiError(429, 'rate_limited', 'Too many changes');
  const refused = await desk.post(RESTORE, {});
  assert.equal(refused.status, 429);
  assert.match(await refused.text(), /role="alert"><p>Too many changes\.[\s\S]*Your games/);
  answers[route] = { json: { game: gameOf({ id: 'gone-id' }) } };
  const restored = await desk.post(RESTORE, {});
  assert.equal(restored.headers.get('location'), '/dashboard/games/gone-id?done=restored');
});
