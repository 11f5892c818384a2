// The address of one release: a game that runs keeps its files when the release is replaced, and loses them when it is taken back.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { openDatabase } from '../src/database/open-database.ts';
import type { Db } from '../src/database/schema.ts';
import { expectError } from './expect-error.ts';
import type { Files } from './make-zip.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import { requestRaw } from './raw-request.ts';

let platform: OpenPlatform;
let ada: Person;
let db: Db;
before(async () => {
  platform = await openPlatform();
  ada = await platform.person('Ada');
  ({ db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl));
});
after(async () => {
  await db.destroy();
  await platform[Symbol.asyncDispose]();
});

const filesOf = (version: string): Files => ({
  'index.html': version,
  'main.js': `// ${version}`,
  [`only-${version}.json`]: '{}',
});

/** A game with a live release, and the function that returns the address of its live release from its public page. */
async function newGame(title: string) {
  const { game } = await ada.client.call('createProject', { body: { title } });
  const publish = (version: string) => publishBuild(ada.client, game.id, version, filesOf(version));
  const embed = async (): Promise<string> => {
    const page = await ada.client.call('gamePage', { params: { slug: game.slug } });
    return page.embed.url;
  };
  await publish('1');
  return { game, publish, embed, params: { id: game.id } };
}

async function textAt(url: string): Promise<string | number> {
  const answer = await fetch(url);
  return answer.ok ? answer.text() : answer.status;
}

test('a running game keeps the files of its release when that is replaced, and a new one gets the next', async () => {
  const { game, publish, embed } = await newGame('Together');
  const first = await embed();
  assert.match(first, /\/play\/together\/\.release\/[0-9a-f-]{36}\/$/);
  assert.equal(await textAt(first), '1');
  await publish('2');
  const second = await embed();
  assert.notEqual(second, first);
  for (const [url, version] of [
    [first, '1'],
    [second, '2'],
  ] as const) {
    assert.equal(await textAt(url), version);
    assert.equal(await textAt(`${url}main.js`), `// ${version}`);
    assert.equal(await textAt(`${url}only-${version}.json`), '{}');
    assert.equal(await textAt(`${url}only-${version === '1' ? '2' : '1'}.json`), 404);
  }
  assert.equal(await textAt(`${platform.baseUrl}/play/${game.slug}/main.js`), '// 2');
});

test('the files of a release may be cached as long as it can be played after it was replaced', async () => {
  const { game, embed } = await newGame('Cached');
  const url = await embed();
  // The headers of a page depend on settings of the owner, so it is revalidated.
  for (const [path, cache] of [
    ['', 'no-cache'],
    ['main.js', 'public, max-age=86400, immutable'],
  ] as const) {
    const answer = await fetch(url + path);
    assert.equal(answer.headers.get('cache-control'), cache);
    assert.equal(answer.headers.get('x-robots-tag'), null);
    const live = await fetch(`${platform.baseUrl}/play/${game.slug}/${path}`);
    for (const name of ['content-security-policy', 'cross-origin-opener-policy', 'etag']) {
      assert.equal(answer.headers.get(name), live.headers.get(name), name);
    }
  }
});

test('a replaced release ends after 24 hours', async () => {
  const { publish, embed, params } = await newGame('Hours');
  const url = await embed();
  await publish('2');
  const replaced = async (hours: number): Promise<void> => {
    await db
      .updateTable('releases')
      .set({ replaced_at: Date.now() - hours * 3_600_000 })
      .where('game_id', '=', params.id)
      .where('version', '=', '1')
      .execute();
    // A change of the game that this process hears of.
    await ada.client.call('editProject', { params, body: { title: `Hours ${hours}` } });
  };
  await replaced(23.9);
  assert.equal(await textAt(url), '1');
  await replaced(24.1);
  assert.equal(await textAt(url), 404);
});

