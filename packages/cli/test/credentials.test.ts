// The folder and file of the saved login: permissions of others are removed or rejected before a token is used.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { asStranger } from './as-stranger.ts';
import { type FaultyPlatform, json, ME, startFaultyPlatform, TOKEN } from './faulty-platform.ts';
import { bareEnvironment, runSvc, SVC, temporaryFolder } from './svc.ts';

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

type Saved = {
  readonly platform: FaultyPlatform;
  readonly home: string;
  readonly folder: string;
  readonly path: string;
};

/** A home with a saved login, folder 0700 and file 0600. */
async function saved(t: TestContext): Promise<Saved> {
  const platform = await startFaultyPlatform(t, { 'GET /me': json(200, ME) });
  const home = temporaryFolder(t);
  const folder = join(home, '.config/svc');
  const path = join(folder, 'credentials');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path, JSON.stringify({ api: platform.url, token: TOKEN }), { mode: 0o600 });
  return { platform, home, folder, path };
}

test('svc closes a credentials folder that others can open, and warns about it', async (t) => {
  for (const [open, expected] of [
    [
      0o777,
      /was open to other users \(mode 777\)\. Its mode is now 700\. Other users could have replaced/,
    ],
    [0o770, /\(mode 770\).*Other users could have replaced/],
    [0o755, /\(mode 755\)\. Its mode is now 700\.\n/],
  ] as const) {
    const { home, folder } = await saved(t);
    chmodSync(folder, open);
    const { code, stderr } = await runSvc(t, ['whoami'], { env: { HOME: home } });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^warning: /);
    assert.match(stderr, expected);
    assert.equal(mode(folder), '700');
    const again = await runSvc(t, ['whoami'], { env: { HOME: home } });
    assert.equal(again.stderr, '');
  }
});

test('svc login closes a folder that others can write to before it saves there', async (t) => {
  const { platform, home, folder, path } = await saved(t);
  chmodSync(folder, 0o777);
  const args = ['login', '--api', platform.url, '--token', '-'];
  const { code, stderr } = await runSvc(t, args, { env: { HOME: home }, input: TOKEN });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /was open to other users/);
  assert.deepEqual([mode(folder), mode(path)], ['700', '600']);
});

test('svc closes a credentials file of mode 640', async (t) => {
  const { home, path } = await saved(t);
  chmodSync(path, 0o640);
  const { code, stderr } = await runSvc(t, ['whoami'], { env: { HOME: home } });
  assert.equal(code, 0);
  assert.match(stderr, /Other users could read .* \(mode 640\)/);
  assert.equal(mode(path), '600');
});

test('svc rejects a folder and a file of another user, and suggests running it without sudo to root', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('kernel: only root can give a file to another user');
  for (const which of ['folder', 'path'] as const) {
    const place = await saved(t);
    chownSync(place[which], 12_345, 12_345);
    const { code, stdout, stderr } = await runSvc(t, ['whoami', '--json'], {
      env: { HOME: place.home },
    });
    assert.equal(code, 3, stderr);
    assert.equal(JSON.parse(stdout).error.code, 'credentials_unsafe');
    assert.match(stderr, /belongs to another user \(uid 12345; yours is 0\)/);
    assert.match(stderr, /\nRun svc without sudo, as the user who logged in\. Or set SVC_TOKEN/);
    assert.doesNotMatch(stderr, /chown/);
    assert.deepEqual(place.platform.seen, []);
    // A token in the environment needs no file.
    const env = { HOME: place.home, SVC_TOKEN: TOKEN, SVC_API: place.platform.url };
    assert.equal((await runSvc(t, ['whoami'], { env })).code, 0);
  }
});

