// Staged releases and links to play them: who gets them, what ends them, and what never shows them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PLATFORM_LIMITS, type PublishAnswer } from '@svc/contracts/platform';
import { until } from '../../../scripts/until.ts';
import { openDatabase } from '../src/database/open-database.ts';
import type { Db } from '../src/database/schema.ts';
import { expectError } from './expect-error.ts';
import type { Files } from './make-zip.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishForm } from './publish-build.ts';
import { openUpload, sendParts } from './publish-parts.ts';
import { requestRaw } from './raw-request.ts';
import { storedKeys } from './read-state.ts';
import { runUpkeep } from './run-upkeep.ts';

let platform: OpenPlatform;
let ada: Person;
let db: Db;
before(async () => {
  platform = await openPlatform({ limits: { ...PLATFORM_LIMITS, previews_per_project: 3 } });
  ada = await platform.person('Ada');
  ({ db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl));
});
after(async () => {
  await db.destroy();
  await platform[Symbol.asyncDispose]();
});

async function newGame(title: string) {
  return (await ada.client.call('createProject', { body: { title } })).game;
}

const filesOf = (text: string): Files => ({
  'index.html': `<title>${text}</title>`,
  'main-0123456789abcdef.js': `// ${text}`,
});

type Query = { readonly stage?: 'true'; readonly preview?: string };

function publish(id: string, version: string, query: Query): Promise<PublishAnswer> {
  const form = publishForm(version, filesOf(version));
  return ada.client.call('publish', { params: { id }, query, form });
}

async function textAt(url: string): Promise<string | number> {
  const answer = await fetch(url);
  return answer.ok ? (await answer.text()).replaceAll(/<\/?title>/g, '') : answer.status;
}

const playOf = ({ slug }: { slug: string }): string => `${platform.baseUrl}/play/${slug}/`;

test('a staged release is played at its link only, and by all players after it was promoted', async () => {
  const game = await newGame('Staged');
  const staged = await publish(game.id, 'one', { stage: 'true' });
  assert.deepEqual([staged.release.live, staged.release.staged], [false, true]);
  assert.deepEqual([staged.game.status, staged.game.version], ['draft', null]);
  assert.equal(await textAt(staged.preview?.url ?? ''), 'one');
  assert.equal(await textAt(playOf(game)), 404);
  const params = { id: game.id };
  const { preview } = await ada.client.call('createPreview', { params, body: { version: 'one' } });
  assert.match(preview.url, /\/play\/staged\/\.preview\/[0-9a-f-]{36}\.[\w-]{22}\/$/);
  assert.deepEqual([preview.name, preview.version, preview.last_used_at], [null, 'one', null]);
  assert.equal(await textAt(preview.url), 'one');
  const promoted = await ada.client.call('promote', { params, body: { version: 'one' } });
  assert.deepEqual([promoted.release.live, promoted.release.staged], [true, false]);
  assert.deepEqual([promoted.game.status, promoted.game.version], ['published', 'one']);
  assert.equal(await textAt(playOf(game)), 'one');
  // Promoting again changes nothing.
  const again = await ada.client.call('promote', { params, body: { version: 'one' } });
  assert.equal(again.game.updated_at, promoted.game.updated_at);
  await publish(game.id, 'two', { stage: 'true' });
  assert.equal(await textAt(playOf(game)), 'one');
  await ada.client.call('promote', { params, body: { version: 'two' } });
  assert.equal(await textAt(playOf(game)), 'two');
  // A running game still loads the files with hashed names of the replaced release.
  await expectError(ada.client.call('promote', { params, body: { version: 'one' } }), 'not_staged');
  await expectError(ada.client.call('promote', { params, body: { version: 'x' } }), 'not_found');
});