test('a rollback, unpublishing and deletion end every release but the live one at once', async () => {
  const { game, publish, embed, params } = await newGame('Back');
  const first = await embed();
  await publish('2');
  const second = await embed();
  await publish('3');
  const third = await embed();
  await ada.client.call('rollback', { params, body: { version: '1' } });
  assert.deepEqual(
    [await textAt(first), await textAt(second), await textAt(third)],
    ['1', 404, 404],
  );
  await publish('4');
  assert.equal(await textAt(first), '1');
  const fourth = await embed();
  await ada.client.call('unpublish', { params });
  assert.deepEqual([await textAt(first), await textAt(fourth)], [404, 404]);
  await ada.client.call('rollback', { params, body: { version: '4' } });
  assert.deepEqual([await textAt(first), await textAt(fourth)], [404, '4']);
  await publish('5');
  assert.equal(await textAt(fourth), '4');
  await ada.client.call('deleteRelease', { params: { id: game.id, version: '4' } });
  assert.equal(await textAt(fourth), 404);
});

test('only releases that players have got are played by their id, and only at their own game', async () => {
  const { game, embed, params } = await newGame('Own');
  const other = await newGame('Else');
  const url = await embed();
  const id = /\.release\/([^/]+)\//.exec(url)?.[1] ?? '';
  const form = publishForm('2', filesOf('2'));
  const { release } = await ada.client.call('publish', { params, query: { stage: 'true' }, form });
  for (const guess of [
    url.replace(id, release.id),
    url.replace(`/${game.slug}/`, `/${other.game.slug}/`),
    url.replace(id, 'x'),
    `${platform.baseUrl}/play/${game.slug}/.release/`,
    `${url}.env`,
  ]) {
    assert.equal(await textAt(guess), 404, guess);
  }
  await ada.client.call('promote', { params, body: { version: '2' } });
  assert.equal(await textAt(url), '1');
  assert.equal(await textAt(await embed()), '2');
});

test('players can choose an old release as long as its owner lets them, but not one that was taken back', async () => {
  const { publish, params, game } = await newGame('Choose');
  await publish('2');
  await publish('3');
  const edit = async (version: string, playable: boolean) =>
    (
      await ada.client.call('editRelease', {
        params: { id: params.id, version },
        body: { playable },
      })
    ).release;
  const publicReleases = async () => {
    const { releases } = await ada.client.call('gameReleases', { params: { slug: game.slug } });
    return releases.map(({ version, play_url }) => [version, typeof play_url]);
  };
  const old = await edit('1', true);
  assert.deepEqual(await publicReleases(), [
    ['3', 'string'],
    ['2', 'object'],
    ['1', 'string'],
  ]);
  await db.updateTable('releases').set({ replaced_at: 1 }).where('version', '=', '1').execute();
  assert.equal(await textAt(old.play_url ?? ''), '1');
  const { play_url } = await edit('1', false);
  assert.equal(play_url, null);
  assert.equal(await textAt(old.play_url ?? ''), 404);
  // The live release stays a choice after it is replaced, but not after it was rolled back.
  const live = await edit('3', true);
  await ada.client.call('rollback', { params, body: { version: '2' } });
  assert.equal(await textAt(live.play_url ?? ''), 404);
  const form = publishForm('4', filesOf('4'));
  await ada.client.call('publish', { params, query: { stage: 'true' }, form });
  await expectError(edit('4', true), 'not_published');
  await expectError(edit('5', true), 'not_found');
});

