// The action for GitHub and the component for GitLab, with a real platform.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { startOutsideProvider } from '@svc/platform/testing';
import { readVersion } from '../../scripts/version.ts';
import { ROOT } from '../../scripts/workspaces.ts';
import { readComponent, startBuilt } from './ci-integrations.ts';
import { runLines } from './ci-job.ts';
import { JOB, startGithub } from './github-identity.ts';
import { runAction } from './github-runner.ts';
import { startPlatformProcess } from './platform-process.ts';

const platform = await startPlatformProcess({ after });
const ACTION = join(ROOT, 'integrations/github');
const textAt = async (address = ''): Promise<string> => (await fetch(address)).text();

test('the action installs its version of svc, or none', async (t) => {
  const job = await startBuilt(t, platform, 'Install');
  for (const version of [undefined, '1.2.3; echo', '']) {
    const given = version === undefined ? {} : { 'svc-version': version };
    const ran = await runAction(t, ACTION, job, { command: 'check', ...given });
    assert.equal(ran.code, 0, ran.log);
  }
  const install = 'install --global --no-audit --no-fund @svc/cli@';
  assert.equal(
    readFileSync(join(job.home, 'npm'), 'utf8'),
    `${install}${readVersion()}\n${install}1.2.3; echo\n`,
  );
});

test('check and publish: the addresses and the version are outputs, and the summary has links', async (t) => {
  const job = await startBuilt(t, platform, 'Publish');
  const given = { command: 'publish', version: 'v1', notes: 'First $(id)\n"two"', directory: '.' };
  const dry = await runAction(t, ACTION, job, { ...given, 'dry-run': 'true' });
  assert.equal(dry.code, 0, dry.log);
  assert.match(dry.summary, /^The platform accepts this build: /);
  const { code, log, outputs, summary } = await runAction(t, ACTION, job, given);
  assert.equal(code, 0, log);
  assert.equal(outputs['version'], 'v1');
  assert.match(await textAt(outputs['play']), /<title>Recipe<\/title>/);
  const document = JSON.parse(readFileSync(outputs['document'] ?? '', 'utf8'));
  assert.equal(document.release.notes, given.notes);
  assert.equal(
    summary,
    `Version v1 is live: [page](${outputs['page']}), [play](${outputs['play']})\n`,
  );
  const again = await runAction(t, ACTION, job, given);
  assert.equal(again.code, 0, again.log);
});

test('a publish that fails says why in the log, and has no outputs', async (t) => {
  const job = await startBuilt(t, platform, 'Fails');
  const given = { command: 'publish', build: 'nowhere' };
  const { code, log, outputs, summary } = await runAction(t, ACTION, job, given);
  assert.equal(code, 7, log);
  assert.match(log, /^::error::.*nowhere/m);
  assert.deepEqual([outputs['page'], outputs['play'], outputs['version']], ['', '', '']);
  assert.equal(summary, '');
  const wrong = await runAction(t, ACTION, job, { command: 'rm' });
  assert.match(wrong.log, /^::error::There is no command "rm"/m);
  assert.equal(wrong.code, 2);
  assert.equal((await runAction(t, ACTION, job, { command: 'preview' })).code, 2);
});

test('preview: each run replaces the build at one link, and end-preview ends it', async (t) => {
  const job = await startBuilt(t, platform, 'Preview');
  const links: string[] = [];
  for (const title of ['First', 'Second']) {
    writeFileSync(join(job.cwd, 'dist/index.html'), `<!doctype html><title>${title}</title>`);
    // A version that is not named is the time in seconds.
    await pause(1000);
    const ran = await runAction(t, ACTION, job, { command: 'preview', preview: 'pr-7' });
    assert.equal(ran.code, 0, ran.log);
    assert.match(await textAt(ran.outputs['play']), new RegExp(`<title>${title}</title>`));
    assert.equal(ran.outputs['page'], '');
    links.push(ran.outputs['play'] ?? '');
  }
  assert.equal(new Set(links).size, 1);
  // The second time there is no link.
  for (const _ of [1, 2]) {
    const ended = await runAction(t, ACTION, job, { command: 'end-preview', preview: 'pr-7' });
    assert.equal(ended.code, 0, ended.log);
  }
  assert.equal((await fetch(links[0] ?? '')).status, 404);
});

test('a run publishes with its identity, or with the token of an input', async (t) => {
  const job = await startBuilt(t, platform, 'Identity');
  const ci = await startOutsideProvider();
  t.after(() => ci[Symbol.asyncDispose]());
  const github = await startGithub(t, ci);
  const { SVC_TOKEN: token = '', SVC_API: api = '', ...env } = job.env;
  const trust = `svc trust add --issuer ${ci.issuer} --github acme/moonhop --branch main`;
  const added = await runLines(t, job, trust, {}, 'Identity');
  assert.equal(added.code, 0, added.stdout);
  const bare = { ...job, env };
  const given = { command: 'publish', api, version: 'v1' };
  const trusted = await runAction(t, ACTION, bare, given, github.env);
  assert.equal(trusted.code, 0, trusted.log);
  const document = JSON.parse(readFileSync(trusted.outputs['document'] ?? '', 'utf8'));
  assert.equal(document.release.provenance.repository, JOB.repository);
  const none = await runAction(t, ACTION, bare, { ...given, version: 'v2' });
  assert.notEqual(none.code, 0);
  writeFileSync(join(job.cwd, 'dist/index.html'), '<!doctype html><title>Token</title>');
  const withToken = await runAction(t, ACTION, bare, { ...given, token, version: 'v2' });
  assert.equal(withToken.code, 0, withToken.log);
  assert.ok(!withToken.log.includes(token));
});

test('the component for GitLab: each command of its script, with the identity of the pipeline', async (t) => {
  const job = await startBuilt(t, platform, 'Component');
  const { inputs, run } = readComponent(t, platform, job);
  assert.equal(inputs['svc-version']?.default, readVersion());
  assert.deepEqual(inputs['command']?.options, ['check', 'record', 'publish', 'preview']);
  const api = platform.baseUrl;
  const check = await run({ command: 'check', api });
  assert.equal(check.code, 0, check.stderr);
  const published = await run({ command: 'publish', api, arguments: '--version v1 --json' });
  assert.equal(published.code, 0, published.stderr);
  assert.equal(JSON.parse(published.stdout).release.version, 'v1');
  writeFileSync(join(job.cwd, 'dist/index.html'), '<!doctype html><title>Merge</title>');
  const preview = await run({ command: 'preview', api, preview: 'mr-3', arguments: '--json' });
  assert.equal(preview.code, 0, preview.stderr);
  assert.match(await textAt(JSON.parse(preview.stdout).preview.url), /<title>Merge<\/title>/);
});
