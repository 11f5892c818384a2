// `svc token …` and `svc login` with a browser: the requests after a sign-in, and what is saved.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { json, ME, reset, startFaultyPlatform, TOKEN } from './faulty-platform.ts';
import { runHere } from './run-here.ts';
import { startSignInPlatform } from './sign-in.ts';
import { temporaryFolder } from './svc.ts';

/** A sign-in waits for minutes if the browser does not return. */
const BOUND = { timeout: 60_000 };

const ID = '0197a1a0-0000-7000-8000-000000000002';
const SECRET = 'svc_the-secret';

const token = (changes: object = {}) => ({
  id: ID,
  name: 'ci',
  scopes: ['publish'],
  projects: null,
  created_at: '2026-01-01T00:00:00.000Z',
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
  hint: 'svc_…abcd',
  ...changes,
});

const MADE = json(201, { token: token(), secret: SECRET });

/** A home folder with this saved login. */
function homeWith(t: TestContext, login: string): string {
  const home = temporaryFolder(t);
  mkdirSync(join(home, '.config/svc'), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, '.config/svc/credentials'), login, { mode: 0o600 });
  return home;
}

test(
  'svc token create prints only the secret on stdout after a sign-in, and saves nothing',
  BOUND,
  async (t) => {
    const platform = await startSignInPlatform(t, { 'POST /tokens': MADE });
    const home = homeWith(t, JSON.stringify({ api: platform.url, token: TOKEN }));
    const args = ['token', 'create', '--no-open', '--name', 'ci'];
    const { code, stdout, stderr } = await platform.run(args, { env: { HOME: home } });
    assert.equal(code, 0, stderr);
    assert.equal(stdout, `${SECRET}\n`);
    assert.ok(!stderr.includes(SECRET));
    assert.match(
      stderr,
      /\nid +0197a1a0\S+\nname +ci\nscopes +publish\nexpires +never\nThe token is not shown again\.\n$/,
    );
    assert.deepEqual(platform.bodies, [
      ['POST /auth/session', platform.bodies[0]?.[1]],
      ['POST /tokens', { name: 'ci', scopes: ['publish'] }],
    ]);
    const session = platform.bodies[0]?.[1] as { id_token: string; role: string };
    assert.equal(session.role, 'developer');
    assert.deepEqual(
      platform.seen.map(({ route, authorization }) => [route, authorization]),
      [
        ['GET /auth/config', undefined],
        ['POST /auth/session', undefined],
        ['POST /tokens', `Bearer ${session.id_token}`],
      ],
    );
    const saved = JSON.parse(readFileSync(join(home, '.config/svc/credentials'), 'utf8'));
    assert.equal(saved.token, TOKEN, 'the saved login is left as it is');
  },
);

test('svc token create sends scopes, projects and days, each value once', BOUND, async (t) => {
  const platform = await startSignInPlatform(t, { 'POST /tokens': MADE });
  const base = ['token', 'create', '--api', platform.url, '--no-open', '--name', 'ci', '--json'];
  const rows: [args: string[], body: object][] = [
    [
      ['--scope', 'read', 'publish', '--scope', 'read', '--project', 'a', 'b', 'a'],
      { name: 'ci', scopes: ['read', 'publish'], projects: ['a', 'b'] },
    ],
    [['--expires-in-days', '99999'], { name: 'ci', scopes: ['publish'], expires_in_days: 99_999 }],
    [['--expires-in-days', 'never'], { name: 'ci', scopes: ['publish'], expires_in_days: null }],
  ];
  for (const [args, body] of rows) {
    const { code, stdout, stderr } = await platform.run([...base, ...args]);
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), { token: token(), secret: SECRET });
    assert.doesNotMatch(stderr, /The token is not shown again/);
    assert.deepEqual(platform.bodies.pop(), ['POST /tokens', body]);
  }
});

test('svc token create rejects invalid names and days before the sign-in', async (t) => {
  const platform = await startFaultyPlatform(t, {});
  const base = ['token', 'create', '--api', platform.url, '--no-open'];
  for (const [args, expected] of [
    [[], /--name is missing/],
    [['--name', 'a\u200bb'], /The name contains/],
    [['--name', 'x', '--expires-in-days', '0'], /a number of days from 1 to 99999, or "never"/],
    [['--name', 'x', '--expires-in-days', '-1'], /a number of days from 1 to 99999, or "never"/],
    [['--name', 'x', '--expires-in-days', '1.5'], /a number of days from 1 to 99999, or "never"/],
    [
      ['--name', 'x', '--expires-in-days', '100000'],
      /a number of days from 1 to 99999, or "never"/,
    ],
    [['--name', 'x', '--scope', 'admin'], /Allowed: publish, read/],
  ] as const) {
    const { code, stderr } = await runHere(t, [...base, ...args]);
    assert.equal(code, 2, args.join(' '));
    assert.match(stderr, expected);
  }
  assert.deepEqual(platform.seen, []);
});

