import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type CallAnswer, ROUTES } from '@svc/contracts/platform';
import { Value } from 'typebox/value';
import { expectError, readErrorCode } from './expect-error.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';

let platform: OpenPlatform;
let ada: Person;
let bob: Person;
const slugs: string[] = [];

async function publishGame(
  person: Person,
  title: string,
  category: string,
  tags: string[],
): Promise<string> {
  const { game } = await person.client.call('createProject', { body: { title, tags } });
  const form = new FormData();
  form.set('metadata', JSON.stringify({ category }));
  await person.client.call('updateStore', { params: { id: game.id }, form });
  await publishBuild(person.client, game.id, '1', { 'index.html': title });
  slugs.unshift(game.slug);
  return game.id;
}

before(async () => {
  platform = await openPlatform();
  ada = await platform.person('Ada Lovelace');
  bob = await platform.person('Bob Builder');
  for (let index = 0; index < 5; index++) {
    await publishGame(ada, `Goat Race ${index}`, 'racing', ['goats', 'fast']);
  }
  await publishGame(bob, 'Space Goats', 'action', ['space', 'goats']);
  await publishGame(bob, 'Goats', 'puzzle', ['calm']);
  await bob.client.call('createProject', { body: { title: 'Goat Secret Draft', tags: ['goats'] } });
});
after(() => platform[Symbol.asyncDispose]());

type Home = CallAnswer<'home'>;

async function walkHome(query: Record<string, string>): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Home = await platform
      .clientWith(null)
      .call('home', { query: cursor === null ? query : { ...query, cursor } });
    assert.ok(Value.Check(ROUTES.home.answer, page));
    const uids = new Set(page.games.map((game) => game.developer_uid));
    assert.deepEqual(
      page.developers.map((user) => user.uid),
      [...uids],
      'each developer once, in the order of the games',
    );
    seen.push(...page.games.map((game) => game.slug));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return seen;
}

test('GET /home pages through all published games, newest first, each once', async () => {
  assert.deepEqual(await walkHome({}), slugs);
  assert.deepEqual(await walkHome({ limit: '1' }), slugs);
  assert.deepEqual(await walkHome({ limit: '3' }), slugs);
  assert.deepEqual(await walkHome({ limit: '7' }), slugs);
});

test('GET /home filters by category, tag, or both', async () => {
  const racing = slugs.filter((slug) => slug.startsWith('goat-race'));
  assert.deepEqual(await walkHome({ category: 'racing', limit: '2' }), racing);
  assert.deepEqual(await walkHome({ tag: 'goats', limit: '2' }), ['space-goats', ...racing]);
  assert.deepEqual(await walkHome({ tag: 'goats', category: 'action' }), ['space-goats']);
  assert.deepEqual(await walkHome({ tag: 'nothing' }), []);
});

test('lists reject an invalid limit, cursor or category and unknown fields', async () => {
  const queries = [
    'limit=0',
    'limit=101',
    'limit=',
    'limit=ten',
    'limit=1&limit=2',
    'cursor=',
    'cursor=AAAA',
    'cursor=MSB4',
    'category=none-such',
    'tag=NO',
    'q=1',
  ];
  for (const query of queries) {
    const answer = await fetch(`${platform.baseUrl}/home?${query}`);
    assert.equal(await readErrorCode(answer), 'invalid_input', query);
  }
});

test('GET /games/:slug shows a published game and its developer, else 404', async () => {
  const stranger = platform.clientWith('a bad credential is ignored here');
  const found = await stranger.call('game', { params: { slug: 'goats' } });
  assert.ok(Value.Check(ROUTES.game.answer, found));
  assert.equal(found.game.title, 'Goats');
  assert.equal(found.game.build_url, null);
  assert.deepEqual(Object.keys(found.developer).sort(), ['avatar', 'created_at', 'name', 'uid']);
  for (const slug of ['goat-secret-draft', 'nothing', 'GOATS']) {
    await expectError(stranger.call('game', { params: { slug } }), 'not_found');
    await expectError(stranger.call('gamePage', { params: { slug } }), 'not_found');
    await expectError(stranger.call('gameReleases', { params: { slug } }), 'not_found');
  }
});

