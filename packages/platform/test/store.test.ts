import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { DEFAULT_LAYOUT, ROUTES, type StorePage } from '@svc/contracts/platform';
import sharp from 'sharp';
import { Value } from 'typebox/value';
import { openDatabase } from '../src/database/open-database.ts';
import type { StoredVariant } from '../src/storage/stored-bytes.ts';
import { expectError, readErrorCode } from './expect-error.ts';
import { makeMp4, makeWebm } from './make-trailer.ts';
import { makeZip } from './make-zip.ts';
import { type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { storedKeys, withoutRemoval } from './read-state.ts';
import { runUpkeep } from './run-upkeep.ts';

const MP4 = makeMp4();
const WEBM = makeWebm();

let platform: OpenPlatform;
let ada: Person;
before(async () => {
  platform = await openPlatform();
  ada = await platform.person('Ada');
});
after(() => platform[Symbol.asyncDispose]());

function picture(
  format: 'png' | 'jpeg' | 'webp' | 'avif',
  width = 600,
  height = 400,
): Promise<Buffer> {
  const image = sharp({ create: { width, height, channels: 3, background: '#3366cc' } });
  return image
    .withExif({ IFD0: { Copyright: 'secret place' } })
    .toFormat(format)
    .toBuffer();
}

type Part = [name: string, bytes: Uint8Array];

function storeForm(metadata: unknown, ...parts: Part[]): FormData {
  const form = new FormData();
  form.set('metadata', JSON.stringify(metadata));
  for (const [name, bytes] of parts)
    form.append(name, new Blob([new Uint8Array(bytes)]), 'file.bin');
  return form;
}

async function update(id: string, metadata: unknown, ...parts: Part[]): Promise<StorePage> {
  const form = storeForm(metadata, ...parts);
  return (await ada.client.call('updateStore', { params: { id }, form })).page;
}

async function newGame(title: string): Promise<string> {
  return (await ada.client.call('createProject', { body: { title } })).game.id;
}

async function mediaOnDisk(id: string): Promise<string[]> {
  return storedKeys(platform, id);
}

test('PUT store accepts texts and layout; an absent field is kept, null clears', async () => {
  const id = await newGame('Texts');
  const layout = {
    template: 'wide' as const,
    theme: 'dark' as const,
    accent: '#aabbcc',
    sections: ['screenshots' as const, 'description' as const],
    orientation: 'portrait' as const,
  };
  const page = await update(id, {
    tagline: 'A tagline',
    description: 'Words',
    category: 'puzzle',
    tags: ['one-tag'],
    layout,
  });
  assert.deepEqual(page, {
    tagline: 'A tagline',
    description: 'Words',
    category: 'puzzle',
    tags: ['one-tag'],
    layout,
    banner: null,
    cover: null,
    screenshots: [],
    trailer: null,
  });
  assert.deepEqual(await update(id, {}), page);
  const cleared = await update(id, { tagline: null, category: null, layout: null, tags: null });
  assert.equal(cleared.tagline, null);
  assert.equal(cleared.category, null);
  assert.deepEqual(cleared.tags, []);
  assert.deepEqual(cleared.layout, DEFAULT_LAYOUT);
  assert.equal(cleared.description, 'Words');
  assert.equal((await update(id, { description: null })).description, null);
});

test('an accent colour is accepted in either case, and returned in lower case', async () => {
  const id = await newGame('Colours');
  const layout = { ...DEFAULT_LAYOUT, accent: '#FFaa09' };
  assert.equal((await update(id, { layout })).layout.accent, '#ffaa09');
  assert.equal((await update(id, { layout: DEFAULT_LAYOUT })).layout.accent, null);
});

test('images are re-encoded without metadata, with WebP and AVIF in page sizes', async () => {
  const id = await newGame('Images');
  for (const format of ['png', 'jpeg', 'webp', 'avif'] as const) {
    const page = await update(id, {}, ['cover', await picture(format, 1000, 500)]);
    const { cover } = page;
    assert.ok(cover);
    assert.equal(cover.type, `image/${format}`);
    assert.deepEqual([cover.width, cover.height, cover.kind], [1000, 500, 'image']);
    const sizes = cover.variants.map((one) => `${one.type} ${one.width}×${one.height}`).sort();
    assert.deepEqual(sizes, [
      'image/avif 1000×500',
      'image/avif 480×240',
      'image/avif 960×480',
      'image/webp 1000×500',
      'image/webp 480×240',
      'image/webp 960×480',
    ]);
    for (const { url, type } of [cover, ...cover.variants]) {
      const answer = await fetch(url);
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-type'), type);
      assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; sandbox");
      assert.equal(answer.headers.get('cross-origin-resource-policy'), 'cross-origin');
      const bytes = Buffer.from(await answer.arrayBuffer());
      assert.equal((await sharp(bytes).metadata()).exif, undefined);
      assert.equal(bytes.includes('secret place'), false);
    }
  }
  assert.equal((await mediaOnDisk(id)).length, 7, 'replaced images are gone from disk');
});

test('a rotated photo is stored upright', async () => {
  const id = await newGame('Rotated');
  const rotated = await sharp(await picture('jpeg', 640, 320))
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const { banner } = await update(id, {}, ['banner', rotated]);
  assert.deepEqual([banner?.width, banner?.height], [320, 640]);
});

test('metadata.alt sets alternative texts of new and old media; null clears one, and unknown media are rejected', async () => {
  const id = await newGame('Alt');
  const shot = () => picture('png', 300, 200);
  const first = await update(
    id,
    { alt: { cover: 'A red moon', 'new:1': 'The second' } },
    ['cover', await shot()],
    ['screenshots', await shot()],
    ['screenshots', await shot()],
  );
  assert.equal(first.cover?.alt, 'A red moon');
  assert.deepEqual(
    first.screenshots.map((one) => one.alt),
    [null, 'The second'],
  );
  const [a = '', b = ''] = first.screenshots.map((one) => one.id);
  const second = await update(id, { alt: { [a]: 'The first', [b]: null, cover: '' } });
  assert.deepEqual(
    second.screenshots.map((one) => one.alt),
    ['The first', null],
  );
  assert.equal(second.cover?.alt, null);
  const texts = { banner: 'A wide moon', trailer: 'A flight', cover: 'Two moons' };
  const third = await update(
    id,
    { alt: texts },
    ['banner', await shot()],
    ['trailer', MP4],
    ['cover', await shot()],
  );
  const { banner, trailer, cover } = third;
  assert.deepEqual({ banner: banner?.alt, trailer: trailer?.alt, cover: cover?.alt }, texts);
  await update(id, { banner: null });
  const wrong = [
    { banner: 'none here' },
    { 'new:0': 'none sent' },
    { nothing: 'x' },
    { [a]: 'line\nbreak' },
  ];
  for (const alt of [...wrong, { [a]: 'x'.repeat(301) }]) {
    await expectError(
      ada.client.call('updateStore', { params: { id }, form: storeForm({ alt }) }),
      'invalid_input',
    );
  }
  const { page } = await ada.client.call('project', { params: { id } });
  assert.equal(page.screenshots[0]?.alt, 'The first');
});

test('GET /projects/:id returns the isolation that its owner chose, or null', async () => {
  const id = await newGame('Isolation');
  const chosen = async () => (await ada.client.call('project', { params: { id } })).isolation;
  assert.equal(await chosen(), null);
  await update(id, { isolation: 'require-corp' });
  assert.equal(await chosen(), 'require-corp');
  await update(id, { isolation: null });
  assert.equal(await chosen(), null);
});

test('GET /projects/:id returns whether its owner allows profiling', async () => {
  const id = await newGame('Profiling');
  const allowed = async () => (await ada.client.call('project', { params: { id } })).profiling;
  assert.equal(await allowed(), false);
  await update(id, { profiling: true });
  await update(id, { tagline: 'kept' });
  assert.equal(await allowed(), true);
  await update(id, { profiling: null });
  assert.equal(await allowed(), false);
});

test('screenshots are added, ordered and removed by the list', async () => {
  const id = await newGame('Shots');
  const shot = () => picture('png', 300, 200);
  const first = await update(id, {}, ['screenshots', await shot()], ['screenshots', await shot()]);
  const [a = '', b = ''] = first.screenshots.map((one) => one.id);
  assert.equal(first.screenshots.length, 2);
  const list = ['new:0', b, a];
  const second = await update(id, { screenshots: list }, ['screenshots', await shot()]);
  assert.deepEqual(
    second.screenshots.slice(1).map((one) => one.id),
    [b, a],
  );
  const third = await update(id, { screenshots: [a] });
  assert.deepEqual(
    third.screenshots.map((one) => one.id),
    [a],
  );
  const wrong: [unknown, Part[]][] = [
    [{ screenshots: ['nothing'] }, []],
    [{ screenshots: [b] }, []],
    [{ screenshots: ['new:0'] }, []],
    [{ screenshots: [a, a] }, []],
    [{ screenshots: [a] }, [['screenshots', await shot()]]],
  ];
  const files = await mediaOnDisk(id);
  for (const [metadata, parts] of wrong) {
    const form = storeForm(metadata, ...parts);
    await expectError(ada.client.call('updateStore', { params: { id }, form }), 'invalid_input');
  }
  assert.deepEqual(await mediaOnDisk(id), files, 'a rejected update leaves nothing behind');
  assert.deepEqual((await update(id, { screenshots: null })).screenshots, []);
  assert.deepEqual(await mediaOnDisk(id), []);
});

test('a trailer is recognized by its structure and served in parts', async () => {
  const id = await newGame('Trailer');
  const { trailer } = await update(id, {}, ['trailer', MP4]);
  assert.ok(trailer);
  assert.deepEqual([trailer.kind, trailer.type, trailer.bytes], ['video', 'video/mp4', MP4.length]);
  const part = await fetch(trailer.url, { headers: { range: 'bytes=4-7' } });
  assert.equal(part.status, 206);
  assert.equal(await part.text(), 'ftyp');
  const webm = await update(id, {}, ['trailer', WEBM]);
  assert.equal(webm.trailer?.type, 'video/webm');
  assert.equal(await readErrorCode(await fetch(trailer.url)), 'not_found');
  const foreign = ['qt  ', 'heic', 'avif'].map((brand) =>
    Buffer.concat([MP4.subarray(0, 8), Buffer.from(brand), MP4.subarray(12)]),
  );
  const pages = ['not a video at all', '\0\0\0\x18ftypisom<script>alert(1)</script>'].map((text) =>
    Buffer.from(text),
  );
  for (const bytes of [...pages, MP4.subarray(0, 32), WEBM.subarray(0, 32), ...foreign]) {
    const form = storeForm({}, ['trailer', bytes]);
    await expectError(ada.client.call('updateStore', { params: { id }, form }), 'trailer_invalid');
  }
  assert.equal((await update(id, { trailer: null })).trailer, null);
});

test('a file that is not an image, and a decompression bomb, are rejected', async () => {
  const id = await newGame('Refused');
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  const gif = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');
  const png = await picture('png');
  const invalid = [Buffer.from('hello'), svg, gif, Buffer.alloc(0), png.subarray(0, 200)];
  for (const bytes of invalid) {
    const form = storeForm({}, ['cover', bytes]);
    await expectError(ada.client.call('updateStore', { params: { id }, form }), 'image_invalid');
  }
  const wide = await sharp({ create: { width: 9000, height: 4, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  for (const bytes of [wide, Buffer.alloc(8 * 1024 * 1024 + 1, 1)]) {
    const form = storeForm({}, ['cover', bytes]);
    const update = ada.client.call('updateStore', { params: { id }, form });
    const { details } = await expectError(update, 'image_too_large');
    assert.equal(details[0]?.path, 'cover');
  }
  const second = storeForm({}, ['cover', png], ['screenshots', png], ['screenshots', gif]);
  const update = ada.client.call('updateStore', { params: { id }, form: second });
  const { details } = await expectError(update, 'image_invalid');
  assert.equal(details[0]?.path, 'screenshots/1');
  assert.deepEqual(await mediaOnDisk(id), []);
});

test('PUT store rejects invalid metadata', async () => {
  const id = await newGame('Metadata');
  const send = (form: FormData) =>
    fetch(`${platform.baseUrl}/projects/${id}/store`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${ada.idToken}` },
      body: form,
    });
  const bodies: unknown[] = [
    { extra: 1 },
    { title: 'no' },
    { category: 'none-such' },
    { tags: ['A'] },
    { tagline: 'x'.repeat(141) },
    { isolation: 'maybe' },
    { profiling: 'yes' },
    { profiling: 1 },
    { layout: { template: 'classic' } },
    { layout: { ...DEFAULT_LAYOUT, accent: 'red' } },
    { layout: { ...DEFAULT_LAYOUT, sections: ['trailer', 'trailer'] } },
    { layout: { ...DEFAULT_LAYOUT, extra: 1 } },
    { cover: 'x' },
    [],
    null,
  ];
  for (const body of bodies) {
    const answer = await send(storeForm(body));
    assert.equal(await readErrorCode(answer), 'invalid_input', JSON.stringify(body));
  }
  const unknown = storeForm({ layout: { ...DEFAULT_LAYOUT, extra: 1 } });
  const reported = await expectError(
    ada.client.call('updateStore', { params: { id }, form: unknown }),
    'invalid_input',
  );
  assert.deepEqual(reported.details, [
    {
      path: 'metadata/layout/extra',
      message:
        'The field "extra" of the layout is unknown. Allowed: template, theme, accent, sections, orientation',
    },
  ]);
  const noMetadata = new FormData();
  noMetadata.set('cover', new Blob([new Uint8Array(await picture('png'))]), 'c.png');
  assert.equal(await readErrorCode(await send(noMetadata)), 'invalid_input');
  const notJson = new FormData();
  notJson.set('metadata', '{\n  "tagline": ,\n}');
  const fault = await send(notJson);
  const { error } = (await fault.json()) as { error: Record<string, unknown> };
  assert.deepEqual([error['code'], error['line'], error['column']], ['invalid_input', 2, 14]);
  const typed = new FormData();
  typed.set('metadata', new Blob(['{"tagline":"as a typed part"}'], { type: 'application/json' }));
  assert.equal((await send(typed)).status, 200);
  const both = storeForm({ cover: null }, ['cover', await picture('png')]);
  assert.equal(await readErrorCode(await send(both)), 'invalid_input');
});

test('the public page of a published game contains everything', async () => {
  const { game } = await ada.client.call('createProject', {
    body: { title: 'Shown', slug: 'shown-game' },
  });
  await update(game.id, { category: 'rpg', description: 'Long' }, ['cover', await picture('jpeg')]);
  const stranger = platform.clientWith(null);
  const params = { slug: game.slug };
  await expectError(stranger.call('gamePage', { params }), 'not_found');
  await publishBuild(ada.client, game.id, '1', { 'index.html': 'x' }, 'notes');
  const page = await stranger.call('gamePage', { params });
  if (!Value.Check(ROUTES.gamePage.answer, page)) {
    assert.fail(JSON.stringify([...Value.Errors(ROUTES.gamePage.answer, page)]));
  }
  assert.deepEqual(page.category, { id: 'rpg', name: 'Role-playing' });
  assert.equal(page.page.description, 'Long');
  assert.equal(page.game.build_url, null);
  assert.equal(page.game.cover_url, page.page.cover?.url);
  assert.deepEqual(page.game.cover_variants, page.page.cover?.variants);
  assert.equal(page.developer.uid, ada.uid);
  assert.deepEqual(
    page.releases.map((one) => one.notes),
    ['notes'],
  );
  assert.equal(page.embed.url, `${page.game.play_url}.release/${page.releases[0]?.id}/`);
  // What engines need. Camera and microphone are not allowed.
  assert.deepEqual(page.embed.allow.split('; '), [
    ...['cross-origin-isolated', 'fullscreen', 'gamepad', 'autoplay', 'accelerometer', 'gyroscope'],
    ...['magnetometer', 'clipboard-write', 'xr-spatial-tracking', 'screen-wake-lock', 'web-share'],
  ]);
  await ada.client.call('deleteProject', { params: { id: game.id } });
  assert.equal(await readErrorCode(await fetch(page.page.cover?.url ?? '')), 'not_found');
});

test('a committed update keeps its files even if old ones cannot be removed, which the upkeep does later', async (t) => {
  await using other = await openPlatform();
  const joe = await other.person('Joe');
  const { game } = await joe.client.call('createProject', { body: { title: 'Stuck' } });
  const params = { id: game.id };
  const cover = async () => storeForm({}, ['cover', await picture('png')]);
  await joe.client.call('updateStore', { params, form: await cover() });
  const old = await storedKeys(other, game.id);
  const form = await cover();
  await withoutRemoval(t, async () => {
    const { page } = await joe.client.call('updateStore', { params, form });
    assert.equal((await fetch(page.cover?.url ?? '')).status, 200);
  });
  assert.match(other.lines.join('\n'), /^warning: the files of replaced media .*EBUSY/m);
  assert.equal((await storedKeys(other, game.id)).length, 2 * old.length);
  // The row stays until the files of its place are removed, and other removals do not change that.
  await joe.client.call('updateStore', { params, form: await cover() });
  assert.deepEqual(await attemptStates(other, game.id), ['committed', 'committed', 'committed']);
  await runUpkeep(other);
  const left = await storedKeys(other, game.id);
  assert.deepEqual([left.length, left.filter((key) => old.includes(key))], [old.length, []]);
  assert.deepEqual(await attemptStates(other, game.id), ['unused', 'unused', 'committed']);
});

/** The states of the attempts of a project, in the order of their ids. */
async function attemptStates(of: OpenPlatform, gameId: string): Promise<string[]> {
  const { db } = await openDatabase(of.dataDir, of.settings.databaseUrl);
  try {
    const rows = await db
      .selectFrom('attempts')
      .select('state')
      .where('game_id', '=', gameId)
      .orderBy('id')
      .execute();
    return rows.map((row) => row.state);
  } finally {
    await db.destroy();
  }
}

test('an attempt is committed as long as an image of it is on the page, and unused when the last one is replaced', async () => {
  const id = await newGame('Attempts');
  const image = await picture('png', 60, 40);
  await update(id, {}, ['cover', image], ['banner', image]);
  await update(id, {}, ['cover', image]);
  assert.deepEqual(await attemptStates(platform, id), ['committed', 'committed']);
  await update(id, {}, ['cover', image]);
  assert.deepEqual(await attemptStates(platform, id), ['committed', 'unused', 'committed']);
  await update(id, { banner: null });
  assert.deepEqual(await attemptStates(platform, id), ['unused', 'unused', 'committed']);
  await Promise.all([1, 2, 3, 4].map(() => update(id, {}, ['cover', image])));
  const states = await attemptStates(platform, id);
  assert.deepEqual([states.length, states.filter((state) => state === 'committed').length], [7, 1]);
  assert.ok((await mediaOnDisk(id)).length > 0);
});

test('two concurrent updates both take effect', async () => {
  const id = await newGame('Both');
  const [cover, banner] = await Promise.all([picture('png'), picture('png')]);
  await Promise.all([update(id, {}, ['cover', cover]), update(id, {}, ['banner', banner])]);
  const { page } = await ada.client.call('project', { params: { id } });
  assert.ok(page.cover);
  assert.ok(page.banner);
});

test('media count towards the bytes of a project, with their variants; replaced media do not', async () => {
  const trailer = makeMp4(40_000);
  await using small = await openPlatform({ limits: { project_bytes: 50_000 } });
  const joe = await small.person('Joe');
  const { game } = await joe.client.call('createProject', { body: { title: 'Full' } });
  const params = { id: game.id };
  const send = (metadata: unknown, ...parts: Part[]) =>
    joe.client.call('updateStore', { params, form: storeForm(metadata, ...parts) });
  await send({}, ['trailer', trailer]);
  await send({}, ['trailer', trailer]);
  const noise = await sharp(randomBytes(300 * 300 * 3), {
    raw: { width: 300, height: 300, channels: 3 },
  })
    .jpeg({ quality: 40 })
    .toBuffer();
  assert.ok(noise.length < 50_000);
  await expectError(send({ tagline: 'Too much' }, ['cover', noise]), 'quota_exceeded');
  const { page } = await joe.client.call('project', { params });
  assert.deepEqual([page.tagline, page.cover], [null, null]);
  assert.equal((await storedKeys(small, game.id)).length, 1);
  const build = { 'index.html': 'x', 'data.bin': Buffer.alloc(20_000, 1) };
  await expectError(publishBuild(joe.client, game.id, '1', build), 'quota_exceeded');
  await send({ trailer: null });
  await publishBuild(joe.client, game.id, '1', build);
});

test('media without stored sizes of their variants are accepted', async () => {
  const id = await newGame('Old rows');
  await publishBuild(ada.client, id, '1', { 'index.html': 'x' });
  const before = await update(id, {}, ['cover', await picture('png')]);
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  const { variants } = await db
    .selectFrom('media')
    .select('variants')
    .where('game_id', '=', id)
    .executeTakeFirstOrThrow();
  const old: object[] = JSON.parse(variants).map(
    ({ bytes: _, ...variant }: StoredVariant) => variant,
  );
  await db
    .updateTable('media')
    .set({ variants: JSON.stringify(old) })
    .where('game_id', '=', id)
    .execute();
  await db.destroy();
  const after = await update(id, {}, ['banner', await picture('png')]);
  assert.deepEqual(after.cover, before.cover);
  for (const { url } of before.cover?.variants ?? []) {
    const answer = await fetch(url);
    const { byteLength } = await answer.arrayBuffer();
    assert.equal(answer.headers.get('content-length'), String(byteLength));
  }
});

test('a concurrent publish and store page update together stay within the quota', async () => {
  await using small = await openPlatform({ limits: { project_bytes: 100_000 } });
  const joe = await small.person('Joe');
  const trailer = makeMp4(60_000);
  const build = makeZip({ 'index.html': 'x', 'noise.bin': randomBytes(25_000) });
  for (let round = 0; round < 6; round++) {
    const { game } = await joe.client.call('createProject', { body: { title: `Both ${round}` } });
    const params = { id: game.id };
    const outcomes = await Promise.allSettled([
      publishBuild(joe.client, game.id, '1', build),
      joe.client.call('updateStore', { params, form: storeForm({}, ['trailer', trailer]) }),
    ]);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(refused.length, 1, `round ${round}`);
    await expectError(Promise.reject(refused[0]?.reason), 'quota_exceeded');
  }
});
