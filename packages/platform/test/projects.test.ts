import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ROUTES } from '@svc/contracts/platform';
import { Value } from 'typebox/value';
import { openDatabase } from '../src/database/open-database.ts';
import { expectError, readErrorCode } from './expect-error.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';

let platform: OpenPlatform;
let ada: Person;
before(async () => {
  platform = await openPlatform({ limits: { projects_per_developer: 30 } });
  ada = await platform.person('Ada');
});
after(() => platform[Symbol.asyncDispose]());

async function post(person: Person, body: unknown): Promise<Response> {
  return fetch(`${platform.baseUrl}/projects`, {
    method: 'POST',
    headers: { authorization: `Bearer ${person.idToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

test('POST /projects creates a draft with all fields', async () => {
  const { game } = await ada.client.call('createProject', {
    body: {
      title: ' Space Goats ',
      slug: 'space-goats',
      engine: 'godot',
      tagline: 'Goats. In space.',
      description: '# Hello',
      tags: ['goats', 'space-3d'],
    },
  });
  assert.ok(Value.Check(ROUTES.createProject.answer, { game }));
  const { id, created_at, updated_at, ...rest } = game;
  assert.deepEqual(rest, {
    developer_uid: ada.uid,
    title: 'Space Goats',
    slug: 'space-goats',
    engine: 'godot',
    tagline: 'Goats. In space.',
    tags: ['goats', 'space-3d'],
    category: null,
    status: 'draft',
    version: null,
    build_url: null,
    cover_url: null,
    cover_variants: [],
    play_url: null,
    published_at: null,
    taken_down: null,
  });
  assert.equal(created_at, updated_at);
  const shown = await ada.client.call('project', { params: { id } });
  assert.ok(Value.Check(ROUTES.project.answer, shown));
  assert.deepEqual(shown.game, game);
  assert.equal(shown.page.description, '# Hello');
  assert.equal(shown.live_release, null);
});

test('POST /projects derives a slug from the title, with a number if it is in use', async () => {
  const slugOf = async (title: string) =>
    (await ada.client.call('createProject', { body: { title } })).game.slug;
  assert.equal(await slugOf('Ünïcorn — Quest!'), 'unicorn-quest');
  assert.equal(await slugOf('Unicorn Quest'), 'unicorn-quest-2');
  assert.equal(await slugOf('unicorn  quest'), 'unicorn-quest-3');
  assert.match(await slugOf('日本'), /^game-[0-9a-f]{6}$/);
  assert.equal(await slugOf('Play'), 'play-2');
  const long = 'x'.repeat(80);
  // There is space for a number.
  assert.deepEqual(
    [await slugOf(long), await slugOf(long)],
    ['x'.repeat(58), `${'x'.repeat(58)}-2`],
  );
  assert.equal(await slugOf(`${'y'.repeat(57)} z`), 'y'.repeat(57), 'no dash at an end');
  assert.equal(await slugOf('?abc!'), 'abc');
  assert.match(await slugOf('ab'), /^game-[0-9a-f]{6}$/, 'a slug has three characters at least');
});

test('POST /projects numbers slugs up to 50, and chooses a random one if all are in use', async () => {
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  const hold = (number: number) =>
    db
      .insertInto('slugs')
      .values({
        slug: number === 1 ? 'crowded' : `crowded-${number}`,
        developer_uid: 'somebody-else',
      })
      .execute();
  for (let number = 1; number < 50; number++) await hold(number);
  await db.destroy();
  const slugOf = async () =>
    (await ada.client.call('createProject', { body: { title: 'Crowded' } })).game.slug;
  assert.equal(await slugOf(), 'crowded-50');
  assert.match(await slugOf(), /^game-[0-9a-f]{6}$/);
});

test('POST /projects rejects a chosen slug that is in use, also for concurrent requests', async () => {
  const body = { title: 'Race', slug: 'the-race' };
  const answers = await Promise.all(Array.from({ length: 6 }, () => post(ada, body)));
  const statuses = answers.map((answer) => answer.status).sort();
  assert.deepEqual(statuses, [201, 409, 409, 409, 409, 409]);
  const bob = await platform.person('Bob');
  await expectError(bob.client.call('createProject', { body }), 'slug_taken');
});

test('POST /projects rejects invalid input', async () => {
  const bodies: unknown[] = [
    {},
    { title: '' },
    { title: ' ' },
    { title: 'x'.repeat(81) },
    { title: 'a', slug: 'ab' },
    { title: 'a', slug: 'A-b' },
    { title: 'a', slug: '-abc' },
    { title: 'a', slug: 'abc-' },
    { title: 'a', slug: 'a--b' },
    { title: 'a', slug: 'x'.repeat(64) },
    { title: 'a', slug: 'play' },
    { title: 'a', engine: 'quake' },
    { title: 'a', tags: ['A'] },
    { title: 'a', tags: ['a'] },
    { title: 'a', tags: ['aa', 'aa'] },
    { title: 'a', tags: Array.from({ length: 11 }, (_, i) => `tag${i}`) },
    { title: 'a', tagline: 'x'.repeat(141) },
    { title: 'a', description: 'x'.repeat(20_001) },
    { title: 'a', description: 'a\u0000b' },
    { title: 'a', status: 'published' },
    { title: 'a', developer_uid: ada.uid },
  ];
  for (const body of bodies) {
    assert.equal(await readErrorCode(await post(ada, body)), 'invalid_input', JSON.stringify(body));
  }
});

test('an unknown project is 404, another developer’s 403, on every route', async () => {
  const { game } = await ada.client.call('createProject', { body: { title: 'Mine' } });
  const bob = await platform.person('Bob');
  const calls = (id: string) => [
    () => bob.client.call('project', { params: { id } }),
    () => bob.client.call('editProject', { params: { id }, body: { title: 'Stolen' } }),
  ];
  for (const call of calls(game.id)) await expectError(call(), 'not_owner');
  for (const id of ['nothing', game.id.replace(/.$/, 'x')]) {
    for (const call of calls(id)) await expectError(call(), 'not_found');
  }
  assert.equal((await ada.client.call('project', { params: { id: game.id } })).game.title, 'Mine');
});

test('PATCH /projects/:id keeps absent fields and clears null fields', async () => {
  const { game } = await ada.client.call('createProject', {
    body: { title: 'Edit me', tagline: 'before', tags: ['one', 'two'], description: 'text' },
  });
  const params = { id: game.id };
  const first = await ada.client.call('editProject', {
    params,
    body: { title: ' Edited ', engine: 'unity' },
  });
  assert.deepEqual([game.engine, first.game.engine], ['html5', 'unity']);
  assert.deepEqual([first.game.title, first.game.tagline], ['Edited', 'before']);
  assert.deepEqual(first.game.tags, ['one', 'two']);
  assert.equal(first.game.slug, game.slug);
  assert.ok(first.game.updated_at >= game.updated_at);
  const second = await ada.client.call('editProject', {
    params,
    body: { tagline: null, tags: null, description: null, engine: null },
  });
  assert.equal(second.game.tagline, null);
  assert.deepEqual(second.game.tags, []);
  assert.equal(second.game.engine, 'html5');
  const { page } = await ada.client.call('project', { params });
  assert.equal(page.description, null);
});

test('GET /projects pages through all, newest first, and finds one by its slug', async () => {
  const ida = await platform.person('Ida');
  const made: string[] = [];
  for (let index = 0; index < 7; index++) {
    const { game } = await ida.client.call('createProject', { body: { title: `Game ${index}` } });
    made.unshift(game.id);
  }
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const query: { limit: string; cursor?: string } = { limit: '3' };
    if (cursor !== null) query.cursor = cursor;
    const page = await ida.client.call('projects', { query });
    seen.push(...page.games.map((game) => game.id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  assert.deepEqual(seen, made);
  const one = await ida.client.call('projects', { query: { slug: 'game-3' } });
  assert.deepEqual(
    one.games.map((game) => game.title),
    ['Game 3'],
  );
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'limit=-1', 'limit=1.5', 'cursor=zzz']) {
    const answer = await fetch(`${platform.baseUrl}/projects?${query}`, {
      headers: { authorization: `Bearer ${ida.idToken}` },
    });
    assert.equal(await readErrorCode(answer), 'invalid_input', query);
  }
});

test('POST /projects rejects more projects than a developer may have', async () => {
  const joe = await platform.person('Joe');
  for (let index = 0; index < 30; index++) {
    await joe.client.call('createProject', { body: { title: `Many ${index}` } });
  }
  const more = joe.client.call('createProject', { body: { title: 'One more' } });
  await expectError(more, 'quota_exceeded');
  const ann = await platform.person('Ann');
  const create = () => ann.client.call('createProject', { body: { title: 'All at once' } });
  const codes = await Promise.all(
    Array.from({ length: 35 }, () =>
      create().then(
        () => 'made',
        ({ code }) => String(code),
      ),
    ),
  );
  // On a busy machine the database may answer some of these requests too late, whether they are done or not.
  for (const code of codes) assert.match(code, /^(?:made|quota_exceeded|unavailable)$/);
  const slugs = async () => {
    const { games } = await ann.client.call('projects', { query: { limit: '100' } });
    return new Set(games.map(({ slug }) => slug));
  };
  const { size } = await slugs();
  assert.ok(size >= codes.filter((code) => code === 'made').length && size <= 30);
  if (!codes.includes('unavailable')) assert.equal(size, 30);
  for (let count = size; count < 30; count++) await create();
  await expectError(create(), 'quota_exceeded');
  assert.equal((await slugs()).size, 30);
});

test('a NUL in an address is 404 on both databases', async () => {
  const get = (path: string) =>
    fetch(`${platform.baseUrl}${path}`, { headers: { authorization: `Bearer ${ada.idToken}` } });
  const paths = ['/users/a%00', '/devs/a%00', '/games/a%00', '/games/a%00/page', '/projects/a%00'];
  for (const path of paths) assert.equal(await readErrorCode(await get(path)), 'not_found', path);
  assert.equal(await readErrorCode(await get('/projects?slug=a%00')), 'invalid_input');
});