test('GET /games/:slug/releases pages newest first', async () => {
  const { game } = await ada.client.call('createProject', { body: { title: 'Many releases' } });
  for (const version of ['1', '2', '3']) {
    await publishBuild(ada.client, game.id, version, { 'index.html': version }, `notes ${version}`);
  }
  const params = { slug: game.slug };
  const stranger = platform.clientWith(null);
  const first = await stranger.call('gameReleases', { params, query: { limit: '2' } });
  assert.deepEqual(
    first.releases.map((one) => one.notes),
    ['notes 3', 'notes 2'],
  );
  const rest = await stranger.call('gameReleases', {
    params,
    query: { cursor: first.next_cursor ?? '' },
  });
  assert.deepEqual(
    rest.releases.map((one) => one.version),
    ['1'],
  );
  await ada.client.call('unpublish', { params: { id: game.id } });
  await expectError(stranger.call('gameReleases', { params }), 'not_found');
  assert.equal((await walkHome({})).includes(game.slug), false);
});

test('GET /devs/:uid shows a developer with published games only; a player is 404', async () => {
  const stranger = platform.clientWith(null);
  const found = await stranger.call('developer', { params: { uid: bob.uid } });
  assert.ok(Value.Check(ROUTES.developer.answer, found));
  assert.deepEqual(
    found.games.map((game) => game.slug),
    ['goats', 'space-goats'],
  );
  const player = await platform.person('Only Plays', 'player');
  await expectError(stranger.call('developer', { params: { uid: player.uid } }), 'not_found');
  await expectError(stranger.call('developer', { params: { uid: 'x' } }), 'not_found');
});

test('GET /categories lists id and name', async () => {
  const { categories } = await platform.clientWith(null).call('categories', {});
  assert.equal(categories.length, 19);
  assert.deepEqual(categories[0], { id: 'action', name: 'Action' });
});

test('GET /search finds games by title and tag, best match first, and never a draft', async () => {
  const find = async (q: string): Promise<string[]> => {
    const found = await platform.clientWith(null).call('search', { query: { q } });
    assert.ok(Value.Check(ROUTES.search.answer, found));
    return found.games.map((game) => game.slug);
  };
  assert.equal((await find('goats'))[0], 'goats');
  assert.equal((await find('goats')).length, 7);
  assert.deepEqual(await find('SPACE góats'), ['space-goats']);
  const races = slugs.filter((slug) => slug.startsWith('goat-race'));
  assert.deepEqual(await find('goat ra'), races, 'equally good matches are sorted newest first');
  assert.deepEqual(await find('goat race 3'), ['goat-race-3']);
  assert.deepEqual((await find('go')).sort(), (await find('goat')).sort(), 'two letters begin');
  assert.deepEqual(await find('g'), [], 'one letter is a word');
  assert.deepEqual(await find('goa race'), [], 'only the last word may be a beginning');
  assert.deepEqual(await find('ra goat'), []);
  const found = await platform
    .clientWith(null)
    .call('search', { query: { q: 'goat ra', limit: '2' } });
  assert.deepEqual(
    found.games.map((game) => game.slug),
    races.slice(0, 2),
  );
  assert.deepEqual(await find('calm'), ['goats']);
  assert.deepEqual(await find('secret'), []);
  assert.deepEqual(await find('nothing here'), []);
  assert.deepEqual(await find('%'), []);
  assert.deepEqual(await find("'; drop table games; --"), []);
});

test('GET /search uses the first five words, the last one also as a prefix', async () => {
  await publishGame(bob, 'Alpha Bravo Charlie Delta Echoes', 'other', []);
  slugs.shift();
  const find = async (q: string): Promise<number> =>
    (await platform.clientWith(null).call('search', { query: { q } })).games.length;
  assert.equal(await find('alpha bravo charlie delta echoes'), 1);
  assert.equal(await find('echo'), 1);
  assert.equal(await find('bravo alpha delta charlie ec'), 1);
  assert.equal(await find('alpha bravo charlie delta foxtrot'), 0);
  assert.equal(await find('alpha bravo charlie delta echoes foxtrot'), 1);
  const { games } = await bob.client.call('projects', { query: {} });
  const { id = '' } = games.find((game) => game.title.startsWith('Alpha')) ?? {};
  await bob.client.call('deleteProject', { params: { id } });
});

