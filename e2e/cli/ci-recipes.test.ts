// The recipes of docs/ci.md: runs their `run:` and `script:` lines and the rotation in a shell, with a real platform.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startOutsideProvider } from '@svc/platform/testing';
import { parse } from 'yaml';
import { findBrowser } from '../../scripts/find-browser.ts';
import { ROOT } from '../../scripts/workspaces.ts';
import { noBrowser } from '../viewer/open-viewer.ts';
import { runLines, startJob } from './ci-job.ts';
import { JOB, startGithub } from './github-identity.ts';
import { startPlatformProcess } from './platform-process.ts';

const platform = await startPlatformProcess({ after });
const document = readFileSync(join(ROOT, 'docs/ci.md'), 'utf8');

function recipe(name: string): string {
  const pattern = new RegExp(`<!-- recipe: ${name} -->\n\`\`\`\\w+\n(.*?)\`\`\``, 's');
  const found = pattern.exec(document)?.[1];
  assert.ok(found !== undefined, `docs/ci.md has no recipe "${name}"`);
  return found;
}

/** The number of the pull request in a workflow. */
const NUMBER = /\$\{\{ github\.event\.number \}\}/g;

/** Installation is covered by the package's own test. Here `svc` and `node` are already in PATH. */
const isInstall = (line: string): boolean => line.startsWith('npm install --global');

test('docs/ci.md, GitHub Actions: the run lines check, dry-run and publish', async (t) => {
  const job = await startJob(t, platform, 'Github');
  const workflow: { jobs: { publish: { env: object; steps: { run?: string }[] } } } = parse(
    recipe('github'),
  );
  const { env, steps } = workflow.jobs.publish;
  assert.deepEqual(Object.keys(env), ['SVC_API', 'SVC_TOKEN']);
  const lines = steps.flatMap(({ run }) => (run === undefined || isInstall(run) ? [] : [run]));
  assert.ok(lines.some((line) => line.includes('--dry-run')));
  const { code, stderr } = await runLines(
    t,
    job,
    lines.join('\n'),
    { GITHUB_REF_NAME: 'v1.0' },
    null,
  );
  assert.equal(code, 0, stderr);
  const published = JSON.parse(readFileSync(join(job.cwd, 'published.json'), 'utf8'));
  assert.deepEqual([published.release.version, published.release.live], ['v1.0', true]);
  const again = await runLines(t, job, lines.join('\n'), { GITHUB_REF_NAME: 'v1.0' }, null);
  assert.equal(again.code, 0, again.stderr);
});

test('docs/ci.md, a report: the run lines record, write a page and post the answer', {
  skip: noBrowser,
}, async (t) => {
  const job = await startJob(t, platform, 'Report');
  writeFileSync(join(job.cwd, 'src/index.html'), '<!doctype html><title>Recipe</title><p>Play');
  writeFileSync(join(job.cwd, 'level-1.input'), '0.2 key press Space\n0.5 end\n');
  writeFileSync(join(job.home, 'bin/gh'), '#!/bin/sh\nprintf "%s\\n" "$@"\ncat "$5"\n', {
    mode: 0o755,
  });
  const workflow: { jobs: { report: { steps: { run?: string }[] } } } = parse(recipe('report'));
  const lines = workflow.jobs.report.steps
    .flatMap(({ run }) => (run === undefined || isInstall(run) ? [] : [run]))
    .map((line) => line.replace(NUMBER, '7'));
  const more = { SVC_BROWSER: findBrowser() ?? '' };
  const { code, stdout, stderr } = await runLines(t, job, lines.join('\n'), more, null);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /\npr\ncomment\n7\n--body-file\nreport\.md\n\*\*.+\*\*\n/);
  assert.match(readFileSync(join(job.cwd, 'report.html'), 'utf8'), /data-name="game\.vpt">/);
});

test('docs/ci.md, a preview: each push replaces the build at one link, which is posted once, and closing ends it', async (t) => {
  const job = await startJob(t, platform, 'Preview');
  // Keeps the comments of the pull request in a file.
  const comments = join(job.home, 'comments');
  writeFileSync(comments, 'A comment of a person\n');
  const gh = `#!/bin/sh
case "$1 $2 $3" in
  "pr view 7") test "$4 $5 $6 $7" = "--json comments --jq .comments[].body" && cat '${comments}' ;;
  "pr comment 7") test "$4" = --body-file && cat "$5" >> '${comments}' ;;
  *) exit 2 ;;
esac
`;
  writeFileSync(join(job.home, 'bin/gh'), gh, { mode: 0o755 });
  type Steps = { readonly steps: readonly { readonly if?: string; readonly run?: string }[] };
  const workflow: { concurrency: { group: string }; jobs: Record<'preview' | 'end', Steps> } =
    parse(recipe('preview'));
  const { group, ...concurrency } = workflow.concurrency;
  assert.equal(group.replace(NUMBER, '7'), 'preview-7');
  assert.deepEqual(concurrency, { 'cancel-in-progress': true });
  const run = async (name: 'preview' | 'end') => {
    const lines = workflow.jobs[name].steps.flatMap(({ if: condition, run }) => {
      // Every step runs for every event.
      assert.equal(condition, undefined);
      return run === undefined || isInstall(run) ? [] : [run];
    });
    const text = lines.join('\n').replaceAll(NUMBER, '7');
    const { code, stderr } = await runLines(
      t,
      job,
      text,
      { PREVIEW: 'pr-7', SVC_BROWSER: 'none' },
      null,
    );
    assert.equal(code, 0, stderr);
  };
  const links = (): string[] =>
    [...readFileSync(comments, 'utf8').matchAll(/^Play this change at (\S+)$/gm)].map(
      ([, link = '']) => link,
    );
  const build = (title: string): void =>
    writeFileSync(join(job.cwd, 'src/index.html'), `<!doctype html><title>${title}</title>`);
  const textAt = async (link = ''): Promise<string> => (await fetch(link)).text();
  for (const title of ['First', 'Second']) {
    build(title);
    // A version that is not named is the time in seconds.
    await pause(1000);
    await run('preview');
    assert.equal(links().length, 1);
    assert.match(await textAt(links()[0]), new RegExp(`<title>${title}</title>`));
  }
  await run('end');
  assert.equal((await fetch(links()[0] ?? '')).status, 404);
  // There is no link now.
  await run('end');
  // Reopened: the link has another address, which is posted.
  await pause(1000);
  await run('preview');
  assert.equal(links().length, 2);
  assert.match(await textAt(links()[1]), /<title>Second<\/title>/);
});

