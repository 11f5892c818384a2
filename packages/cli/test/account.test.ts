// login, logout and whoami: the credentials file, precedence of tokens, and which server receives which token.
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { error, half, json, ME, reset, startFaultyPlatform, TOKEN } from './faulty-platform.ts';
import { runSvc, temporaryFolder } from './svc.ts';

const mode = (path: string): number => statSync(path).mode & 0o777;

test('svc login --token - checks the token, then saves it with mode 0600 in a folder of mode 0700, in XDG_CONFIG_HOME or the home folder', async (t) => {
  const platform = await startFaultyPlatform(t, { 'GET /me': json(200, ME) });
  const home = temporaryFolder(t);
  for (const [env, folder] of [
    [{ HOME: home }, join(home, '.config/svc')],
    [{ HOME: home, XDG_CONFIG_HOME: join(home, 'xdg') }, join(home, 'xdg/svc')],
    [{ HOME: home, XDG_CONFIG_HOME: '' }, join(home, '.config/svc')],
  ] as const) {
    const args = ['login', '--api', `${platform.url}/`, '--token', '-'];
    const { code, stdout, stderr } = await runSvc(t, args, { env, input: `${TOKEN}\n` });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Logged in as Ada/);
    assert.ok(!`${stdout}${stderr}`.includes(TOKEN), 'the token is not shown');
    const path = join(folder, 'credentials');
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { api: platform.url, token: TOKEN });
    assert.deepEqual([mode(path), mode(folder)], [0o600, 0o700]);
    assert.deepEqual(readdirSync(folder), ['credentials']);
  }
  assert.deepEqual(platform.seen[0], { route: 'GET /me', authorization: `Bearer ${TOKEN}` });
});

test('svc login with a token that the platform rejects saves nothing, and --no-verify does not ask the platform', async (t) => {
  const platform = await startFaultyPlatform(t, {
    'GET /me': error(401, 'token_revoked', 'The token was revoked'),
  });
  const home = temporaryFolder(t);
  const args = ['login', '--api', platform.url, '--token', '-'];
  const refused = await runSvc(t, args, { env: { HOME: home }, input: TOKEN });
  assert.equal(refused.code, 3);
  assert.match(refused.stderr, /^svc: The token was revoked/);
  assert.ok(!existsSync(join(home, '.config/svc/credentials')));
  const unverified = await runSvc(t, [...args, '--no-verify', '--json'], {
    env: { HOME: home },
    input: TOKEN,
  });
  assert.equal(unverified.code, 0);
  assert.equal(JSON.parse(unverified.stdout).verified, false);
  assert.equal(platform.seen.length, 1);
});

test('svc login rejects a text that is not a token without sending it, and a token on the command line', async (t) => {
  const platform = await startFaultyPlatform(t, { 'GET /me': json(200, ME) });
  const agentToken = 'A'.repeat(43);
  const cases: [string, RegExp][] = [
    [TOKEN.slice(0, 37), /cut off: it has 37 of 46/],
    [`${TOKEN.slice(0, -1)}~`, /mistyped/],
    [`${TOKEN}x`, /47 characters/],
    [agentToken, /session token of a local dashboard/],
    ['', /is empty\. Pipe a token into it/],
    ['eyJh.eyJz.c2ln', /ID token/],
  ];
  for (const [input, expected] of cases) {
    const args = ['login', '--api', platform.url, '--token', '-'];
    const { code, stderr } = await runSvc(t, args, { input });
    assert.equal(code, 7, stderr);
    assert.match(stderr, expected);
    if (input !== '') assert.ok(!stderr.includes(input), 'the input is not repeated');
  }
  const shown = await runSvc(t, ['login', '--api', platform.url, '--token', TOKEN]);
  assert.equal(shown.code, 2);
  assert.match(shown.stderr, /history/);
  assert.ok(!shown.stderr.includes(TOKEN));
  assert.deepEqual(platform.seen, []);
});

test('svc login without a terminal and without --token prints the next step', async (t) => {
  const { code, stderr } = await runSvc(t, ['login', '--api', 'https://api.example.com']);
  assert.equal(code, 3);
  assert.match(stderr, /--token -/);
});

test('svc login accepts http: for this machine only, and no address with a query or a user', async (t) => {
  for (const api of [
    'http://api.example.com',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'ftp://x',
    'nonsense',
    'https://u:p@x.example',
    'https://x.example/?a',
  ]) {
    // This address sends no request, so only the address itself is checked.
    const args = ['login', '--api', api, '--token', '-', '--no-verify'];
    const { code } = await runSvc(t, args, { input: TOKEN });
    assert.equal(code, 2, api);
  }
});

test('svc whoami names the credential in use: SVC_TOKEN takes precedence over the file, and an empty one is unset', async (t) => {
  const platform = await startFaultyPlatform(t, { 'GET /me': json(200, ME) });
  const home = temporaryFolder(t);
  const saved = TOKEN;
  await runSvc(t, ['login', '--api', platform.url, '--token', '-', '--no-verify'], {
    env: { HOME: home },
    input: saved,
  });
  const byFile = await runSvc(t, ['whoami', '--json'], { env: { HOME: home, SVC_TOKEN: '' } });
  const file = JSON.parse(byFile.stdout);
  assert.equal(file.source.kind, 'file');
  assert.equal(file.source.path, join(home, '.config/svc/credentials'));
  assert.deepEqual(
    [file.user.name, file.auth.scopes, file.api],
    ['Ada', ['publish'], platform.url],
  );
  const env = { HOME: home, SVC_TOKEN: TOKEN, SVC_API: platform.url };
  const byEnvironment = await runSvc(t, ['whoami', '--json'], { env });
  assert.equal(JSON.parse(byEnvironment.stdout).source.kind, 'environment');
  const nowhere = await runSvc(t, ['whoami'], { env: { HOME: home, SVC_TOKEN: TOKEN } });
  assert.equal(nowhere.code, 2);
  assert.match(nowhere.stderr, /SVC_API/);
});