test('GET /search finds developers by name, also after they were renamed', async () => {
  const find = async (q: string): Promise<string[]> => {
    const found = await platform.clientWith(null).call('search', { query: { q, limit: '5' } });
    return found.developers.map((user) => user.name);
  };
  assert.deepEqual(await find('lovel'), ['Ada Lovelace']);
  for (const name of ['Zed One', 'Zed Two', 'Zed Three']) await platform.person(name);
  assert.deepEqual(await find('zed'), ['Zed Three', 'Zed Two', 'Zed One'], 'newest first');
  const two = await platform.clientWith(null).call('search', { query: { q: 'zed', limit: '2' } });
  assert.equal(two.developers.length, 2);
  const cleo = await platform.person('Cleo Before');
  await cleo.client.call('editProfile', { body: { name: 'Cleo Afterwards' } });
  assert.deepEqual(await find('before'), []);
  assert.deepEqual(await find('afterwards'), ['Cleo Afterwards']);
  await platform.person('Just Looking', 'player');
  assert.deepEqual(await find('looking'), []);
});

test('GET /search rejects a missing query and an invalid limit', async () => {
  for (const query of ['', '?q=', '?q=x&limit=0', '?q=x&cursor=y', `?q=${'x'.repeat(201)}`]) {
    const answer = await fetch(`${platform.baseUrl}/search${query}`);
    assert.equal(await readErrorCode(answer), 'invalid_input', query);
  }
});

test('search reflects a changed title and a deleted game', async () => {
  const id = await publishGame(ada, 'Quokka Quest', 'rpg', []);
  const find = async (q: string) =>
    (await platform.clientWith(null).call('search', { query: { q } })).games.length;
  assert.equal(await find('quokka'), 1);
  await ada.client.call('editProject', { params: { id }, body: { title: 'Wombat Quest' } });
  assert.deepEqual([await find('quokka'), await find('wombat')], [0, 1]);
  await ada.client.call('deleteProject', { params: { id } });
  assert.equal(await find('wombat'), 0);
});

test('lists reflect a changed category and changed tags', async () => {
  const id = await publishGame(ada, 'Wandering', 'rpg', ['before', 'stays']);
  const [slug = ''] = slugs;
  slugs.shift();
  const listed = async (query: Record<string, string>): Promise<boolean> =>
    (await walkHome(query)).includes(slug);
  const inBefore = { tag: 'before', category: 'rpg' };
  assert.equal(await listed(inBefore), true);
  await ada.client.call('editProject', { params: { id }, body: { tags: ['stays', 'now'] } });
  assert.deepEqual(
    [await listed({ tag: 'before' }), await listed({ tag: 'stays' }), await listed({ tag: 'now' })],
    [false, true, true],
  );
  const form = new FormData();
  form.set('metadata', '{"category":"puzzle","tags":["last"]}');
  await ada.client.call('updateStore', { params: { id }, form });
  assert.deepEqual(
    [await listed({ tag: 'now' }), await listed({ tag: 'last', category: 'rpg' })],
    [false, false],
  );
  assert.equal(await listed({ tag: 'last', category: 'puzzle' }), true);
  const { games } = await platform.clientWith(null).call('search', { query: { q: 'last' } });
  assert.deepEqual(
    games.map((game) => game.slug),
    [slug],
  );
  await ada.client.call('unpublish', { params: { id } });
  assert.deepEqual(
    [await listed({ tag: 'last' }), await listed({ category: 'puzzle' })],
    [false, false],
  );
  await ada.client.call('deleteProject', { params: { id } });
});

test('HEAD is GET without the body, also for errors', async () => {
  const addresses = ['/healthz', '/limits', '/home?limit=2', `/games/${slugs[0]}/page`];
  for (const address of [...addresses, '/categories', '/openapi.json', '/games/none', '/me']) {
    const full = await fetch(`${platform.baseUrl}${address}`);
    const head = await fetch(`${platform.baseUrl}${address}`, { method: 'HEAD' });
    const body = await full.arrayBuffer();
    assert.equal(head.status, full.status, address);
    assert.equal((await head.arrayBuffer()).byteLength, 0, address);
    for (const name of ['content-type', 'cache-control', 'access-control-allow-origin']) {
      assert.equal(head.headers.get(name), full.headers.get(name), `${address} ${name}`);
    }
    assert.equal(head.headers.get('content-length'), String(body.byteLength), address);
  }
  const posted = await fetch(`${platform.baseUrl}/home`, { method: 'POST' });
  assert.equal(posted.status, 405);
  assert.equal(posted.headers.get('allow'), 'GET, HEAD');
});
