// The export of an account: what it contains and leaves out, and what happens while it is sent.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { PlatformClient } from '@svc/contracts/platform';
import sharp from 'sharp';
import { until } from '../../../scripts/until.ts';
import type { FileStore } from '../src/files/file-store.ts';
import { MissingFileError } from '../src/files/storage-error.ts';
import { expectError } from './expect-error.ts';
import { giveRole, makeAdmin } from './make-admin.ts';
import { makeMp4 } from './make-trailer.ts';
import { freshName, type OpenPlatform, openPlatform, type Person } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { removeProject } from './remove-project.ts';

const skip = spawnSync('unzip', ['-v']).status === 0 ? false : 'unzip is not installed';
const PENDING_MS = 30_000;

/** What a test does before a stored file is opened, by a part of its key. */
let beforeOpen: (key: string) => Promise<void> = async () => {};
let platform: OpenPlatform;
before(async () => {
  const watched = (files: FileStore): FileStore => ({
    ...files,
    open: async (key) => {
      await beforeOpen(key);
      return files.open(key);
    },
  });
  platform = await openPlatform({ changeFiles: watched });
});
after(() => platform[Symbol.asyncDispose]());

function ask({ idToken }: Person, query = '', init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${idToken}` };
  return fetch(`${platform.baseUrl}/me/export${query}`, { ...init, headers });
}

type Unpacked = { readonly files: readonly string[]; read(path: string): Promise<Buffer> };

/** Downloads an export and unpacks it in a folder of the test. */
async function unpack(t: TestContext, person: Person, query = ''): Promise<Unpacked> {
  const answer = await ask(person, query);
  assert.equal(answer.status, 200, answer.status === 200 ? '' : await answer.text());
  const folder = await mkdtemp(join(tmpdir(), 'svc-export-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const zip = join(folder, 'export.zip');
  await writeFile(zip, Buffer.from(await answer.arrayBuffer()));
  execFileSync('unzip', ['-tqq', zip]);
  execFileSync('unzip', ['-qq', zip, '-d', join(folder, 'out')]);
  const found = await readdir(join(folder, 'out'), { recursive: true, withFileTypes: true });
  const files = found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + '/out/'.length));
  return { files: files.sort(), read: (path) => readFile(join(folder, 'out', path)) };
}

async function readJson(unpacked: Unpacked, path: string) {
  return JSON.parse((await unpacked.read(path)).toString());
}

function picture(): Promise<Buffer> {
  const image = { width: 64, height: 48, channels: 3, background: '#3366cc' } as const;
  return sharp({ create: image }).png().toBuffer();
}

function formOf(parts: Readonly<Record<string, Buffer | string>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) {
    form.set(name, typeof value === 'string' ? value : new Blob([new Uint8Array(value)]));
  }
  return form;
}

async function newProject(client: PlatformClient, title: string) {
  return (await client.call('createProject', { body: { title } })).game;
}

test('the export has the account, and each project with its records, media and builds', {
  skip,
}, async (t) => {
  const ada = await platform.person(freshName('Ada'));
  const { client } = ada;
  await client.call('uploadAvatar', { form: formOf({ avatar: await picture() }) });
  const { secret, token } = await client.call('createToken', { body: { name: 'laptop' } });
  const game = await newProject(client, freshName('Moon Hop'));
  const params = { id: game.id };
  const trailer = makeMp4();
  const media = { cover: await picture(), trailer };
  const metadata = JSON.stringify({ description: 'A moon.', alt: { cover: 'Moon' } });
  await client.call('updateStore', { params, form: formOf({ metadata, ...media }) });
  const one = {
    'index.html': `<p>one</p>${'x'.repeat(9000)}`,
    'data/level.bin': Buffer.from([0, 255]),
  };
  await publishBuild(client, game.id, '1.0', one, 'First');
  await publishBuild(client, game.id, '2.0', { 'index.html': 'two' });
  await publishBuild(client, game.id, '3.0', { 'index.html': 'three' });
  await client.call('deleteRelease', { params: { ...params, version: '2.0' } });
  const { preview } = await client.call('createPreview', {
    params,
    body: { version: '1.0', name: 'pr-1' },
  });
  const trusted = { provider: 'github', repository: 'acme/moonhop' } as const;
  await client.call('createPublisher', { params, body: trusted });
  const draft = await newProject(client, freshName('Draft'));
  await platform.clientWith(null).call('reportGame', {
    params: { slug: game.slug },
    body: { reason: 'other', text: 'written by a player' },
  });

  const folder = `projects/${game.slug}`;
  const plain = await unpack(t, ada);
  const [cover = '', movie = '', ...rest] = plain.files
    .filter((path) => path.startsWith(`${folder}/media/`))
    .sort((a, b) => Number(a.endsWith('.mp4')) - Number(b.endsWith('.mp4')));
  assert.deepEqual(rest, []);
  assert.deepEqual(
    plain.files,
    [
      ...['README.txt', 'account.json', 'activity.json', 'avatar.webp', 'notices.json'],
      ...[`projects/${draft.slug}/project.json`, cover, movie, `${folder}/project.json`].sort(),
      'tokens.json',
    ].sort(),
  );
  assert.deepEqual(await plain.read(movie), trailer);
  assert.equal((await sharp(await plain.read(cover)).metadata()).width, 64);
  assert.equal((await sharp(await plain.read('avatar.webp')).metadata()).width, 256);

  const account = await readJson(plain, 'account.json');
  const { user } = await client.call('me', {});
  assert.deepEqual(
    [account.uid, account.name, account.role, account.issuer, account.quota],
    [ada.uid, user.name, 'developer', 'dev', user.quota],
  );
  assert.equal(typeof account.subject, 'string');
  const [saved] = await readJson(plain, 'tokens.json');
  assert.deepEqual([saved.id, saved.name, saved.scopes], [token.id, 'laptop', ['publish']]);
  const notices = await readJson(plain, 'notices.json');
  assert.ok(notices.some(({ kind }: { kind: string }) => kind === 'game_reported'));
  const activity = await readJson(plain, 'activity.json');
  const actions = activity.map(({ action }: { action: string }) => action);
  assert.deepEqual(
    ['developer.made', 'token.created', 'release.deleted'].filter((one) => !actions.includes(one)),
    [],
  );
  const project = await readJson(plain, `${folder}/project.json`);
  assert.deepEqual(
    [project.project.id, project.project.status, project.page.description],
    [game.id, 'published', 'A moon.'],
  );
  assert.deepEqual(
    project.releases.map(({ version, notes }: { version: string; notes: string | null }) => [
      version,
      notes,
    ]),
    [
      ['1.0', 'First'],
      ['3.0', null],
    ],
  );
  assert.deepEqual(
    [project.previews[0].name, project.previews[0].url, project.publishers[0].repository],
    ['pr-1', undefined, 'acme/moonhop'],
  );
  assert.ok(project.stats.days.length > 0);
  const texts = plain.files.filter((path) => path.endsWith('.json'));
  const all = (await Promise.all(texts.map(async (path) => String(await plain.read(path))))).join();
  const secrets = [secret, preview.url, 'written by a player', ada.idToken];
  for (const text of secrets) assert.ok(!all.includes(text), text);

  const whole = await unpack(t, ada, '?builds=true');
  const builds = whole.files.filter((path) => !plain.files.includes(path));
  assert.deepEqual(builds, [
    ...[`${folder}/releases/1.0/data/level.bin`, `${folder}/releases/1.0/index.html`],
    `${folder}/releases/3.0/index.html`,
  ]);
  assert.equal(String(await whole.read(`${folder}/releases/1.0/index.html`)), one['index.html']);
  assert.deepEqual(
    await whole.read(`${folder}/releases/1.0/data/level.bin`),
    one['data/level.bin'],
  );
});

test('a player exports a small archive; tokens are rejected, and HEAD sends no bytes', {
  skip,
}, async (t) => {
  const player = await platform.person(freshName('Player'), 'player');
  const { files } = await unpack(t, player, '?builds=true');
  assert.deepEqual(files, [
    ...['README.txt', 'account.json', 'activity.json', 'notices.json', 'tokens.json'],
  ]);
  const head = await ask(player, '', { method: 'HEAD' });
  assert.equal(head.headers.get('content-type'), 'application/zip');
  assert.match(
    head.headers.get('content-disposition') ?? '',
    /^attachment; filename="svc-export-\d{4}-\d\d-\d\d\.zip"$/,
  );
  assert.equal(head.headers.get('cache-control'), 'no-store');
  assert.equal((await ask(player, '?builds=yes')).status, 400);
  const ada = await platform.person(freshName('Ada'));
  const { secret } = await ada.client.call('createToken', { body: { name: 'ci' } });
  await expectError(platform.clientWith(secret).call('exportAccount', {}), 'session_only');
});

test('activity and notices of more than one page are complete', { skip }, async (t) => {
  const ada = await platform.person(freshName('Ada'));
  for (let index = 0; index < 105; index++) {
    const { token } = await ada.client.call('createToken', { body: { name: `t${index}` } });
    await ada.client.call('revokeToken', { params: { id: token.id } });
  }
  const unpacked = await unpack(t, ada);
  const activity = await readJson(unpacked, 'activity.json');
  const created = activity.filter(({ action }: { action: string }) => action === 'token.created');
  assert.equal(created.length, 105);
  assert.equal(new Set(activity.map(({ id }: { id: string }) => id)).size, activity.length);
  assert.equal((await readJson(unpacked, 'notices.json')).length, 105);
});

/** A developer with a published game, whose file is not compressed. */
async function withGame(name: string, bytes: Buffer = Buffer.from('x')) {
  const person = await platform.person(freshName(name));
  const game = await newProject(person.client, freshName(name));
  await publishBuild(person.client, game.id, '1', { 'index.html': 'x', 'a.bin': bytes });
  return { person, game };
}

test('a deleted game is exported with the time of its deletion', { skip }, async (t) => {
  const { person, game } = await withGame('Deleted');
  await person.client.call('deleteProject', { params: { id: game.id } });
  const unpacked = await unpack(t, person, '?builds=true');
  const folder = `projects/${game.slug}`;
  const { project } = await readJson(unpacked, `${folder}/project.json`);
  assert.ok(Math.abs(Date.parse(project.deleted_at) - Date.now()) < 60_000);
  assert.ok(unpacked.files.includes(`${folder}/releases/1/index.html`));
  await person.client.call('restoreProject', { params: { id: game.id } });
  const restored = await unpack(t, person);
  assert.equal((await readJson(restored, `${folder}/project.json`)).project.deleted_at, null);
});

test('what is removed while the export is sent is left out', { skip }, async (t) => {
  const { person, game } = await withGame('First');
  const { client } = person;
  await publishBuild(client, game.id, '2', { 'index.html': 'two' });
  const second = await newProject(client, freshName('Second'));
  await publishBuild(client, second.id, '1', { 'index.html': 'second' });
  let opened = 0;
  beforeOpen = async (key) => {
    if (!key.includes(game.id) || opened++ > 0) return;
    // The first file of the first release is about to be read.
    await client.call('deleteRelease', { params: { id: game.id, version: '1' } });
    await removeProject(client, second.id);
  };
  try {
    const { files } = await unpack(t, person, '?builds=true');
    assert.ok(opened > 0);
    const kept = files.filter((path) => path.startsWith('projects/'));
    assert.deepEqual(kept, [
      ...[`projects/${game.slug}/project.json`, `projects/${game.slug}/releases/2/index.html`],
    ]);
  } finally {
    beforeOpen = async () => {};
  }
});

test('a file that is missing in the store cuts the download off', async () => {
  const { person, game } = await withGame('Lost');
  beforeOpen = async (key) => {
    if (key.includes(game.id)) throw new MissingFileError(key);
  };
  try {
    const answer = await ask(person, '?builds=true');
    assert.equal(answer.status, 200);
    await assert.rejects(answer.arrayBuffer());
  } finally {
    beforeOpen = async () => {};
  }
  assert.match(platform.lines.splice(0).join('\n'), /^internal/m);
  assert.equal((await ask(person)).status, 200);
});

test('a user has one export at a time, and can start another when a client has left', async () => {
  const { person, game } = await withGame('Slow');
  const other = await platform.person(freshName('Other'));
  const gate = Promise.withResolvers<void>();
  beforeOpen = async (key) => {
    if (key.includes(game.id)) await gate.promise;
  };
  try {
    const leaving = new AbortController();
    const first = await ask(person, '?builds=true', { signal: leaving.signal });
    assert.equal(first.status, 200);
    const second = await ask(person);
    assert.equal(second.status, 503);
    assert.match(await second.text(), /another export is running/);
    assert.equal((await ask(other)).status, 200);
    leaving.abort();
    await until(
      async () => (await ask(person)).status,
      (status) => status === 200,
      'the user exports again',
      PENDING_MS,
    );
  } finally {
    gate.resolve();
    beforeOpen = async () => {};
  }
});

test('a client that leaves before its export begins does not hold up the next one', async () => {
  const person = await platform.person(freshName('Hasty'));
  for (const query of ['', '?builds=true']) {
    const { hostname, port } = new URL(platform.baseUrl);
    for (const turns of [1, 2, 1, 2]) {
      const socket = connect(Number(port), hostname);
      await once(socket, 'connect');
      const head = `Host: ${hostname}:${port}\r\nAuthorization: Bearer ${person.idToken}`;
      socket.write(`GET /me/export${query} HTTP/1.1\r\n${head}\r\n\r\n`);
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      socket.destroy();
    }
    await until(
      async () => (await ask(person, query)).status,
      (status) => status === 200,
      'the user exports',
      PENDING_MS,
    );
  }
});

test('an administrator exports what they did, and a suspended user cannot export', {
  skip,
}, async (t) => {
  const root = await makeAdmin(platform, freshName('Root'));
  const ada = await platform.person(freshName('Ada'));
  await root.client.call('suspendUser', {
    params: { uid: ada.uid },
    body: { reason: 'secret reason' },
  });
  const refused = await ask(ada);
  assert.equal(refused.status, 403);
  assert.match(await refused.text(), /account_suspended/);
  // Without the role, the names and reasons of others are left out.
  const acts = async () => {
    const activity = await readJson(await unpack(t, root), 'activity.json');
    return activity
      .filter(({ action }: { action: string }) => action === 'user.suspended')
      .map((one: Record<string, unknown>) => [one['subject_name'], one['detail']]);
  };
  const { user } = await root.client.call('adminUser', { params: { uid: ada.uid } });
  assert.deepEqual(await acts(), [[user.name, 'secret reason']]);
  await giveRole(platform, root.uid, 'developer');
  assert.deepEqual(await acts(), [[null, null]]);
});
