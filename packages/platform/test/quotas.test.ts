// Quotas of developers and projects: exact to the byte, and an excess leaves no files.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { expectError } from './expect-error.ts';
import { makeMp4, mp4Box } from './make-trailer.ts';
import { makeZip } from './make-zip.ts';
import { type OpenPlatform, openPlatform } from './open-platform.ts';
import { publishBuild, publishForm } from './publish-build.ts';
import { removeProject } from './remove-project.ts';

const FIRST = { 'index.html': 'x', 'noise.bin': randomBytes(5000) };
const SECOND = { ...FIRST, 'more.bin': randomBytes(700) };
const FIRST_ZIP = makeZip(FIRST);
const SECOND_ZIP = makeZip(SECOND);
const bytesOf = (files: Record<string, string | Uint8Array>): number =>
  Object.values(files).reduce((sum, content) => sum + Buffer.from(content).length, 0);
/** Two archives, and each content once. No content has a compressed form. */
const BOTH = FIRST_ZIP.length + SECOND_ZIP.length + bytesOf(SECOND);

/** All files of a project, as names. */
function filesOf(platform: OpenPlatform, id: string): string[] {
  return readdirSync(join(platform.dataDir, 'projects', id), { recursive: true })
    .map(String)
    .sort();
}

test('builds that fill project_bytes exactly are published', async () => {
  await using platform = await openPlatform({ limits: { project_bytes: BOTH } });
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Fits' } });
  await publishBuild(ada.client, game.id, '1', FIRST_ZIP);
  await publishBuild(ada.client, game.id, '2', SECOND_ZIP);
  const another = publishBuild(ada.client, game.id, '3', FIRST_ZIP);
  await expectError(another, 'quota_exceeded');
});

test('one byte beyond project_bytes is quota_exceeded, also for a dry run; deleting a release frees space', async () => {
  await using platform = await openPlatform({ limits: { project_bytes: BOTH - 1 } });
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Too much' } });
  const params = { id: game.id };
  await publishBuild(ada.client, game.id, '1', FIRST_ZIP);
  const before = filesOf(platform, game.id);
  const form = publishForm('2', SECOND_ZIP);
  const dryRun = ada.client.call('publish', { params, query: { dry_run: 'true' }, form });
  await expectError(dryRun, 'quota_exceeded');
  const error = await expectError(
    publishBuild(ada.client, game.id, '2', SECOND_ZIP),
    'quota_exceeded',
  );
  assert.deepEqual(error.details, [
    { rule: 'project_bytes', message: `${BOTH} bytes of ${BOTH - 1}` },
  ]);
  assert.deepEqual(filesOf(platform, game.id), before);
  await publishBuild(ada.client, game.id, 'small', { 'index.html': 'y' });
  await ada.client.open('deleteRelease', { params: { id: game.id, version: '1' } });
  await publishBuild(ada.client, game.id, '2', SECOND_ZIP);
});

test('a trailer counts to the byte', async () => {
  const trailer = Buffer.concat([makeMp4(), mp4Box('free', randomBytes(3000))]);
  for (const room of [trailer.length, trailer.length - 1]) {
    await using platform = await openPlatform({ limits: { project_bytes: room } });
    const ada = await platform.person('Ada');
    const { game } = await ada.client.call('createProject', { body: { title: 'Trailer' } });
    const form = new FormData();
    form.set('metadata', '{}');
    form.set('trailer', new Blob([new Uint8Array(trailer)]), 'trailer.mp4');
    const update = ada.client.call('updateStore', { params: { id: game.id }, form });
    if (room === trailer.length) assert.equal((await update).page.trailer?.bytes, trailer.length);
    else await expectError(update, 'quota_exceeded');
  }
});

