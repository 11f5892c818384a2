// `svc-platform` as a program: its output, its errors, its shutdown.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import {
  CATEGORIES,
  ENGINES,
  PLATFORM_LIMITS,
  REPORT_REASONS,
  SCOPES,
} from '@svc/contracts/platform';
import { logTo } from '@svc/observe/testing';
import { connectBounded } from '../../../scripts/connect-bounded.ts';
import { until } from '../../../scripts/until.ts';
import manifest from '../package.json' with { type: 'json' };
import { newId } from '../src/database/new-id.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { readSettings, startPlatform } from '../src/index.ts';
import { makeZip } from './make-zip.ts';
import { startProcess } from './platform-process.ts';
import { publishForm } from './publish-build.ts';
import { signInDeveloper } from './sign-in-developer.ts';

const MAIN = join(import.meta.dirname, '../src/main.ts');
const BIN = join(import.meta.dirname, '../bin/svc-platform.mjs');

const IDENTITY = { SVC_OIDC_ISSUER: 'https://id.example', SVC_OIDC_AUDIENCE: 'a' };

let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-program-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function run(args: readonly string[], environment: Record<string, string> = {}) {
  return spawnSync(
    process.execPath,
    [MAIN, '--port', '0', '--data-dir', join(folder, 'x'), ...args],
    {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', ...environment },
      timeout: 30_000,
    },
  );
}