test('a link has the headers of play, is not indexed, and no cache answers for it', async () => {
  const game = await newGame('Headers');
  await publish(game.id, 'live', {});
  const { preview } = await publish(game.id, 'next', { preview: 'pr-1' });
  assert.ok(preview);
  const played = await fetch(`${playOf(game)}main-0123456789abcdef.js`);
  for (const path of ['', 'main-0123456789abcdef.js']) {
    const answer = await fetch(preview.url + path);
    const policy = ['content-security-policy', 'cross-origin-opener-policy', 'permissions-policy'];
    for (const name of [...policy, 'cross-origin-embedder-policy', 'x-content-type-options']) {
      assert.equal(answer.headers.get(name), played.headers.get(name), name);
    }
    assert.equal(answer.headers.get('x-robots-tag'), 'noindex, nofollow');
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(answer.headers.get('cache-control'), 'private, no-cache');
  }
  assert.match(played.headers.get('cache-control') ?? '', /immutable/);
  const { port, pathname } = new URL(preview.url);
  const path = pathname.replace(/\/$/, '');
  const bare = await requestRaw({
    ...{ port: Number(port), path: `${path}?a=b` },
    headers: { 'Sec-Fetch-Mode': 'navigate' },
  });
  assert.equal(bare.status, 302);
  const target = new URL(bare.headers.get('location') ?? '', preview.url.slice(0, -1));
  assert.equal(target.href, `${preview.url}?a=b`);
});

test('other tokens, other games and changed signatures are 404, as a missing file', async () => {
  const [game, other] = [await newGame('Guess'), await newGame('Other')];
  const { preview } = await publish(game.id, '1', { preview: 'a' });
  await publish(other.id, '1', {});
  assert.ok(preview);
  const { url } = preview;
  const last = url.at(-2) === 'A' ? 'B' : 'A';
  const guesses = [
    `${url.slice(0, -2)}${last}/`,
    url.replace('/guess/', '/other/'),
    url.replace(preview.id, preview.id.replace(/^./, 'f')),
    url.replace(/\.[\w-]{22}\/$/, '/'),
    `${playOf(game)}.preview/`,
    `${playOf(game)}.preview//`,
    `${url}.preview/`,
    `${url}missing.js`,
    `${url}.env`,
  ];
  for (const guess of guesses) assert.equal(await textAt(guess), 404, guess);
  assert.equal(await textAt(url), '1');
});

test('a named preview keeps its address, and its replaced release is deleted unless it was promoted', async () => {
  const game = await newGame('Named');
  await publish(game.id, 'live', {});
  const first = await publish(game.id, 'a', { preview: 'pr-7' });
  const second = await publish(game.id, 'b', { preview: 'pr-7' });
  assert.ok(first.preview && second.preview);
  assert.equal(second.preview.url, first.preview.url);
  assert.equal(await textAt(first.preview.url), 'b');
  const versions = async () => {
    const { releases } = await ada.client.call('releases', { params: { id: game.id } });
    return releases.map(({ version }) => version);
  };
  assert.deepEqual(await versions(), ['b', 'live']);
  const params = { id: game.id };
  await ada.client.call('promote', { params, body: { version: 'b' } });
  await publish(game.id, 'c', { preview: 'pr-7' });
  assert.deepEqual(await versions(), ['c', 'b', 'live']);
  // A release that was staged by itself stays.
  await publish(game.id, 'd', { stage: 'true' });
  const body = { version: 'd', name: 'pr-7', expires_in_days: 3 };
  const { preview } = await ada.client.call('createPreview', { params, body });
  assert.equal(preview.url, first.preview.url);
  const days = (Date.parse(preview.expires_at) - Date.now()) / 86_400_000;
  assert.ok(days > 2.9 && days < 3.1);
  assert.deepEqual(await versions(), ['d', 'b', 'live']);
  await ada.client.open('revokePreview', { params: { id: game.id, preview: preview.id } });
  assert.deepEqual(await versions(), ['d', 'b', 'live']);
});

test('a revoked or expired link ends at once, with the release that was published for it and its files', async () => {
  const game = await newGame('Ends');
  await publish(game.id, 'live', {});
  const before = await storedKeys(platform, game.id);
  const first = await publish(game.id, 'a', { preview: 'one' });
  const params = { id: game.id, preview: first.preview?.id ?? '' };
  assert.equal(await textAt(first.preview?.url ?? ''), 'a');
  await ada.client.open('revokePreview', { params });
  assert.equal(await textAt(first.preview?.url ?? ''), 404);
  assert.deepEqual(await storedKeys(platform, game.id), before);
  await expectError(ada.client.open('revokePreview', { params }), 'not_found');
  const second = await publish(game.id, 'b', { preview: 'one' });
  assert.notEqual(second.preview?.url, first.preview?.url);
  await db
    .updateTable('previews')
    .set({ expires_at: Date.now() - 1 })
    .where('game_id', '=', game.id)
    .execute();
  assert.equal(await textAt(second.preview?.url ?? ''), 404);
  const listed = await ada.client.call('previews', { params: { id: game.id } });
  assert.deepEqual(listed.previews, []);
  await runUpkeep(platform);
  await runUpkeep(platform);
  assert.deepEqual(await storedKeys(platform, game.id), before);
  const { releases } = await ada.client.call('releases', { params: { id: game.id } });
  assert.deepEqual(
    releases.map(({ version }) => version),
    ['live'],
  );
});

