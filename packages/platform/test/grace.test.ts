// Files with hashed names of replaced releases are available for exactly seven days.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';

const DAY_MS = 24 * 3600 * 1000;
const OLD = 'assets/index-DkZ3xQ9p.js';
const FIRST = { 'index.html': 'one', [OLD]: 'old()' };

test('kept files are removed after exactly seven days', async () => {
  const start = Date.now();
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-grace-'));
  const first = await openPlatform({ dataDir, now: () => start });
  const { settings } = first;
  const ada = await first.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Grace' } });
  await publishBuild(ada.client, game.id, '1', FIRST);
  await publishBuild(ada.client, game.id, '2', { 'index.html': 'two' });
  await first[Symbol.asyncDispose]();

  // Each start runs the upkeep before it listens.
  const later = async (now: number): Promise<number> => {
    await using platform = await openPlatform({ dataDir, settings, now: () => now });
    const answer = await fetch(`${platform.baseUrl}/play/${game.slug}/${OLD}`);
    await answer.arrayBuffer();
    const live = await fetch(`${platform.baseUrl}/play/${game.slug}/`);
    assert.equal(await live.text(), 'two');
    return answer.status;
  };
  assert.equal(await later(start + 7 * DAY_MS - 1), 200);
  assert.equal(await later(start + 7 * DAY_MS), 404);
  assert.equal(await later(start), 404, 'the sweep has ended it, even if the clock was set back');
  await rm(dataDir, { recursive: true });
});

test('the sweep keeps files that another release has', async () => {
  const start = Date.now();
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-grace-'));
  const first = await openPlatform({ dataDir, now: () => start });
  const { settings } = first;
  const ada = await first.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Held' } });
  await publishBuild(ada.client, game.id, '1', FIRST);
  await publishBuild(ada.client, game.id, '2', { 'index.html': 'two' });
  const body = { name: 'for later', expires_in_days: null };
  const { secret } = await ada.client.call('createToken', { body });
  await first[Symbol.asyncDispose]();

  {
    await using platform = await openPlatform({ dataDir, settings, now: () => start + 8 * DAY_MS });
    const get = () => fetch(`${platform.baseUrl}/play/${game.slug}/${OLD}`);
    assert.equal((await get()).status, 404);
    const rollback = { params: { id: game.id }, body: { version: '1' } };
    await platform.clientWith(secret).call('rollback', rollback);
    assert.equal(await (await get()).text(), 'old()');
  }
  await rm(dataDir, { recursive: true });
});

test('a kept file that several replaced releases have is that of the last one', async () => {
  let now = Date.now();
  await using platform = await openPlatform({ now: () => now });
  const { client } = await platform.person('Ada');
  const { game } = await client.call('createProject', { body: { title: 'Twice' } });
  for (const version of ['1', '2', '3', '4']) {
    const isWith = version === '1' || version === '3';
    const files = isWith ? { [OLD]: `old(${version})` } : {};
    await publishBuild(client, game.id, version, { 'index.html': version, ...files });
    now += 1000;
  }
  const answer = await fetch(`${platform.baseUrl}/play/${game.slug}/${OLD}`);
  assert.equal(await answer.text(), 'old(3)');
});
