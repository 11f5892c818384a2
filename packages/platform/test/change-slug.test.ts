// PUT /projects/:id/slug: the page moves, its earlier addresses lead there, and the game is played where it was.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Game } from '@svc/contracts/platform';
import { expectError } from './expect-error.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import { removeProject } from './remove-project.ts';

let platform: OpenPlatform;
let ada: Person;
before(async () => {
  platform = await openPlatform();
  ada = await platform.person('Ada');
});
after(() => platform[Symbol.asyncDispose]());

async function newGame(slug: string, who = ada) {
  const { game } = await who.client.call('createProject', { body: { title: slug, slug } });
  const params = { id: game.id };
  return {
    ...{ game, params },
    publish: (version: string) =>
      publishBuild(who.client, game.id, version, { 'index.html': version, 'a/b c.js': 'b' }),
    move: async (to: string) =>
      (await who.client.call('changeSlug', { params, body: { slug: to } })).game,
    former: async () => (await who.client.call('project', { params })).former_slugs,
  };
}

/** The slug of the page that an address of the store shows; the code of the error if there is none. */
async function pageAt(slug: string): Promise<string> {
  const answer = await fetch(`${platform.baseUrl}/games/${slug}/page`);
  const body = (await answer.json()) as { game: Game; error: { code: string } };
  return answer.ok ? body.game.slug : body.error.code;
}

/** What play answers: the text, or the status with the target of a redirect. */
async function playAt(path: string): Promise<string> {
  const answer = await fetch(`${platform.baseUrl}/play/${path}`, { redirect: 'manual' });
  const text = await answer.text();
  const to = answer.headers.get('location')?.replace(platform.baseUrl, '') ?? '';
  return answer.ok ? text : `${answer.status} ${to}`.trim();
}

test('the page moves, earlier slugs lead to it, and the game is played at its first one', async () => {
  const { game, publish, move, former, params } = await newGame('hop');
  const { slug } = game;
  await publish('1');
  assert.equal(await playAt('moon-hop/'), '404', 'play remembers that there is no game');
  const moved = await move('moon-hop');
  assert.equal(moved.slug, 'moon-hop');
  assert.equal(moved.play_url, `${platform.baseUrl}/play/${slug}/`);
  assert.deepEqual(await former(), ['hop']);
  assert.deepEqual([await pageAt('moon-hop'), await pageAt('hop')], ['moon-hop', 'moon-hop']);
  for (const route of ['game', 'gameReleases'] as const) {
    await ada.client.call(route, { params: { slug: 'hop' } });
    await ada.client.call(route, { params: { slug: 'moon-hop' } });
  }
  // Twice, because the second answer may come from memory.
  for (const _ of [1, 2]) {
    assert.equal(await playAt('hop/'), '1');
    assert.equal(await playAt('moon-hop/'), '302 /play/hop/');
    assert.equal(await playAt('moon-hop'), '302 /play/hop/');
    assert.equal(await playAt('moon-hop/a/b%20c.js?x=/1'), '302 /play/hop/a/b%20c.js?x=/1');
  }
  await publish('2');
  await move('star-hop');
  assert.deepEqual(await former(), ['hop', 'moon-hop']);
  for (const any of ['hop', 'moon-hop', 'star-hop']) assert.equal(await pageAt(any), 'star-hop');
  assert.equal(await playAt('moon-hop/'), '302 /play/hop/');
  const { games } = await ada.client.call('projects', { query: { slug: 'moon-hop' } });
  assert.deepEqual(
    games.map((one) => one.id),
    [game.id],
  );
  const { games: listed } = await ada.client.call('search', { query: { q: 'hop' } });
  assert.deepEqual(
    listed.map((one) => one.slug),
    ['star-hop'],
  );
  // Offline, online, and back to the first slug.
  await ada.client.call('unpublish', { params });
  assert.deepEqual([await pageAt('hop'), await playAt('star-hop/')], ['not_found', '404']);
  await ada.client.call('rollback', { params, body: { version: '1' } });
  assert.equal(await playAt('star-hop/'), '302 /play/hop/');
  assert.equal((await move('hop')).slug, 'hop');
  assert.deepEqual(await former(), ['moon-hop', 'star-hop']);
  assert.equal(await pageAt('star-hop'), 'hop');
  assert.equal((await move('hop')).slug, 'hop', 'nothing changes');
});

