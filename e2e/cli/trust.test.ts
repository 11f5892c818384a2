// Publishing from CI without a stored token: svc finds the identity of the run and exchanges it.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startOutsideProvider } from '@svc/platform/testing';
import { runSvc, temporaryFolder } from '../../packages/cli/test/svc.ts';
import { signInDeveloper } from '../../packages/platform/test/sign-in-developer.ts';
import { JOB, startGithub } from './github-identity.ts';
import { startPlatformProcess } from './platform-process.ts';

/** A game that was published once by hand, a platform, and the issuer of a CI. */
async function start(t: TestContext, settings: Readonly<Record<string, string>> = {}) {
  const platform = await startPlatformProcess(t, settings);
  const { client } = await signInDeveloper(platform, 'Ada');
  const { game } = await client.call('createProject', { body: { title: 'Moonhop' } });
  const ci = await startOutsideProvider();
  t.after(() => ci[Symbol.asyncDispose]());
  const cwd = temporaryFolder(t);
  mkdirSync(join(cwd, 'dist'));
  const project = { title: 'Moonhop', build: 'dist', id: game.id, slug: game.slug };
  writeFileSync(join(cwd, 'svc.json'), JSON.stringify(project));
  const home = temporaryFolder(t);
  const svc = (args: readonly string[], env: Readonly<Record<string, string>>) =>
    runSvc(t, args, {
      cwd,
      env: { HOME: home, CI: 'true', SVC_API: platform.baseUrl, ...env },
    });
  const build = (title: string): void =>
    writeFileSync(join(cwd, 'dist/index.html'), `<!doctype html><title>${title}</title>`);
  build('one');
  const trust = (body: Partial<Parameters<typeof client.call<'createPublisher'>>[1]['body']>) =>
    client.call('createPublisher', {
      params: { id: game.id },
      body: { provider: 'github', issuer: ci.issuer, repository: 'acme/moonhop', ...body },
    });
  return { platform, client, game, ci, home, cwd, svc, build, trust };
}

test('svc publish in GitHub Actions needs no token, and the release names its run', async (t) => {
  const { platform, client, game, ci, home, svc, build, trust } = await start(t);
  const github = await startGithub(t, ci);
  const early = await svc(['publish', '--version', '1'], github.env);
  assert.equal(early.code, 4, early.stderr);
  assert.match(early.stderr, /no trusted publisher with the issuer/);
  await trust({ branch: 'main' });
  const published = await svc(['publish', '--version', '1', '--json'], github.env);
  assert.equal(published.code, 0, published.stderr);
  const { release } = JSON.parse(published.stdout);
  assert.equal(release.provenance.commit, JOB.sha);
  assert.match(release.provenance.run_url, /\/acme\/moonhop\/actions\/runs\/5$/);
  assert.deepEqual(new Set(github.audiences), new Set([platform.baseUrl]));
  // Every command of the job works, each with an identity of its own. Nothing is left on the disk.
  build('two');
  for (const args of [
    ['publish', '--preview', 'pr-1'],
    ['releases'],
    ['preview', 'list'],
    ['preview', 'revoke', 'pr-1'],
    ['whoami'],
  ]) {
    const done = await svc(args, github.env);
    assert.equal(done.code, 0, `${args.join(' ')}: ${done.stderr}`);
    if (args[0] === 'releases') assert.match(done.stdout, /BUILT FROM.*\n.*acme\/moonhop@ddddddd/);
    if (args[0] === 'whoami')
      assert.match(done.stdout, /credential +identity of this run \(GitHub Actions\)/);
  }
  assert.equal(existsSync(join(home, '.config')), false);
  const { releases } = await client.call('releases', { params: { id: game.id } });
  assert.deepEqual(
    releases.map(({ version, provenance }) => [version, provenance?.ref]),
    [['1', 'main']],
  );
  assert.deepEqual((await client.call('tokens', {})).tokens, []);
  // A token that was set for svc is used before the identity of the job.
  const { secret } = await client.call('createToken', { body: { name: 'set' } });
  const asked = github.audiences.length;
  const own = await svc(['whoami'], { ...github.env, SVC_TOKEN: secret });
  assert.match(own.stdout, /credential +SVC_TOKEN/);
  assert.equal(github.audiences.length, asked);
});

