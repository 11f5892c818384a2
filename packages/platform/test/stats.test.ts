// Daily counts: what counts as a view, a play, a missing file and sent bytes, who reads them, and what is stored.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type CallAnswer, PLATFORM_LIMITS } from '@svc/contracts/platform';
import { until } from '../../../scripts/until.ts';
import { openDatabase } from '../src/database/open-database.ts';
import type { Db } from '../src/database/schema.ts';
import { storeCounts } from '../src/stats/count/store-counts.ts';
import { expectError } from './expect-error.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import { requestRaw } from './raw-request.ts';
import { removeProject } from './remove-project.ts';
import { runUpkeep } from './run-upkeep.ts';

const DAY_MS = 24 * 3600 * 1000;
const PAGE = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };
const TAB = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const VISIT = { 'svc-visit': 'page' };
const OWN = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors' };

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

/** Sends the headers as they are. `fetch` sets `Sec-Fetch-Mode` itself. */
function ask(url: string, headers: Readonly<Record<string, string>>, method = 'GET') {
  const { port, pathname, search } = new URL(url);
  return requestRaw({ port: Number(port), path: pathname + search, headers, method });
}

async function newGame(title: string) {
  const { game } = await ada.client.call('createProject', { body: { title } });
  const params = { id: game.id };
  const publish = (version: string) =>
    publishBuild(ada.client, game.id, version, { 'index.html': 'page', 'a.txt': 'x'.repeat(5000) });
  const { release } = await publish('1');
  const get = async (path: string, headers = {}, method = 'GET'): Promise<number> =>
    (await ask(`${platform.baseUrl}/play/${game.slug}/${path}`, headers, method)).status;
  const stats = (days = '2') => ada.client.call('projectStats', { params, query: { days } });
  return { game, params, publish, release, get, stats };
}

/** The counts of all days of an answer, because a test may run at midnight. */
function sumOf({ days }: CallAnswer<'projectStats'>) {
  const sum = (name: 'views' | 'plays' | 'store_plays' | 'bytes' | 'missing') =>
    days.reduce((total, day) => total + day[name], 0);
  const [views, plays, store_plays] = [sum('views'), sum('plays'), sum('store_plays')];
  const releases = days.flatMap((day) => day.releases);
  return { views, plays, store_plays, bytes: sum('bytes'), missing: sum('missing'), releases };
}

test('a play is the page of the game that a browser opens, live or at the address of a release', async () => {
  const { game, release, publish, get, stats } = await newGame('Plays');
  await get('', TAB);
  await get('', PAGE);
  await get(`.release/${release.id}/`, PAGE);
  await get('index.html', PAGE);
  // None of these is a play.
  await get('', PAGE, 'HEAD');
  await get('', { 'sec-fetch-mode': 'cors' });
  await get('');
  await get('a.txt', TAB);
  await get('', { ...PAGE, 'sec-purpose': 'prefetch' });
  await ask(`${platform.baseUrl}/play/${game.slug}`, TAB);
  await publish('2');
  await get('', PAGE);
  const today = sumOf(await stats());
  assert.deepEqual([today.plays, today.store_plays], [5, 4]);
  assert.deepEqual(today.releases, [
    { version: '1', plays: 4 },
    { version: '2', plays: 1 },
  ]);
});

test('a play counts when the browser has the page already', async () => {
  const { game, get, stats } = await newGame('Cached');
  const first = await ask(`${platform.baseUrl}/play/${game.slug}/`, PAGE);
  const etag = first.headers.get('etag') ?? '';
  assert.equal(await get('', { ...PAGE, 'if-none-match': etag }), 304);
  assert.equal(sumOf(await stats()).plays, 2);
});

test('a view is a visit of the page that the store announces, at its present address', async () => {
  const { game, params, stats } = await newGame('Views');
  const view = async (slug: string, headers: Record<string, string> = VISIT, method = 'GET') =>
    (await ask(`${platform.baseUrl}/games/${slug}/page`, headers, method)).status;
  assert.equal(await view(game.slug), 200);
  await view(game.slug, {});
  await view(game.slug, { 'svc-visit': 'other' });
  await view(game.slug, VISIT, 'HEAD');
  await ada.client.call('changeSlug', { params, body: { slug: 'views-too' } });
  assert.equal(await view(game.slug), 200, 'the store redirects the visitor');
  await view('views-too');
  assert.equal(await view('no-such-views'), 404);
  assert.equal(sumOf(await stats()).views, 2);
});

test('a play at another slug of a moved game is that of the game, and is stored with its other counts', async () => {
  const { params, get, stats } = await newGame('Moved');
  await ada.client.call('changeSlug', { params, body: { slug: 'moved-too' } });
  const there = `${platform.baseUrl}/play/moved-too/`;
  assert.equal((await ask(there, PAGE)).status, 302);
  assert.equal((await ask(`${there}gone.png`, OWN)).status, 302);
  assert.equal((await ask(`${there}.content/x/gone.png`, OWN)).status, 404);
  assert.equal((await ask(`${there}.release/x/gone.png`, OWN)).status, 404);
  await get('', PAGE);
  await get('gone.png', OWN);
  const { plays, missing } = sumOf(await stats());
  assert.deepEqual([plays, missing], [1, 1]);
});

