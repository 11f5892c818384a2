// Avatars: uploaded, encoded again, and served only by this platform.
import assert from 'node:assert/strict';
import fsPromises, { mkdtemp, readdir, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import sharp from 'sharp';
import { migrationsFor } from '../src/database/migrations.ts';
import { openDatabase } from '../src/database/open-database.ts';
import type { Tables } from '../src/database/schema.ts';
import { NodeSqliteDialect, openSqliteFile } from '../src/database/sqlite-dialect.ts';
import { imageTurns } from '../src/media/prepare-image.ts';
import { expectError, readErrorCode } from './expect-error.ts';
import { freshName, type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';

let platform: OpenPlatform;
before(async () => {
  platform = await openPlatform();
});
after(() => platform[Symbol.asyncDispose]());

type Format = 'png' | 'jpeg' | 'webp' | 'avif';

function picture(format: Format = 'png', width = 640, height = 320): Promise<Buffer> {
  const image = sharp({ create: { width, height, channels: 3, background: '#3366cc' } });
  return image
    .withExif({ IFD0: { Copyright: 'secret place' } })
    .toFormat(format)
    .toBuffer();
}

function avatarForm(bytes: Uint8Array, part = 'avatar'): FormData {
  const form = new FormData();
  form.append(part, new Blob([new Uint8Array(bytes)]), 'me.png');
  return form;
}

async function upload(person: Person, bytes: Uint8Array): Promise<string> {
  const { user } = await person.client.call('uploadAvatar', { form: avatarForm(bytes) });
  return user.avatar ?? '';
}

function newPerson(): Promise<Person> {
  return platform.person(freshName('Person'));
}

test('PUT /me/avatar stores a public square WebP without metadata', async () => {
  const ada = await newPerson();
  for (const format of ['png', 'jpeg', 'webp', 'avif'] as const) {
    const address = await upload(ada, await picture(format));
    assert.ok(address.startsWith(`${platform.baseUrl}/media/avatars/`), address);
    const answer = await fetch(address);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'image/webp');
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=60, must-revalidate');
    assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; sandbox");
    assert.equal(answer.headers.get('cross-origin-resource-policy'), 'cross-origin');
    const bytes = Buffer.from(await answer.arrayBuffer());
    const shown = await sharp(bytes).metadata();
    assert.deepEqual([shown.format, shown.width, shown.height], ['webp', 256, 256]);
    assert.equal(shown.exif, undefined);
    assert.equal(bytes.includes('secret place'), false);
    const etag = answer.headers.get('etag') ?? '';
    const same = await fetch(address, { headers: { 'if-none-match': etag } });
    assert.equal(same.status, 304);
    const head = await fetch(address, { method: 'HEAD' });
    assert.equal(head.headers.get('content-length'), String(bytes.length));
    const part = await fetch(address, { headers: { range: 'bytes=8-11' } });
    assert.deepEqual([part.status, await part.text()], [206, 'WEBP']);
  }
});

test('an avatar is the middle of the picture, upright', async () => {
  const ada = await newPerson();
  const colour = (name: string, width: number) => ({
    input: { create: { width, height: 100, channels: 3 as const, background: name } },
    top: 0,
  });
  const stripes = sharp({ create: { width: 300, height: 100, channels: 3, background: 'blue' } });
  // Red and green are outside of the middle square, whose left half is black.
  const wide = await stripes
    .composite([
      { ...colour('red', 100), left: 0 },
      { ...colour('black', 50), left: 100 },
      { ...colour('green', 100), left: 200 },
    ])
    .png()
    .toBuffer();
  const turned = await sharp(wide)
    .jpeg({ quality: 100 })
    .withMetadata({ orientation: 6 })
    .toBuffer();
  const colours = async (address: string, ...points: [x: number, y: number][]) => {
    const bytes = Buffer.from(await (await fetch(address)).arrayBuffer());
    const { data, info } = await sharp(bytes).raw().toBuffer({ resolveWithObject: true });
    return points.map(([x, y]) => {
      const at = (y * info.width + x) * info.channels;
      const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
      return [red > 128, green > 100, blue > 128].map(Number).join('');
    });
  };
  const [black, blue] = ['000', '001'];
  assert.deepEqual(
    await colours(await upload(ada, wide), [20, 20], [20, 235], [235, 20], [235, 235]),
    [black, black, blue, blue],
  );
  // Rotating by 90° to the right moves the left side to the top.
  assert.deepEqual(
    await colours(await upload(ada, turned), [20, 20], [235, 20], [20, 235], [235, 235]),
    [black, black, blue, blue],
  );
});

test('a picture that is read slowly is read completely before its folder is removed', async (t) => {
  const ada = await newPerson();
  const { readFile } = fsPromises;
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  t.mock.method(fsPromises, 'readFile', async (...call: Parameters<typeof readFile>) => {
    await setTimeout(300);
    return readFile(...call);
  });
  syncBuiltinESMExports();
  const answer = await fetch(await upload(ada, await picture()));
  assert.equal(answer.status, 200);
});

test('the address of a picture is in every answer about its user', async () => {
  const ada = await newPerson();
  const avatar = await upload(ada, await picture());
  const { game } = await ada.client.call('createProject', { body: { title: freshName('Game') } });
  await publishBuild(ada.client, game.id, '1', { 'index.html': 'x' });
  const stranger = platform.clientWith(null);
  const { user } = await ada.client.call('me', {});
  const shown = [
    user,
    await stranger.call('user', { params: { uid: ada.uid } }),
    (await stranger.call('developer', { params: { uid: ada.uid } })).developer,
    (await stranger.call('game', { params: { slug: game.slug } })).developer,
    (await stranger.call('gamePage', { params: { slug: game.slug } })).developer,
    (await stranger.call('home', {})).developers.find((one) => one.uid === ada.uid),
    (await stranger.call('search', { query: { q: user.name } })).developers[0],
  ];
  for (const one of shown) assert.equal(one?.avatar, avatar);
});

test('a replaced picture is gone; DELETE and PATCH with null remove it, also twice', async () => {
  const ada = await newPerson();
  const first = await upload(ada, await picture('png'));
  await (await fetch(first)).arrayBuffer();
  const second = await upload(ada, await picture('jpeg'));
  assert.notEqual(first, second);
  assert.equal(await readErrorCode(await fetch(first)), 'not_found');
  await ada.client.call('removeAvatar', {});
  await ada.client.call('removeAvatar', {});
  assert.equal(await readErrorCode(await fetch(second)), 'not_found');
  assert.equal((await ada.client.call('me', {})).user.avatar, null);
  const third = await upload(ada, await picture());
  const named = await ada.client.call('editProfile', { body: { name: 'Ada Two' } });
  assert.equal(named.user.avatar, third);
  assert.equal((await fetch(third)).status, 200, 'another change does not move the picture');
  const { user } = await ada.client.call('editProfile', { body: { avatar: null } });
  assert.equal(user.avatar, null);
  assert.equal(await readErrorCode(await fetch(third)), 'not_found');
});

test('PUT /me/avatar rejects a file that is no image or too large, and missing or unknown parts, and changes nothing', async () => {
  const ada = await newPerson();
  const avatar = await upload(ada, await picture());
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  const refused = [
    ['image_invalid', avatarForm(svg)],
    ['image_invalid', avatarForm(Buffer.from('hello'))],
    ['image_invalid', avatarForm(Buffer.alloc(0))],
    ['image_too_large', avatarForm(Buffer.alloc(8 * 1024 * 1024 + 1, 1))],
    ['image_too_large', avatarForm(await picture('png', 9000, 4))],
    ['invalid_input', avatarForm(await picture(), 'cover')],
    ['invalid_input', new FormData()],
  ] as const;
  for (const [code, form] of refused) {
    const { details } = await expectError(ada.client.call('uploadAvatar', { form }), code);
    if (code.startsWith('image')) assert.equal(details[0]?.path, 'avatar');
  }
  assert.equal((await ada.client.call('me', {})).user.avatar, avatar);
  assert.equal((await fetch(avatar)).status, 200);
  const spools = await readdir(join(platform.dataDir, 'spool'), { recursive: true });
  assert.equal(spools.length, 2, 'a rejected upload leaves only the folder and its lock');
});

test('PATCH /me with an address is rejected with a hint to upload', async () => {
  const ada = await newPerson();
  const long = `https://img.example/${'x'.repeat(3000)}`;
  for (const avatar of ['https://img.example/a.png', 'https://me:secret@img.example/a.png', long]) {
    const answer = await fetch(`${platform.baseUrl}/me`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${ada.idToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Renamed', avatar }),
    });
    const text = await answer.text();
    assert.equal(answer.status, 400);
    assert.match(
      text,
      /Allowed: null, which removes it; a new one is uploaded with PUT \/me\/avatar/,
    );
    assert.doesNotMatch(text, /img\.example|secret/);
  }
  const { user } = await ada.client.call('me', {});
  assert.deepEqual([user.avatar, user.name === 'Renamed'], [null, false]);
});

test('an upload waits while two images are decoded, and leaves the queue when its client disconnects', async () => {
  const ada = await newPerson();
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const decoding = gates.map(({ promise }) =>
    imageTurns.run(new AbortController().signal, () => promise),
  );
  try {
    const cut = new AbortController();
    const gone = fetch(`${platform.baseUrl}/me/avatar`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${ada.idToken}` },
      body: avatarForm(await picture()),
      signal: cut.signal,
    });
    await until(() => imageTurns.waiting === 1);
    cut.abort();
    await assert.rejects(gone, { name: 'AbortError' });
    await until(() => imageTurns.waiting === 0);
    const kept = upload(ada, await picture('jpeg'));
    await until(() => imageTurns.waiting === 1);
    assert.equal((await ada.client.call('me', {})).user.avatar, null);
    gates[0]?.resolve();
    assert.equal((await fetch(await kept)).status, 200);
  } finally {
    for (const gate of gates) gate.resolve();
    await Promise.all(decoding);
  }
});

async function until(holds: () => boolean): Promise<void> {
  const end = Date.now() + 30_000;
  while (!holds()) {
    assert.ok(Date.now() < end, 'it took too long');
    await setTimeout(5);
  }
}

test('a personal access token cannot change the picture', async () => {
  const ada = await newPerson();
  const { secret } = await ada.client.call('createToken', { body: { name: 'ci' } });
  const token = platform.clientWith(secret);
  const form = avatarForm(await picture());
  await expectError(token.call('uploadAvatar', { form }), 'session_only');
  await expectError(token.call('removeAvatar', {}), 'session_only');
});

test('an address on another host that an older version stored is never shown', async () => {
  const ada = await newPerson();
  const { db } = await openDatabase(platform.dataDir, platform.settings.databaseUrl);
  const old: Record<string, unknown> = { avatar: 'https://img.example/old.png', avatar_edited: 1 };
  await db.updateTable('users').set(old).where('uid', '=', ada.uid).execute();
  await db.destroy();
  assert.equal((await ada.client.call('me', {})).user.avatar, null);
  const stranger = platform.clientWith(null);
  assert.equal((await stranger.call('user', { params: { uid: ada.uid } })).avatar, null);
});

test('migrating an older database removes the addresses on other hosts, and nothing else', {
  skip: process.env['SVC_TEST_POSTGRES'] !== undefined && 'the older database is SQLite',
}, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-platform-'));
  const open = () => {
    const file = openSqliteFile(join(dataDir, 'platform.sqlite'));
    return new Kysely<Tables>({ dialect: new NodeSqliteDialect(file, () => {}) });
  };
  const uid = '01900000-0000-7000-8000-000000000001';
  try {
    const old = open();
    const provider = { getMigrations: async () => migrationsFor('sqlite') };
    const { error } = await new Migrator({ db: old, provider }).migrateTo('0005_upkeep');
    assert.equal(error, undefined);
    const row: Record<string, unknown> = {
      ...{ uid, issuer: 'dev', sub: 'old', email: null, name: 'Old', name_edited: 1 },
      ...{ avatar: 'https://img.example/old.png', avatar_edited: 1 },
      ...{ role: 'developer', created_at: 1 },
    };
    await old
      .insertInto('users')
      .values(row as Tables['users'])
      .execute();
    await old.destroy();
    await using newer = await openPlatform({ dataDir });
    const user = await newer.clientWith(null).call('user', { params: { uid } });
    assert.deepEqual([user.name, user.avatar], ['Old', null]);
    const db = open();
    const kept = await db.selectFrom('users').selectAll().executeTakeFirstOrThrow();
    await db.destroy();
    assert.deepEqual([kept.avatar, kept.role], [null, 'developer']);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
