// Access to images and trailers: public while the game is published, else only for its owner with expiring addresses.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CallAnswer, Media } from '@svc/contracts/platform';
import sharp from 'sharp';
import { readErrorCode } from './expect-error.ts';
import { makeMp4 } from './make-trailer.ts';
import { freshName, type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';

const MP4 = makeMp4();
const MINUTE_MS = 60_000;

let platform: OpenPlatform;
let ada: Person;
let aheadMs = 0;
before(async () => {
  platform = await openPlatform({ now: () => Date.now() + aheadMs });
  ada = await platform.person('Ada');
});
after(() => platform[Symbol.asyncDispose]());

type Project = CallAnswer<'project'>;

function picture(background: string): Promise<Buffer> {
  return sharp({ create: { width: 500, height: 300, channels: 3, background } })
    .png()
    .toBuffer();
}

/** A draft with one medium in each place. */
async function newDraft(): Promise<string> {
  const { game } = await ada.client.call('createProject', { body: { title: freshName('Draft') } });
  const form = new FormData();
  form.set('metadata', '{"tags":["private-media"]}');
  for (const [name, colour] of [
    ['banner', 'red'],
    ['cover', 'green'],
    ['screenshots', 'blue'],
  ] as const) {
    form.append(name, new Blob([new Uint8Array(await picture(colour))]), 'image.png');
  }
  form.set('trailer', new Blob([new Uint8Array(MP4)]), 'trailer.mp4');
  await ada.client.call('updateStore', { params: { id: game.id }, form });
  return game.id;
}

function project(id: string): Promise<Project> {
  return ada.client.call('project', { params: { id } });
}

/** All addresses of media and variants in an answer about a game. */
function addressesOf({ game, page }: Pick<Project, 'game' | 'page'>): string[] {
  const all = [page.banner, page.cover, page.trailer, ...page.screenshots];
  const media = all.filter((one): one is Media => one !== null);
  assert.equal(media.length, 4);
  return [
    ...media.flatMap(({ url, variants }) => [url, ...variants.map((one) => one.url)]),
    game.cover_url ?? '',
    ...(game.cover_variants ?? []).map((one) => one.url),
  ];
}

function withoutQuery(address: string): string {
  const url = new URL(address);
  url.search = '';
  return url.href;
}

/** Expects 404 for every kind of request for the medium. */
async function isHidden(address: string): Promise<void> {
  const file = new URL(address).pathname.split('/').at(-1);
  const asked: RequestInit[] = [
    {},
    { method: 'HEAD' },
    { headers: { range: 'bytes=0-3' } },
    { headers: { 'if-none-match': `"${file}"` } },
    { headers: { 'if-none-match': '*' } },
  ];
  for (const init of asked) {
    const answer = await fetch(address, init);
    assert.equal(answer.status, 404, `${address} ${JSON.stringify(init)}`);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.equal(answer.headers.get('etag'), null);
    if (init.method !== 'HEAD') assert.equal(await readErrorCode(answer), 'not_found');
  }
}

test('media of a draft are 404 without a signature, for every variant and method', async () => {
  const reported = await project(await newDraft());
  for (const address of addressesOf(reported)) await isHidden(withoutQuery(address));
});

test('the owner of a draft gets addresses with private caching', async () => {
  const addresses = addressesOf(await project(await newDraft()));
  assert.ok(addresses.length > 12);
  for (const address of addresses) {
    const answer = await fetch(address);
    assert.equal(answer.status, 200, address);
    const etag = answer.headers.get('etag') ?? '';
    assert.equal(answer.headers.get('cache-control'), 'private, max-age=60, must-revalidate');
    const { byteLength } = await answer.arrayBuffer();
    const head = await fetch(address, { method: 'HEAD' });
    assert.equal(head.headers.get('content-length'), String(byteLength));
    const part = await fetch(address, { headers: { range: 'bytes=2-5' } });
    assert.deepEqual([part.status, (await part.arrayBuffer()).byteLength], [206, 4]);
    const same = await fetch(address, { headers: { 'if-none-match': etag } });
    assert.equal(same.status, 304);
    assert.match(same.headers.get('cache-control') ?? '', /^private, /);
  }
});

test('every answer to the owner about a draft has addresses that work', async () => {
  const id = await newDraft();
  const params = { id };
  const form = new FormData();
  form.set('metadata', '{}');
  const { games } = await ada.client.call('projects', { query: {} });
  const edited = await ada.client.call('editProject', { params, body: { tagline: 'x' } });
  const updated = await ada.client.call('updateStore', { params, form });
  await publishBuild(ada.client, id, '1', { 'index.html': 'x' });
  const unpublished = await ada.client.call('unpublish', { params });
  const listed = games.find((game) => game.id === id);
  assert.ok(listed);
  for (const game of [listed, edited.game, updated.game, unpublished.game]) {
    assert.equal((await fetch(game.cover_url ?? '')).status, 200);
    for (const { url } of game.cover_variants ?? []) assert.equal((await fetch(url)).status, 200);
  }
});

test('a signed address is valid for 15 to 30 minutes, for one file, and cannot be altered', async () => {
  const { page } = await project(await newDraft());
  const [cover, trailer] = [page.cover?.url ?? '', page.trailer?.url ?? ''];
  const [path = '', query = ''] = cover.split('?');
  const key = new URLSearchParams(query).get('key') ?? '';
  const until = Number(new URLSearchParams(query).get('until'));
  const seconds = until - Date.now() / 1000;
  assert.ok(seconds > 14 * 60 && seconds <= 30 * 60, `${seconds} s`);
  const other = `${key.startsWith('A') ? 'B' : 'A'}${key.slice(1)}`;
  const wrong = [
    `until=${until}&key=${other}`,
    `until=${until + 900}&key=${key}`,
    `until=${until}&key=${key.slice(0, -1)}`,
    `until=${until}&key=`,
    `until=${until}`,
    `until=&key=${key}`,
    `key=${key}&until=${until}`,
    `until=${until}&key=${key}&more=1`,
    new URL(trailer).search.slice(1),
  ];
  for (const query of wrong) await isHidden(`${path}?${query}`);
  aheadMs = 14 * MINUTE_MS;
  assert.equal((await fetch(cover)).status, 200);
  aheadMs = 31 * MINUTE_MS;
  for (const address of [cover, trailer]) await isHidden(address);
  aheadMs = 0;
});

test('media of a published game are public and revalidate; unpublishing hides them at once', async () => {
  const id = await newDraft();
  const signed = addressesOf(await project(id)).map((address) => new URL(address).search);
  assert.ok(signed.every((query) => query !== ''));
  await publishBuild(ada.client, id, '1', { 'index.html': 'x' });
  const reported = await project(id);
  const shown = await platform
    .clientWith(null)
    .call('gamePage', { params: { slug: reported.game.slug } });
  const addresses = addressesOf(shown);
  assert.deepEqual(addressesOf(reported), addresses, 'the owner is given the same addresses');
  for (const address of addresses) {
    assert.equal(new URL(address).search, '');
    const answer = await fetch(address);
    await answer.arrayBuffer();
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=60, must-revalidate');
    const etag = answer.headers.get('etag') ?? '';
    const same = await fetch(address, { headers: { 'if-none-match': etag } });
    assert.equal(same.status, 304);
    assert.equal(same.headers.get('cache-control'), 'public, max-age=60, must-revalidate');
  }
  // Small files are in the server's memory now.
  await ada.client.call('unpublish', { params: { id } });
  for (const address of addresses) await isHidden(address);
});

test('public lists contain no signed address', async () => {
  const id = await newDraft();
  await publishBuild(ada.client, id, '1', { 'index.html': 'x' });
  const { game } = await project(id);
  const stranger = platform.clientWith(ada.idToken);
  const answers = await Promise.all([
    stranger.call('home', { query: { tag: 'private-media' } }),
    stranger.call('search', { query: { q: game.title } }),
    stranger.call('developer', { params: { uid: ada.uid } }),
    stranger.call('game', { params: { slug: game.slug } }),
    stranger.call('gamePage', { params: { slug: game.slug } }),
  ]);
  for (const answer of answers) {
    const text = JSON.stringify(answer);
    assert.ok(text.includes(game.cover_url ?? '?'));
    assert.doesNotMatch(text, /[?&]key=|until=/);
  }
});

test('replaced media and those of a deleted game are 404, also with a signed address', async () => {
  const id = await newDraft();
  const before = await project(id);
  const form = new FormData();
  form.set('metadata', '{"banner":null,"trailer":null,"screenshots":[]}');
  form.set('cover', new Blob([new Uint8Array(await picture('white'))]), 'image.png');
  const { page } = await ada.client.call('updateStore', { params: { id }, form });
  for (const address of addressesOf(before)) await isHidden(address);
  const cover = page.cover?.url ?? '';
  assert.equal((await fetch(cover)).status, 200);
  await ada.client.call('deleteProject', { params: { id } });
  await isHidden(cover);
});

test('an address that one server signed is valid on another with the same database', async () => {
  const { page } = await project(await newDraft());
  const { dataDir, settings } = platform;
  await using other = await openPlatform({ dataDir, settings });
  const address = (page.cover?.url ?? '').replace(platform.baseUrl, other.baseUrl);
  assert.equal((await fetch(address)).status, 200);
  await isHidden(withoutQuery(address));
});