test('the first line of --json contains address and issuer; the exit code after SIGTERM is 0', async () => {
  const server = await startProcess(join(folder, 'first'));
  assert.match(server.baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.match(server.issuer, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal((await fetch(`${server.baseUrl}/healthz`)).status, 200);
  assert.equal(await server.end(), 0);
  assert.deepEqual(readdirSync(join(folder, 'first/spool')), []);
});

test('the program does not start with unsafe settings, and names them without values', async () => {
  const refused: [object, Record<string, string>, RegExp][] = [
    [{}, {}, /SVC_OIDC_ISSUER/],
    [{ dev: true, host: '0.0.0.0' }, {}, /--dev/],
    [
      { dev: true },
      { SVC_WEB_ORIGIN: 'https://x.example', SVC_PLAY_ORIGIN: 'https://x.example' },
      /web origin/,
    ],
    [{}, { SVC_OIDC_ISSUER: 'https://id.example', SVC_OIDC_AUDIENCE: 'a' }, /SVC_WEB_ORIGIN/],
    [
      { dev: true },
      { SVC_WEB_ORIGIN: 'https://x.example', SVC_PUBLIC_URL: 'HTTPS://X.Example:443/api' },
      /SVC_PLAY_ORIGIN is not set[\s\S]*SVC_PUBLIC_URL[\s\S]*SVC_WEB_ORIGIN[\s\S]*Set SVC_PLAY_ORIGIN to/,
    ],
    [
      { dev: true },
      { SVC_WEB_ORIGIN: 'https://x.example', SVC_PLAY_ORIGIN: 'https://x.example.' },
      /Set SVC_PLAY_ORIGIN to an origin that no other service uses/,
    ],
    [{ dev: true, port: 8788 }, {}, /SVC_PLAY_ORIGIN and SVC_PUBLIC_URL are not set/],
    [{ dev: true, port: 8788 }, { SVC_WEB_ORIGIN: 'http://localhost:8788' }, /web origin/],
    [
      { dev: true },
      { ...IDENTITY, SVC_PLAY_ORIGIN: 'https://id.example' },
      /SVC_PLAY_ORIGIN and SVC_OIDC_ISSUER/,
    ],
    [{ host: '0.0.0.0' }, { ...IDENTITY, SVC_WEB_ORIGIN: 'https://x.example' }, /SVC_PUBLIC_URL/],
    [{ host: '::' }, { ...IDENTITY, SVC_WEB_ORIGIN: 'https://x.example' }, /SVC_PUBLIC_URL/],
  ];
  for (const [options, environment, pattern] of refused) {
    const settings = readSettings(environment);
    const starting = startPlatform({ dataDir: join(folder, 'x'), port: 0, settings, ...options });
    await assert.rejects(starting, pattern);
  }
  const { status, stderr, stdout } = run(['--dev'], {
    SVC_DATABASE_URL: 'mysql://u:hunter2@h/d',
    SVC_STORAGE_URL: 's3://x',
  });
  assert.equal(status, 1);
  assert.match(stderr, /SVC_DATABASE_URL[\s\S]*SVC_STORAGE_URL/);
  assert.doesNotMatch(stderr + stdout, /hunter2/);
  assert.equal(run(['--nonsense']).status, 1);
  for (const port of ['65536', '80a']) {
    const { status, stderr } = run(['--dev', `--port=${port}`]);
    assert.equal(status, 1);
    assert.equal(stderr, `Cannot listen on port "${port}". Allowed: 0 to 65535\n`);
  }
  const help = run(['--help']);
  assert.equal(help.status, 0);
  assert.match(help.stdout, /^svc-platform [\s\S]*--data-dir/);
  const version = spawnSync(process.execPath, [MAIN, '--version'], { encoding: 'utf8' });
  assert.deepEqual([version.status, version.stdout], [0, `${manifest.version}\n`]);
});

test('the program warns about settings that do not exist, in the environment and in files', () => {
  const settingsDir = join(folder, 'settings');
  mkdirSync(settingsDir);
  writeFileSync(join(settingsDir, 'SVC_DATABASE_URLS'), 'hidden');
  // It ends at once: with --dev, it listens on this machine only.
  const { stderr } = run(['--dev', '--host', '0.0.0.0'], {
    ...{ SVC_SETTINGS_DIR: settingsDir, SVC_RATELIMIT: 'hidden', SVC_LOG_FORMAT: 'json' },
    // Of the store, which may have the same environment.
    ...{ SVC_WEB_NAME: 'Games', SVC_WEB_DATABASE_URL: 'postgres://x' },
  });
  const warnings = stderr.split('\n').filter((line) => line.includes('"level":"warn"'));
  assert.equal(warnings.length, 1, stderr);
  assert.equal(
    JSON.parse(warnings[0] ?? '').msg,
    'settings that do not exist are ignored: SVC_DATABASE_URLS (did you mean SVC_DATABASE_URL?), SVC_RATELIMIT (did you mean SVC_RATE_LIMIT?). Correct or remove them',
  );
  assert.doesNotMatch(stderr, /hidden/);
});

test('a server that ends leaves no spool, journal, sign-in provider or upkeep', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const dataDir = join(folder, 'closed');
  const lines: string[] = [];
  await using running = await startPlatform({
    dev: true,
    dataDir,
    port: 0,
    log: logTo((line) => lines.push(line)),
  });
  const { db } = await openDatabase(dataDir, null);
  await using cleaning = new AsyncDisposableStack();
  cleaning.defer(() => db.destroy());
  const removals = () => db.selectFrom('removals').select('game_id').execute();
  // A removal that an earlier server scheduled and did not do.
  const row = { id: newId(), game_id: newId(), kind: 'project' as const, created_at: 1 };
  await db.insertInto('removals').values(row).execute();
  t.mock.timers.tick(19_999);
  await setImmediate();
  assert.equal((await removals()).length, 1);
  t.mock.timers.tick(1);
  await until(removals, (rows) => rows.length === 0, 'the upkeep has run', 30_000);
  await cleaning.disposeAsync();
  assert.equal((await fetch(`${running.issuer}/.well-known/openid-configuration`)).status, 200);
  await running.close();
  t.mock.timers.tick(60_000);
  for (let turns = 0; turns < 10; turns++) await setImmediate();
  await assert.rejects(fetch(`${running.baseUrl}/healthz`), TypeError);
  await assert.rejects(fetch(`${running.issuer}/.well-known/openid-configuration`), TypeError);
  assert.deepEqual(readdirSync(join(dataDir, 'spool')), []);
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.startsWith('platform')),
    ['platform.sqlite'],
  );
  assert.deepEqual(
    lines.filter((line) => line.startsWith('internal')),
    [],
  );
});

test('a server that cannot listen releases its resources', async () => {
  await using first = await startPlatform({ dev: true, dataDir: join(folder, 'one'), port: 0 });
  const dataDir = join(folder, 'two');
  const second = startPlatform({ dev: true, dataDir, port: first.port });
  await assert.rejects(second, { code: 'EADDRINUSE' });
  assert.deepEqual(readdirSync(join(dataDir, 'spool')), []);
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.startsWith('platform')),
    ['platform.sqlite'],
  );
});

