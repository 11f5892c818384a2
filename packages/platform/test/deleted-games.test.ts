// Deleted games: they are hidden from everybody, their owners can restore them for some days, and then they are removed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  type CallAnswer,
  type Game,
  ID_TOKEN_TYPE,
  PLATFORM_LIMITS,
  type PlatformLimits,
  ROUTES,
  type RouteRow,
  TOKEN_EXCHANGE,
} from '@svc/contracts/platform';
import sharp from 'sharp';
import { until } from '../../../scripts/until.ts';
import { openDatabase } from '../src/database/open-database.ts';
import type { Db } from '../src/database/schema.ts';
import { expectError, readErrorCode } from './expect-error.ts';
import { giveRole, makeAdmin } from './make-admin.ts';
import { freshName, type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { startOutsideProvider } from './outside-provider.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import { openUpload, sendParts } from './publish-parts.ts';
import { openAttempts, storedKeys } from './read-state.ts';
import { runUpkeep } from './run-upkeep.ts';

const DAY_MS = 24 * 3600 * 1000;
const GRACE_MS = PLATFORM_LIMITS.deleted_game_days * DAY_MS;

let platform: OpenPlatform;
let db: Db;
let ada: Person;
let root: Person;
before(async () => {
  platform = await openPlatform();
  ({ db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl));
  ada = await platform.person('Ada');
  root = await makeAdmin(platform, 'Root');
});
after(async () => {
  await db.destroy();
  await platform[Symbol.asyncDispose]();
});

const nobody = (at = platform) => at.clientWith(null);

async function newGame({ client } = ada, more: { slug?: string } = {}): Promise<Game> {
  const body = { title: freshName('Game'), ...more };
  return (await client.call('createProject', { body })).game;
}

async function publishedGame(owner = ada): Promise<Game> {
  const { id } = await newGame(owner);
  return (await publishBuild(owner.client, id, '1', { 'index.html': 'one' })).game;
}

const remove = ({ id }: Game, owner = ada) =>
  owner.client.call('deleteProject', { params: { id } });
const restore = async ({ id }: Game, owner = ada): Promise<Game> =>
  (await owner.client.call('restoreProject', { params: { id } })).game;
const removeForGood = ({ id }: Game, owner = ada) =>
  owner.client.call('removeDeletedGame', { params: { id } });

/** The deleted games of a developer, by id. */
async function deletedIds(owner = ada): Promise<string[]> {
  return (await owner.client.call('deletedGames', {})).games.map(({ id }) => id);
}

/** What was done to a game, oldest first, and whether the server did it. */
async function auditOf({ id }: Game): Promise<string[]> {
  const { records } = await root.client.call('audit', { query: { subject: id } });
  return records
    .map(({ action, actor }) => `${action}${actor === null ? ' by the server' : ''}`)
    .reverse();
}

async function statusOf(url: string): Promise<number> {
  const answer = await fetch(url);
  await answer.arrayBuffer();
  return answer.status;
}

async function storeForm(): Promise<FormData> {
  const create = { width: 64, height: 48, channels: 3, background: '#3366cc' } as const;
  const cover = await sharp({ create }).png().toBuffer();
  const form = new FormData();
  form.set('metadata', JSON.stringify({ description: 'A moon.', tags: ['moon'] }));
  form.set('cover', new Blob([new Uint8Array(cover)]), 'cover.png');
  return form;
}

test('a deleted game is hidden everywhere, and is restored with everything that belonged to it', async () => {
  const game = await newGame();
  const params = { id: game.id };
  await ada.client.call('updateStore', { params, form: await storeForm() });
  await publishBuild(ada.client, game.id, '1', {
    'index.html': 'one',
    'large.bin': 'x'.repeat(80_000),
  });
  await publishBuild(ada.client, game.id, '2', { 'index.html': 'two' });
  const offer = { params: { ...params, version: '1' }, body: { playable: true } };
  const { release } = await ada.client.call('editRelease', offer);
  const { preview } = await ada.client.call('createPreview', { params, body: { version: '1' } });
  const trusted = { provider: 'github', repository: 'acme/moonhop' } as const;
  await ada.client.call('createPublisher', { params, body: trusted });
  await ada.client.call('changeSlug', { params, body: { slug: `${game.slug}-moved` } });
  await statusOf(`${platform.baseUrl}/play/${game.slug}/`);
  const moved = { slug: `${game.slug}-moved` };
  const own = async () => ({
    project: await ada.client.call('project', { params }),
    releases: await ada.client.call('releases', { params }),
    previews: await ada.client.call('previews', { params }),
    publishers: await ada.client.call('publishers', { params }),
    stats: await ada.client.call('projectStats', { params }),
    listed: await ada.client.call('projects', { query: { slug: game.slug } }),
  });
  const ownBefore = await own();
  const cover = ownBefore.project.page.cover?.url ?? '';
  const shared = (await fetch(`${release.play_url}large.bin`)).url;
  assert.match(shared, /\.content/);
  const addresses = [
    `${platform.baseUrl}/play/${game.slug}/`,
    `${platform.baseUrl}/play/${moved.slug}/`,
    ...[release.play_url ?? '', shared, preview.url, cover],
  ];
  const seen = async () => ({
    // Twice: the second time from memory.
    addresses: await Promise.all([...addresses, ...addresses].map(statusOf)),
    home: (await nobody().call('home', { query: { tag: 'moon' } })).games.length,
    found: (await nobody().call('search', { query: { q: game.title } })).games.length,
    developer: (await nobody().call('developer', { params: { uid: ada.uid } })).games.length,
    page: await nobody()
      .call('gamePage', { params: moved })
      .then(
        () => 'shown',
        ({ code }) => code,
      ),
  });
  const shown = {
    addresses: Array.from({ length: 12 }, () => 200),
    ...{ home: 1, found: 1, developer: 1, page: 'shown' },
  };
  assert.deepEqual(await seen(), shown);

  await remove(game);
  assert.deepEqual(await seen(), {
    addresses: Array.from({ length: 12 }, () => 404),
    ...{ home: 0, found: 0, developer: 0, page: 'not_found' },
  });
  assert.deepEqual((await ada.client.call('projects', { query: moved })).games, []);
  const report = { params: moved, body: { reason: 'broken' } } as const;
  await expectError(nobody().call('reportGame', report), 'not_found');

  const restored = await restore(game);
  assert.deepEqual(
    [restored.status, restored.version, restored.slug],
    ['published', '2', moved.slug],
  );
  assert.deepEqual(await seen(), shown);
  // What the requests of this test have changed.
  const kept = (value: object) =>
    JSON.stringify(value).replaceAll(/"(?:updated_at|last_used_at|bytes)":[^,}]*/g, '');
  assert.equal(kept(await own()), kept(ownBefore));
  assert.deepEqual((await auditOf(game)).slice(-2), ['project.deleted', 'project.restored']);
});