test('a large file that two releases share has one address, and others stay below that of their release', async () => {
  const { game, embed, params } = await newGame('Shared');
  const art = randomBytes(70_000);
  const big = { 'art/hero ü.bin': art, 'art/theme.ogg': randomBytes(80_000), 'small.bin': 'x' };
  const script = '// long\n'.repeat(20_000);
  const publishAll = (version: string, files: Files) =>
    publishBuild(ada.client, game.id, version, { ...filesOf(version), 'app.js': script, ...files });
  await publishAll('2', big);
  const second = await embed();
  const targetOf = async (url: string) => {
    const answer = await fetch(url, { redirect: 'manual' });
    await answer.arrayBuffer();
    // Relative, because a proxy may add a path before that of the request.
    const location = answer.headers.get('location');
    assert.doesNotMatch(location ?? '..', /^\/|:/);
    const target = location === null ? null : new URL(location, url).pathname;
    return [answer.status, target, answer.headers.get('cache-control')];
  };
  await publishAll('3', { ...big, 'art/theme.ogg': randomBytes(80_000) });
  const third = await embed();
  const path = 'art/hero%20%C3%BC.bin';
  const [status, location, cache] = await targetOf(second + path);
  assert.deepEqual([status, cache], [307, 'public, max-age=86400, immutable']);
  assert.match(
    String(location),
    /^\/play\/shared\/\.content\/[0-9a-f]{64}\.[\w-]{22}\/art\/hero%20%C3%BC\.bin$/,
  );
  assert.equal((await targetOf(third + path))[1], location);
  const shared = await fetch(`${platform.baseUrl}${location}`);
  assert.equal(shared.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.ok(Buffer.from(await shared.arrayBuffer()).equals(art));
  // The other content is still there for those who play the replaced release.
  const [old, next] = [
    await targetOf(`${second}art/theme.ogg`),
    await targetOf(`${third}art/theme.ogg`),
  ];
  assert.notEqual(old[1], next[1]);
  for (const [, address] of [old, next]) {
    assert.equal((await fetch(`${platform.baseUrl}${address}`)).status, 200);
  }
  const range = await fetch(`${second}art/theme.ogg`, { headers: { range: 'bytes=0-9' } });
  assert.deepEqual([range.status, (await range.arrayBuffer()).byteLength], [206, 10]);
  for (const own of ['', 'app.js', 'small.bin'])
    assert.equal((await targetOf(third + own))[0], 200);
  for (const guess of [
    String(location).replace(/[0-9a-f]{64}/, 'f'.repeat(64)),
    String(location).replace('hero', 'zero'),
    String(location).replace(/[0-9a-f]{64}/, 'x'),
    String(location).replace(/\.[\w-]{22}\//, '/'),
    String(location).replace(/\.[\w-]{22}\//, `.${'A'.repeat(22)}/`),
    String(location).replace('art/', ''),
    String(location).replace('/shared/', '/together/'),
  ]) {
    assert.equal(await textAt(`${platform.baseUrl}${guess}`), 404, guess);
  }
  await ada.client.call('rollback', { params, body: { version: '2' } });
  assert.equal(await textAt(`${platform.baseUrl}${next[1]}`), 404);
  await ada.client.call('unpublish', { params });
  assert.equal(await textAt(`${platform.baseUrl}${location}`), 404);
});

test('a rollback ends the offers of all releases that it takes back, and unpublishing that of the live one', async () => {
  const { publish, embed, params } = await newGame('Taken');
  const offer = async (version: string): Promise<string> => {
    const edited = await ada.client.call('editRelease', {
      params: { ...params, version },
      body: { playable: true },
    });
    return edited.release.play_url ?? '';
  };
  const first = await offer('1');
  await publish('2');
  const second = await offer('2');
  await publish('3');
  await publish('4');
  const fourth = await embed();
  await ada.client.call('rollback', { params, body: { version: '3' } });
  assert.deepEqual([await textAt(first), await textAt(second)], ['1', '2']);
  assert.equal(await textAt(fourth), 404);
  await ada.client.call('rollback', { params, body: { version: '1' } });
  assert.deepEqual([await textAt(first), await textAt(second)], ['1', 404]);
  await publish('5');
  const fifth = await offer('5');
  await ada.client.call('unpublish', { params });
  await publish('6');
  assert.deepEqual([await textAt(first), await textAt(fifth)], ['1', 404]);
  // To a release that was never live: it is promoted, and what it replaces is taken back too.
  const form = publishForm('7', filesOf('7'));
  await ada.client.call('publish', { params, query: { stage: 'true' }, form });
  await publish('8');
  const eighth = await offer('8');
  await ada.client.call('rollback', { params, body: { version: '7' } });
  assert.deepEqual([await textAt(first), await textAt(eighth)], ['1', 404]);
  assert.equal(await textAt(await embed()), '7');
});

test('an offer that changes nothing is not recorded', async () => {
  const { params } = await newGame('Same');
  const edit = (playable: boolean) =>
    ada.client.call('editRelease', { params: { ...params, version: '1' }, body: { playable } });
  await edit(true);
  await edit(true);
  await edit(false);
  await edit(false);
  const rows = await db
    .selectFrom('audit')
    .select('action')
    .where('subject', '=', params.id)
    .where('action', 'like', 'release.%')
    .orderBy('id')
    .execute();
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['release.published', 'release.offered', 'release.withdrawn'],
  );
});

test('games that tie saves to their address are shown at the same address after each release', async () => {
  const { game, embed, params } = await newGame('Unity');
  const own = `${platform.baseUrl}/play/${game.slug}/`;
  const setAddress = async (address: 'release' | 'game' | null): Promise<void> => {
    const form = new FormData();
    form.set('metadata', JSON.stringify({ address }));
    await ada.client.call('updateStore', { params, form });
    assert.equal((await ada.client.call('project', { params })).address, address);
  };
  assert.match(await embed(), /\.release/);
  await setAddress('game');
  assert.equal(await embed(), own);
  await setAddress(null);
  const unity: Files = { ...filesOf('2'), 'Build/moonhop.loader.js': '// loader' };
  await publishBuild(ada.client, game.id, '2', unity);
  assert.equal(await embed(), own);
  await setAddress('release');
  assert.match(await embed(), /\.release/);
  await setAddress(null);
  await publishBuild(ada.client, game.id, '3', filesOf('3'));
  assert.match(await embed(), /\.release/);
  await ada.client.call('editProject', { params, body: { engine: 'unity' } });
  assert.equal(await embed(), own);
  await ada.client.call('editProject', { params, body: { engine: 'html5' } });
  // Releases of older versions, which did not look.
  await db.updateTable('releases').set({ address: null }).where('game_id', '=', game.id).execute();
  assert.equal(await embed(), own);
});

test('a page that was opened before its release ended leads to the live release', async () => {
  const { game, publish, embed, params } = await newGame('Late');
  await publish('2');
  const second = await embed();
  await ada.client.call('rollback', { params, body: { version: '1' } });
  const { port, pathname } = new URL(second);
  for (const path of [pathname, pathname.replace(/\/$/, ''), `${pathname}index.html`]) {
    const headers = { 'Sec-Fetch-Mode': 'navigate' };
    const answer = await requestRaw({ port: Number(port), path, headers });
    assert.equal(answer.status, 302, path);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const target = new URL(answer.headers.get('location') ?? '', `${platform.baseUrl}${path}`);
    assert.equal(target.pathname, `/play/${game.slug}/`, path);
  }
  assert.equal(await textAt(`${second}main.js`), 404);
});

test('the address of a release without its slash is redirected for every client', async () => {
  const { embed } = await newGame('Bare');
  const bare = (await embed()).replace(/\/$/, '');
  const answer = await fetch(bare, { redirect: 'manual' });
  assert.equal(answer.status, 302);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.equal(await textAt(bare), '1');
});

test('a release whose manifest a repair has replaced is still played', async () => {
  const { embed, game } = await newGame('Repaired');
  const url = await embed();
  assert.equal(await textAt(`${url}main.js`), '// 1');
  const { id } = await db
    .selectFrom('releases')
    .select('id')
    .where('game_id', '=', game.id)
    .executeTakeFirstOrThrow();
  const manifest = await db
    .selectFrom('manifests')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  await db
    .insertInto('manifests')
    .values({ ...manifest, id: `${id}-2` })
    .execute();
  await db
    .updateTable('releases')
    .set({ manifest_id: `${id}-2` })
    .where('id', '=', id)
    .execute();
  await db.deleteFrom('manifests').where('id', '=', id).execute();
  assert.equal(await textAt(`${url}only-1.json`), '{}');
});
