// A platform with several identity providers: `--provider` of the commands that sign a person in.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { CLIENT } from '@svc/contracts/testing';
import { type Answer, json, ME } from './faulty-platform.ts';
import { type SignInPlatform, startSignInPlatform } from './sign-in.ts';

/** A platform with a provider that exists, and another one. */
async function openPlatform(t: TestContext): Promise<SignInPlatform> {
  const elsewhere = { issuer: 'https://elsewhere.example', name: 'Elsewhere', client_id: 'x' };
  const config: Answer = (request, response) => {
    const { issuer } = platform;
    const here = { issuer, name: 'Here', client_id: 'the store', cli_client_id: CLIENT };
    const providers = [{ ...elsewhere, cli_client_id: 'x' }, here];
    json(200, { ...elsewhere, providers })(request, response);
  };
  const made = json(201, { token: { id: 't' }, secret: 'svc_the-secret' });
  const platform: SignInPlatform = await startSignInPlatform(t, {
    'GET /auth/config': config,
    'POST /tokens': made,
    'GET /tokens': json(200, { tokens: [] }),
  });
  return platform;
}

test('svc login and svc token sign in at the provider that --provider names', async (t) => {
  const platform = await openPlatform(t);
  for (const [args, wanted] of [
    [['login', '--no-open'], 'here'],
    [['token', 'list', '--no-open'], platform.issuer],
  ] as const) {
    const all = [...args, '--api', platform.url, '--provider', wanted, '--json'];
    const { code, stdout, stderr } = await platform.run(all);
    assert.equal(code, 0, stderr);
    assert.ok(stderr.includes(`${platform.issuer}/authorize?`), stderr);
    if (args[0] === 'login') assert.equal(JSON.parse(stdout).user.name, ME.user.name);
  }
});

test('svc login lists the providers if none or an unknown one is named, and opens no session', async (t) => {
  const platform = await openPlatform(t);
  const base = ['login', '--no-open', '--api', platform.url, '--json'];
  const rows = [
    [[], 'The platform has 2 identity providers: Elsewhere, Here.', 'Choose one with --provider.'],
    [
      ['--provider', 'nowhere'],
      'The platform has no identity provider "nowhere".',
      'Choose one of these with --provider: Elsewhere, Here.',
    ],
  ] as const;
  for (const [more, message, hint] of rows) {
    const { code, stdout } = await platform.run([...base, ...more]);
    const { error } = JSON.parse(stdout);
    assert.deepEqual([code, error.message, error.hint], [2, message, hint]);
  }
  const both = await platform.run([...base, '--token', '-', '--provider', 'here']);
  assert.equal(both.code, 2);
  assert.match(both.stderr, /--token and --provider cannot be combined/);
  assert.deepEqual(platform.bodies, []);
});
