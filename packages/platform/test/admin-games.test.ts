// Games and releases that an administrator takes down: what players, the owner and administrators see, and how they are restored.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import type { Game } from '@svc/contracts/platform';
import { connectBounded } from '../../../scripts/connect-bounded.ts';
import { until } from '../../../scripts/until.ts';
import { readSettings } from '../src/index.ts';
import { expectError } from './expect-error.ts';
import { makeAdmin } from './make-admin.ts';
import { freshName, type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import { openUpload, sendParts } from './publish-parts.ts';
import { requestRaw } from './raw-request.ts';

let platform: OpenPlatform;
let root: Person;
let ada: Person;
before(async () => {
  platform = await openPlatform();
  root = await makeAdmin(platform, 'Root');
  ada = await platform.person('Ada');
});
after(() => platform[Symbol.asyncDispose]());

const nobody = (at = platform) => at.clientWith(null);
const playOf = ({ slug }: Pick<Game, 'slug'>, at = platform): string =>
  `${at.baseUrl}/play/${slug}/`;

async function newGame(owner = ada): Promise<Game> {
  return (await owner.client.call('createProject', { body: { title: freshName('Game') } })).game;
}

/** A build whose page is the version, with a file whose name contains a hash, and a large one. */
const filesOf = (version: string) => ({
  'index.html': version,
  [`${version}-0123456789abcdef.js`]: `// ${version}`,
  'large.bin': version.repeat(80_000),
});

async function publishedGame(versions: readonly string[], owner = ada): Promise<Game> {
  const game = await newGame(owner);
  for (const version of versions) {
    await publishBuild(owner.client, game.id, version, filesOf(version));
  }
  return game;
}

async function textAt(url: string): Promise<string | number> {
  const answer = await fetch(url);
  const text = await answer.text();
  return answer.ok ? text : answer.status;
}

function takeDown(id: string, body: { reason?: string; version?: string } = {}) {
  return root.client.call('takeDown', { params: { id }, body });
}

function restore(id: string, body: { version?: string } = {}) {
  return root.client.call('restoreGame', { params: { id }, body });
}

async function ownView(id: string, owner = ada) {
  const { game, live_release } = await owner.client.call('project', { params: { id } });
  return {
    status: game.status,
    version: game.version,
    reason: game.taken_down?.reason,
    release: live_release?.taken_down?.reason,
  };
}

async function auditOf(subject: string): Promise<[string, string | null][]> {
  const { records } = await root.client.call('audit', { query: { subject } });
  return records.map(({ action, detail }): [string, string | null] => [action, detail]).reverse();
}

test('a game that is taken down is gone for players, and its owner sees the reason and cannot make it public', async () => {
  const game = await publishedGame(['1', '2']);
  const params = { id: game.id };
  const { preview } = await ada.client.call('createPreview', { params, body: { version: '2' } });
  const { published_at } = (await nobody().call('game', { params: game })).game;
  const seen = async () => ({
    play: await textAt(playOf(game)),
    preview: await textAt(preview.url),
    listed: (await nobody().call('home', {})).games.some(({ id }) => id === game.id),
    found: (await nobody().call('search', { query: { q: game.title } })).games.length,
  });
  assert.deepEqual(await seen(), { play: '2', preview: '2', listed: true, found: 1 });

  const taken = await takeDown(game.id, { reason: 'Malware' });
  assert.deepEqual(
    [taken.game.status, taken.game.taken_down?.reason, taken.game.version],
    ['draft', 'Malware', '2'],
  );
  assert.deepEqual(await seen(), { play: 404, preview: 404, listed: false, found: 0 });
  for (const name of ['game', 'gamePage', 'gameReleases'] as const) {
    await expectError(nobody().call(name, { params: game }), 'not_found');
  }
  assert.deepEqual(await ownView(game.id), {
    ...{ status: 'draft', version: '2', reason: 'Malware', release: undefined },
  });

  const refused = await expectError(
    publishBuild(ada.client, game.id, '3', filesOf('3')),
    'taken_down',
  );
  assert.match(refused.message, /taken the game down\. Reason: Malware\. .* only stage releases$/);
  const dry = { params, query: { dry_run: 'true' }, form: publishForm('3', filesOf('3')) } as const;
  await expectError(ada.client.call('publish', dry), 'taken_down');
  const upload = await openUpload(ada.client, game.id, filesOf('3'));
  await sendParts(ada.client, game.id, upload, filesOf('3'));
  const publishParts = (query: { dry_run?: 'true' }) =>
    ada.client.call('publishUpload', {
      ...{ params: { ...params, upload: upload.id }, query, body: { version: '3' } },
    });
  await expectError(publishParts({ dry_run: 'true' }), 'taken_down');
  await expectError(publishParts({}), 'taken_down');
  for (const version of ['1', '2']) {
    await expectError(ada.client.call('rollback', { params, body: { version } }), 'taken_down');
  }
  // Before an upload is received: the body never comes.
  const socket = connectBounded(platform.running.port);
  socket.write(
    `POST /projects/${game.id}/publish HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.idToken}\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000000\r\n\r\n`,
  );
  const [early] = await once(socket, 'data');
  socket.destroy();
  assert.match(String(early), /^HTTP\/1\.1 403 /);

  // A corrected release can be staged, and promoted when the game is restored.
  const form = publishForm('3', filesOf('3'));
  const staged = await ada.client.call('publish', { params, query: { stage: 'true' }, form });
  assert.equal(await textAt(staged.preview?.url ?? ''), 404);
  const promote = () => ada.client.call('promote', { params, body: { version: '3' } });
  await expectError(promote(), 'taken_down');
  const offer = { params: { ...params, version: '1' }, body: { playable: true } };
  await expectError(ada.client.call('editRelease', offer), 'taken_down');
  const live = ada.client.call('promote', { params, body: { version: '2' } });
  assert.match((await expectError(live, 'taken_down')).message, /Reason: Malware/);
  assert.equal(
    (await takeDown(game.id, { reason: 'Spyware' })).game.taken_down?.at,
    taken.game.taken_down?.at,
  );
  const restored = await restore(game.id);
  assert.deepEqual([restored.game.status, restored.game.taken_down], ['published', null]);
  assert.deepEqual(await seen(), { play: '2', preview: '2', listed: true, found: 1 });
  assert.equal((await nobody().call('game', { params: game })).game.published_at, published_at);
  assert.equal((await promote()).game.version, '3');
  await restore(game.id);
  assert.deepEqual((await auditOf(game.id)).slice(-6), [
    ['game.taken_down', 'Malware'],
    ['preview.created', '3'],
    ['release.staged', '3'],
    ['game.taken_down', 'Spyware'],
    ['game.restored', null],
    ['release.promoted', '3'],
  ]);
});

test('the reason is only for the owner and administrators', async () => {
  const game = await publishedGame(['1', '2']);
  await takeDown(game.id, { version: '1', reason: 'Secret words' });
  const answers = [
    await nobody().call('game', { params: game }),
    await nobody().call('gamePage', { params: game }),
    await nobody().call('gameReleases', { params: game }),
    await nobody().call('home', {}),
  ];
  assert.ok(!JSON.stringify(answers).includes('Secret words'));
  const { releases } = await ada.client.call('releases', { params: { id: game.id } });
  assert.deepEqual(
    releases.map(({ version, taken_down }) => [version, taken_down?.reason ?? null]),
    [
      ['2', null],
      ['1', 'Secret words'],
    ],
  );
});

test('one release is taken down: nobody gets its files at any address, and it cannot become live', async () => {
  const game = await publishedGame(['1', '2', '3']);
  const params = { id: game.id };
  const { releases } = await ada.client.call('releases', { params });
  const idOf = (version: string) => releases.find((one) => one.version === version)?.id ?? '';
  const releaseAt = (version: string, path = '') =>
    `${playOf(game)}.release/${idOf(version)}/${path}`;
  await ada.client.call('editRelease', {
    params: { ...params, version: '2' },
    body: { playable: true },
  });
  const { preview } = await ada.client.call('createPreview', { params, body: { version: '2' } });
  const shared = (await fetch(releaseAt('2', 'large.bin'))).url;
  assert.match(shared, /\.content/);
  const addresses = {
    release: releaseAt('2'),
    kept: `${playOf(game)}2-0123456789abcdef.js`,
    preview: preview.url,
    shared,
  };
  const seen = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(addresses).map(async ([name, url]) => [
          name,
          (await textAt(url)) === 404 ? 404 : 200,
        ]),
      ),
    );
  const all = { release: 200, kept: 200, preview: 200, shared: 200 };
  assert.deepEqual(await seen(), all);
  const listed = async () =>
    (await nobody().call('gameReleases', { params: game })).releases.map(({ version }) => version);
  assert.deepEqual(await listed(), ['3', '2', '1']);

  await takeDown(game.id, { version: '2', reason: 'Stolen art' });
  assert.deepEqual(await seen(), { release: 404, kept: 404, preview: 404, shared: 404 });
  assert.deepEqual(await listed(), ['3', '1']);
  assert.equal(await textAt(playOf(game)), '3');
  const body = { version: '2' };
  const refused = await expectError(ada.client.call('rollback', { params, body }), 'taken_down');
  assert.match(
    refused.message,
    /taken version "2" down\. Reason: Stolen art\. Use another version$/,
  );
  await expectError(ada.client.call('createPreview', { params, body }), 'taken_down');
  const edit = (playable: boolean) =>
    ada.client.call('editRelease', { params: { ...params, ...body }, body: { playable } });
  await expectError(edit(true), 'taken_down');
  const form = publishForm('4', filesOf('4'));
  await ada.client.call('publish', { params, query: { stage: 'true' }, form });
  await takeDown(game.id, { version: '4' });
  await expectError(ada.client.call('promote', { params, body: { version: '4' } }), 'taken_down');
  await restore(game.id, { version: '4' });
  // The owner may still get their own build.
  const build = await fetch(`${platform.baseUrl}/projects/${game.id}/releases/2/build`, {
    headers: { authorization: `Bearer ${ada.idToken}` },
  });
  await build.arrayBuffer();
  assert.equal(build.status, 200);

  await restore(game.id, { version: '2' });
  assert.deepEqual(await seen(), all);
  await takeDown(game.id, { version: '2' });
  await ada.client.call('deleteRelease', { params: { ...params, version: '2' } });
  await expectError(restore(game.id, { version: '2' }), 'not_found');
  await expectError(takeDown(game.id, { version: '9' }), 'not_found');
  assert.deepEqual((await auditOf(game.id)).slice(-5), [
    ['release.taken_down', '4'],
    ['release.restored', '4'],
    ['release.restored', '2'],
    ['release.taken_down', '2'],
    ['release.deleted', '2'],
  ]);
});

