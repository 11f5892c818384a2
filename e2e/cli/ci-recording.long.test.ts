// Recordings by the action for GitHub and the component for GitLab, in a real browser.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findBrowser } from '../../scripts/find-browser.ts';
import { ROOT } from '../../scripts/workspaces.ts';
import { noBrowser } from '../viewer/open-viewer.ts';
import { readComponent, startBuilt } from './ci-integrations.ts';
import { runAction } from './github-runner.ts';
import { startPlatformProcess } from './platform-process.ts';

const platform = await startPlatformProcess({ after });
const ACTION = join(ROOT, 'integrations/github');

test('record: a trace, a page and the answer in the summary, compared with an older trace', {
  skip: noBrowser,
}, async (t) => {
  const job = await startBuilt(t, platform, 'Record');
  writeFileSync(join(job.cwd, 'dist/index.html'), '<!doctype html><title>Recipe</title><p>Play');
  writeFileSync(join(job.cwd, 'level-1.input'), '0.2 key press Space\n0.5 end\n');
  const more = { SVC_BROWSER: findBrowser() ?? '' };
  const given = { command: 'record', build: 'dist', input: 'level-1.input', trace: 'old.vpt' };
  const first = await runAction(t, ACTION, job, given, more);
  assert.equal(first.code, 0, first.log);
  assert.match(first.summary, /^\*\*.+\*\*\n/);
  assert.match(readFileSync(join(job.cwd, 'report.html'), 'utf8'), /data-name="old\.vpt">/);
  const against = { ...given, trace: 'new.vpt', against: 'old.vpt' };
  const limits = { 'fail-on': 'max_ms+100000 rss_max_bytes+1B' };
  const second = await runAction(t, ACTION, job, { ...against, ...limits }, more);
  // The trace of a browser has no memory of a process.
  assert.equal(second.code, 7, second.log);
  const loose = await runAction(t, ACTION, job, { ...against, 'fail-on': 'max_ms+100000' }, more);
  assert.equal(loose.code, 0, loose.log);
});

test('record in GitLab: a trace and a page', { skip: noBrowser }, async (t) => {
  const job = await startBuilt(t, platform, 'Gitlab');
  const { run } = readComponent(t, platform, job);
  const record = await run(
    { command: 'record', api: platform.baseUrl, build: 'dist', arguments: '--seconds 1' },
    { SVC_BROWSER: findBrowser() ?? '' },
  );
  assert.equal(record.code, 0, record.stderr);
  assert.match(readFileSync(join(job.cwd, 'report.html'), 'utf8'), /data-name="game\.vpt">/);
});
