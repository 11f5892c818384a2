import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readIdentity } from './read-identity.ts';

const COMMIT = 'c'.repeat(40);

test('an identity of GitHub Actions', () => {
  const claims = {
    ...{ iss: 'https://token.actions.githubusercontent.com', sub: 'repo:acme/moonhop:x' },
    ...{ repository: 'acme/moonhop', repository_id: '74', repository_visibility: 'public' },
    ...{ ref: 'refs/heads/main', sha: COMMIT, run_id: '9', environment: 'production' },
    workflow_ref: 'acme/moonhop/.github/workflows/release.yml@refs/heads/main',
  };
  assert.deepEqual(readIdentity('github', claims), {
    ...{ issuer: claims.iss, subject: claims.sub, repository: 'acme/moonhop', repositoryId: '74' },
    ...{ ref: 'main', branch: 'main', environment: 'production', workflow: 'release.yml' },
    ...{ isPublic: true, commit: COMMIT },
    commit_url: `https://github.com/acme/moonhop/commit/${COMMIT}`,
    run_url: 'https://github.com/acme/moonhop/actions/runs/9',
  });
  const hosts = [
    ['https://token.actions.githubusercontent.com/acme', 'https://github.com'],
    ['https://token.actions.acme.ghe.com', 'https://acme.ghe.com'],
    ['https://github.acme.example/_services/token', 'https://github.acme.example'],
  ] as const;
  for (const [iss, server] of hosts) {
    const { run_url } = readIdentity('github', { ...claims, iss });
    assert.equal(run_url, `${server}/acme/moonhop/actions/runs/9`);
  }
  const tag = readIdentity('github', { ...claims, ref: 'refs/tags/v1.2' });
  assert.deepEqual([tag.ref, tag.branch], ['v1.2', null]);
  const pull = readIdentity('github', { ...claims, ref: 'refs/pull/3/merge' });
  assert.deepEqual([pull.ref, pull.branch], ['refs/pull/3/merge', null]);
  const target = readIdentity('github', { ...claims, event_name: 'pull_request_target' });
  assert.deepEqual([target.ref, target.branch], ['main', null]);
  assert.equal(readIdentity('github', { ...claims, event_name: 'push' }).branch, 'main');
});

test('an identity of GitLab', () => {
  const claims = {
    ...{ iss: 'https://gitlab.com', sub: 'project_path:acme/moonhop:x', project_id: 12 },
    ...{ project_path: 'acme/moonhop', project_visibility: 'internal', job_id: '5' },
    ...{ ref: 'main', ref_type: 'branch', sha: COMMIT },
  };
  assert.deepEqual(readIdentity('gitlab', claims), {
    ...{ issuer: claims.iss, subject: claims.sub, repository: 'acme/moonhop', repositoryId: '12' },
    ...{ ref: 'main', branch: 'main', environment: null, workflow: null, isPublic: false },
    commit: COMMIT,
    commit_url: `https://gitlab.com/acme/moonhop/-/commit/${COMMIT}`,
    run_url: 'https://gitlab.com/acme/moonhop/-/jobs/5',
  });
  assert.equal(readIdentity('gitlab', { ...claims, ref_type: 'tag' }).branch, null);
});

test('claims that are missing, of another type, too long or not clean are null', () => {
  const base = { iss: 'https://ci.example', sub: 's' };
  for (const provider of ['github', 'gitlab', 'other'] as const) {
    const { issuer, subject, isPublic, ...rest } = readIdentity(provider, base);
    assert.deepEqual([issuer, subject, isPublic], [base.iss, 's', false]);
    assert.deepEqual(new Set(Object.values(rest)), new Set([null]), provider);
  }
  for (const bad of [['x'], {}, true, null, '', 'x'.repeat(256), 'a\nb', '\ud800', 1.5]) {
    const identity = readIdentity('github', { ...base, repository: bad, environment: bad });
    assert.deepEqual([identity.repository, identity.environment], [null, null], String(bad));
  }
  const odd = readIdentity('github', { ...base, repository: 'a/b', sha: 'main', run_id: '<x> y' });
  assert.deepEqual([odd.commit, odd.commit_url], [null, null]);
  assert.equal(odd.run_url, 'https://ci.example/a/b/actions/runs/%3Cx%3E%20y');
});
