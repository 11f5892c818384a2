// Settings that prevent the start, and a platform whose settings conflict with the site's.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { logTo } from '@svc/observe/testing';
import { readSettings } from '@svc/platform';
import { publishBuild } from '@svc/platform/testing';
import manifest from '../package.json' with { type: 'json' };
import { startWeb } from '../src/index.ts';
import { openSite } from './open-site.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');

test('svc-web on all interfaces fails without SVC_WEB_ORIGIN', () => {
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

test('svc-web fails with a key that can’t be used, and names the setting and the file', () => {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, '--port', '0'], {
    encoding: 'utf8',
    timeout: 30_000,
    env: {
      PATH: process.env['PATH'] ?? '',
      SVC_OIDC_2_ISSUER: 'https://id.example',
      SVC_OIDC_2_CLIENT_KEY_FILE: '/nowhere/key.pem',
    },
  });
  assert.equal(status, 1);
  const reason =
    'Cannot use the file "/nowhere/key.pem" of SVC_OIDC_2_CLIENT_KEY_FILE: it can’t be';
  assert.ok(stderr.includes(`${reason} read: ENOENT. It must contain`), stderr);
});

test('svc-web prints its help and its version', () => {
  const run = (option: string) =>
    spawnSync(process.execPath, [MAIN, option], { encoding: 'utf8', timeout: 30_000 });
  assert.match(run('--help').stdout, /^svc-web \[--api /);
  const { status, stdout } = run('--version');
  assert.deepEqual([status, stdout], [0, `${manifest.version}\n`]);
});

test('svc-web warns about settings that do not exist, in the environment and in files', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-web-settings-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'SVC_WEB_SECRETS'), 'hidden');
  // It ends at once, because it has no origin.
  const { stderr } = spawnSync(process.execPath, [MAIN, '--port', '0', '--host', '0.0.0.0'], {
    ...{ encoding: 'utf8', timeout: 30_000 },
    env: {
      ...{ PATH: process.env['PATH'] ?? '', SVC_SETTINGS_DIR: folder, SVC_WEB_NAMES: 'Hidden' },
      // Of the platform, which may have the same environment.
      ...{ SVC_RATE_LIMIT: 'off', SVC_LIMIT_BUILD_FILES: '9', SVC_LOG_FORMAT: 'json' },
    },
  });
  const warnings = stderr.split('\n').filter((line) => line.includes('"level":"warn"'));
  assert.equal(warnings.length, 1, stderr);
  assert.equal(
    JSON.parse(warnings[0] ?? '').msg,
    'settings that do not exist are ignored: SVC_WEB_NAMES (did you mean SVC_WEB_NAME?), SVC_WEB_SECRETS (did you mean SVC_WEB_SECRET?). Correct or remove them',
  );
  assert.doesNotMatch(stderr, /hidden/i);
});

test('svc-web rejects an invalid port before it starts', () => {
  for (const port of ['65536', '-1', '80a']) {
    const { status, stderr } = spawnSync(process.execPath, [MAIN, `--port=${port}`], {
      encoding: 'utf8',
      timeout: 30_000,
      env: { PATH: process.env['PATH'] ?? '' },
    });
    assert.equal(status, 1);
    assert.equal(stderr, `Cannot listen on port "${port}": it must be 0 to 65535\n`);
  }
});

test('svc-web prefers --api to SVC_API, prints its address, and exits cleanly', async (t) => {
  const child = spawn(
    process.execPath,
    [MAIN, '--api', 'http://127.0.0.1:9', '--port', '0', '--json'],
    {
      env: { PATH: process.env['PATH'] ?? '', SVC_API: 'nonsense', SVC_WEB_NAME: 'Named' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  t.after(() => child.kill('SIGKILL'));
  const patience = { signal: AbortSignal.timeout(60_000) };
  // Null if the program has exited.
  const lines = createInterface({ input: child.stdout });
  const [line = null] = await Promise.race([
    once(lines, 'line', patience),
    once(lines, 'close', patience),
  ]);
  const { event, origin } = Object(JSON.parse(String(line)));
  assert.equal(event, 'listening');
  const page = await fetch(`${origin}/search`);
  assert.match(await page.text(), /<title>Search · Named<\/title>/);
  const exited = once(child, 'exit', patience);
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [0, null]);
});

test('startWeb returns the configured origin, or the address it listens on', async () => {
  const apiUrl = 'http://127.0.0.1:9';
  await using local = await startWeb({ apiUrl, port: 0, host: 'localhost' });
  assert.equal(local.origin, `http://localhost:${local.port}`);
  const origin = 'https://games.example';
  await using open = await startWeb({ apiUrl, port: 0, host: '0.0.0.0', origin });
  assert.equal(open.origin, origin);
});

test('startWeb rejects an API at its own address', async () => {
  const origin = 'https://games.example';
  await assert.rejects(
    startWeb({ apiUrl: 'https://GAMES.example:443', port: 0, origin }),
    /SVC_API and SVC_WEB_ORIGIN/,
  );
  await using beside = await startWeb({ apiUrl: `${origin}/api`, port: 0, origin });
  assert.equal(beside.origin, origin);
});

test('a game on the origin of the store is not shown', async () => {
  const lines: string[] = [];
  const origin = 'https://games.example';
  // The platform is configured with another store, so it accepts this store's origin for games.
  const settings = { ...readSettings({ SVC_PUBLIC_URL: `${origin}/api` }), webOrigin: null };
  await using site = await openSite({ platform: { settings } });
  const apiUrl = `http://127.0.0.1:${site.platform.port}`;
  const { client } = await site.developer('Ada', apiUrl);
  const { game } = await client.call('createProject', { body: { title: 'Misplaced' } });
  await publishBuild(client, game.id, '1', { 'index.html': 'x' });
  const log = logTo((line) => lines.push(line));
  await using web = await startWeb({ apiUrl, origin, port: 0, log });
  const answer = await fetch(`http://127.0.0.1:${web.port}/games/${game.slug}`);
  assert.equal(answer.status, 500);
  assert.doesNotMatch(await answer.text(), /Misplaced/);
  assert.match(lines.join('\n'), /Set SVC_PLAY_ORIGIN of the platform/);
});