test('a game whose live release is taken down is hidden until another one is live', async () => {
  const game = await publishedGame(['1', '2']);
  const { published_at } = (await nobody().call('game', { params: game })).game;
  const params = { id: game.id };
  const { game: taken } = await takeDown(game.id, { version: '2', reason: 'Broken' });
  assert.deepEqual([taken.status, taken.release_taken_down?.reason], ['draft', 'Broken']);
  assert.equal(await textAt(playOf(game)), 404);
  assert.deepEqual(await ownView(game.id), {
    ...{ status: 'draft', version: '2', reason: undefined, release: 'Broken' },
  });
  await publishBuild(ada.client, game.id, '3', filesOf('3'));
  assert.equal(await textAt(playOf(game)), '3');
  // The files of the release that was taken down are not kept for running games.
  assert.equal(await textAt(`${playOf(game)}2-0123456789abcdef.js`), 404);
  assert.equal((await nobody().call('game', { params: game })).game.published_at, published_at);
  // Restored, it may be live again, and is not by itself.
  await restore(game.id, { version: '2' });
  assert.equal(await textAt(playOf(game)), '3');
  await ada.client.call('rollback', { params, body: { version: '2' } });
  assert.equal(await textAt(playOf(game)), '2');
  // Rolled back instead of published.
  await takeDown(game.id, { version: '2' });
  assert.equal(await textAt(playOf(game)), 404);
  await ada.client.call('rollback', { params, body: { version: '1' } });
  assert.equal(await textAt(playOf(game)), '1');
  // Restored while it is still the live one.
  await takeDown(game.id, { version: '1' });
  await restore(game.id, { version: '1' });
  assert.equal(await textAt(playOf(game)), '1');
});