test('limits come from the settings, and the options of startPlatform override them', async () => {
  const settings = readSettings({
    SVC_PUBLIC_URL: 'https://api.example:8443/v0/',
    SVC_LIMIT_TAGS: '3',
    SVC_LIMIT_SCREENSHOTS: '4',
    SVC_LIMIT_JSON_BODY_BYTES: '1000',
  });
  await using running = await startPlatform({
    dev: true,
    dataDir: join(folder, 'limits'),
    port: 0,
    settings,
    limits: { screenshots: 5 },
  });
  assert.equal(running.baseUrl, 'https://api.example:8443/v0');
  const here = `http://127.0.0.1:${running.port}`;
  assert.deepEqual(await (await fetch(`${here}/limits`)).json(), {
    limits: { ...PLATFORM_LIMITS, tags: 3, screenshots: 5, json_body_bytes: 1000 },
    engines: ENGINES,
    categories: CATEGORIES,
    scopes: SCOPES,
    report_reasons: REPORT_REASONS,
    media_origin: 'https://api.example:8443',
  });
  const send = async (bytes: number): Promise<number> => {
    const frame = JSON.stringify({ id_token: '' }).length;
    const body = JSON.stringify({ id_token: 'x'.repeat(bytes - frame) });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${here}/auth/session`, { method: 'POST', headers, body });
    await answer.arrayBuffer();
    return answer.status;
  };
  assert.deepEqual([await send(1000), await send(1001)], [401, 413]);
});

test('the program starts if the store, the API and the games have different origins', async () => {
  const started: Record<string, string>[] = [
    { SVC_PUBLIC_URL: 'https://x.example/api', SVC_PLAY_ORIGIN: 'https://play.x.example' },
    { SVC_PUBLIC_URL: 'https://x.example:8443' },
    { SVC_PUBLIC_URL: 'https://play.x.example', SVC_PLAY_ORIGIN: 'https://play.x.example' },
    { SVC_PUBLIC_URL: 'https://api.x.example', SVC_PLAY_ORIGIN: 'https://{slug}.x.example' },
  ];
  for (const [index, environment] of started.entries()) {
    const settings = readSettings({ SVC_WEB_ORIGIN: 'https://x.example', ...environment });
    const dataDir = join(folder, `apart-${index}`);
    await using running = await startPlatform({ dev: true, dataDir, port: 0, settings });
    assert.equal((await fetch(`http://127.0.0.1:${running.port}/healthz`)).status, 200);
  }
});

test('the shim runs the same program and passes signals on', async (t) => {
  const args = [BIN, '--dev', '--json', '--port', '0', '--data-dir', join(folder, 'shim')];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  t.after(() => child.kill('SIGKILL'));
  const patience = { signal: AbortSignal.timeout(60_000) };
  const [line] = await once(child.stdout, 'data', patience);
  assert.equal(JSON.parse(String(line)).event, 'listening');
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit', patience);
  assert.equal(code, 0);
});

test('SIGTERM finishes the current publish and rejects new ones', async () => {
  const server = await startProcess(join(folder, 'term'));
  const { client, idToken } = await signInDeveloper(server, 'Ada');
  const { game } = await client.call('createProject', { body: { title: 'Slow' } });
  const form = new Response(
    publishForm('1', makeZip({ 'index.html': 'x', 'a.txt': 'a'.repeat(9999) })),
  );
  const body = Buffer.from(await form.arrayBuffer());
  const port = Number(new URL(server.baseUrl).port);
  const socket = connectBounded(port);
  socket.write(
    `POST /projects/${game.id}/publish HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${idToken}\r\nContent-Type: ${form.headers.get('content-type')}\r\nContent-Length: ${body.length}\r\n\r\n`,
  );
  socket.write(body.subarray(0, 200));
  const spool = join(folder, 'term/spool');
  await until(
    () => readdirSync(spool, { recursive: true }),
    (names) => names.some((name) => /\/\d+$/.test(String(name))),
    'the upload is in the spool',
  );
  server.child.kill('SIGTERM');
  socket.write(body.subarray(200));
  let answer = '';
  for await (const chunk of socket) {
    answer += String(chunk);
    if (answer.includes('\r\n\r\n') && answer.includes('"release"')) break;
  }
  assert.match(answer, /^HTTP\/1\.1 201 /);
  if (server.child.exitCode === null) {
    await once(server.child, 'exit', { signal: AbortSignal.timeout(60_000) });
  }
  assert.equal(server.child.exitCode, 0);
});