test('a game without a build moves as a whole, and its earlier slugs lead to it', async () => {
  const { move, former, publish } = await newGame('early');
  assert.equal((await move('later')).slug, 'later');
  assert.deepEqual(await former(), ['early']);
  await publish('1');
  assert.equal(await playAt('later/'), '1');
  assert.equal(await playAt('early/'), '302 /play/later/');
  assert.equal(await pageAt('early'), 'later');
  await expectError(newGame('early'), 'slug_taken');
});

test('a staged release keeps the address of its link', async () => {
  const { game, params, move } = await newGame('staged');
  const form = publishForm('1', { 'index.html': 'one' });
  const { preview } = await ada.client.call('publish', { params, query: { stage: 'true' }, form });
  await move('staged-too');
  assert.equal(await (await fetch(preview?.url ?? '')).text(), 'one');
  assert.match(preview?.url ?? '', new RegExp(`/play/${game.slug}/`));
});

test('slugs that a game has or had are not given to another, also with concurrent requests', async () => {
  const one = await newGame('one');
  const two = await newGame('two');
  const bob = await newGame('bob', await platform.person('Bo'));
  for (const { publish } of [one, two, bob]) await publish('1');
  await one.move('one-b');
  for (const slug of ['one', 'one-b']) {
    for (const { move } of [two, bob]) await expectError(move(slug), 'slug_taken');
    await expectError(newGame(slug), 'slug_taken');
  }
  const { game } = await ada.client.call('createProject', { body: { title: 'One' } });
  assert.equal(game.slug, 'one-2', 'a slug that is made from a title');
  const outcomes = await Promise.allSettled([
    ...[one, two, bob].map(({ move }) => move('wanted')),
    newGame('wanted').then((made) => made.game),
  ]);
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('the slugs of a removed game are free for its developer', async () => {
  const { publish, move, params } = await newGame('gone');
  await publish('1');
  await move('gone-too');
  await removeProject(ada.client, params.id);
  assert.deepEqual([await pageAt('gone-too'), await playAt('gone-too/')], ['not_found', '404']);
  const eve = await platform.person('Eve');
  await expectError(newGame('gone-too', eve), 'slug_taken');
  const { publish: publishAgain } = await newGame('gone-too');
  await publishAgain('1');
  assert.equal(await playAt('gone-too/'), '1');
});

test('a game has a limited number of earlier slugs, and can return to one', async () => {
  const { move, former } = await newGame('many');
  for (let index = 1; index <= 10; index++) await move(`many-${index}`);
  await expectError(move('many-11'), 'quota_exceeded');
  assert.equal((await former())?.length, 10);
  assert.equal((await move('many-3')).slug, 'many-3');
  const made = await newGame('many-11');
  assert.equal(made.game.slug, 'many-11', 'the rejected slug was not kept');
});

test('only a session of the owner changes the slug, and only to a valid one', async () => {
  const { params, publish, move } = await newGame('mine');
  await publish('1');
  const body = { slug: 'yours' };
  const { secret } = await ada.client.call('createToken', {
    body: { name: 'ci', scopes: ['publish'] },
  });
  const pat = platform.clientWith(secret);
  await expectError(pat.call('changeSlug', { params, body }), 'session_only');
  const eve = await platform.person('Mallory');
  await expectError(eve.client.call('changeSlug', { params, body }), 'not_owner');
  for (const slug of ['', 'ab', 'A-b', '-abc', 'a--b', 'x'.repeat(64), 'play', 'a/b', 'ünïcorn']) {
    await expectError(move(slug), 'invalid_input');
  }
});
