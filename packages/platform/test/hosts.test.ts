// The effect of the Host header: the API, a game on its own host, or an error.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createPlatformClient } from '@svc/contracts/platform';
import { connectBounded } from '../../../scripts/connect-bounded.ts';
import { readSettings } from '../src/index.ts';
import { expectError } from './expect-error.ts';
import { type OpenPlatform, openPlatform } from './open-platform.ts';
import { publishBuild } from './publish-build.ts';
import { signIn } from './sign-in.ts';

test('the hosts of the API and the store are never hosts of games, for any slug', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-hosts-'));
  await using cleaning = new AsyncDisposableStack();
  cleaning.defer(() => rm(dataDir, { recursive: true, force: true }));
  {
    await using before = await openPlatform({ dataDir, settings: readSettings({}) });
    const ada = await before.person('Ada');
    for (const slug of ['backend', 'shop', 'goats']) {
      const { game } = await ada.client.call('createProject', { body: { title: slug, slug } });
      await publishBuild(ada.client, game.id, '1', { 'index.html': `game ${slug}` });
    }
  }
  const settings = readSettings({
    SVC_PLAY_ORIGIN: 'http://{slug}.games.example',
    SVC_PUBLIC_URL: 'http://backend.games.example',
    SVC_WEB_ORIGIN: 'http://shop.games.example:8080',
  });
  await using platform = await openPlatform({ dataDir, settings });
  const get = (host: string, path: string): Promise<string> =>
    askRaw(platform, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  for (const host of ['backend', 'BACKEND', 'shop', 'api', 'www']) {
    assert.match(
      await get(`${host}.games.example`, '/healthz'),
      /^HTTP\/1\.1 200 .*\{"ok":true\}$/s,
    );
    assert.doesNotMatch(await get(`${host}.games.example`, '/'), /game /);
  }
  assert.match(await get('goats.games.example', '/'), /^HTTP\/1\.1 200 .*game goats$/s);
  assert.match(await get('backend.games.example', '/play/shop/'), /^HTTP\/1\.1 404 /);
  assert.match(await get('backend.games.example', '/play/goats/'), /^HTTP\/1\.1 302 /);
  const { game } = JSON.parse((await get('any', '/games/shop')).split('\r\n\r\n')[1] ?? '');
  assert.equal(game.play_url, 'http://backend.games.example/play/shop/');
  const warned = platform.lines.filter((line) =>
    /^warning: the game "(?:shop|backend)"/.test(line),
  );
  assert.equal(warned.length, 2);
});

test('a slug whose host is that of the API or the store is reserved', async () => {
  const settings = readSettings({
    SVC_PLAY_ORIGIN: 'http://{slug}.games.example',
    SVC_PUBLIC_URL: 'http://backend.games.example',
    SVC_WEB_ORIGIN: 'http://shop.games.example',
  });
  await using platform = await openPlatform({ settings });
  const baseUrl = `http://127.0.0.1:${platform.running.port}`;
  const idToken = await signIn(platform.running.issuer, platform.running.clientId, 'Ada');
  const client = createPlatformClient({ baseUrl, send: fetch, credential: () => idToken });
  await client.call('openSession', { body: { id_token: idToken, role: 'developer' } });
  for (const slug of ['backend', 'shop']) {
    const chosen = client.call('createProject', { body: { title: 'x', slug } });
    await expectError(chosen, 'invalid_input');
    const { game } = await client.call('createProject', { body: { title: slug } });
    assert.equal(game.slug, `${slug}-2`);
  }
});

test('a request for a game, a medium or the API without exactly one Host is 400', async () => {
  await using platform = await openPlatform();
  const ada = await platform.person('Ada');
  const { game } = await ada.client.call('createProject', { body: { title: 'Hosted' } });
  await publishBuild(ada.client, game.id, '1', { 'index.html': 'hosted' });
  const play = `/play/${game.slug}/`;
  for (const path of [play, `${play}none`, '/media/x', '/healthz']) {
    for (const hosts of ['', 'Host: a\r\nHost: b\r\n', 'Host: a\r\nHost: a\r\n']) {
      const answer = await askRaw(platform, `GET ${path} HTTP/1.1\r\n${hosts}\r\n`);
      assert.match(answer, /^HTTP\/1\.1 400 [\s\S]*"code":"invalid_input"/, `${path} ${hosts}`);
      assert.match(answer, /\r\nX-Request-Id: \S+\r\n/);
    }
  }
  const one = await askRaw(
    platform,
    `GET ${play} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  );
  assert.match(one, /^HTTP\/1\.1 200 [\s\S]*hosted$/);
  // HTTP/1.0 has no Host.
  assert.match(await askRaw(platform, `GET ${play} HTTP/1.0\r\n\r\n`), /^HTTP\/1\.1 200 /);
});

test('a shared play origin on the host of the store with another port causes a warning', async () => {
  const lines = async (variables: Record<string, string>): Promise<string[]> => {
    await using platform = await openPlatform({ settings: readSettings(variables) });
    return platform.lines.filter((line) => /share cookies/.test(line));
  };
  const SVC_WEB_ORIGIN = 'http://games.example:8080';
  const shared = { SVC_WEB_ORIGIN, SVC_PLAY_ORIGIN: 'http://games.example:8081' };
  const [warning, ...others] = await lines(shared);
  assert.match(warning ?? 'none', /^warning: games run on the host of the store .*SVC_PLAY_/);
  assert.deepEqual(others, []);
  const api = { SVC_WEB_ORIGIN, SVC_PUBLIC_URL: 'http://games.example:8787' };
  assert.equal((await lines(api)).length, 1);
  for (const fine of [
    {},
    { SVC_WEB_ORIGIN, SVC_PLAY_ORIGIN: 'http://play.games.example:8081' },
    { SVC_WEB_ORIGIN, SVC_PLAY_ORIGIN: 'http://{slug}.games.example:8081' },
  ]) {
    assert.deepEqual(await lines(fine), [], JSON.stringify(fine));
  }
});

async function askRaw(platform: OpenPlatform, request: string): Promise<string> {
  const socket = connectBounded(platform.running.port);
  socket.write(request);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}
