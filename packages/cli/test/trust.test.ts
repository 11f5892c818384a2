// `svc trust …`: the requests after a sign-in, what is shown, and what is rejected before a request.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Answer, json, TOKEN } from './faulty-platform.ts';
import { limitsAre } from './records.ts';
import { runHere } from './run-here.ts';
import { startSignInPlatform } from './sign-in.ts';
import { temporaryFolder } from './svc.ts';

/** A sign-in waits for minutes if the browser does not return. */
const BOUND = { timeout: 60_000 };

const PROJECT = '0197a1a0-0000-7000-8000-000000000001';
const ID = '0197a1a0-0000-7000-8000-000000000002';
const AT = `/projects/${PROJECT}/publishers`;
const LIMITS = limitsAre({ publishers_per_project: 20 });
const NOTHING = {
  ...{ repository: null, repository_id: null, issuer: null, subject: null, branch: null },
  ...{ environment: null, workflow: null, audience: null },
};

const publisher = (changes: object = {}) => ({
  ...NOTHING,
  ...{ id: ID, provider: 'github', issuer: 'https://token.actions.githubusercontent.com' },
  ...{ audience: 'https://api.example', repository: 'acme/moonhop' },
  ...{ created_at: '2026-01-01T00:00:00.000Z', last_used_at: null },
  ...changes,
});

function folder(t: TestContext): string {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'svc.json'), JSON.stringify({ title: 'Moonhop', id: PROJECT }));
  return cwd;
}

test('svc trust add sends what the options name, and says what the job needs', BOUND, async (t) => {
  const cases = [
    [
      ['--github', 'acme/moonhop', '--branch', 'main', '--workflow', 'release.yml'],
      { provider: 'github', repository: 'acme/moonhop', branch: 'main', workflow: 'release.yml' },
      /^Trusted: acme\/moonhop on GitHub Actions, branch main, workflow release\.yml\.\n/,
      /"permissions: id-token: write", SVC_API/,
    ],
    [
      ['--gitlab', 'acme/a/b', '--issuer', 'https://git.lan', '--environment', 'live'],
      {
        ...{ provider: 'gitlab', repository: 'acme/a/b', issuer: 'https://git.lan' },
        environment: 'live',
      },
      /^Trusted: acme\/a\/b on GitLab CI, environment live\.\n/,
      /id_tokens: SVC_ID_TOKEN: aud: http:\/\/127\.0\.0\.1:\d+, SVC_API/,
    ],
    [
      ['--issuer', 'https://ci.example', '--subject', 'job:**', '--audience', 'svc'],
      { provider: 'other', issuer: 'https://ci.example', subject: 'job:**', audience: 'svc' },
      /^Trusted: job:\*\* on OpenID Connect\.\n/,
      /SVC_ID_TOKEN with the audience svc, SVC_API/,
    ],
  ] as const;
  for (const [args, body, shown, next] of cases) {
    // The default audience is the address of the platform.
    const made: Answer = (request, response) => {
      const audience = `http://${request.headers.host}`;
      json(201, { publisher: publisher({ ...NOTHING, audience, ...body }) })(request, response);
    };
    const platform = await startSignInPlatform(t, { [`POST ${AT}`]: made, 'GET /limits': LIMITS });
    const all = ['trust', 'add', ...args, '--api', platform.url, '--no-open'];
    const { code, stdout, stderr } = await platform.run(all, { cwd: folder(t) });
    assert.equal(code, 0, stderr);
    assert.match(stdout, shown);
    assert.match(stderr, next);
    assert.deepEqual(platform.bodies.at(-1), [`POST ${AT}`, { ...NOTHING, ...body }]);
  }
});

test('svc trust remove signs in and removes', BOUND, async (t) => {
  const gone = (_request: unknown, response: { writeHead(code: number): { end(): void } }) =>
    response.writeHead(204).end();
  const platform = await startSignInPlatform(t, {
    [`DELETE ${AT}/${ID}`]: gone,
    'GET /limits': LIMITS,
  });
  const args = ['trust', 'remove', ID, '--api', platform.url, '--no-open'];
  const { code, stdout, stderr } = await platform.run(args, { cwd: folder(t) });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Removed 0197a1a0\S+\. Its runs cannot publish any more\.\n$/);
});

test('svc trust list shows every publisher within 80 columns', async (t) => {
  const publishers = [
    publisher({
      repository_id: '74',
      branch: 'release/*',
      last_used_at: '2026-02-03T04:05:06.000Z',
    }),
    publisher({
      ...{ provider: 'other', repository: null, issuer: 'https://ci.example' },
      subject: `job:${'x'.repeat(70)} \u001b[31m`,
    }),
  ];
  const platform = await startSignInPlatform(t, {
    [`GET ${AT}`]: json(200, { publishers }),
    'GET /limits': LIMITS,
  });
  const env = { SVC_API: platform.url, SVC_TOKEN: TOKEN };
  const { code, stdout, stderr } = await runHere(t, ['trust', 'list'], { cwd: folder(t), env });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /acme\/moonhop \(id 74\) on GitHub Actions, branch release\/\*\n/);
  assert.match(stdout, /last used 2026-02-03\n/);
  assert.match(stdout, /never used\n/);
  assert.ok(!stdout.includes('\u001b'));
  const empty = await startSignInPlatform(t, {
    [`GET ${AT}`]: json(200, { publishers: [] }),
    'GET /limits': LIMITS,
  });
  const none = await runHere(t, ['trust', 'list'], {
    cwd: folder(t),
    env: { ...env, SVC_API: empty.url },
  });
  assert.equal(none.stdout, 'No CI is trusted. Run svc trust add --github OWNER/NAME.\n');
});

test('options that name no CI, two, or no repository are rejected before a request', async (t) => {
  const env = { SVC_API: 'http://127.0.0.1:9' };
  for (const [args, text] of [
    [[], /No CI is named\./],
    [['--issuer', 'https://ci.example'], /No CI is named\./],
    [['--github', 'a/b', '--gitlab', 'a/b'], /exclude each other/],
    [['--github', 'moonhop'], /owner\/name/],
    [['--github', 'https://github.com/acme/moonhop'], /owner\/name/],
  ] as const) {
    const run = await runHere(t, ['trust', 'add', ...args], { cwd: folder(t), env });
    assert.equal(run.code, 2, run.stderr);
    assert.match(run.stderr, text);
  }
});

test('an older platform is named as the reason', async (t) => {
  const platform = await startSignInPlatform(t, { 'GET /limits': limitsAre({}) });
  const env = { SVC_API: platform.url, SVC_TOKEN: TOKEN };
  const { code, stderr } = await runHere(t, ['trust', 'list'], { cwd: folder(t), env });
  assert.equal(code, 11);
  assert.match(stderr, /is too old for trusted publishers\..*\n.*Ask its operator/);
});