test('sent bytes are those of bodies, with ranges, and without HEAD and 304', async () => {
  const { get, stats } = await newGame('Bytes');
  assert.equal(await get('a.txt'), 200);
  assert.equal(await get('a.txt'), 200);
  assert.equal(await get('a.txt', { range: 'bytes=0-9' }), 206);
  assert.equal(await get('a.txt', { range: 'bytes=9000-' }), 416);
  assert.equal(await get('a.txt', {}, 'HEAD'), 200);
  assert.equal(await get('index.html'), 200);
  assert.equal(sumOf(await stats()).bytes, 10_014);
});

test('missing files are those that the game asks for', async () => {
  const { release, get, stats } = await newGame('Missing');
  assert.equal(await get('gone.png', OWN), 404);
  assert.equal(await get(`.release/${release.id}/gone.png`, OWN), 404);
  assert.equal(await get('img/other%20one.png', OWN), 404);
  assert.equal(await get('x'.repeat(300), OWN), 404);
  await get('favicon.ico', OWN);
  // Somebody else asks.
  await get('wp-login.php');
  await get('wp-login.php', { ...OWN, 'sec-fetch-site': 'cross-site' });
  await get('nowhere/', { ...TAB, 'sec-fetch-site': 'same-origin' });
  const found = await stats();
  assert.equal(sumOf(found).missing, 4);
  assert.deepEqual(found.missing_files, [
    { path: 'gone.png', count: 2 },
    { path: 'img/other one.png', count: 1 },
  ]);
});

test('names of missing files are bounded for a day', async () => {
  const { get, stats, game } = await newGame('Many');
  for (let index = 0; index < 40; index++) {
    await get(`${index}.png`, OWN);
    if (index % 9 === 0) await stats();
  }
  await get('0.png', OWN);
  const found = await stats();
  assert.equal(sumOf(found).missing, 41);
  assert.equal(found.missing_files.length, 20);
  assert.deepEqual(found.missing_files[0], { path: '0.png', count: 2 });
  const { count } = await db
    .selectFrom('daily_counts')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('game_id', '=', game.id)
    .where('kind', '=', 'missing_file')
    .executeTakeFirstOrThrow();
  assert.equal(Number(count), 20);
});

test('previews and unpublished games are not counted', async () => {
  const { params, get, stats } = await newGame('Quiet');
  const form = publishForm('2', { 'index.html': 'staged' });
  const { preview } = await ada.client.call('publish', { params, query: { stage: 'true' }, form });
  assert.equal((await ask(preview?.url ?? '', PAGE)).status, 200);
  assert.equal((await ask(`${preview?.url}none.png`, OWN)).status, 404);
  await ada.client.call('unpublish', { params });
  assert.equal(await get('', PAGE), 404);
  assert.equal(await get('a.txt', OWN), 404, 'a file that the build has');
  assert.equal(await get('gone.png', OWN), 404);
  await ask(`${platform.baseUrl}/play/no-such-game/gone.png`, OWN);
  const found = await stats();
  const { plays, bytes, missing } = sumOf(found);
  assert.deepEqual([plays, bytes, missing], [0, 0, 0]);
});

test('days are those of UTC, the oldest first, and old ones are deleted', async () => {
  const { game, stats } = await newGame('Days');
  const utc = (daysAgo: number) =>
    new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  const row = (day: string, count: number) => ({
    ...{ game_id: game.id, day, kind: 'view' as const, name: '', count },
  });
  await db
    .insertInto('daily_counts')
    .values([
      ...[row(utc(5), 5), row(utc(3), 3), row(utc(450), 450), row(utc(350), 350)],
      { ...row(utc(40), 1), kind: 'missing_file', name: 'a.png' },
      { ...row(utc(3), 1), kind: 'missing_file', name: 'b.png' },
    ])
    .execute();
  const found = await stats('10');
  assert.deepEqual(
    found.days.map(({ day }) => day),
    found.days.map(({ day }) => day).toSorted(),
  );
  assert.ok([utc(0), utc(1)].includes(found.days.at(-1)?.day ?? ''));
  assert.deepEqual(
    found.days.filter(({ views }) => views > 0).map(({ day, views }) => [day, views]),
    [
      [utc(5), 5],
      [utc(3), 3],
    ],
  );
  assert.equal((await stats('400')).days.length, 400);
  await runUpkeep(platform);
  const left = await db
    .selectFrom('daily_counts')
    .select('count')
    .where('game_id', '=', game.id)
    .orderBy('day')
    .execute();
  assert.deepEqual(
    left.map(({ count }) => Number(count)).toSorted((one, other) => one - other),
    [1, 3, 5, 350],
  );
  assert.deepEqual((await stats('60')).missing_files, [{ path: 'b.png', count: 1 }]);
});