test('a game is public only if its owner wants it and nothing hides it, in every order', async () => {
  const owner = await platform.person(freshName('Owner'));
  const { secret } = await owner.client.call('createToken', { body: { name: 'ci' } });
  const ci = platform.clientWith(secret);
  const acts = {
    game: [(id: string) => takeDown(id), (id: string) => restore(id)],
    release: [
      (id: string) => takeDown(id, { version: '1' }),
      (id: string) => restore(id, { version: '1' }),
    ],
    user: [
      () => root.client.call('suspendUser', { params: owner, body: {} }),
      () => root.client.call('restoreUser', { params: owner }),
    ],
  } as const;
  const names = ['game', 'release', 'user'] as const;
  const orders = names.flatMap((first) =>
    names.filter((one) => one !== first).map((second) => [first, second] as const),
  );
  const { game } = await ci.call('createProject', { body: { title: freshName('Order') } });
  await publishBuild(ci, game.id, '1', { 'index.html': 'one' });
  for (const [first, second] of orders) {
    const states: (string | number)[] = [];
    for (const act of [acts[first][0], acts[second][0], acts[first][1], acts[second][1]]) {
      await act(game.id);
      states.push(await textAt(playOf(game)));
    }
    assert.deepEqual(states, [404, 404, 404, 'one'], `${first}, ${second}`);
  }
  // An owner who takes the game offline meanwhile finds it offline afterwards.
  await takeDown(game.id);
  await ci.call('unpublish', { params: { id: game.id } });
  await ci.call('unpublish', { params: { id: game.id } });
  const { game: after } = await restore(game.id);
  assert.equal(after.status, 'draft');
  assert.equal(await textAt(playOf(game)), 404);
  // A draft is not published by that.
  await takeDown(game.id);
  assert.equal((await restore(game.id)).game.status, 'draft');
  assert.deepEqual((await auditOf(game.id)).slice(-5), [
    ['game.taken_down', null],
    ['game.unpublished', null],
    ['game.restored', null],
    ['game.taken_down', null],
    ['game.restored', null],
  ]);
});

