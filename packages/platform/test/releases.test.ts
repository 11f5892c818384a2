// The rows that a publish, a rollback and a deletion write, and those that they must not change.
import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { CallAnswer } from '@svc/contracts/platform';
import { decodeManifest } from '../src/database/manifest.ts';
import { newId } from '../src/database/new-id.ts';
import { openDatabase } from '../src/database/open-database.ts';
import type { Db } from '../src/database/schema.ts';
import { expectError } from './expect-error.ts';
import { makeZip } from './make-zip.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { filesIn, readState, spooledFiles, storedKeys, withoutRemoval } from './read-state.ts';

const HASHED = 'assets/index-DkZ3xQ9p.js';

let platform: OpenPlatform;
let ada: Person;
let db: Db;
let now = Date.now();
before(async () => {
  platform = await openPlatform({ now: () => now });
  ada = await platform.person('Ada');
  ({ db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl));
});
after(async () => {
  await db.destroy();
  await platform[Symbol.asyncDispose]();
});

type Game = CallAnswer<'game'>['game'];

async function newGame(title: string): Promise<Game> {
  return (await ada.client.call('createProject', { body: { title } })).game;
}

const publish = (id: string, version: string, files: Record<string, string> = {}) =>
  publishBuild(ada.client, id, version, { 'index.html': version, ...files });
const rollback = (id: string, version: string) =>
  ada.client.call('rollback', { params: { id }, body: { version } });
const unpublish = (id: string) => ada.client.call('unpublish', { params: { id } });
const deleteRelease = (id: string, version: string) =>
  ada.client.open('deleteRelease', { params: { id, version } });

async function play(slug: string, path = ''): Promise<string> {
  const answer = await fetch(`${platform.baseUrl}/play/${slug}/${path}`);
  const text = await answer.text();
  return answer.status === 200 ? text : String(answer.status);
}

test('published_at is the first publish, and the next one after the game was offline; updated_at is the last change', async () => {
  const { id, created_at } = await newGame('Times');
  const start = now;
  const seconds = (game: Game): (number | null)[] =>
    [game.published_at, game.updated_at].map((time) =>
      time === null ? null : (Date.parse(time) - start) / 1000,
    );
  const later = (second: number): void => {
    now = start + second * 1000;
  };
  later(1);
  assert.deepEqual(seconds((await publish(id, '1')).game), [1, 1]);
  later(2);
  const second = await publish(id, '2');
  assert.deepEqual(seconds(second.game), [1, 2]);
  assert.equal(second.release.created_at, new Date(now).toISOString());
  later(3);
  assert.deepEqual(seconds((await rollback(id, '1')).game), [1, 3]);
  later(4);
  const form = new FormData();
  form.set('metadata', '{"tagline":"Four"}');
  const updated = await ada.client.call('updateStore', { params: { id }, form });
  assert.deepEqual(seconds(updated.game), [1, 4]);
  later(5);
  const edit = { params: { id }, body: { tagline: 'Five' } };
  assert.deepEqual(seconds((await ada.client.call('editProject', edit)).game), [1, 5]);
  later(6);
  assert.deepEqual(seconds((await unpublish(id)).game), [null, 6]);
  later(7);
  assert.deepEqual(seconds((await rollback(id, '1')).game), [1, 7]);
  later(8);
  await unpublish(id);
  later(9);
  const { game } = await publish(id, '3');
  assert.deepEqual(seconds(game), [9, 9]);
  assert.equal(game.created_at, created_at);
  const { live_release } = await ada.client.call('project', { params: { id } });
  assert.equal(live_release?.version, '3');
});

test('a rollback to the live release, and unpublishing a draft, change nothing', async () => {
  const { id, slug } = await newGame('Nothing to do');
  await publish(id, '1', { [HASHED]: 'old()' });
  await publish(id, '2');
  const live = await readState(platform, db);
  now += 1000;
  await rollback(id, '2');
  assert.deepEqual(await readState(platform, db), live);
  assert.equal(await play(slug, HASHED), 'old()', 'running players continue');
  await unpublish(id);
  const draft = await readState(platform, db);
  now += 1000;
  await unpublish(id);
  assert.deepEqual(await readState(platform, db), draft);
});

test('the last live release of a draft cannot be deleted either, and the attempt changes nothing', async () => {
  const { id } = await newGame('Last live');
  await publish(id, '1');
  await publish(id, '2');
  const published = await expectError(deleteRelease(id, '2'), 'release_live');
  assert.match(published.message, /"2": it is live/);
  await unpublish(id);
  const before = await readState(platform, db);
  const draft = await expectError(deleteRelease(id, '2'), 'release_live');
  assert.match(draft.message, /"2": it was the last live version/);
  assert.deepEqual(await readState(platform, db), before);
  assert.equal((await rollback(id, '2')).game.status, 'published');
});