test('the list of links names the versions and the last use, to the minute', async () => {
  const game = await newGame('List');
  const staged = await publish(game.id, '1', { preview: 'main' });
  const params = { id: game.id };
  await ada.client.call('createPreview', { params, body: { version: '1' } });
  assert.equal(await textAt(staged.preview?.url ?? ''), '1');
  // The use is stored in the background.
  const { previews } = await until(
    () => ada.client.call('previews', { params }),
    (listed) => listed.previews[1]?.last_used_at !== null,
    'the use is stored',
  );
  assert.deepEqual(
    previews.map(({ name, version, last_used_at }) => [name, version, last_used_at !== null]),
    [
      [null, '1', false],
      ['main', '1', true],
    ],
  );
  const used = previews[1]?.last_used_at;
  await textAt(staged.preview?.url ?? '');
  const again = await ada.client.call('previews', { params });
  assert.equal(again.previews[1]?.last_used_at, used);
  await ada.client.call('createPreview', { params, body: { version: '1' } });
  const fourth = ada.client.call('createPreview', { params, body: { version: '1' } });
  await expectError(fourth, 'quota_exceeded');
  await expectError(
    ada.client.call('createPreview', { params, body: { version: 'none' } }),
    'not_found',
  );
});

test('public pages and lists never name a staged release', async () => {
  const game = await newGame('Hidden');
  await publish(game.id, 'shown', {});
  await publish(game.id, 'secret', { stage: 'true' });
  const { slug } = game;
  for (const path of [`/games/${slug}`, `/games/${slug}/releases`, '/home']) {
    const answer = await fetch(platform.baseUrl + path);
    assert.equal(answer.status, 200, path);
    assert.ok(!(await answer.text()).includes('secret'), path);
  }
});

test('a release in parts is staged and previewed like a ZIP, and a dry run stages nothing', async () => {
  const game = await newGame('Parts');
  const files = filesOf('parts');
  const upload = await openUpload(ada.client, game.id, files);
  await sendParts(ada.client, game.id, upload, files);
  const params = { id: game.id, upload: upload.id };
  const body = { version: 'parts' };
  const query = { preview: 'pr-1' };
  const dry = await ada.client.open('publishUpload', {
    params,
    body,
    query: { ...query, dry_run: 'true' },
  });
  assert.equal(((await dry.json()) as { release: { staged: boolean } }).release.staged, true);
  const { previews } = await ada.client.call('previews', { params: { id: game.id } });
  assert.deepEqual(previews, []);
  const { preview, release } = await ada.client.call('publishUpload', { params, body, query });
  assert.deepEqual([release.staged, preview?.name], [true, 'pr-1']);
  assert.equal(await textAt(preview?.url ?? ''), 'parts');
});

test('deleting a release or the game ends its links, and a rollback to a staged release promotes it', async () => {
  const game = await newGame('Deleted');
  const params = { id: game.id };
  await publish(game.id, '1', { stage: 'true' });
  const { preview } = await ada.client.call('createPreview', { params, body: { version: '1' } });
  await ada.client.call('deleteRelease', { params: { id: game.id, version: '1' } });
  assert.equal(await textAt(preview.url), 404);
  await publish(game.id, '2', { stage: 'true' });
  const live = await ada.client.call('rollback', { params, body: { version: '2' } });
  assert.deepEqual([live.release.live, live.release.staged], [true, false]);
  const last = await publish(game.id, '3', { preview: 'x' });
  await ada.client.open('deleteProject', { params });
  assert.equal(await textAt(last.preview?.url ?? ''), 404);
});