test('a job without the permission, and one of another repository, get a message that says what to do', async (t) => {
  const { ci, svc, trust } = await start(t);
  await trust({ repository: 'acme/other' });
  const github = await startGithub(t, ci);
  const closed = { ...github.env, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'wrong' };
  const refused = await svc(['publish'], closed);
  assert.equal(refused.code, 3);
  assert.match(refused.stderr, /GitHub Actions issued no identity: status 403\./);
  assert.match(refused.stderr, /"permissions: id-token: write"/);
  const none = await svc(['publish'], {});
  assert.equal(none.code, 3);
  assert.match(none.stderr, /svc trust add.*"permissions: id-token: write"/);
  const other = await svc(['publish'], github.env);
  assert.equal(other.code, 4);
  assert.match(other.stderr, /repository "acme\/moonhop", repository id "74", branch "main"/);
  const away = await svc(['publish'], {
    ...github.env,
    ACTIONS_ID_TOKEN_REQUEST_URL: 'http://ci.example/token',
  });
  assert.equal(away.code, 3);
  assert.match(away.stderr, /is not an https address/);
  assert.ok(!JSON.stringify([refused, other, away]).includes('job-secret'));
});

test('an identity in a variable or a file is exchanged once for all commands of a job', async (t) => {
  const { platform, ci, home, cwd, svc, build, trust } = await start(t);
  await trust({ provider: 'gitlab' });
  const job = {
    ...{ aud: platform.baseUrl, sub: 'project_path:acme/moonhop:ref_type:branch:ref:main' },
    ...{ project_path: 'acme/moonhop', project_id: '9', ref: 'main', ref_type: 'branch' },
  };
  const idToken = await ci.sign({ ...job, jti: 'job-1' });
  const env = { SVC_ID_TOKEN: idToken };
  const first = await svc(['publish', '--version', '1'], env);
  assert.equal(first.code, 0, first.stderr);
  build('two');
  const second = await svc(['publish', '--version', '2'], env);
  assert.equal(second.code, 0, second.stderr);
  const folder = join(home, '.config/svc/exchanged');
  const [name = '', ...others] = readdirSync(folder);
  assert.deepEqual(others, []);
  const kept = join(folder, name);
  assert.equal(statSync(kept).mode & 0o777, 0o600);
  assert.ok(!readFileSync(kept, 'utf8').includes(idToken));
  // Another identity has a file of its own, and commands at the same time share one exchange.
  const file = join(cwd, 'id-token');
  writeFileSync(file, `${await ci.sign({ ...job, jti: 'job-2' })}\n`);
  const together = await Promise.all(
    [1, 2, 3].map(() => svc(['releases'], { SVC_ID_TOKEN_FILE: file })),
  );
  for (const { code, stderr } of together) assert.equal(code, 0, stderr);
  assert.equal(readdirSync(folder).length, 2);
  const repeated = await svc(['releases'], env);
  assert.equal(repeated.code, 0, repeated.stderr);
  // Without its file, the same identity cannot be exchanged again. A damaged file counts as none.
  writeFileSync(kept, '{"token": 1');
  const again = await svc(['releases'], env);
  assert.equal(again.code, 3);
  assert.match(again.stderr, /was exchanged before/);
  assert.match(again.stderr, /declare another token in id_tokens/);
  const next = await svc(['releases'], { SVC_ID_TOKEN: await ci.sign({ ...job, jti: 'job-3' }) });
  assert.equal(next.code, 0, next.stderr);
  assert.equal(existsSync(kept), false, 'files without a valid token are deleted');
  await svc(['logout'], {});
  assert.equal(existsSync(folder), false);
  for (const [path, reason] of [
    [join(cwd, 'missing'), /Cannot read .*missing/],
    [cwd, /Cannot read/],
  ] as const) {
    const bad = await svc(['releases'], { SVC_ID_TOKEN_FILE: path });
    assert.equal(bad.code, 3);
    assert.match(bad.stderr, reason);
  }
  const wrong = await ci.sign({ ...job, jti: 'job-4', aud: 'https://pypi.example' });
  const refused = await svc(['releases'], { SVC_ID_TOKEN: wrong });
  assert.equal(refused.code, 3);
  assert.match(refused.stderr, /Its audience is not "http:/);
  const nowhere = await svc(['releases'], { SVC_ID_TOKEN: idToken, SVC_API: '' });
  assert.equal(nowhere.code, 2);
  assert.match(nowhere.stderr, /svc sends an identity only to a platform that you name/);
});