test('a deleted release is listed nowhere; the page of a game shows its twenty newest', async () => {
  const { id, slug } = await newGame('Listed');
  const { release } = await publish(id, 'v0');
  const row = await db
    .selectFrom('releases')
    .selectAll()
    .where('id', '=', release.id)
    .executeTakeFirstOrThrow();
  const versions = ['v0'];
  for (let number = 1; number < 22; number++) {
    const created_at = row.created_at + number;
    const more = { ...row, id: newId(), version: `v${number}`, created_at };
    await db.insertInto('releases').values(more).execute();
    versions.unshift(more.version);
  }
  await deleteRelease(id, 'v20');
  versions.splice(versions.indexOf('v20'), 1);
  const anybody = platform.clientWith(null);
  const names = ({ releases }: { releases: { version: string }[] }) =>
    releases.map((release) => release.version);
  const params = { slug };
  assert.deepEqual(names(await ada.client.call('releases', { params: { id } })), versions);
  assert.deepEqual(names(await anybody.call('gameReleases', { params })), versions);
  const page = await anybody.call('gamePage', { params });
  assert.deepEqual(names(page), versions.slice(0, 20));
  assert.equal(page.category, null);
  await expectError(
    ada.client.call('downloadBuild', { params: { id, version: 'v20' } }),
    'not_found',
  );
});

test('a release is listed before those that a server with a clock ahead has published', async () => {
  const game = await newGame('Clocks');
  const params = { id: game.id };
  const before = now;
  now += 90_000;
  await publish(game.id, 'ahead');
  now = before;
  for (const version of ['second', 'third']) await publish(game.id, version);
  const { releases } = await ada.client.call('releases', { params });
  assert.deepEqual(
    releases.map(({ version }) => version),
    ['third', 'second', 'ahead'],
  );
  const times = releases.map((release) => Date.parse(release.created_at));
  assert.deepEqual(times, [before + 90_002, before + 90_001, before + 90_000]);
});

test('the diff is against the release that is live, not the newest', async () => {
  const { id } = await newGame('Diff');
  await publish(id, '1', { 'one.txt': 'x' });
  await publish(id, '2', { 'two.txt': 'x' });
  await rollback(id, '1');
  const { diff } = await publish(id, '3', { 'one.txt': 'x', 'two.txt': 'x' });
  assert.deepEqual(diff, {
    new: ['two.txt'],
    changed: ['index.html'],
    same: ['one.txt'],
    gone: [],
  });
});

test('empty notes are null', async () => {
  const { id } = await newGame('Notes');
  const build = { 'index.html': 'x' };
  assert.equal((await publishBuild(ada.client, id, '1', build, '')).release.notes, null);
  assert.equal((await publishBuild(ada.client, id, '2', build)).release.notes, null);
  assert.equal((await publishBuild(ada.client, id, '3', build, ' ')).release.notes, ' ');
});

test('a publish returns its findings, among them changed files whose names contain a hash', async () => {
  const { id } = await newGame('Findings');
  const plain = 'assets/plain.js';
  const first = {
    [HASHED]: 'one()',
    [plain]: 'one()',
    'same-DkZ3xQ9p.js': 's()',
    'x.js.map': '{}',
  };
  const reported = ({ findings }: CallAnswer<'publish'>) =>
    findings.map(({ code, rule, entry }) => [code, rule, entry]);
  const map = ['source_map_published', 'source_map', 'x.js.map'];
  const published = await publish(id, '1', first);
  assert.deepEqual(reported(published), [map]);
  assert.match(published.findings[0]?.message ?? '', /./);
  const changed = await publish(id, '2', { ...first, [HASHED]: 'two()', [plain]: 'two()' });
  assert.deepEqual(reported(changed), [
    map,
    ['hashed_name_changed', 'hashed_name_changed', HASHED],
  ]);
  assert.match(changed.findings[1]?.hint ?? '', /change the name/);
});

test('sizes of a release are those of its files; a build is downloaded with the name of game and version', async () => {
  const { id, slug } = await newGame('Sizes');
  const files = { 'index.html': '12345', 'a.txt': '1234567' };
  const zip = makeZip(files);
  const version = '1.0+a_b';
  const { release, game } = await publishBuild(ada.client, id, version, zip);
  const { file_count, expanded_bytes, zip_bytes } = release;
  assert.deepEqual([file_count, expanded_bytes, zip_bytes], [2, 12, zip.length]);
  assert.equal(game.build_url, `${platform.baseUrl}/projects/${id}/releases/1.0%2Ba_b/build`);
  const headers = { authorization: `Bearer ${ada.idToken}` };
  const answer = await fetch(game.build_url ?? '', { headers });
  assert.equal(
    answer.headers.get('content-disposition'),
    `attachment; filename="${slug}-${version}.zip"`,
  );
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), zip);
});