test('docs/ci.md, trusted publishing: jobs of GitHub and GitLab publish without a stored token', async (t) => {
  const job = await startJob(t, platform, 'Trusted');
  if (!existsSync('/usr/bin/script')) return t.skip('script is not installed');
  const ci = await startOutsideProvider();
  t.after(() => ci[Symbol.asyncDispose]());
  const github = await startGithub(t, ci);
  const api = platform.baseUrl;
  // The recipe names the public hosts; the issuer of the test stands for them.
  const trust = recipe('trust').replaceAll(
    /^svc trust add/gm,
    `svc trust add --issuer ${ci.issuer}`,
  );
  const added = await runLines(t, job, trust, {}, 'Trusted');
  assert.equal(added.code, 0, added.stdout);
  const { SVC_TOKEN: _token, ...env } = job.env;
  const workflow: {
    permissions: Record<string, string>;
    jobs: { publish: { env: object; steps: { run?: string }[] } };
  } = parse(recipe('trusted-github'));
  assert.equal(workflow.permissions['id-token'], 'write');
  const { publish } = workflow.jobs;
  assert.deepEqual(Object.keys(publish.env), ['SVC_API']);
  const steps = publish.steps.flatMap(({ run }) =>
    run === undefined || isInstall(run) ? [] : [run],
  );
  const first = await runLines(t, { ...job, env }, steps.join('\n'), github.env, null);
  assert.equal(first.code, 0, first.stderr);
  const { release } = JSON.parse(readFileSync(join(job.cwd, 'published.json'), 'utf8'));
  assert.equal(release.provenance.repository, JOB.repository);
  writeFileSync(join(job.cwd, 'src/index.html'), '<!doctype html><title>Next</title>');
  const pipeline: {
    publish: { id_tokens: { SVC_ID_TOKEN: { aud: string } }; script: string[] };
  } = parse(recipe('trusted-gitlab'));
  assert.equal(pipeline.publish.id_tokens.SVC_ID_TOKEN.aud, 'https://api.example.com');
  const idToken = await ci.sign({
    ...{ aud: api, sub: 'project_path:acme/moonhop:ref_type:branch:ref:main', jti: 'gitlab-1' },
    ...{ project_path: 'acme/moonhop', project_id: '9', ref: 'main', ref_type: 'branch' },
  });
  const script = pipeline.publish.script.filter((line) => !isInstall(line));
  const more = { SVC_ID_TOKEN: idToken };
  // A version is the time in seconds.
  await pause(1000);
  const second = await runLines(t, { ...job, env }, script.join('\n'), more, null);
  assert.equal(second.code, 0, second.stderr);
});

test('docs/ci.md, GitLab: the script lines check and publish', async (t) => {
  const job = await startJob(t, platform, 'Gitlab');
  const pipeline: Record<'check' | 'publish', { script: string[] }> = parse(recipe('gitlab'));
  const lines = [...pipeline.check.script, ...pipeline.publish.script].filter(
    (line) => !isInstall(line),
  );
  const more = { CI_COMMIT_TAG: 'v2.0', CI_COMMIT_TAG_MESSAGE: 'Second' };
  const { code, stderr } = await runLines(t, job, lines.join('\n'), more, null);
  assert.equal(code, 0, stderr);
  const published = JSON.parse(readFileSync(join(job.cwd, 'published.json'), 'utf8'));
  assert.deepEqual([published.release.version, published.release.notes], ['v2.0', 'Second']);
});

test('docs/ci.md, rotation: the new token works, and the old one is rejected', async (t) => {
  const job = await startJob(t, platform, 'Rotation');
  const first = await runLines(t, job, 'npm run build && svc publish --version 1', {}, null);
  assert.equal(first.code, 0, first.stderr);
  const who = await runLines(t, job, 'svc whoami --json', {}, null);
  const { token_id } = JSON.parse(who.stdout).auth;
  const more = { OLD_TOKEN: job.token, OLD_TOKEN_ID: token_id };
  if (!existsSync('/usr/bin/script')) return t.skip('script is not installed');
  // A terminal merges both streams.
  const { code, stdout } = await runLines(t, job, recipe('rotation'), more, 'Rotation');
  assert.equal(code, 0, stdout);
  assert.match(stdout, /Revoked /);
  assert.match(stdout, /was revoked/);
  assert.ok(!stdout.includes(job.token));
});