test('svc sends the saved token only to its own platform', async (t) => {
  const own = await startFaultyPlatform(t, { 'GET /me': json(200, ME) });
  const other = await startFaultyPlatform(t, { 'GET /me': json(200, ME) });
  const home = temporaryFolder(t);
  await runSvc(t, ['login', '--api', own.url, '--token', '-', '--no-verify'], {
    env: { HOME: home },
    input: TOKEN,
  });
  const { code, stderr } = await runSvc(t, ['whoami', '--api', other.url], { env: { HOME: home } });
  assert.equal(code, 3);
  assert.match(stderr, /not logged in/);
  assert.deepEqual(other.seen, []);
});

test('svc removes the read permission of others from a credentials file, and suggests a new token', async (t) => {
  const platform = await startFaultyPlatform(t, { 'GET /me': json(200, ME) });
  const home = temporaryFolder(t);
  const path = join(home, '.config/svc/credentials');
  mkdirSync(join(home, '.config/svc'), { recursive: true });
  writeFileSync(path, JSON.stringify({ api: platform.url, token: TOKEN }));
  chmodSync(path, 0o644);
  const { code, stderr } = await runSvc(t, ['whoami'], { env: { HOME: home } });
  assert.equal(code, 0);
  assert.match(stderr, /^warning: .*Other users could read .*Replace the token/s);
  assert.equal(mode(path), 0o600);
});

test('svc reports a credentials file with other contents, and svc logout removes it', async (t) => {
  const home = temporaryFolder(t);
  const path = join(home, '.config/svc/credentials');
  mkdirSync(join(home, '.config/svc'), { recursive: true });
  writeFileSync(path, '{"api":', { mode: 0o600 });
  const { code, stderr } = await runSvc(t, ['whoami'], { env: { HOME: home } });
  assert.equal(code, 3);
  assert.ok(stderr.includes(path));
  const out = await runSvc(t, ['logout'], { env: { HOME: home, SVC_TOKEN: TOKEN } });
  assert.equal(out.code, 0);
  assert.match(out.stderr, /stays valid until you revoke it: run/);
  assert.match(out.stderr, /SVC_TOKEN is still set/);
  assert.ok(!existsSync(path));
  const again = await runSvc(t, ['logout', '--json'], { env: { HOME: home } });
  assert.deepEqual([again.code, JSON.parse(again.stdout).deleted], [0, false]);
});

test('svc never follows a redirect with its token', async (t) => {
  const thief = await startFaultyPlatform(t, { 'GET /me': json(200, ME) });
  const platform = await startFaultyPlatform(t, {
    'GET /me': json(302, {}, { location: `${thief.url}/me` }),
  });
  const env = { SVC_TOKEN: TOKEN, SVC_API: platform.url };
  const { code, stderr } = await runSvc(t, ['whoami'], { env });
  assert.equal(code, 11);
  assert.ok(stderr.includes(thief.url) && !stderr.includes(TOKEN));
  assert.deepEqual(thief.seen, []);
});

test('svc retries after a reset, a partial response, 429 and 503, and reports each retry', async (t) => {
  for (const fault of [
    reset,
    half,
    error(429, 'rate_limited', 'Too many requests', { 'retry-after': '1' }),
    error(503, 'busy', 'Busy'),
  ]) {
    const platform = await startFaultyPlatform(t, { 'GET /me': [fault, json(200, ME)] });
    const env = { SVC_TOKEN: TOKEN, SVC_API: platform.url };
    const { code, stdout, stderr } = await runSvc(t, ['whoami', '--json'], { env });
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).user.name, 'Ada');
    assert.match(stderr, /Trying again/);
  }
});

test('svc exits with 10 without a connection and for 429, with 11 for a server failure, and with 4, 5 or 1 for others', async (t) => {
  const long = { 'retry-after': '3600' };
  const cases: [Parameters<typeof startFaultyPlatform>[1], number, string][] = [
    [{ 'GET /me': reset }, 10, 'unreachable'],
    [{ 'GET /me': error(429, 'rate_limited', 'Too many', long) }, 10, 'rate_limited'],
    [{ 'GET /me': error(500, 'internal', 'Failed') }, 11, 'internal'],
    [{ 'GET /me': error(403, 'scope_missing', 'No scope') }, 4, 'scope_missing'],
    [{}, 5, 'not_found'],
    [{ 'GET /me': json(200, ['no'], { 'content-type': 'text/html' }) }, 11, 'answer_unreadable'],
  ];
  for (const [answers, exitCode, expected] of cases) {
    const platform = await startFaultyPlatform(t, answers);
    const env = { SVC_TOKEN: TOKEN, SVC_API: platform.url };
    const { code, stdout } = await runSvc(t, ['whoami', '--json'], { env });
    const { error: reported } = JSON.parse(stdout);
    assert.deepEqual([code, reported.code, reported.exit_code], [exitCode, expected, exitCode]);
  }
});

test('svc reports an address where no server listens', async (t) => {
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const { port } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  const env = { SVC_TOKEN: TOKEN, SVC_API: `http://127.0.0.1:${port}` };
  const { code, stderr } = await runSvc(t, ['whoami'], { env });
  assert.equal(code, 10);
  assert.match(stderr, /the connection was refused/);
});