test('several processes add to the same sums', async () => {
  const { game, release, stats } = await newGame('Shared');
  const stored = {
    db,
    engine: platform.settings.databaseUrl === null ? 'sqlite' : 'postgres',
  } as const;
  const day = new Date().toISOString().slice(0, 10);
  const counts = {
    ...{ views: 1, bytes: 10, missing: 2, plays: new Map([[release.id, { all: 1, framed: 1 }]]) },
    missingFiles: new Map([['a.png', 2]]),
  };
  const games = new Map([
    [game.id, counts],
    ['no such game', counts],
  ]);
  await Promise.all(Array.from({ length: 5 }, () => storeCounts(stored, day, games)));
  const found = await stats('2');
  const { views, plays, bytes, missing } = sumOf(found);
  assert.deepEqual([views, plays, bytes, missing], [5, 5, 50, 10]);
  assert.deepEqual(found.missing_files, [{ path: 'a.png', count: 10 }]);
});

test('a large file is counted with its bytes, and one that ends early with those until then', async () => {
  const { game, params, stats } = await newGame('Large');
  const large = randomBytes(3 * 1024 * 1024);
  await publishBuild(ada.client, game.id, '2', { 'index.html': 'page', 'large.bin': large });
  const url = `${platform.baseUrl}/play/${game.slug}/large.bin`;
  assert.equal((await ask(url, {})).body.length, large.length);
  assert.equal(sumOf(await stats()).bytes, large.length);
  const aborting = new AbortController();
  const answer = await fetch(url, { signal: aborting.signal });
  await answer.body?.getReader().read();
  aborting.abort();
  await until(
    async () =>
      sumOf(await ada.client.call('projectStats', { params, query: { days: '2' } })).bytes,
    (bytes) => bytes > large.length && bytes <= 2 * large.length,
    'the bytes of the second answer',
    10_000,
  );
});

test('the counts are read by the owner only, and a number of days is bounded', async () => {
  const { params, stats } = await newGame('Private');
  const eve = await platform.person('Eve');
  await expectError(eve.client.call('projectStats', { params, query: {} }), 'not_owner');
  await expectError(
    platform.clientWith(null).call('projectStats', { params, query: {} }),
    'unauthenticated',
  );
  for (const days of ['0', '401', '-1', '1.5', 'x', ''])
    await expectError(stats(days), 'invalid_input');
  assert.equal((await ada.client.call('projectStats', { params, query: {} })).days.length, 30);
});

test('nothing about a person is stored, and a removed game leaves nothing', async () => {
  const { game, params, get, stats } = await newGame('Nobody');
  await get('?user=ada&token=secret', { ...PAGE, 'user-agent': 'Agent', cookie: 'id=7' });
  await get('gone.png?user=ada', { ...OWN, referer: 'https://ada.example/' });
  await stats();
  const rows = () =>
    db.selectFrom('daily_counts').selectAll().where('game_id', '=', game.id).execute();
  const stored = JSON.stringify(await rows());
  for (const word of ['ada', 'secret', 'Agent', 'id=7', '127.0.0.1']) {
    assert.ok(!stored.includes(word), `${word}: ${stored}`);
  }
  await get('', PAGE);
  await removeProject(ada.client, params.id);
  assert.deepEqual(await rows(), []);
});

test('a server that keeps counts for less time has fewer days by default', async () => {
  await using short = await openPlatform({ limits: { ...PLATFORM_LIMITS, stats_days: 14 } });
  const dan = await short.person('Dan');
  const { game } = await dan.client.call('createProject', { body: { title: 'Short' } });
  const params = { id: game.id };
  assert.equal((await dan.client.call('projectStats', { params, query: {} })).days.length, 14);
  await expectError(
    dan.client.call('projectStats', { params, query: { days: '15' } }),
    'invalid_input',
  );
});

test('with the setting off nothing is counted', async () => {
  const settings = { ...platform.settings, stats: false };
  await using off = await openPlatform({ settings });
  const bob = await off.person('Bob');
  const { game } = await bob.client.call('createProject', { body: { title: 'Uncounted' } });
  await publishBuild(bob.client, game.id, '1', { 'index.html': 'page' });
  await ask(`${off.baseUrl}/play/${game.slug}/`, PAGE);
  const none = await bob.client.call('projectStats', { params: { id: game.id }, query: {} });
  assert.equal(none.counted, false);
  assert.ok(none.days.every(({ plays, bytes }) => plays + bytes === 0));
});

test('what a server has counted is stored when it ends', async () => {
  const first = await openPlatform();
  const cleo = await first.person('Cleo');
  const { game } = await cleo.client.call('createProject', { body: { title: 'Last' } });
  const params = { id: game.id };
  await publishBuild(cleo.client, game.id, '1', { 'index.html': 'page' });
  await ask(`${first.baseUrl}/play/${game.slug}/`, PAGE);
  const { db: stored } = await openDatabase(first.dataDir, first.settings.databaseUrl);
  await first.running.close();
  const rows = await stored
    .selectFrom('daily_counts')
    .select(['kind', 'count'])
    .where('game_id', '=', params.id)
    .execute();
  await stored.destroy();
  assert.ok(rows.some(({ kind, count }) => kind === 'play' && Number(count) === 1));
  await first[Symbol.asyncDispose]();
});