test('the audit names every link that is made and every release that ends with one', async () => {
  const game = await newGame('Audited');
  const params = { id: game.id };
  await publish(game.id, 'a', { preview: 'pr' });
  await publish(game.id, 'b', { preview: 'pr' });
  await publish(game.id, 'c', { stage: 'true' });
  await ada.client.call('createPreview', { params, body: { version: 'c', name: 'pr' } });
  await publish(game.id, 'd', { preview: 'pr-2' });
  await db
    .updateTable('previews')
    .set({ expires_at: Date.now() - 1 })
    .where('game_id', '=', game.id)
    .where('name', '=', 'pr-2')
    .execute();
  await runUpkeep(platform);
  const rows = await db
    .selectFrom('audit')
    .select(['action', 'detail', 'uid'])
    .where('subject', '=', game.id)
    .orderBy('id')
    .execute();
  assert.deepEqual(
    rows.map(({ action, detail, uid }) => [action, detail, uid === ada.uid]),
    [
      ['project.created', 'audited', true],
      ['preview.created', 'a', true],
      ['release.staged', 'a', true],
      ['preview.created', 'b', true],
      ['release.deleted', 'a', true],
      ['release.staged', 'b', true],
      ['preview.created', 'c', true],
      ['release.staged', 'c', true],
      ['preview.created', 'c', true],
      ['release.deleted', 'b', true],
      ['preview.created', 'd', true],
      ['release.staged', 'd', true],
      ['release.deleted', 'd', false],
    ],
  );
});

test('a release ends with the last of its links, and stays if that has no name', async () => {
  const game = await newGame('Two links');
  const params = { id: game.id };
  const revoke = (preview: string) =>
    ada.client.open('revokePreview', { params: { id: game.id, preview } });
  for (const name of ['other', null]) {
    const version = String(name);
    const first = await publish(game.id, version, { preview: 'pr' });
    const second = await ada.client.call('createPreview', { params, body: { version, name } });
    await revoke(first.preview?.id ?? '');
    assert.equal(await textAt(second.preview.url), version);
    await revoke(second.preview.id);
  }
  const { releases } = await ada.client.call('releases', { params });
  assert.deepEqual(
    releases.map(({ version }) => version),
    ['null'],
  );
});

test('a release that a process of the previous version made live is not deleted with its link', async () => {
  const game = await newGame('Mixed');
  const { preview, release } = await publish(game.id, 'a', { preview: 'pr' });
  // That process knows no flag.
  await db
    .updateTable('games')
    .set({ live_release_id: release.id, status: 'published', published_at: 1, updated_at: 2 })
    .where('id', '=', game.id)
    .execute();
  const params = { slug: game.slug };
  const { releases } = await ada.client.call('gameReleases', { params });
  assert.deepEqual(
    releases.map(({ version, staged, live }) => [version, staged, live]),
    [['a', false, true]],
  );
  await ada.client.open('revokePreview', {
    params: { id: game.id, preview: preview?.id ?? '' },
  });
  assert.equal(await textAt(playOf(game)), 'a');
});

test('a preview that replaces a release fits into the quota of releases', async () => {
  await using full = await openPlatform({
    limits: { ...PLATFORM_LIMITS, releases_per_project: 2 },
  });
  const { client } = await full.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Full' } });
  const send = (version: string, query: Query) =>
    client.call('publish', {
      params: { id: game.id },
      query,
      form: publishForm(version, filesOf(version)),
    });
  await send('1', {});
  await send('a', { preview: 'pr' });
  await expectError(send('2', {}), 'quota_exceeded');
  await expectError(send('2', { preview: 'other' }), 'quota_exceeded');
  assert.equal((await send('b', { preview: 'pr' })).preview?.version, 'b');
});

test('people who follow a link that has ended read that it has ended', async () => {
  const game = await newGame('Over');
  const { preview } = await publish(game.id, 'a', { preview: 'pr' });
  const { port, pathname } = new URL(preview?.url ?? '');
  await ada.client.open('revokePreview', { params: { id: game.id, preview: preview?.id ?? '' } });
  const answer = await requestRaw({
    ...{ port: Number(port), path: pathname },
    headers: { 'Sec-Fetch-Mode': 'navigate' },
  });
  assert.equal(answer.status, 404);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.match(String(answer.body), /This preview link has ended/);
});