test('a release is listed with the isolation that its owner chose', async () => {
  const { id } = await newGame('Isolation');
  const { release } = await publish(id, '1');
  assert.equal(release.isolation, 'credentialless');
  const form = new FormData();
  form.set('metadata', '{"isolation":"none"}');
  await ada.client.call('updateStore', { params: { id }, form });
  const { releases } = await ada.client.call('releases', { params: { id } });
  assert.equal(releases[0]?.isolation, 'none');
});

test('all files of a build of hundreds are published, and kept when they are replaced', async () => {
  const { id, slug } = await newGame('Hundreds');
  const count = 1001;
  const path = (index: number) => `assets/${index}-DkZ3xQ9p.js`;
  const names = Array.from({ length: count }, (_, index) => path(index));
  const files = Object.fromEntries(names.map((name) => [name, 'same()']));
  const { release } = await publish(id, '1', files);
  assert.equal(release.file_count, count + 1);
  const manifests = async () => {
    const rows = await db
      .selectFrom('manifests')
      .select('content')
      .where('release_id', '=', release.id)
      .orderBy('id')
      .execute();
    const lists = await Promise.all(rows.map((row) => decodeManifest(row.content)));
    return lists.map((list) => list.map((file) => file.path).sort());
  };
  assert.deepEqual(await manifests(), [[...names, 'index.html'].sort()]);
  await publish(id, '2');
  const [, kept] = await manifests();
  assert.deepEqual(kept, names.toSorted());
  for (const index of [0, 499, 500, 999, 1000]) {
    assert.equal(await play(slug, path(index)), 'same()', path(index));
  }
});

test('a hashed file that a later release adds again replaces the kept one', async () => {
  const { id, slug } = await newGame('Back again');
  const other = 'assets/other-DkZ3xQ9p.js';
  await publish(id, '1', { [HASHED]: 'first()', [other]: 'other()' });
  await publish(id, '2');
  assert.equal(await play(slug, HASHED), 'first()');
  await publish(id, '3', { [HASHED]: 'third()' });
  assert.deepEqual([await play(slug, HASHED), await play(slug, other)], ['third()', 'other()']);
  await publish(id, '4');
  assert.deepEqual([await play(slug, HASHED), await play(slug, other)], ['third()', 'other()']);
});

test('a publish leaves no file in the spool, and only the server can read its files', async () => {
  const { id } = await newGame('Tidy');
  const large = 'large '.repeat(400_000);
  const build = { 'a.txt': large, 'b.txt': large, 'c.txt': 'small '.repeat(300), 'd.js': 'd()' };
  await publish(id, '1', build);
  // Now all files are stored already, except for the page.
  await publish(id, '2', build);
  assert.deepEqual(await spooledFiles(platform), []);
  const [own = ''] = await readdir(join(platform.dataDir, 'spool'));
  assert.deepEqual(await readdir(join(platform.dataDir, 'spool', own)), ['lock']);
  const files = (await filesIn(platform, 'projects')).filter((path) => path.includes(id));
  assert.ok(files.length > 10, `${files.length} files`);
  for (const path of files) assert.equal((await stat(path)).mode & 0o777, 0o600, path);
});

test('a deletion succeeds even if its files cannot be removed yet, and they are removed later', async (t) => {
  await using other = await openPlatform();
  const joe = await other.person('Joe');
  const { game } = await joe.client.call('createProject', { body: { title: 'Stuck' } });
  const params = { id: game.id };
  for (const version of ['1', '2', '3']) {
    await publishBuild(joe.client, game.id, version, { 'index.html': version });
  }
  const remove = (version: string) =>
    joe.client.open('deleteRelease', { params: { ...params, version } });
  await withoutRemoval(t, async () => assert.equal((await remove('1')).status, 204));
  const reported = other.lines.splice(0).filter((line) => line.includes('cannot be removed'));
  assert.match(reported.join('\n'), /^warning: the files of project .*EBUSY/);
  assert.equal((await storedKeys(other, game.id)).length, 6, 'a page and a ZIP of each release');
  await expectError(remove('1'), 'not_found');
  assert.equal((await remove('2')).status, 204);
  assert.equal((await storedKeys(other, game.id)).length, 2, 'the files of the live release');
});
