// What the site refuses to start with, and what it refuses to show where the platform's settings contradict its own.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { readSettings } from '@svc/platform';
import { publishBuild } from '../../platform/test/publish-build.ts';
import { startWeb } from '../src/index.ts';
import { openSite } from './open-site.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');

test('svc-web on every interface needs SVC_WEB_ORIGIN, and says so', () => {
  for (const host of ['0.0.0.0', '::']) {
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      [MAIN, '--port', '0', '--host', host, '--json'],
      { encoding: 'utf8', timeout: 30_000, env: { PATH: process.env['PATH'] ?? '' } },
    );
    assert.equal(status, 1, stdout);
    assert.match(stderr, /Cannot start on ".*" without SVC_WEB_ORIGIN[\s\S]*Set SVC_WEB_ORIGIN to/);
  }
});

test('startWeb announces the host it listens on, or the origin it is given', async () => {
  const apiUrl = 'http://127.0.0.1:9';
  await using local = await startWeb({ apiUrl, port: 0, host: 'localhost' });
  assert.equal(local.origin, `http://localhost:${local.port}`);
  const origin = 'https://games.example';
  await using open = await startWeb({ apiUrl, port: 0, host: '0.0.0.0', origin });
  assert.equal(open.origin, origin);
});

test('startWeb refuses an API at its own address', async () => {
  const origin = 'https://games.example';
  await assert.rejects(
    startWeb({ apiUrl: 'https://GAMES.example:443', port: 0, origin }),
    /SVC_API and SVC_WEB_ORIGIN/,
  );
  await using beside = await startWeb({ apiUrl: `${origin}/api`, port: 0, origin });
  assert.equal(beside.origin, origin);
});

test('a game that would be played on the origin of the store is not shown', async () => {
  const lines: string[] = [];
  const origin = 'https://games.example';
  // The platform was given another store, so nothing stops it from playing games on the origin of this one.
  const settings = { ...readSettings({ SVC_PUBLIC_URL: `${origin}/api` }), webOrigin: null };
  await using site = await openSite({ platform: { settings } });
  const apiUrl = `http://127.0.0.1:${site.platform.port}`;
  const { client } = await site.developer('Ada', apiUrl);
  const { game } = await client.call('createProject', { body: { title: 'Misplaced' } });
  await publishBuild(client, game.id, '1', { 'index.html': 'x' });
  const log = (line: string): void => void lines.push(line);
  await using web = await startWeb({ apiUrl, origin, port: 0, log });
  const answer = await fetch(`http://127.0.0.1:${web.port}/games/${game.slug}`);
  assert.equal(answer.status, 500);
  assert.doesNotMatch(await answer.text(), /Misplaced/);
  assert.match(lines.join('\n'), /Set SVC_PLAY_ORIGIN of the platform/);
});