test('the bytes of a project are those on the disk: builds, files with their compressed forms, media with their variants', async () => {
  const text = 'worth compressing '.repeat(2000);
  const files = { 'index.html': text, 'a.js': `${text}!`, 'b.js': `${text}!`, 'c.bin': 'x' };
  const build = makeZip(files);
  const create = { width: 520, height: 20, channels: 3, background: '#3366cc' } as const;
  const image = new Uint8Array(await sharp({ create }).png().toBuffer());
  /** A platform with another project that already has the same files. */
  const openWith = async (project_bytes: number) => {
    const platform = await openPlatform({ limits: { project_bytes } });
    const { client } = await platform.person('Ada');
    const newGame = async () => (await client.call('createProject', { body: { title: 'X' } })).game;
    const { id: beside } = await newGame();
    const { id } = await newGame();
    const publish = (to = id) => publishBuild(client, to, '1', build);
    const update = (to = id) => {
      const form = new FormData();
      form.set('metadata', '{}');
      for (const name of ['banner', 'cover', 'screenshots']) {
        form.append(name, new Blob([image]), 'image.png');
      }
      return client.call('updateStore', { params: { id: to }, form });
    };
    return { platform, id, beside, publish, update };
  };
  const bytesOnDisk = (platform: OpenPlatform, id: string): number =>
    filesOf(platform, id)
      .map((name) => statSync(join(platform.dataDir, 'projects', id, name)))
      .filter((entry) => entry.isFile())
      .reduce((sum, { size }) => sum + size, 0);
  const measured = await openWith(1_000_000);
  await using _ = measured.platform;
  await measured.publish();
  await measured.update();
  const most = bytesOnDisk(measured.platform, measured.id);
  for (const [room, isEnough] of [
    [most, true],
    [most - 1, false],
  ] as const) {
    for (const order of ['build last', 'media last'] as const) {
      const { platform, publish, update, beside } = await openWith(room);
      await using _platform = platform;
      await publish(beside);
      const [first, second] = order === 'build last' ? [update, publish] : [publish, update];
      await first();
      if (isEnough) await second();
      else await expectError(second(), 'quota_exceeded');
    }
  }
});

test('texts of a store page are accepted even if the project is over its quota', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-quota-'));
  try {
    const before = await openPlatform({ dataDir });
    const ada = await before.person('Ada');
    const { game } = await ada.client.call('createProject', { body: { title: 'Over' } });
    await publishBuild(ada.client, game.id, '1', FIRST_ZIP);
    const { secret } = await ada.client.call('createToken', { body: { name: 'later' } });
    await before[Symbol.asyncDispose]();
    await using platform = await openPlatform({
      dataDir,
      settings: before.settings,
      limits: { project_bytes: 10 },
    });
    const send = (trailer: Buffer | null) => {
      const form = new FormData();
      form.set('metadata', '{"tagline":"Still here"}');
      if (trailer !== null) form.set('trailer', new Blob([new Uint8Array(trailer)]), 'trailer.mp4');
      const params = { id: game.id };
      return platform.clientWith(secret).call('updateStore', { params, form });
    };
    await expectError(send(makeMp4()), 'quota_exceeded');
    assert.equal((await send(null)).page.tagline, 'Still here');
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('releases_per_project and projects_per_developer are exact limits, and a removal frees a place', async () => {
  const limits = { releases_per_project: 2, projects_per_developer: 2 };
  await using platform = await openPlatform({ limits });
  const ada = await platform.person('Ada');
  const bob = await platform.person('Bob');
  const { game: other } = await bob.client.call('createProject', { body: { title: 'Other' } });
  await publishBuild(bob.client, other.id, '1', { 'index.html': 'other' });
  const { game } = await ada.client.call('createProject', { body: { title: 'One' } });
  await publishBuild(ada.client, game.id, '1', { 'index.html': 'one' });
  await publishBuild(ada.client, game.id, '2', { 'index.html': 'two' });
  const third = () => publishBuild(ada.client, game.id, '3', { 'index.html': 'three' });
  await expectError(third(), 'quota_exceeded');
  await ada.client.open('deleteRelease', { params: { id: game.id, version: '1' } });
  assert.equal((await third()).release.version, '3');
  const make = () => ada.client.call('createProject', { body: { title: 'More' } });
  const { game: second } = await make();
  await expectError(make(), 'quota_exceeded');
  await removeProject(ada.client, second.id);
  assert.equal((await make()).game.title, 'More');
});