test('with SVC_TAKEN_DOWN_STATUS=451, players and pages are given 451 for what was taken down, and for nothing else', async () => {
  const settings = {
    ...readSettings({ SVC_TAKEN_DOWN_STATUS: '451' }),
    databaseUrl: platform.settings.databaseUrl,
    storage: platform.settings.storage,
  };
  await using saying = await openPlatform({ dataDir: platform.dataDir, settings });
  const at = saying.baseUrl;
  const game = await publishedGame(['1', '2']);
  const { releases } = await ada.client.call('releases', { params: { id: game.id } });
  const first = `.release/${releases.find(({ version }) => version === '1')?.id}/`;
  const statusOf = (path: string) => textAt(`${at}/play/${path}`);
  // This process learns of a change within a second.
  const becomes = (path: string, expected: string | number) =>
    until(
      () => statusOf(path),
      (found) => found === expected,
      `${path} is ${expected}`,
    );
  // In its memory.
  assert.equal(await statusOf(`${game.slug}/`), '2');
  await takeDown(game.id, { reason: 'Secret words' });
  await becomes(`${game.slug}/`, 451);
  for (const path of ['', 'index.html', 'missing.js', first]) {
    assert.equal(await statusOf(`${game.slug}/${path}`), 451, path);
  }
  for (const name of ['game', 'gamePage', 'gameReleases'] as const) {
    const call = nobody(saying).call(name, { params: game });
    const error = await expectError(call, 'unavailable_for_legal_reasons');
    assert.doesNotMatch(error.message, /Secret/);
  }
  const page = await requestRaw({
    ...{ port: saying.running.port, path: `/play/${game.slug}/` },
    headers: { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' },
  });
  assert.equal(page.status, 451);
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  assert.match(page.body.toString(), /The operator of this server has taken this game down\./);
  assert.equal(page.headers.get('cache-control'), 'no-store');
  await restore(game.id);
  await becomes(`${game.slug}/`, '2');
  // One release, and then the live one.
  await takeDown(game.id, { version: '1' });
  await becomes(`${game.slug}/${first}`, 451);
  assert.equal(await statusOf(`${game.slug}/`), '2');
  await takeDown(game.id, { version: '2' });
  await becomes(`${game.slug}/`, 451);
  // A game at a former slug, a draft, an unknown game, and that of a suspended developer.
  await ada.client.call('changeSlug', {
    params: { id: game.id },
    body: { slug: `moved-${game.slug}` },
  });
  await becomes(`moved-${game.slug}/`, 451);
  assert.equal(await statusOf(`${game.slug}/`), 451);
  const moved = nobody(saying).call('game', { params: { slug: `moved-${game.slug}` } });
  await expectError(moved, 'unavailable_for_legal_reasons');
  const draft = await newGame();
  await takeDown(draft.id);
  assert.equal(await statusOf(`${draft.slug}/`), 404);
  assert.equal(await statusOf('unknown-game/'), 404);
  const eve = await platform.person(freshName('Eve'));
  const hers = await publishedGame(['1'], eve);
  await root.client.call('suspendUser', { params: eve, body: {} });
  assert.equal(await statusOf(`${hers.slug}/`), 404);
});

test('games are found by a part of the title or slug, by id, developer and state, in pages', async () => {
  const owner = await platform.person(freshName('Owner'));
  const titles = ['50%_Off', 'Other', 'Third'];
  const games: Game[] = [];
  for (const title of titles) {
    const { game } = await owner.client.call('createProject', {
      body: { title: freshName(title) },
    });
    games.push(game);
  }
  const [first, second, third] = games.map(({ id }) => id);
  const find = async (query: object) =>
    (await root.client.call('adminGames', { query: { developer: owner.uid, ...query } })).games.map(
      ({ id }) => id,
    );
  assert.deepEqual(await find({}), [third, second, first]);
  assert.deepEqual(await find({ q: '50%_off' }), [first]);
  assert.deepEqual(await find({ q: '50_%off' }), []);
  assert.deepEqual(await find({ q: games[1]?.slug.toUpperCase() }), [second]);
  assert.deepEqual(await find({ q: second }), [second]);
  await publishBuild(owner.client, second ?? '', '1', filesOf('1'));
  await publishBuild(owner.client, third ?? '', '1', filesOf('1'));
  assert.deepEqual(await find({ status: 'published' }), [third, second]);
  await takeDown(first ?? '');
  await takeDown(third ?? '', { version: '1' });
  assert.deepEqual(await find({ taken_down: 'true' }), [third, first]);
  assert.deepEqual(await find({ taken_down: 'false' }), [second]);
  const page = await root.client.call('adminGames', {
    query: { developer: owner.uid, limit: '2' },
  });
  assert.equal(page.games.length, 2);
  assert.deepEqual(await find({ limit: '2', cursor: page.next_cursor }), [first]);
  const shown = await root.client.call('adminGame', { params: { id: third ?? '' } });
  assert.equal(shown.game.developer.uid, owner.uid);
  assert.ok(shown.game.bytes > 80_000);
  assert.deepEqual(
    shown.releases.map(({ version, live, taken_down }) => [version, live, taken_down !== null]),
    [['1', true, true]],
  );
  await expectError(root.client.call('adminGame', { params: { id: 'x' } }), 'not_found');
  await expectError(takeDown('x'), 'not_found');
  await expectError(restore('x'), 'not_found');
  await expectError(takeDown(first ?? '', { reason: 'a\nb' }), 'invalid_input');
  await expectError(takeDown(first ?? '', { reason: 'x'.repeat(501) }), 'invalid_input');
});