test(
  'svc token list shows the state of each token, with the dates of its last use and its expiry',
  BOUND,
  async (t) => {
    const past = '2026-03-04T23:59:59.000Z';
    const future = '2999-12-31T00:00:00.000Z';
    const [late, soon] = [-1, 1].map((hours) => new Date(Date.now() + hours * 3_600_000));
    const tokens = [
      token({ name: 'new' }),
      token({ name: 'used', last_used_at: past, expires_at: future, scopes: ['publish', 'read'] }),
      token({ name: 'old', expires_at: past }),
      token({ name: 'late', expires_at: late?.toISOString() ?? null }),
      token({ name: 'soon', expires_at: soon?.toISOString() ?? null }),
      token({ name: 'gone', revoked_at: past, expires_at: past }),
    ];
    const platform = await startSignInPlatform(t, {
      'GET /tokens': [json(200, { tokens }), json(200, { tokens: [] }), json(200, { tokens })],
    });
    const args = ['token', 'list', '--api', platform.url, '--no-open'];
    const { code, stdout } = await platform.run(args);
    assert.equal(code, 0);
    const cells = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    assert.deepEqual(cells, [
      ['ID', 'NAME', 'SCOPES', 'LAST USED', 'EXPIRES', 'STATE'],
      [ID, 'new', 'publish', 'never', 'never', 'active'],
      [ID, 'used', 'publish,read', '2026-03-04', '2999-12-31', 'active'],
      [ID, 'old', 'publish', 'never', '2026-03-04', 'expired'],
      [ID, 'late', 'publish', 'never', late?.toISOString().slice(0, 10), 'expired'],
      [ID, 'soon', 'publish', 'never', soon?.toISOString().slice(0, 10), 'active'],
      [ID, 'gone', 'publish', 'never', '2026-03-04', 'revoked'],
    ]);
    const none = await platform.run(args);
    assert.equal(none.stdout, 'There are no tokens yet. Run svc token create --name NAME.\n');
    const document = await platform.run([...args, '--json']);
    assert.deepEqual(JSON.parse(document.stdout), { tokens });
  },
);

test(
  'svc token revoke sends the id to the platform, and repeats the request after a lost response',
  BOUND,
  async (t) => {
    const platform = await startSignInPlatform(t, {
      [`DELETE /tokens/${ID}`]: [reset, (_, response) => response.writeHead(204).end()],
    });
    const args = ['token', 'revoke', ID, '--api', platform.url, '--no-open'];
    const { code, stdout, stderr } = await platform.run(args);
    assert.deepEqual([code, stdout], [0, `Revoked ${ID}.\n`], stderr);
    const asked = platform.seen.filter(({ route }) => route === `DELETE /tokens/${ID}`);
    assert.equal(asked.length, 2);
    assert.match(asked[0]?.authorization ?? '', /^Bearer eyJ/);
  },
);

test('svc token list exits with a usage error if no platform is chosen', async (t) => {
  const { code, stderr } = await runHere(t, ['token', 'list', '--no-open']);
  assert.equal(code, 2);
  assert.match(stderr, /^svc: No platform is chosen\.\nAdd --api, or set SVC_API\.\n$/);
});

test(
  'svc login with a browser creates a token with this machine’s name, and saves it for the platform',
  BOUND,
  async (t) => {
    const platform = await startSignInPlatform(t, { 'POST /tokens': MADE });
    const home = temporaryFolder(t);
    const args = ['login', '--api', platform.url, '--no-open', '--json'];
    const { code, stdout, stderr } = await platform.run(args, {
      env: { HOME: home, SVC_TOKEN: TOKEN },
    });
    assert.equal(code, 0, stderr);
    const name = `svc on ${hostname()}`.slice(0, 80);
    assert.deepEqual(platform.bodies.at(-1), ['POST /tokens', { name, scopes: ['publish'] }]);
    assert.match(platform.seen.at(-1)?.authorization ?? '', /^Bearer eyJ/);
    const path = join(home, '.config/svc/credentials');
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), { api: platform.url, token: SECRET });
    assert.deepEqual(JSON.parse(stdout), {
      api: platform.url,
      user: ME.user,
      credentials_path: path,
      token_name: name,
      verified: true,
    });
    assert.ok(!`${stdout}${stderr}`.includes(SECRET));
    assert.match(stderr, /warning: SVC_TOKEN is set and takes precedence over the saved token\./);
  },
);

test(
  'svc login without an address renews the saved login, and asks for an address if it is damaged or missing',
  BOUND,
  async (t) => {
    const platform = await startSignInPlatform(t, { 'POST /tokens': MADE });
    const home = homeWith(t, JSON.stringify({ api: platform.url, token: TOKEN }));
    const { code, stdout, stderr } = await platform.run(['login', '--no-open'], {
      env: { HOME: home },
    });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Logged in as Ada\.\nplatform +http/);
    assert.doesNotMatch(stderr, /SVC_TOKEN/);
    assert.equal(platform.bodies.length, 2);
    for (const other of [homeWith(t, '{"api":'), temporaryFolder(t)]) {
      const asked = await runHere(t, ['login', '--no-open'], { env: { HOME: other } });
      assert.equal(asked.code, 2);
      assert.match(asked.stderr, /^svc: No platform is chosen\.\n/);
    }
  },
);

test('svc login saves nothing if the token cannot be created', BOUND, async (t) => {
  const platform = await startSignInPlatform(t, {});
  const home = temporaryFolder(t);
  const args = ['login', '--api', platform.url, '--no-open'];
  const { code } = await platform.run(args, { env: { HOME: home } });
  assert.equal(code, 5);
  assert.ok(!existsSync(join(home, '.config/svc/credentials')));
});

test('svc login rejects two ways to log in', async (t) => {
  const platform = await startFaultyPlatform(t, {});
  const args = ['login', '--api', platform.url, '--token', '-', '--web'];
  const { code, stderr } = await runHere(t, args, { input: TOKEN });
  assert.equal(code, 2);
  assert.match(stderr, /--token and --web cannot be combined\. Choose one way to log in/);
  assert.deepEqual(platform.seen, []);
});