test('svc suggests changing the owner of another user’s folder and file to a user who is not root', async (t) => {
  const stranger = asStranger();
  if ('skip' in stranger) return t.skip(stranger.skip);
  const { platform, home, folder, path } = await saved(t);
  for (const open of [home, join(home, '.config'), folder]) chmodSync(open, 0o755);
  chmodSync(path, 0o644);
  const whoami = () =>
    spawnSync('setpriv', [...stranger.args, process.execPath, SVC, 'whoami', '--json'], {
      cwd: '/',
      env: bareEnvironment(home),
      encoding: 'utf8',
      timeout: 60_000,
    });
  const rows: [owner: number, foreign: string][] = [
    [0, folder],
    [65_534, path],
  ];
  for (const [owner, foreign] of rows) {
    chownSync(folder, owner, owner);
    const { status, stdout, stderr } = whoami();
    assert.equal(status, 3, stderr);
    assert.equal(JSON.parse(stdout).error.code, 'credentials_unsafe');
    assert.ok(stderr.includes(`Cannot use "${foreign}": it belongs to another user`), stderr);
    assert.match(stderr, /\(uid 0; yours is 65534\)/);
    assert.ok(
      stderr.includes(`To make it yours, run sudo chown -R "$(id -u)" ${folder}. Or set`),
      stderr,
    );
    assert.doesNotMatch(stderr, /without sudo/);
  }
  assert.deepEqual(platform.seen, []);
});

test('svc login fails before the sign-in if it cannot save the login', async (t) => {
  const platform = await startFaultyPlatform(t, {});
  const home = temporaryFolder(t);
  writeFileSync(join(home, 'file'), '');
  const args = ['login', '--api', platform.url, '--no-open', '--json'];
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'file') };
  const { code, stdout } = await runSvc(t, args, { env });
  assert.deepEqual([code, JSON.parse(stdout).error.code], [1, 'credentials_not_saved']);
  assert.deepEqual(platform.seen, []);
});

test('svc login rejects a folder of another user before the sign-in, and does not contact the platform', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('kernel: only root can give a file to another user');
  const { platform, home, folder } = await saved(t);
  chownSync(folder, 12_345, 12_345);
  for (const args of [['--api', platform.url, '--no-open'], ['--no-open'], ['--token', '-']]) {
    const options = { env: { HOME: home }, input: TOKEN };
    const { code, stdout } = await runSvc(t, ['login', ...args, '--json'], options);
    assert.deepEqual([code, JSON.parse(stdout).error.code], [3, 'credentials_unsafe']);
  }
  assert.deepEqual(platform.seen, []);
});

test('svc follows a link to credentials, checks its target, and replaces the link at the next login', async (t) => {
  const { platform, home } = await saved(t);
  const other = temporaryFolder(t);
  const target = join(home, '.config/svc/credentials');
  mkdirSync(join(other, '.config/svc'), { recursive: true, mode: 0o700 });
  const link = join(other, '.config/svc/credentials');
  symlinkSync(target, link);
  chmodSync(target, 0o644);
  const { code, stderr } = await runSvc(t, ['whoami'], { env: { HOME: other } });
  assert.equal(code, 0, stderr);
  assert.match(stderr, /Other users could read/);
  assert.equal(mode(target), '600');
  const before = readFileSync(target, 'utf8');
  const args = ['login', '--api', `${platform.url}/v2`, '--token', '-', '--no-verify'];
  await runSvc(t, args, { env: { HOME: other }, input: TOKEN });
  assert.ok(lstatSync(link).isFile());
  assert.equal(readFileSync(target, 'utf8'), before);
});

test('svc does not wait for a pipe at the path of its credentials', async (t) => {
  const home = temporaryFolder(t);
  mkdirSync(join(home, '.config/svc'), { recursive: true, mode: 0o700 });
  const path = join(home, '.config/svc/credentials');
  if (spawnSync('mkfifo', ['-m', '600', path]).status !== 0) return t.skip('mkfifo is missing');
  const { code, stderr } = await runSvc(t, ['whoami'], { env: { HOME: home } });
  assert.equal(code, 3);
  assert.ok(stderr.startsWith(`svc: Cannot read "${path}": it is not a file.`), stderr);
});
