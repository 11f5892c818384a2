// Addresses that a token may be sent to, and the choice of platform and token.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { json, ME, startFaultyPlatform, TOKEN } from '../../test/faulty-platform.ts';
import { runHere } from '../../test/run-here.ts';
import { temporaryFolder } from '../../test/svc.ts';
import { ExitError } from '../process/exit-codes.ts';
import { normalizeApi, readEnvironment } from './api-address.ts';
import { saveCredentials } from './credentials.ts';

test('normalizeApi returns one spelling for equal addresses', () => {
  const rows = [
    ['https://api.example.com', 'https://api.example.com'],
    ['https://API.Example.com:443/', 'https://api.example.com'],
    ['https://api.example.com/v2//', 'https://api.example.com/v2'],
    ['https://api.example.com:8443/a/b', 'https://api.example.com:8443/a/b'],
    ['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
    ['http://127.1.2.3', 'http://127.1.2.3'],
    ['http://2130706433', 'http://127.0.0.1'],
    ['http://localhost:1', 'http://localhost:1'],
    ['HTTP://LOCALHOST', 'http://localhost'],
    ['http://[::1]:8080', 'http://[::1]:8080'],
    ['http://[0:0::1]', 'http://[::1]'],
  ] as const;
  for (const [text, expected] of rows) assert.equal(normalizeApi(text, '--api'), expected, text);
});

function refused(text: string, message: RegExp): void {
  assert.throws(
    () => normalizeApi(text, 'SVC_API'),
    (error) => {
      assert.ok(error instanceof ExitError);
      assert.equal(error.exitCode, 2);
      assert.match(error.message, /^SVC_API /);
      assert.match(error.message, message);
      return true;
    },
    text,
  );
}

test('normalizeApi accepts http: for this machine only, and not for names that resemble it', () => {
  for (const host of [
    'api.example.com',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evil.example.localhost',
    'notlocalhost',
    '126.0.0.1',
    '128.0.0.1',
    '1.127.0.0',
    '0.0.0.0',
    '10.0.0.1',
    '[::2]',
    '[::]',
    '[::ffff:7f00:1]',
    'evil.example:127',
    'evil.example/127.0.0.1',
  ]) {
    refused(`http://${host}`, /http: sends your token unencrypted/);
    assert.doesNotThrow(() => normalizeApi(`https://${host}`, 'SVC_API'));
  }
});

test('normalizeApi rejects a text that is not an address, and an address with a user name, a password, a query or a fragment', () => {
  for (const text of [
    '',
    'nonsense',
    'api.example.com',
    'ftp://x',
    'file:///x',
    'ws://localhost',
  ]) {
    refused(text, /is not an address/);
  }
  for (const text of [
    'u@x.example',
    'u:p@x.example',
    ':p@x.example',
    'x.example/?a',
    'x.example#a',
  ]) {
    refused(`https://${text}`, /must not contain a user name, a query or a fragment/);
  }
  refused('http://localhost@evil.example', /must not contain a user name/);
});

test('readEnvironment treats an empty variable as unset', () => {
  const nothing = { api: null, token: null };
  assert.deepEqual(readEnvironment({}), nothing);
  assert.deepEqual(readEnvironment({ SVC_API: ' ', SVC_TOKEN: '\n' }), nothing);
  assert.deepEqual(readEnvironment({ SVC_API: ' https://x.example/ ', SVC_TOKEN: ' t\n' }), {
    api: 'https://x.example',
    token: 't',
  });
  assert.throws(() => readEnvironment({ SVC_API: 'x' }), /SVC_API is not an address/);
});

test('svc prefers --api to SVC_API, and SVC_API to the saved platform', async (t) => {
  const [one, two, three] = await Promise.all(
    [1, 2, 3].map(() => startFaultyPlatform(t, { 'GET /me': json(200, ME) })),
  );
  const home = temporaryFolder(t);
  const warn = () => assert.fail('warns');
  saveCredentials({ HOME: home }, { api: one?.url ?? '', token: TOKEN }, warn);
  const asked = async (args: string[], env: Record<string, string>) => {
    const { code, stdout } = await runHere(t, ['whoami', '--json', ...args], {
      env: { HOME: home, ...env },
    });
    const { api, error } = JSON.parse(stdout);
    return [code, api ?? error.code];
  };
  assert.deepEqual(await asked([], {}), [0, one?.url]);
  // The saved token is only for the saved platform.
  assert.deepEqual(await asked([], { SVC_API: two?.url ?? '' }), [3, 'not_logged_in']);
  const env = { SVC_API: two?.url ?? '', SVC_TOKEN: TOKEN };
  assert.deepEqual(await asked([], env), [0, two?.url]);
  assert.deepEqual(await asked(['--api', three?.url ?? ''], env), [0, three?.url]);
  assert.deepEqual(
    [one, two, three].map((platform) => platform?.seen.length),
    [1, 1, 1],
  );
});

test('svc does not send a truncated SVC_TOKEN, and explains the fault', async (t) => {
  const platform = await startFaultyPlatform(t, {});
  const env = { SVC_API: platform.url, SVC_TOKEN: TOKEN.slice(0, -1) };
  const { code, stdout, stderr } = await runHere(t, ['whoami', '--json'], { env });
  assert.deepEqual([code, JSON.parse(stdout).error.code], [3, 'token_malformed']);
  assert.match(stderr, /^svc: SVC_TOKEN is cut off: it has 45 of 46 characters\.\n/);
  assert.deepEqual(platform.seen, []);
});

test('svc exits with a usage error if no platform is chosen, because there is no default', async (t) => {
  const { code, stderr } = await runHere(t, ['whoami']);
  assert.equal(code, 2);
  assert.match(stderr, /^svc: No platform is chosen\.\nRun svc login --api/);
});

test('svc whoami shows the account, the token and its source', async (t) => {
  const session = { user: { ...ME.user, email: 'ada@example.com' }, auth: { kind: 'session' } };
  const limited = {
    ...ME.auth,
    scopes: ['publish', 'read'],
    projects: ['a', 'b'],
    expires_at: 'x',
  };
  const platform = await startFaultyPlatform(t, {
    'GET /me': [json(200, ME), json(200, { ...ME, auth: limited }), json(200, session)],
  });
  const env = { SVC_API: platform.url, SVC_TOKEN: TOKEN };
  const lines = async () => (await runHere(t, ['whoami'], { env })).stdout.split(/ {2,}|\n/);
  const common = ['name', 'Ada', 'uid', ME.user.uid, 'role', 'developer'];
  const source = ['platform', platform.url, 'credential', 'SVC_TOKEN'];
  const id = ME.auth.token_id;
  assert.deepEqual(await lines(), [
    ...[...common, ...source, 'token', `ci (${id})`, 'scopes', 'publish'],
    ...['projects', 'all', 'expires', 'never', ''],
  ]);
  assert.deepEqual(await lines(), [
    ...[...common, ...source, 'token', `ci (${id})`, 'scopes', 'publish, read'],
    ...['projects', 'a, b', 'expires', 'x', ''],
  ]);
  assert.deepEqual(await lines(), [
    ...[...common, 'email', 'ada@example.com', ...source, 'signed in by', 'ID token', ''],
  ]);
});