test('a draft stays a draft, and its media are for nobody while it is deleted', async () => {
  const game = await newGame();
  const params = { id: game.id };
  const { page } = await ada.client.call('updateStore', { params, form: await storeForm() });
  const cover = page.cover?.url ?? '';
  assert.equal(await statusOf(cover), 200);
  await remove(game);
  assert.equal(await statusOf(cover), 404);
  assert.equal((await restore(game)).status, 'draft');
  assert.equal(await statusOf(cover), 200);
});

test('every route answers for a deleted game as for one that never existed', async () => {
  const game = await publishedGame();
  const { secret } = await ada.client.call('createToken', { body: { name: 'all' } });
  const body = { name: 'one', projects: [game.id] };
  const limited = await ada.client.call('createToken', { body });
  await remove(game);
  const rows: RouteRow[] = Object.values(ROUTES).filter((row) => row.projects === 'named');
  assert.ok(rows.length > 20);
  const unknown = '01900000-0000-7000-8000-000000000000';
  for (const { method, path } of rows) {
    for (const credential of [ada.idToken, secret, limited.secret]) {
      const answers = [game.id, unknown].map(async (id) => {
        const url = `${platform.baseUrl}${path.replace(':id', id).replaceAll(/:\w+/g, '1')}`;
        const headers = { authorization: `Bearer ${credential}` };
        const answer = await fetch(url, { method, headers });
        return `${answer.status} ${await readErrorCode(answer)}`;
      });
      const [deleted, never] = await Promise.all(answers);
      assert.equal(deleted, never, `${method} ${path}`);
    }
  }
  await expectError(ada.client.call('project', { params: { id: game.id } }), 'not_found');
  await expectError(remove(game), 'not_found');
  await expectError(ada.client.call('createToken', { body }), 'invalid_input');
});

test('only the owner with a session sees, restores and removes deleted games', async () => {
  const eve = await platform.person('Eve');
  const pia = await platform.person('Pia', 'player');
  const game = await publishedGame();
  const left = await newGame();
  for (const work of [restore, removeForGood]) {
    await expectError(work(left), 'not_found');
    await expectError(work({ ...left, id: 'none' }), 'not_found');
  }
  await remove(game);
  const { secret } = await ada.client.call('createToken', { body: { name: 'ci' } });
  const byToken = { ...ada, client: platform.clientWith(secret) };
  for (const work of [restore, removeForGood]) {
    await expectError(work(game, eve), 'not_owner');
    await expectError(work(game, pia), 'developer_required');
    await expectError(work(game, byToken), 'session_only');
    await expectError(work(game, { ...ada, client: nobody() }), 'unauthenticated');
  }
  await expectError(pia.client.call('deletedGames', {}), 'developer_required');
  await expectError(byToken.client.call('deletedGames', {}), 'session_only');
  assert.deepEqual(await deletedIds(eve), []);
  assert.ok((await deletedIds()).includes(game.id));
  await restore(game);
  assert.ok(!(await deletedIds()).includes(game.id));
  await expectError(restore(game), 'not_found');
});

test('deleted games are listed with their times and sizes, the last deleted first, in pages', async () => {
  const bob = await platform.person('Bob');
  const games = [await publishedGame(bob), await newGame(bob), await newGame(bob)];
  const order = [1, 0, 2].flatMap((index) => games[index] ?? []);
  for (const game of order) await remove(game, bob);
  const { games: listed, next_cursor } = await bob.client.call('deletedGames', {});
  assert.equal(next_cursor, null);
  assert.deepEqual(
    listed.map(({ id }) => id),
    order.map(({ id }) => id).reverse(),
  );
  const published = listed[1];
  assert.deepEqual(
    [published?.title, published?.slug, (published?.bytes ?? 0) > 0],
    [games[0]?.title, games[0]?.slug, true],
  );
  assert.deepEqual([listed[0]?.bytes, listed[2]?.bytes], [0, 0]);
  for (const { deleted_at, removed_at } of listed) {
    assert.equal(Date.parse(removed_at) - Date.parse(deleted_at), GRACE_MS);
    assert.ok(Math.abs(Date.now() - Date.parse(deleted_at)) < 60_000);
  }
  const paged: string[] = [];
  let cursor: string | null = null;
  do {
    const query: { limit: string; cursor?: string } = { limit: '2', ...(cursor && { cursor }) };
    const page: CallAnswer<'deletedGames'> = await bob.client.call('deletedGames', { query });
    paged.push(...page.games.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  assert.deepEqual(
    paged,
    listed.map(({ id }) => id),
  );
});

test('a trusted CI can neither get a token for a deleted game nor use one that it has', async () => {
  await using ci = await startOutsideProvider();
  const game = await newGame();
  const params = { id: game.id };
  const trusted = { provider: 'github', issuer: ci.issuer, repository: 'acme/moonhop' } as const;
  await ada.client.call('createPublisher', { params, body: trusted });
  let runs = 0;
  const exchange = async () => {
    const idToken = await ci.sign({
      ...{ aud: platform.baseUrl, sub: 'repo:acme/moonhop:ref:refs/heads/main', jti: `${++runs}` },
      ...{ repository: 'acme/moonhop', repository_id: '7', ref: 'refs/heads/main' },
      workflow_ref: 'acme/moonhop/.github/workflows/release.yml@refs/heads/main',
    });
    const { access_token } = await nobody().call('exchangeToken', {
      body: {
        grant_type: TOKEN_EXCHANGE,
        subject_token: idToken,
        subject_token_type: ID_TOKEN_TYPE,
        audience: game.id,
      },
    });
    return access_token;
  };
  const run = platform.clientWith(await exchange());
  await publishBuild(run, game.id, '1', { 'index.html': 'one' });
  await remove(game);
  const { message } = await expectError(exchange(), 'not_trusted');
  assert.match(message, /^The project has no trusted publisher with the issuer/);
  await expectError(publishBuild(run, game.id, '2', { 'index.html': 'two' }), 'not_found');
  await restore(game);
  await publishBuild(run, game.id, '2', { 'index.html': 'two' });
  await publishBuild(platform.clientWith(await exchange()), game.id, '3', { 'index.html': '3' });
});

/** Begins a publish. The returned function sends the end of it and returns the code of the error, or the status. */
async function beginPublish(gameId: string): Promise<() => Promise<string>> {
  const form = publishForm('2', { 'index.html': 'two' });
  const encoded = new Request('http://x', { method: 'POST', body: form });
  const bytes = new Uint8Array(await encoded.arrayBuffer());
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const type = encoded.headers.get('content-type') ?? '';
  const sending = fetch(`${platform.baseUrl}/projects/${gameId}/publish`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ada.idToken}`, 'content-type': type },
    ...{ body: readable, duplex: 'half' },
  } as RequestInit);
  await writer.write(bytes.subarray(0, bytes.length - 40));
  return async () => {
    await writer.write(bytes.subarray(bytes.length - 40));
    await writer.close();
    const answer = await sending;
    return answer.ok ? String(answer.status) : readErrorCode(answer);
  };
}

test('uploads that are at work end as with a game that is gone, and leave nothing', async () => {
  const game = await publishedGame();
  const params = { id: game.id };
  const files = { 'index.html': 'three', 'a.bin': 'a'.repeat(5000) };
  const upload = await openUpload(ada.client, game.id, files);
  await sendParts(ada.client, game.id, upload, files);
  const finish = await beginPublish(game.id);
  const before = (await storedKeys(platform, game.id)).filter((key) => !key.includes(upload.id));
  await remove(game);
  assert.equal(await finish(), 'not_found');
  await restore(game);
  await expectError(
    ada.client.call('publishUpload', {
      ...{ params: { ...params, upload: upload.id }, body: { version: '3' } },
    }),
    'not_found',
  );
  await runUpkeep(platform);
  assert.deepEqual(await storedKeys(platform, game.id), before);
  assert.deepEqual(await openAttempts(db), []);
  await publishBuild(ada.client, game.id, '2', { 'index.html': 'two' });
});

test('the slug of a deleted game stays in use, and the error says what its owner can do', async () => {
  const eve = await platform.person('Eve');
  const game = await newGame();
  const other = await newGame();
  const later = `${game.slug}-later`;
  const params = { id: game.id };
  await publishBuild(ada.client, game.id, '1', { 'index.html': 'one' });
  await ada.client.call('changeSlug', { params, body: { slug: later } });
  await remove(game);
  for (const slug of [game.slug, later]) {
    const { message } = await expectError(newGame(ada, { slug }), 'slug_taken');
    assert.match(message, /belongs to a game that you have deleted\. Restore that game, remove it/);
    const moving = { params: { id: other.id }, body: { slug } };
    const moved = await expectError(ada.client.call('changeSlug', moving), 'slug_taken');
    assert.equal(moved.message, message);
    const foreign = await expectError(newGame(eve, { slug }), 'slug_taken');
    assert.match(foreign.message, /is taken\. Choose another$/);
  }
  const body = { title: game.title };
  assert.equal((await ada.client.call('createProject', { body })).game.slug, `${game.slug}-2`);
  await removeForGood(game);
  for (const slug of [game.slug, later]) await newGame(ada, { slug });
});

test('deleted games count as projects until they are removed, and the error says so', async () => {
  await using small = await openPlatform({ limits: { projects_per_developer: 2 } });
  const bob = await small.person('Bob');
  const one = await newGame(bob);
  const two = await newGame(bob);
  const refused = async () => (await expectError(newGame(bob), 'quota_exceeded')).message;
  assert.match(await refused(), /you already have 2\. Delete one first, and remove it for good$/);
  await remove(one, bob);
  assert.match(
    await refused(),
    /you already have 2\. Deleted projects that you can restore count too: 1\. Remove one/,
  );
  await restore(one, bob);
  await remove(two, bob);
  await removeForGood(two, bob);
  await newGame(bob);
});

test('a game is public only if its owner wants it and nothing hides it, in every order', async () => {
  const bob = await platform.person('Bob');
  const owner = { uid: bob.uid };
  const isBob = ['uid', '=', bob.uid] as const;
  const acts = {
    deleted: {
      on: (game: Game) => remove(game, bob),
      off: (game: Game) => restore(game, bob),
    },
    taken_down: {
      on: ({ id }: Game) => root.client.call('takeDown', { params: { id }, body: {} }),
      off: ({ id }: Game) => root.client.call('restoreGame', { params: { id }, body: {} }),
    },
    release: {
      on: ({ id }: Game) =>
        root.client.call('takeDown', { params: { id }, body: { version: '1' } }),
      off: ({ id }: Game) =>
        root.client.call('restoreGame', { params: { id }, body: { version: '1' } }),
    },
    suspended: {
      on: () => root.client.call('suspendUser', { params: owner, body: {} }),
      off: async () => {
        await root.client.call('restoreUser', { params: owner });
        // As if the developer had signed in again.
        await db
          .updateTable('users')
          .set({ sessions_ended_at: null })
          .where(...isBob)
          .execute();
      },
    },
  };
  type Act = keyof typeof acts;
  const isPublic = async ({ slug }: Game): Promise<boolean> =>
    (await statusOf(`${platform.baseUrl}/play/${slug}/`)) === 200;
  const orders = (names: readonly Act[]): Act[][] =>
    names.length === 0
      ? [[]]
      : names.flatMap((name) =>
          orders(names.filter((one) => one !== name)).map((rest) => [name, ...rest]),
        );
  const tried: string[] = [];
  for (const name of ['taken_down', 'release', 'suspended'] as const) {
    for (const on of orders(['deleted', name])) {
      for (const off of orders(['deleted', name])) {
        // The owner can do nothing while they are suspended.
        const isOwnerActive = name !== 'suspended';
        if (!isOwnerActive && (on[0] !== 'deleted' || off[0] !== 'suspended')) continue;
        const what = `${on} then ${off}`;
        for (const wanted of ['published', 'draft'] as const) {
          const game = await publishedGame(bob);
          const params = { id: game.id };
          if (wanted === 'draft') await bob.client.call('unpublish', { params });
          for (const act of on) await acts[act].on(game);
          assert.equal(await isPublic(game), false, what);
          await acts[off[0] ?? name].off(game);
          assert.equal(await isPublic(game), false, what);
          await acts[off[1] ?? name].off(game);
          assert.equal(await isPublic(game), wanted === 'published', what);
          const own = await bob.client.call('project', { params });
          assert.equal(own.game.status, wanted, what);
          if (name === 'taken_down') assert.equal(own.game.taken_down, null);
        }
        tried.push(what);
      }
    }
  }
  assert.equal(tried.length, 9);
});

test('administrators see when a game was deleted, and a take-down and a deletion do not end each other', async () => {
  const game = await publishedGame();
  const params = { id: game.id };
  const view = async () => {
    const { game: seen, releases } = await root.client.call('adminGame', { params });
    const { games } = await root.client.call('adminGames', { query: { q: game.id } });
    assert.deepEqual(games, [seen]);
    return { status: seen.status, deleted: seen.deleted_at !== null, releases: releases.length };
  };
  assert.deepEqual(await view(), { status: 'published', deleted: false, releases: 1 });
  await remove(game);
  assert.deepEqual(await view(), { status: 'draft', deleted: true, releases: 1 });
  const taken = await root.client.call('takeDown', { params, body: { reason: 'Spam' } });
  assert.deepEqual([taken.game.taken_down?.reason, taken.game.deleted_at !== null], ['Spam', true]);
  const restored = await restore(game);
  assert.deepEqual([restored.status, restored.taken_down?.reason], ['draft', 'Spam']);
  await remove(game);
  await root.client.call('restoreGame', { params, body: {} });
  assert.deepEqual(await view(), { status: 'draft', deleted: true, releases: 1 });
  assert.equal((await restore(game)).status, 'published');
});

test('with SVC_TAKEN_DOWN_STATUS=451, a deleted game is 404 even if it was taken down', async () => {
  const settings = { ...platform.settings, takenDownStatus: 451 } as const;
  await using lawful = await openPlatform({ settings, dataDir: platform.dataDir });
  const game = await publishedGame();
  await root.client.call('takeDown', { params: { id: game.id }, body: {} });
  const url = `${lawful.baseUrl}/play/${game.slug}/`;
  assert.equal(await statusOf(url), 451);
  await remove(game);
  // The other process learns of it within a second.
  await until(
    () => statusOf(url),
    (status) => status === 404,
    'the deleted game is 404',
  );
  await expectError(nobody(lawful).call('game', { params: game }), 'not_found');
});

/** Runs the upkeep as a process whose clock is ahead, and which may have other limits. */
function upkeepIn(ms: number, limits: Partial<PlatformLimits> = {}): Promise<void> {
  return runUpkeep(platform, Date.now() + ms, limits);
}

test('the upkeep removes a deleted game with its files when its days are over', async () => {
  const game = await publishedGame();
  const left = await publishedGame();
  await remove(game);
  await upkeepIn(GRACE_MS - 60_000);
  await restore(game);
  await remove(game);
  assert.notDeepEqual(await storedKeys(platform, game.id), []);
  await upkeepIn(GRACE_MS + 1000);
  assert.deepEqual(await storedKeys(platform, game.id), []);
  await expectError(restore(game), 'not_found');
  assert.ok(!(await deletedIds()).includes(game.id));
  await expectError(root.client.call('adminGame', { params: { id: game.id } }), 'not_found');
  assert.deepEqual((await auditOf(game)).slice(-3), [
    ...['project.restored', 'project.deleted', 'project.removed by the server'],
  ]);
  assert.notDeepEqual(await storedKeys(platform, left.id), []);
  await newGame(ada, { slug: game.slug });
});

test('another limit applies to games that are deleted already', async () => {
  const game = await publishedGame();
  await remove(game);
  await upkeepIn(GRACE_MS + 1000, { deleted_game_days: 30 });
  assert.ok((await deletedIds()).includes(game.id));
  const settings = { ...platform.settings, limits: { ...PLATFORM_LIMITS, deleted_game_days: 3 } };
  await using other = await openPlatform({ settings, dataDir: platform.dataDir });
  const there = await other.person('Ada');
  assert.deepEqual((await there.client.call('limits', {})).limits['deleted_game_days'], 3);
  await upkeepIn(3 * DAY_MS - 60_000, { deleted_game_days: 3 });
  await restore(game);
  await remove(game);
  await upkeepIn(0, { deleted_game_days: 0 });
  assert.ok(!(await deletedIds()).includes(game.id));
  assert.deepEqual(await storedKeys(platform, game.id), []);
});

test('a deleted game that a process of the previous version has made public is never removed, and is restored', async () => {
  const game = await publishedGame();
  await remove(game);
  // As a publish there, which does not know that the game is deleted.
  await db
    .updateTable('games')
    .set({ status: 'published', owner_status: null })
    .where('id', '=', game.id)
    .execute();
  await upkeepIn(GRACE_MS + 1000);
  assert.equal(await statusOf(`${platform.baseUrl}/play/${game.slug}/`), 200);
  const own = await ada.client.call('project', { params: { id: game.id } });
  assert.equal(own.game.status, 'published');
  assert.ok(!(await deletedIds()).includes(game.id));
  assert.equal((await auditOf(game)).at(-1), 'project.restored by the server');
  await remove(game);
  await upkeepIn(0);
  assert.ok((await deletedIds()).includes(game.id));
});

test('with the limit 0 a deletion is final at once', async () => {
  await using strict = await openPlatform({ limits: { deleted_game_days: 0 } });
  const bob = await strict.person('Bob');
  const boss = await makeAdmin(strict, 'Boss');
  const game = await publishedGame(bob);
  await remove(game, bob);
  assert.deepEqual(await storedKeys(strict, game.id), []);
  assert.deepEqual(await deletedIds(bob), []);
  await expectError(restore(game, bob), 'not_found');
  const { records } = await boss.client.call('audit', { query: { subject: game.id } });
  assert.equal(records[0]?.action, 'project.deleted');
  await newGame(bob, { slug: game.slug });
});

test('a removal for good deletes the rows and the files, and its owner keeps the slug', async () => {
  const eve = await platform.person('Eve');
  const game = await publishedGame();
  await remove(game);
  await removeForGood(game);
  assert.deepEqual(await storedKeys(platform, game.id), []);
  for (const work of [restore, removeForGood]) await expectError(work(game), 'not_found');
  assert.deepEqual((await auditOf(game)).slice(-2), ['project.deleted', 'project.removed']);
  await expectError(newGame(eve, { slug: game.slug }), 'slug_taken');
  await newGame(ada, { slug: game.slug });
});

test('a publish and a deletion at once: the game is hidden, and the release is whole or missing', async () => {
  for (let round = 0; round < 6; round++) {
    const game = await publishedGame();
    const params = { id: game.id };
    const [published] = await Promise.all([
      publishBuild(ada.client, game.id, '2', { 'index.html': 'two' }).then(
        () => 'published',
        ({ code }) => String(code),
      ),
      remove(game),
    ]);
    const url = `${platform.baseUrl}/play/${game.slug}/`;
    assert.equal(await statusOf(url), 404);
    assert.equal((await restore(game)).status, 'published');
    const { releases } = await ada.client.call('releases', { params });
    const versions = releases.map(({ version }) => version);
    assert.deepEqual(versions, published === 'published' ? ['2', '1'] : ['1'], published);
    if (published !== 'published') assert.equal(published, 'not_found');
    assert.equal(await statusOf(url), 200);
  }
});

test('two deletions at once delete once, and the second finds no game', async () => {
  const game = await publishedGame();
  const ended = await Promise.allSettled([remove(game), remove(game), remove(game)]);
  assert.deepEqual(ended.map(({ status }) => status).sort(), ['fulfilled', 'rejected', 'rejected']);
  const actions = await auditOf(game);
  assert.equal(actions.filter((action) => action === 'project.deleted').length, 1);
  const again = await Promise.allSettled([restore(game), restore(game), removeForGood(game)]);
  assert.ok(again.filter(({ status }) => status === 'fulfilled').length >= 1);
});

test('the deletion of an account removes its deleted games too', async () => {
  const gone = await platform.person(freshName('Gone'));
  const deleted = await publishedGame(gone);
  const other = await publishedGame(gone);
  await remove(deleted, gone);
  await gone.client.call('deleteAccount', {});
  for (const { id } of [deleted, other]) {
    assert.deepEqual(await storedKeys(platform, id), []);
    await expectError(root.client.call('adminGame', { params: { id } }), 'not_found');
  }
  assert.deepEqual((await auditOf(deleted)).slice(-2), ['project.deleted', 'project.removed']);
  assert.equal((await auditOf(other)).at(-1), 'project.deleted');
});

test('a developer who has lost the role gets the deleted games back with it', async () => {
  const bob = await platform.person(freshName('Bob'));
  const game = await publishedGame(bob);
  await remove(game, bob);
  await giveRole(platform, bob.uid, 'player');
  await expectError(restore(game, bob), 'developer_required');
  await giveRole(platform, bob.uid, 'developer');
  assert.equal((await restore(game, bob)).status, 'published');
});
